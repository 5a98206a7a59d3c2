"""Floats of 64, 32 and 16 bits. PTX ISA 9.7.3 to 9.7.5. Conversions are in `conversions.py`.

The approximate functions are the machine's special functions. A quotient that the text wants approximated is a product with a
reciprocal, as in the hardware. Modes that round otherwise than to the nearest are in `rounding.py`. With `.ftz` an operation on 32 bits
makes zeros of denormal numbers. Of bf16 an operation is computed exactly and rounded once.
"""

from __future__ import annotations

from warploom.compiler.ssa import Value
from warploom.ptx import fields, halves, integers
from warploom.ptx.brain import from_exact, narrowed, widened, without_negative
from warploom.ptx.conversions import convert, flag_of, flushed, saturated, with_sign_of
from warploom.ptx.integers import Rule
from warploom.ptx.module import Instruction
from warploom.ptx.rounding import ODD, Exact, Rounding, mode_of
from warploom.ptx.translation import FLOAT_TYPES, Translation

HALVES = ("f16", "f16x2")
BRAINS = ("bf16", "bf16x2")
TANH_IS_X = 0.025  # below, x itself is nearer to tanh(x) than 2^-11 of it, which is what the manual promises
ALONE = {"ex2": "fexp2", "lg2": "flog2", "sin": "fsin", "cos": "fcos", "rsqrt": "frsqrt"}


def _finish(t: Translation, one: Instruction, value: Value) -> None:
    t.set(saturated(t, value, one))


def _operands(t: Translation, one: Instruction, kind: str, count: int) -> list[Value]:
    return [t.use(operand, kind) for operand in one.operands[1 : 1 + count]]


def _on_halves(t: Translation, one: Instruction, count: int, operation: str) -> None:
    """An operation on a 16-bit float, or on two in a word."""
    packed = one.type == "f16x2"
    operands = [t.exact(operand, "u32" if packed else "u16") for operand in one.operands[1 : 1 + count]]

    def at(shift: int) -> Value:
        parts = [t.fit(t.pure("shr", v, t.whole(shift), type="u64") if shift else v, "u16") for v in operands]
        name = {"fma": "dfma"}.get(operation, operation)
        if "ftz" in one.modifiers:
            parts = [halves.flushed(t, part) for part in parts]
        found = t.pure("half", *parts, type="u64", imm=name)
        found = halves.flushed(t, found) if "ftz" in one.modifiers else found
        if "relu" in one.modifiers or "sat" in one.modifiers:
            wide = t.pure("h2f", found, type="f32")
            wide = without_negative(t, wide) if "relu" in one.modifiers else saturated(t, wide, one)
            found = t.pure("f2h", wide, type="u64")
        return found

    t.set(t.pure("or", at(0), t.pure("shl", at(16), t.whole(16)), type="i64") if packed else at(0))


def _on_brains(t: Translation, one: Instruction, rule: object) -> None:
    """An operation on a bf16, or on two in a word. rule: from floats of 32 bits to the bits of a bf16."""
    assert callable(rule)
    packed = one.type == "bf16x2"
    operands = [t.exact(operand, "u32" if packed else "u16") for operand in one.operands[1:]]
    made = rule(*(widened(t, x) for x in operands))
    if packed:
        upper = rule(*(widened(t, t.pure("shr", x, t.whole(16), type="u64")) for x in operands))
        made = t.pure("or", made, t.pure("shl", upper, t.whole(16)), type="i64")
    t.set(made)


def _brain_arithmetic(t: Translation, one: Instruction) -> None:
    """add, sub, mul and fma of bf16: products of two are exact in 64 bits, and sums have their rest."""

    def rule(*values: Value) -> Value:
        r = Rounding(t, ODD)
        wide = [r.wide(x) for x in values]
        if one.op == "mul":
            exact = Exact(t.pure("fmul", *wide, type="f64"))
        elif one.op in ("fma", "mad"):
            exact = r.sum(t.pure("fmul", *wide[:2], type="f64"), wide[2])
        else:
            exact = r.sum(wide[0], t.pure("fneg", wide[1], type="f64") if one.op == "sub" else wide[1])
        return from_exact(t, exact, relu="relu" in one.modifiers, sat="sat" in one.modifiers)

    _on_brains(t, one, rule)


def arithmetic(t: Translation, one: Instruction) -> None:
    """`add`, `sub`, `mul`, `fma`, and `mad` of floats, which is the same on all machines since sm_20."""
    kind = one.type
    name = "fma" if one.op in ("fma", "mad") else "f" + one.op
    count = 3 if name == "fma" else 2
    if kind in HALVES:
        _on_halves(t, one, count, name)
    elif kind in BRAINS:
        _brain_arithmetic(t, one)
    elif mode := mode_of(one.modifiers):
        _finish(t, one, _directed(t, one, mode, count))
    else:
        _finish(t, one, t.pure(name, *_operands(t, one, kind, count), type=kind, imm=flag_of(one, kind)))


def _directed(t: Translation, one: Instruction, mode: str, count: int) -> Value:
    """A sum, difference, product, multiply-add, quotient or root, rounded in a mode."""
    kind, r = one.type, Rounding(t, mode)
    values = [r.wide(flushed(t, one, x)) for x in _operands(t, one, kind, count)]
    bounds = list(values)
    if one.op == "rcp":
        values = [t.b.real(1.0, "f64"), *values]
    if one.op == "sub":
        values[1] = t.pure("fneg", values[1], type="f64")
    if one.op in ("add", "sub"):
        exact = r.sum(*values)
    elif one.op == "mul":
        exact = Exact(t.pure("fmul", *values, type="f64")) if kind == "f32" else r.product(*values)
    elif one.op in ("fma", "mad"):
        exact = r.sum(t.pure("fmul", *values[:2], type="f64"), values[2]) if kind == "f32" else r.multiply_add(*values)
    elif one.op == "sqrt":
        exact = r.root(*values)
    else:
        exact = r.quotient(*values)
        zero = t.pure("feq", values[1], t.b.real(0.0, "f64"), type="i1")  # a quotient by 0 is infinite, and exact
        bounds = [values[0], t.pure("sel", zero, t.b.real(float("inf"), "f64"), values[1], type="f64")]
    return flushed(t, one, r.single(exact)) if kind == "f32" else r.double(exact, *bounds)


def divide(t: Translation, one: Instruction) -> None:
    """`div`."""
    kind = one.type
    if "approx" in one.modifiers or "full" in one.modifiers:
        x, y = _operands(t, one, kind, 2)
        flag = flag_of(one, kind)
        if not flag:  # the reciprocal of a denormal number overflows: both are larger then
            small = t.pure("flt", t.pure("fabs", y, type=kind), t.b.real(2.0**-126, kind), type="i1")
            scale = t.pure("sel", small, t.b.real(2.0**24, kind), t.b.real(1.0, kind), type=kind)
            x, y = (t.pure("fmul", v, scale, type=kind) for v in (x, y))
        _finish(t, one, t.pure("fmul", x, t.pure("frcp", y, type="f32", imm=flag), type="f32", imm=flag))
    elif mode := mode_of(one.modifiers):
        _finish(t, one, _directed(t, one, mode, 2))
    else:
        _finish(t, one, t.pure("fdiv", *_operands(t, one, kind, 2), type=kind, imm=flag_of(one, kind)))


def root(t: Translation, one: Instruction) -> None:
    """`sqrt`, `rcp`, `rsqrt`."""
    kind, flag = one.type, flag_of(one, one.type)
    if mode := mode_of(one.modifiers):
        _finish(t, one, _directed(t, one, mode, 1))
        return
    (x,) = _operands(t, one, kind, 1)
    if one.op == "sqrt":
        made = t.pure("fsqrt", x, type=kind, imm=flag)
    elif one.op == "rcp":
        approximated = kind == "f32" and "approx" in one.modifiers
        made = t.pure("frcp", x, type=kind, imm=flag) if approximated else t.pure("fdiv", t.b.real(1.0, kind), x, type=kind, imm=flag)
    elif kind == "f32":
        made = t.pure("frsqrt", x, type=kind, imm=flag)
    else:
        made = t.pure("fdiv", t.b.real(1.0, kind), t.pure("fsqrt", x, type=kind), type=kind)
    if kind == "f64" and "approx" in one.modifiers:  # the device computes the upper word alone
        bits = t.pure("add", t.pure("bits", made, type="u64"), t.whole(1 << 31), type="u64")
        upper = t.pure("and", bits, t.b.whole(0xFFFFFFFF00000000, "u64"), type="u64")
        number = t.pure("feq", made, made, type="i1")
        made = t.pure("float", t.pure("sel", number, upper, t.b.whole(0x7FFFFFFF00000000, "u64"), type="u64"), type=kind)
    _finish(t, one, made)


def special(t: Translation, one: Instruction) -> None:
    """`ex2`, `lg2`, `sin`, `cos`, `tanh`; of 16-bit floats `ex2` and `tanh`."""
    kind = one.type
    if kind in BRAINS:
        _on_brains(t, one, lambda x: narrowed(t, _function(t, one, x)))
        return
    if kind in HALVES:
        x = t.exact(one.operands[1], "u32" if kind == "f16x2" else "u16")
        parts = [t.fit(t.pure("shr", x, t.whole(shift), type="u64"), "u16") for shift in ((0, 16) if kind == "f16x2" else (0,))]
        made = [t.pure("f2h", _function(t, one, t.pure("h2f", part, type="f32")), type="u64") for part in parts]
        t.set(made[0] if len(made) == 1 else t.pure("or", made[0], t.pure("shl", made[1], t.whole(16)), type="i64"))
        return
    _finish(t, one, _function(t, one, *_operands(t, one, kind, 1)))


def _function(t: Translation, one: Instruction, x: Value) -> Value:
    """A function of a float of 32 bits."""
    flag = flag_of(one, one.type)
    if one.op != "tanh":
        return t.pure(ALONE[one.op], x, type="f32", imm=flag)
    power = t.pure("fexp2", t.pure("fmul", x, t.b.real(2.8853900817779268, "f32"), type="f32"), type="f32")  # 1 - 2 / (e^2x + 1)
    quotient = t.pure("frcp", t.pure("fadd", power, t.b.real(1.0, "f32"), type="f32"), type="f32")
    made = t.pure("fma", t.b.real(-2.0, "f32"), quotient, t.b.real(1.0, "f32"), type="f32")
    near = t.pure("flt", t.pure("fabs", x, type="f32"), t.b.real(TANH_IS_X, "f32"), type="i1")
    return t.pure("sel", near, x, made, type="f32")


def signs(t: Translation, one: Instruction) -> None:
    """`neg`, `abs`, `copysign`."""
    kind = one.type
    if kind in HALVES or kind.startswith("bf16"):
        word = t.exact(one.operands[1], "u32" if kind.endswith("x2") else "u16")
        parts = halves.parts_of(t, word, kind)
        if "ftz" in one.modifiers:
            parts = [halves.flushed(t, x) for x in parts]
        op, mask = ("xor", halves.SIGN) if one.op == "neg" else ("and", halves.SIZE)
        made = [halves.canonical(t, t.pure(op, x, t.whole(mask), type="u64"), x, kind.removesuffix("x2")) for x in parts]
        t.set(halves.joined(t, made))
        return
    x = flushed(t, one, *_operands(t, one, kind, 1))
    if one.op == "copysign":  # of a on b
        t.set(with_sign_of(t, *(t.use(operand, kind) for operand in one.operands[1:3])))
        return
    _finish(t, one, t.pure("f" + one.op, x, type=kind, imm=flag_of(one, kind)))


def smaller(t: Translation, one: Instruction) -> None:
    """`min`, `max`: the number where one is none; with `.NaN` that. `.xorsign.abs`: of the sizes, with the product's sign."""
    kind = one.type
    if kind in BRAINS:
        _on_brains(t, one, lambda *values: narrowed(t, _least(t, one, list(values))))
    elif kind in HALVES and not {"NaN", "xorsign"} & set(one.modifiers):
        _on_halves(t, one, 2, "f" + one.op)
    elif kind in HALVES:
        operands = [t.exact(operand, "u32" if kind == "f16x2" else "u16") for operand in one.operands[1:]]

        def at(shift: int) -> Value:
            parts = [t.fit(t.pure("shr", x, t.whole(shift), type="u64"), "u16") for x in operands]
            return t.pure("f2h", _least(t, one, [t.pure("h2f", x, type="f32") for x in parts]), type="u64")

        t.set(t.pure("or", at(0), t.pure("shl", at(16), t.whole(16)), type="i64") if kind == "f16x2" else at(0))
    else:
        _finish(t, one, _least(t, one, _operands(t, one, kind, len(one.operands) - 1)))


def _least(t: Translation, one: Instruction, operands: list[Value]) -> Value:
    kind = operands[0].type
    flag, signed = flag_of(one, kind), "xorsign" in one.modifiers
    sizes = [t.pure("fabs", x, type=kind) for x in operands] if signed else operands
    made = sizes[0]
    for other in sizes[1:]:
        made = t.pure("f" + one.op, made, other, type=kind, imm=flag)
    if signed:
        bits = [t.pure("bits", x, type="u64") for x in operands]
        sign = t.pure("float", t.pure("xor", *bits, type="u64"), type=kind)
        made = t.pure("sel", t.pure("feq", made, made, type="i1"), with_sign_of(t, sign, made), made, type=kind)
    if "NaN" in one.modifiers:
        for x in operands:
            made = t.pure("sel", t.pure("feq", x, x, type="i1"), made, t.pure("fadd", x, x, type=kind), type=kind)
    return made


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
        below = t.pure("flt", size, least, type="i1")
        found = normal if what == "normal" else t.pure("and", below, t.pure("flt", t.b.real(0.0, kind), size, type="i1"), type="i1")
    t.set(found)


def _by_type(name: str) -> Rule:
    """The rule for whole numbers, or that for floats, as the type says."""
    whole, real = integers.RULES.get(name), RULES_OF_FLOATS[name]

    def rule(t: Translation, one: Instruction) -> None:
        kind = one.type
        floating = kind in FLOAT_TYPES or kind in HALVES or kind in BRAINS
        if not floating and whole is None:
            raise t.refuse(f"{one} is not an operation of whole numbers")
        (real if floating else whole)(t, one)  # type: ignore[misc]

    return rule


RULES_OF_FLOATS: dict[str, Rule] = {
    **dict.fromkeys(("add", "sub", "mul", "fma", "mad"), arithmetic),
    "div": divide,
    **dict.fromkeys(("sqrt", "rcp", "rsqrt"), root),
    **dict.fromkeys(("ex2", "lg2", "sin", "cos", "tanh"), special),
    **dict.fromkeys(("neg", "abs", "copysign"), signs),
    **dict.fromkeys(("min", "max"), smaller),
    "testp": test_property,
}
RULES: dict[str, Rule] = {**integers.RULES, **fields.RULES, **{name: _by_type(name) for name in RULES_OF_FLOATS}, "cvt": convert}
