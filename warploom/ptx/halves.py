"""Floats of 16 bits as bits: zeros in place of denormal ones, and the NaN that the hardware makes of any other."""

from __future__ import annotations

from warploom.compiler.ssa import Value
from warploom.ptx.translation import Translation

SIZE, SIGN = 0x7FFF, 0x8000
NAN = 0x7FFF
INFINITE = {"f16": 0x7C00, "bf16": 0x7F80}
LARGEST = {"f16": 65504.0, "bf16": float.fromhex("0x1.fep127")}
ONE = {"f16": 0x3C00, "bf16": 0x3F80}


def parts_of(t: Translation, word: Value, kind: str) -> list[Value]:
    """The 16 bits of each float of an operand, the lower one first: of `f16x2` and `bf16x2` there are two. word: its bits."""
    if not kind.endswith("x2"):
        return [t.fit(word, "u16")]
    return [t.fit(word, "u16"), t.pure("shr", t.fit(word, "u32"), t.whole(16), type="u64")]


def joined(t: Translation, parts: list[Value]) -> Value:
    """The inverse of `parts_of`."""
    return parts[0] if len(parts) == 1 else t.pure("or", parts[0], t.pure("shl", parts[1], t.whole(16)), type="i64")


def flushed(t: Translation, bits: Value) -> Value:
    """The bits of a 16-bit float, of a denormal one those of a zero with its sign."""
    small = t.pure("eq", t.pure("and", bits, t.whole(INFINITE["f16"]), type="u64"), t.whole(0), type="i1")
    return t.pure("sel", small, t.pure("and", bits, t.whole(SIGN), type="u64"), bits, type="u64")


def canonical(t: Translation, found: Value, bits: Value, kind: str) -> Value:
    """`found`, or the one NaN of the hardware where `bits` are those of any NaN. kind: f16 or bf16."""
    none = t.pure("lt", t.whole(INFINITE[kind]), t.pure("and", bits, t.whole(SIZE), type="u64"), type="i1")
    return t.pure("sel", none, t.whole(NAN), found)
