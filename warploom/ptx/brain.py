"""bf16: the upper half of a float of 32 bits, in 16 bits."""

from __future__ import annotations

from warploom.compiler.ssa import Value
from warploom.ptx.rounding import DIRECTED, ODD, Exact, Rounding
from warploom.ptx.translation import Translation

NAN = 0x7FFF


def widened(t: Translation, bits: Value) -> Value:
    """The float of 32 bits that a bf16 is. bits: its own are the low 16."""
    return t.pure("float", t.pure("shl", t.fit(bits, "u16"), t.whole(16), type="u64"), type="f32")


def narrowed(t: Translation, value: Value) -> Value:
    """The bits of the nearest bf16, of two the even one. value: a float of 32 bits."""
    bits = t.pure("bits", value, type="u64")
    last = t.pure("and", t.pure("shr", bits, t.whole(16), type="u64"), t.whole(1), type="u64")
    return _upper(t, value, t.pure("add", bits, t.pure("add", last, t.whole(0x7FFF), type="u64"), type="u64"))


def _upper(t: Translation, value: Value, bits: Value) -> Value:
    made = t.fit(t.pure("shr", bits, t.whole(16), type="u64"), "u16")
    return t.pure("sel", t.pure("feq", value, value, type="i1"), made, t.whole(NAN))


def from_exact(t: Translation, exact: Exact, mode: str = "", *, relu: bool = False, sat: bool = False) -> Value:
    """The bits of a bf16 from a float of 32 or 64 bits and what it lacks, rounded once."""
    value = exact.near
    if value.type == "f64":
        value = Rounding(t, mode or ODD).single(exact)
    if relu:
        value = without_negative(t, value)
    if sat:
        value = t.pure("fmin", t.pure("fmax", value, t.b.real(0.0, "f32"), type="f32"), t.b.real(1.0, "f32"), type="f32")
    if not mode:
        return narrowed(t, value)
    bits = t.pure("bits", value, type="u64")
    return _upper(t, value, t.pure("add", bits, _away(t, bits, mode), type="u64"))


def _away(t: Translation, bits: Value, mode: str) -> Value:
    """What rounds the lower half of a float away from zero, where a mode says so."""
    assert mode in DIRECTED
    if mode == "rz":
        return t.whole(0)
    negative = t.pure("lt", t.whole(0x7FFFFFFF), bits, type="i1")
    low = (t.whole(0xFFFF), t.whole(0)) if mode == "rm" else (t.whole(0), t.whole(0xFFFF))
    return t.pure("sel", negative, *low, type="u64")


def without_negative(t: Translation, value: Value) -> Value:
    """`.relu`: 0 for what is below, and for -0; a NaN stays one."""
    zero = t.b.real(0.0, value.type)
    return t.pure("sel", t.pure("fle", value, zero, type="i1"), zero, value, type=value.type)
