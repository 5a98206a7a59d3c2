"""Floats of 8 bits: `e4m3` (a bias of 7, no infinity, NaN of all ones) and `e5m2` (the upper byte of an f16). PTX ISA 5.2.3.

Two of them stand in a word of 16 bits. What is too large for one is the largest number of its kind (`.satfinite`).
Source: Micikevicius and others, "FP8 Formats for Deep Learning", 2022.
"""

from __future__ import annotations

from typing import NamedTuple

from warploom.compiler.ssa import Value
from warploom.ptx.brain import without_negative
from warploom.ptx.halves import INFINITE, NAN, SIZE, joined, parts_of
from warploom.ptx.module import Instruction
from warploom.ptx.translation import Translation

SINGLE_FRACTION, SINGLE_BIAS, HALF_FRACTION = 23, 127, 10
NO_NUMBER = 0x7F


class Kind(NamedTuple):
    """A format: bits of its fraction, its bias, the bits of its largest number."""

    fraction: int
    bias: int
    largest: int


KINDS = {"e4m3x2": Kind(3, 7, 0x7E), "e5m2x2": Kind(2, 15, 0x7B)}


def narrow(t: Translation, one: Instruction, to: str, source: str) -> None:
    """`cvt.rn.satfinite.e4m3x2` of two floats, the first one for the upper byte, or of the two of an f16x2."""
    if source == "f32":
        high, low = (t.use(operand, "f32") for operand in one.operands[1:3])
    else:
        low, high = (t.pure("h2f", part, type="f32") for part in parts_of(t, t.exact(one.operands[1], "u32"), "f16x2"))
    if "relu" in one.modifiers:
        low, high = without_negative(t, low), without_negative(t, high)
    lower, upper = (_narrowed(t, KINDS[to], value) for value in (low, high))
    t.set(t.pure("or", lower, t.pure("shl", upper, t.whole(8))))


def _narrowed(t: Translation, kind: Kind, value: Value) -> Value:
    """The bits of the nearest one, of two the even one. value: a float of 32 bits."""
    dropped = SINGLE_FRACTION - kind.fraction
    bits = t.pure("bits", value, type="u64")
    size = t.pure("and", bits, t.whole(0x7FFFFFFF), type="u64")
    odd = t.pure("and", t.pure("shr", size, t.whole(dropped), type="u64"), t.whole(1), type="u64")
    rounded = t.pure("add", size, t.pure("add", odd, t.whole((1 << dropped - 1) - 1), type="u64"), type="u64")
    normal = t.pure("sub", t.pure("shr", rounded, t.whole(dropped), type="u64"), t.whole(SINGLE_BIAS - kind.bias << kind.fraction))
    # below the least normal one: added to a number whose last place is the last place here, a float is rounded to that
    place = 2.0 ** (SINGLE_FRACTION + 1 - kind.bias - kind.fraction)
    positive = t.pure("float", size, type="f32")
    shifted = t.pure("bits", t.pure("fadd", positive, t.b.real(place, "f32"), type="f32"), type="u64")
    denormal = t.pure("sub", shifted, t.pure("bits", t.b.real(place, "f32"), type="u64"))
    small = t.pure("lt", size, t.whole(SINGLE_BIAS + 1 - kind.bias << SINGLE_FRACTION), type="i1")
    made = t.pure("min", t.pure("sel", small, denormal, normal), t.whole(kind.largest))
    sign = t.pure("and", t.pure("shr", bits, t.whole(24), type="u64"), t.whole(0x80), type="u64")
    return t.pure("sel", t.pure("feq", value, value, type="i1"), t.pure("or", made, sign), t.whole(NO_NUMBER))


def widen(t: Translation, one: Instruction, source: str) -> None:
    """`cvt.rn.f16x2.e4m3x2`, `cvt.rn.f16x2.e5m2x2`: exact."""
    word = t.exact(one.operands[1], "u16")
    found = []
    for shift in (0, 8):
        byte = t.pure("and", t.pure("shr", word, t.whole(shift), type="u64"), t.whole(0xFF), type="u64")
        made = _widened(t, KINDS[source], byte)
        found.append(t.pure("f2h", without_negative(t, t.pure("h2f", made, type="f32")), type="u64") if "relu" in one.modifiers else made)
    t.set(joined(t, found))


def _widened(t: Translation, kind: Kind, byte: Value) -> Value:
    """The bits of the f16 that a byte is."""
    sign = t.pure("shl", t.pure("and", byte, t.whole(0x80), type="u64"), t.whole(8), type="u64")
    size = t.pure("and", byte, t.whole(NO_NUMBER), type="u64")
    made = t.pure("shl", size, t.whole(HALF_FRACTION - kind.fraction), type="u64")  # right but for its exponent's bias
    if kind.bias == KINDS["e5m2x2"].bias:
        none = t.pure("lt", t.whole(INFINITE["f16"]), made, type="i1")
    else:
        larger = t.pure("fmul", t.pure("h2f", made, type="f32"), t.b.real(2.0 ** (15 - kind.bias), "f32"), type="f32")
        made = t.pure("and", t.pure("f2h", larger, type="u64"), t.whole(SIZE), type="u64")
        none = t.pure("eq", size, t.whole(NO_NUMBER), type="i1")
    return t.pure("sel", none, t.whole(NAN), t.pure("or", made, sign, type="u64"), type="u64")
