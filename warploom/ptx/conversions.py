"""Conversions between numbers. PTX ISA 9.7.9 (`cvt`)."""

from __future__ import annotations

from warploom.compiler.interval import whole_limits
from warploom.compiler.ssa import FLUSHED, Value
from warploom.ptx import eight_bits, halves
from warploom.ptx.brain import from_exact, without_negative
from warploom.ptx.brain import widened as brain_widened
from warploom.ptx.integers import bits_of
from warploom.ptx.module import BYTES, Instruction
from warploom.ptx.rounding import ZERO, Exact, Rounding, mode_of
from warploom.ptx.translation import FLOAT_TYPES, Translation

TO_WHOLE = {"rni": "nearest", "rzi": "zero", "rmi": "down", "rpi": "up"}
NARROW = ("f16", "bf16")
TENSOR_BITS = 13  # that a tf32 lacks of a float of 32 bits


def flag_of(one: Instruction, kind: str) -> str | int:
    """What an operation of 32 bits is told with `.ftz`."""
    return FLUSHED if "ftz" in one.modifiers and kind == "f32" else 0


def flushed(t: Translation, one: Instruction, value: Value) -> Value:
    """A float of 32 bits as `.ftz` has it: a sum with -0 of the same number."""
    return t.pure("fadd", value, t.b.real(-0.0, "f32"), type="f32", imm=FLUSHED) if flag_of(one, value.type) else value


def saturated(t: Translation, value: Value, one: Instruction) -> Value:
    """With `.sat` between 0 and 1; a NaN is 0."""
    if "sat" not in one.modifiers:
        return value
    kind = value.type
    return t.pure("fmin", t.pure("fmax", value, t.b.real(0.0, kind), type=kind), t.b.real(1.0, kind), type=kind)


def with_sign_of(t: Translation, signed: Value, value: Value) -> Value:
    """A float with the sign of another one."""
    sign = 1 << bits_of(value.type) - 1
    a, b = (t.pure("bits", one, type="u64") for one in (signed, value))
    made = t.pure("or", t.pure("and", b, t.whole(sign - 1), type="u64"), t.pure("and", a, t.b.whole(sign, "u64"), type="u64"), type="u64")
    return t.pure("float", made, type=value.type)


def convert(t: Translation, one: Instruction) -> None:
    """`cvt`."""
    kinds = [word for word in one.modifiers if word in BYTES or word.startswith(("e4m3", "e5m2", "e2m1", "e2m3", "e3m2", "ue8m0", "tf32"))]
    to, source = kinds[-2:]
    if "rs" in one.modifiers or ("satfinite" in one.modifiers and to == "tf32"):
        raise t.refuse(f"{one} is not there yet")
    if to in eight_bits.KINDS and source in ("f32", "f16x2"):
        eight_bits.narrow(t, one, to, source)
    elif source in eight_bits.KINDS and to == "f16x2":
        eight_bits.widen(t, one, source)
    elif to in ("f16x2", "bf16x2") and source == "f32":
        high, low = (_narrowed(t, one, Exact(t.use(operand, source)), to[:-2]) for operand in one.operands[1:3])
        t.set(t.pure("or", low, t.pure("shl", high, t.whole(16))))
    elif to == "tf32" and source == "f32":
        t.set(_for_tensors(t, one))
    elif to not in BYTES or source not in BYTES:
        raise t.refuse(f"{one} is not there yet")
    elif to[0] in "us" and source[0] in "us":
        t.set(_between_wholes(t, one, to, source))
    elif to[0] in "us":
        t.set(_to_whole(t, one, to, source))
    elif source[0] in "us":
        _from_whole(t, one, to, source)
    else:
        _between_floats(t, one, to, source)


def _from_whole(t: Translation, one: Instruction, to: str, source: str) -> None:
    number, mode = t.exact(one.operands[1], source), mode_of(one.modifiers)
    if to in FLOAT_TYPES and not mode:
        t.set(saturated(t, t.pure("i2f", number, type=to), one))
    elif to in NARROW:
        t.set(_narrowed(t, one, Rounding(t, mode).whole(number), to))
    else:
        r = Rounding(t, mode)
        exact = r.whole(number)
        t.set(saturated(t, r.single(exact) if to == "f32" else r.double(exact), one))


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
        return brain_widened(t, t.exact(one.operands[1], "u16"))
    return flushed(t, one, t.use(one.operands[1], source))


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
    return with_sign_of(t, value, made)


def _truncated(t: Translation, value: Value) -> Value:
    """Without its fraction, with its sign."""
    kind = value.type
    size = t.pure("ffloor", t.pure("fabs", value, type=kind), type=kind)
    return with_sign_of(t, value, size)


def _between_floats(t: Translation, one: Instruction, to: str, source: str) -> None:
    value, directed = _widened(t, one, source), mode_of(one.modifiers)
    mode = next((TO_WHOLE[word] for word in one.modifiers if word in TO_WHOLE), "")
    if mode:
        value = _truncated(t, value) if mode == "zero" else whole_float(t, value, mode)
    if to not in FLOAT_TYPES:
        t.set(_narrowed(t, one, Exact(value), to))
        return
    if value.type == "f64" and to == "f32" and directed:
        value = Rounding(t, directed).single(Exact(value))
    elif source == "f16" and to == "f64":
        value = _double_of_half(t, t.exact(one.operands[1], "u16"), value)
    elif value.type != to:
        value = t.pure("f2f", value, type=to)
    elif source not in NARROW:
        value = t.pure("fadd", value, t.b.real(-0.0, to), type=to, imm=flag_of(one, to))  # a NaN becomes the canonical one
    t.set(saturated(t, flushed(t, one, value), one))


def _double_of_half(t: Translation, bits: Value, value: Value) -> Value:
    """A float of 64 bits that was one of 16: of a NaN its sign and its bits are kept. value: as one of 32 bits."""
    sign, size = (t.pure("and", bits, t.whole(mask), type="u64") for mask in (halves.SIGN, halves.SIZE))
    upper = t.pure("or", t.pure("shl", sign, t.whole(48), type="u64"), t.b.whole(0x7FF8 << 48, "u64"), type="u64")
    none = t.pure("or", t.pure("shl", size, t.whole(52 - 10), type="u64"), upper, type="u64")
    number = t.pure("feq", value, value, type="i1")
    return t.pure("sel", number, t.pure("f2f", value, type="f64"), t.pure("float", none, type="f64"), type="f64")


def _narrowed(t: Translation, one: Instruction, exact: Exact, to: str) -> Value:
    """A float, and what it lacks, as the bits of one of 16 bits."""
    mode, near = mode_of(one.modifiers), exact.near
    relu = "relu" in one.modifiers
    if "satfinite" in one.modifiers:
        near = _no_larger(t, near, halves.LARGEST[to])
        exact = Exact(near, exact.rest)
    if to == "bf16":
        return from_exact(t, exact, mode, relu=relu, sat="sat" in one.modifiers)
    if relu:
        near = without_negative(t, near)
    near = saturated(t, near, one)
    if not mode:
        return t.pure("f2h", near, type="u64")
    r = Rounding(t, mode)
    made = r.half(Exact(near if near.type == "f64" else r.wide(near), exact.rest))
    return t.pure("sel", t.pure("feq", near, near, type="i1"), made, t.whole(halves.NAN))


def _no_larger(t: Translation, value: Value, largest: float) -> Value:
    """`.satfinite`: the largest number in place of what is larger, infinity too; a NaN stays one."""
    bound = t.b.real(largest, value.type)
    larger = t.pure("flt", bound, t.pure("fabs", value, type=value.type), type="i1")
    return t.pure("sel", larger, with_sign_of(t, value, bound), value, type=value.type)


def _for_tensors(t: Translation, one: Instruction) -> Value:
    """A tf32: a float of 32 bits whose low bits are zero; `.rna` rounds halves away from zero."""
    value = t.use(one.operands[1], "f32")
    value = without_negative(t, value) if "relu" in one.modifiers else value
    bits = t.pure("bits", value, type="u64")
    half = 1 << TENSOR_BITS - 1
    if "rna" in one.modifiers:
        bits = t.pure("add", bits, t.whole(half), type="u64")
    elif mode_of(one.modifiers) != ZERO:
        last = t.pure("and", t.pure("shr", bits, t.whole(TENSOR_BITS), type="u64"), t.whole(1), type="u64")
        bits = t.pure("add", bits, t.pure("add", last, t.whole(half - 1), type="u64"), type="u64")
    kept = t.whole(0xFFFFFFFF & ~(2 * half - 1))
    made = t.pure("and", bits, kept, type="u64")
    finite = t.pure("flt", t.pure("fabs", value, type="f32"), t.b.real(float("inf"), "f32"), type="i1")
    number = t.pure("feq", value, value, type="i1")
    given = t.pure("bits", value, type="u64")
    none = t.pure("and", given, kept, type="u64") if "rna" in one.modifiers else t.whole(0x7FFFFFFF)  # cut off, on an H100
    return t.pure("sel", finite, made, t.pure("sel", number, given, none))
