"""`//` and `%` of floats as Numba's kernels have them: by the quotient's integer part, and not exact as Python's.

A device's `%` is `x - trunc(x / y) * y`, with one rounding at its end: NVIDIA's compilers lower LLVM's `frem` so. Where the quotient
has more bits than the type, or overflows, the rest is wrong by as much: 1.9e19 % 3.0 is 1024. `math.fmod` is exact. Numba then makes the
rest's sign that of y, and rounds the quotient of what is left down.
"""

from __future__ import annotations

import math

from warploom.compiler.ssa import Value
from warploom.kernel.syntax.translator import Translator
from warploom.kernel.types.types import Type


def truncated(t: Translator, value: Value, kind: Type) -> Value:
    """A float without its fraction; a zero keeps the sign."""
    b = t.b
    down = b.pure("ffloor", b.pure("fabs", value, type=kind.ssa), type=kind.ssa)
    bits = 64 if kind.ssa == "f64" else 32
    negative = b.pure("lt", b.whole((1 << bits - 1) - 1, "u64"), b.pure("bits", value, type="u64"), type="i1")
    return b.pure("sel", negative, b.pure("fneg", down, type=kind.ssa), down, type=kind.ssa)


def float_mod(t: Translator, kind: Type, x: Value, y: Value) -> Value:
    """`x % y`."""
    rest, _ = _parts(t, kind, x, y)
    zero = t.b.real(0.0, kind.ssa)
    by_zero = t.b.pure("feq", y, zero, type="i1")
    return t.b.pure("sel", by_zero, t.b.real(math.nan, kind.ssa), rest, type=kind.ssa)


def float_floordiv(t: Translator, kind: Type, x: Value, y: Value) -> Value:
    """`x // y`."""
    b = t.b
    zero, half, one = (b.real(number, kind.ssa) for number in (0.0, 0.5, 1.0))
    _, quotient = _parts(t, kind, x, y)
    down = b.pure("ffloor", quotient, type=kind.ssa)
    up = b.pure("flt", half, b.pure("fsub", quotient, down, type=kind.ssa), type="i1")
    found = b.pure("sel", up, b.pure("fadd", down, one, type=kind.ssa), down, type=kind.ssa)
    plain = b.pure("fdiv", x, y, type=kind.ssa)
    none = b.pure("fmul", b.pure("fmul", quotient, quotient, type=kind.ssa), plain, type=kind.ssa)  # a zero with the quotient's sign
    found = b.pure("sel", b.pure("feq", quotient, zero, type="i1"), none, found, type=kind.ssa)
    return b.pure("sel", b.pure("feq", y, zero, type="i1"), plain, found, type=kind.ssa)


def _parts(t: Translator, kind: Type, x: Value, y: Value) -> tuple[Value, Value]:
    """The rest, of y's sign, and the quotient that belongs to it, not yet a whole number."""
    b = t.b
    zero, one = b.real(0.0, kind.ssa), b.real(1.0, kind.ssa)
    whole = truncated(t, b.pure("fdiv", x, y, type=kind.ssa), kind)
    rest = b.pure("fma", b.pure("fneg", whole, type=kind.ssa), y, x, type=kind.ssa)
    quotient = b.pure("fdiv", b.pure("fsub", x, rest, type=kind.ssa), y, type=kind.ssa)
    none = b.pure("feq", rest, zero, type="i1")
    below, divisor_below = b.pure("flt", rest, zero, type="i1"), b.pure("flt", y, zero, type="i1")
    wrong = b.pure("xor", below, divisor_below, type="i1")
    turned = b.pure("sel", wrong, b.pure("fadd", rest, y, type=kind.ssa), rest, type=kind.ssa)
    lower = b.pure("sel", wrong, b.pure("fsub", quotient, one, type=kind.ssa), quotient, type=kind.ssa)
    signed_zero = b.pure("sel", divisor_below, b.real(-0.0, kind.ssa), zero, type=kind.ssa)
    return (
        b.pure("sel", none, signed_zero, turned, type=kind.ssa),
        b.pure("sel", none, quotient, lower, type=kind.ssa),
    )
