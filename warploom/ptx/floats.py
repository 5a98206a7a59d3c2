"""Floats of 64, 32 and 16 bits, and conversions. PTX ISA 9.7.3 to 9.7.5 and 9.7.9.

The approximate functions are the machine's special functions. A quotient that the text wants approximated is a product with a
reciprocal, as in the hardware. Modes that round otherwise than to the nearest are refused by name. `.ftz` changes nothing: the machine's
floats keep their denormal numbers, as the hardware's do without it.
"""

from __future__ import annotations

from warploom.compiler.interval import whole_limits
from warploom.compiler.ssa import Value
from warploom.ptx import integers
from warploom.ptx.integers import Rule, bits_of
from warploom.ptx.module import BYTES, Instruction
from warploom.ptx.translation import FLOAT_TYPES, Translation

DIRECTED = ("rz", "rm", "rp")
TO_WHOLE = {"rni": "nearest", "rzi": "zero", "rmi": "down", "rpi": "up"}
HALVES = ("f16", "f16x2")
ALONE = {"ex2": "fexp2", "lg2": "flog2", "sin": "fsin", "cos": "fcos", "rsqrt": "frsqrt"}


def _checked(t: Translation, one: Instruction) -> str:
    """The type of an operation on floats. Raises Refused for a mode that is not there."""
    for mode in DIRECTED:
        if mode in one.modifiers:
            raise t.refuse(f"{one}: rounding other than to the nearest is not there yet")
    if one.type in ("bf16", "bf16x2"):
        raise t.refuse(f"{one}: arithmetic of bf16 is not there yet; convert to f32")
    return one.type


def _saturated(t: Translation, value: Value, one: Instruction) -> Value:
    """With `.sat` between 0 and 1; a NaN is 0."""
    if "sat" not in one.modifiers:
        return value
    kind = value.type
    return t.pure("fmin", t.pure("fmax", value, t.b.real(0.0, kind), type=kind), t.b.real(1.0, kind), type=kind)


def _operands(t: Translation, one: Instruction, kind: str, count: int) -> list[Value]:
    return [t.use(operand, kind) for operand in one.operands[1 : 1 + count]]


def _finish(t: Translation, one: Instruction, value: Value) -> None:
    t.set(_saturated(t, value, one))


def _on_halves(t: Translation, one: Instruction, count: int, operation: str) -> None:
    """An operation on a 16-bit float, or on two in a word."""
    packed = one.type == "f16x2"
    operands = [t.exact(operand, "u32" if packed else "u16") for operand in one.operands[1 : 1 + count]]

    def at(shift: int) -> Value:
        parts = [t.fit(t.pure("shr", v, t.whole(shift), type="u64") if shift else v, "u16") for v in operands]
        name = {"fma": "dfma"}.get(operation, operation)
        found = t.pure("half", *parts, type="u64", imm=name)
        if "relu" in one.modifiers or "sat" in one.modifiers:
            wide = t.pure("h2f", found, type="f32")
            wide = t.pure("fmax", wide, t.b.real(0.0, "f32"), type="f32")
            wide = t.pure("fmin", wide, t.b.real(1.0, "f32"), type="f32") if "sat" in one.modifiers else wide
            found = t.pure("f2h", wide, type="u64")
        return found

    t.set(t.pure("or", at(0), t.pure("shl", at(16), t.whole(16)), type="i64") if packed else at(0))


def arithmetic(t: Translation, one: Instruction) -> None:
    """`add`, `sub`, `mul`."""
    kind = _checked(t, one)
    if kind in HALVES:
        _on_halves(t, one, 2, "f" + one.op)
        return
    x, y = _operands(t, one, kind, 2)
    _finish(t, one, t.pure("f" + one.op, x, y, type=kind))


def fused(t: Translation, one: Instruction) -> None:
    """`fma`, and `mad` of floats, which is the same on all machines since sm_20."""
    kind = _checked(t, one)
    if kind in HALVES:
        _on_halves(t, one, 3, "fma")
        return
    _finish(t, one, t.pure("fma", *_operands(t, one, kind, 3), type=kind))


def divide(t: Translation, one: Instruction) -> None:
    """`div`."""
    kind = _checked(t, one)
    x, y = _operands(t, one, kind, 2)
    if "approx" in one.modifiers or "full" in one.modifiers:
        _finish(t, one, t.pure("fmul", x, t.pure("frcp", y, type="f32"), type="f32"))
    else:
        _finish(t, one, t.pure("fdiv", x, y, type=kind))


def root(t: Translation, one: Instruction) -> None:
    """`sqrt`, `rcp`, `rsqrt`."""
    kind = _checked(t, one)
    (x,) = _operands(t, one, kind, 1)
    if one.op == "sqrt":
        made = t.pure("fsqrt", x, type=kind)
    elif one.op == "rcp":
        made = (
            t.pure("frcp", x, type=kind)
            if kind == "f32" and "approx" in one.modifiers
            else t.pure("fdiv", t.b.real(1.0, kind), x, type=kind)
        )
    elif kind == "f32":
        made = t.pure("frsqrt", x, type=kind)
    else:
        made = t.pure("fdiv", t.b.real(1.0, kind), t.pure("fsqrt", x, type=kind), type=kind)
    _finish(t, one, made)


def special(t: Translation, one: Instruction) -> None:
    """`ex2`, `lg2`, `sin`, `cos`, `tanh`."""
    kind = _checked(t, one)
    if kind in HALVES:
        raise t.refuse(f"{one}: special functions of 16-bit floats are not there yet")
    (x,) = _operands(t, one, kind, 1)
    if one.op == "tanh":  # 1 - 2 / (e^2x + 1)
        power = t.pure("fexp2", t.pure("fmul", x, t.b.real(2.8853900817779268, "f32"), type="f32"), type="f32")
        quotient = t.pure("frcp", t.pure("fadd", power, t.b.real(1.0, "f32"), type="f32"), type="f32")
        made = t.pure("fma", t.b.real(-2.0, "f32"), quotient, t.b.real(1.0, "f32"), type="f32")
    else:
        made = t.pure(ALONE[one.op], x, type="f32")
    _finish(t, one, made)


def _with_sign_of(t: Translation, signed: Value, value: Value) -> Value:
    """A float with the sign of another one."""
    sign = 1 << bits_of(value.type) - 1
    a, b = (t.pure("bits", one, type="u64") for one in (signed, value))
    made = t.pure("or", t.pure("and", b, t.whole(sign - 1), type="u64"), t.pure("and", a, t.b.whole(sign, "u64"), type="u64"), type="u64")
    return t.pure("float", made, type=value.type)


def signs(t: Translation, one: Instruction) -> None:
    """`neg`, `abs`, `copysign`."""
    kind = one.type
    if kind in HALVES or kind.startswith("bf16"):
        mask = 0x80008000 if kind.endswith("x2") else 0x8000
        x = t.exact(one.operands[1], "u32" if kind.endswith("x2") else "u16")
        t.set(t.pure("xor", x, t.whole(mask)) if one.op == "neg" else t.pure("and", x, t.whole(~mask & 0xFFFFFFFF)))
        return
    (x,) = _operands(t, one, kind, 1)
    if one.op == "copysign":  # of a on b
        t.set(_with_sign_of(t, *(t.use(operand, kind) for operand in one.operands[1:3])))
        return
    _finish(t, one, t.pure("f" + one.op, x, type=kind))


def smaller(t: Translation, one: Instruction) -> None:
    """`min`, `max`: the number where one is none; with `.NaN` that."""
    kind = _checked(t, one)
    if kind in HALVES:
        _on_halves(t, one, 2, "f" + one.op)
        return
    operands = _operands(t, one, kind, len(one.operands) - 1)
    made = operands[0]
    for other in operands[1:]:
        made = t.pure("f" + one.op, made, other, type=kind)
    if "NaN" in one.modifiers:
        for x in operands:
            made = t.pure("sel", t.pure("feq", x, x, type="i1"), made, t.pure("fadd", x, x, type=kind), type=kind)
    _finish(t, one, made)


def test_property(t: Translation, one: Instruction) -> None:
    """`testp`."""
    kind = one.type
    x = t.use(one.operands[1], kind)
    size, infinite = t.pure("fabs", x, type=kind), t.b.real(float("inf"), kind)
    least = t.b.real(2.0**-126 if kind == "f32" else 2.0**-1022, kind)
    number = t.pure("feq", x, x, type="i1")
    what = one.modifiers[0]
    if what == "finite":
        found = t.pure("flt", size, infinite, type="i1")
    elif what == "infinite":
        found = t.pure("feq", size, infinite, type="i1")
    elif what in ("number", "notanumber"):
        found = number if what == "number" else integers.negated(t, number)
    else:
        normal = t.pure("and", t.pure("fle", least, size, type="i1"), t.pure("flt", size, infinite, type="i1"), type="i1")
        found = normal if what == "normal" else t.pure("flt", size, least, type="i1")
    t.set(found)


# ---------------------------------------------------------------------------------------------------------
# Conversions


def convert(t: Translation, one: Instruction) -> None:
    """`cvt`."""
    kinds = [word for word in one.modifiers if word in BYTES or word.startswith(("e4m3", "e5m2", "tf32"))]
    to, source = kinds[-2:]
    if to in ("f16x2", "bf16x2"):
        high, low = (_narrowed(t, one, t.use(operand, source), to[:-2]) for operand in one.operands[1:3])
        t.set(t.pure("or", low, t.pure("shl", high, t.whole(16))))
        return
    if to not in BYTES or source not in BYTES:
        raise t.refuse(f"{one} is not there yet")
    if to[0] in "us" and source[0] in "us":
        t.set(_between_wholes(t, one, to, source))
    elif to[0] in "us":
        t.set(_to_whole(t, one, to, source))
    elif source[0] in "us":
        _check_nearest(t, one)
        number = t.exact(one.operands[1], source)
        if to in FLOAT_TYPES:
            t.set(_saturated(t, t.pure("i2f", number, type=to), one))
        else:
            t.set(_narrowed(t, one, t.pure("i2f", number, type="f64" if to == "f16" else "f32"), to))
    else:
        _between_floats(t, one, to, source)


def _check_nearest(t: Translation, one: Instruction) -> None:
    if any(mode in one.modifiers for mode in DIRECTED):
        raise t.refuse(f"{one}: rounding other than to the nearest is not there yet")


def _between_wholes(t: Translation, one: Instruction, to: str, source: str) -> Value:
    number = t.exact(one.operands[1], source)
    if "sat" not in one.modifiers:
        return t.fit(number, to)
    bits = bits_of(to)
    low, high = whole_limits("i64" if to[0] == "s" else "u64", bits)
    if number.lo < low:
        number = t.pure("max", number, t.whole(low))
    if number.hi > high:
        number = t.pure("min", number, t.b.whole(high, "u64" if high >= 1 << 63 else "i64"), type="u64" if number.lo >= 0 else "i64")
    return number


def _widened(t: Translation, one: Instruction, source: str) -> Value:
    """The operand as a float that the machine computes with."""
    if source == "f16":
        return t.pure("h2f", t.exact(one.operands[1], "u16"), type="f32")
    if source == "bf16":
        return t.pure("float", t.pure("shl", t.exact(one.operands[1], "u16"), t.whole(16)), type="f32")
    return t.use(one.operands[1], source)


def _to_whole(t: Translation, one: Instruction, to: str, source: str) -> Value:
    """Rounded as the mode says, saturated; a NaN becomes what an H100 makes of it."""
    value = whole_float(t, _widened(t, one, source), next((TO_WHOLE[word] for word in one.modifiers if word in TO_WHOLE), "zero"))
    bits = bits_of(to)
    made = t.pure("f2i", value, type="i64" if to[0] == "s" else "u64", imm=max(bits, 32))
    if bits < 32:
        low, high = whole_limits("i64" if to[0] == "s" else "u64", bits)
        made = t.pure("max", t.pure("min", made, t.whole(high)), t.whole(low))
    return made


def whole_float(t: Translation, value: Value, mode: str) -> Value:
    """A float without a fraction."""
    kind = value.type
    if mode == "zero":
        return value  # the conversion itself cuts off
    if mode == "down":
        return t.pure("ffloor", value, type=kind)
    if mode == "up":
        return t.pure("fneg", t.pure("ffloor", t.pure("fneg", value, type=kind), type=kind), type=kind)
    return nearest_even(t, value)


def nearest_even(t: Translation, value: Value) -> Value:
    """The nearest whole float, of two the even one: from 2^23 (2^52) on floats have no fraction, so adding and taking it away rounds."""
    kind = value.type
    large = t.b.real(2.0**23 if kind == "f32" else 2.0**52, kind)
    size = t.pure("fabs", value, type=kind)
    rounded = t.pure("fsub", t.pure("fadd", size, large, type=kind), large, type=kind)
    made = t.pure("sel", t.pure("flt", size, large, type="i1"), rounded, size, type=kind)
    return _with_sign_of(t, value, made)


def _truncated(t: Translation, value: Value) -> Value:
    """Without its fraction, with its sign."""
    kind = value.type
    size = t.pure("ffloor", t.pure("fabs", value, type=kind), type=kind)
    return _with_sign_of(t, value, size)


def _between_floats(t: Translation, one: Instruction, to: str, source: str) -> None:
    value = _widened(t, one, source)
    mode = next((TO_WHOLE[word] for word in one.modifiers if word in TO_WHOLE), "")
    if mode:
        value = _truncated(t, value) if mode == "zero" else whole_float(t, value, mode)
    if to in FLOAT_TYPES:
        _check_nearest(t, one)
        _finish(t, one, value if value.type == to else t.pure("f2f", value, type=to))
    else:
        t.set(_narrowed(t, one, value, to))


def _narrowed(t: Translation, one: Instruction, value: Value, to: str) -> Value:
    """A float as the bits of one of 16 bits."""
    if "relu" in one.modifiers:
        value = t.pure("fmax", value, t.b.real(0.0, value.type), type=value.type)
    if to == "f16":
        _check_nearest(t, one)
        return t.pure("f2h", _saturated(t, value, one), type="u64")
    if value.type == "f64":
        value = t.pure("f2f", value, type="f32")
    bits = t.pure("bits", value, type="u64")
    if "rz" not in one.modifiers:  # to the nearest, of two the even one
        _check_nearest(t, one)
        last = t.pure("and", t.pure("shr", bits, t.whole(16), type="u64"), t.whole(1), type="u64")
        bits = t.pure("add", bits, t.pure("add", last, t.whole(0x7FFF), type="u64"), type="u64")
    made = t.fit(t.pure("shr", bits, t.whole(16), type="u64"), "u16")
    return t.pure("sel", t.pure("feq", value, value, type="i1"), made, t.whole(0x7FFF))


def _by_type(name: str) -> Rule:
    """The rule for whole numbers, or that for floats, as the type says."""
    whole, real = integers.RULES.get(name), RULES_OF_FLOATS[name]

    def rule(t: Translation, one: Instruction) -> None:
        kind = one.type
        floating = kind in FLOAT_TYPES or kind in HALVES or kind.startswith("bf16")
        if not floating and whole is None:
            raise t.refuse(f"{one} is not an operation of whole numbers")
        (real if floating else whole)(t, one)  # type: ignore[misc]

    return rule


RULES_OF_FLOATS: dict[str, Rule] = {
    **dict.fromkeys(("add", "sub", "mul"), arithmetic),
    "fma": fused,
    "mad": fused,
    "div": divide,
    **dict.fromkeys(("sqrt", "rcp", "rsqrt"), root),
    **dict.fromkeys(("ex2", "lg2", "sin", "cos", "tanh"), special),
    **dict.fromkeys(("neg", "abs", "copysign"), signs),
    **dict.fromkeys(("min", "max"), smaller),
    "testp": test_property,
}
RULES: dict[str, Rule] = {**integers.RULES, **{name: _by_type(name) for name in RULES_OF_FLOATS}, "cvt": convert}
