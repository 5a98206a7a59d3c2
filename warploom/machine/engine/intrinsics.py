"""Operations of the host processor that plain Python does not have: the fused multiply-add, of 32 and of 64 bits.

In hardware: a multiplier whose full product goes into the adder without being rounded, and one rounding after it. It
costs little more than the multiplier alone, which is why every GPU since 2010 has it (IEEE 754-2008, section 5.4.1).

Natively this is the host's own instruction, through LLVM's `llvm.fma`. The plain-Python form computes the same
from 64-bit floats: the product of two 32-bit floats is exact in 64 bits; the sum is rounded to odd, which
makes the last rounding to 32 bits come out as if it had been the only one (Boldo and Melquiond, "Emulation of FMA and
correctly rounded sums: proved algorithms using rounding to odd", IEEE Transactions on Computers, 2008). For 64 bits it computes
with fractions.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from warploom.machine.engine.unit import native_twin


@native_twin("warploom.machine.engine.intrinsics:native_fused")
def fused(a: Any, b: Any, c: Any) -> Any:
    """a * b + c, 32-bit floats, rounded once. Which NaN a NaN is, is left open: callers make it canonical."""
    product, addend = float(a) * float(b), float(c)
    total = product + addend
    if not math.isfinite(total):
        return np.float32(total)
    part = total - product
    lost = (product - (total - part)) + (addend - part)
    if lost != 0.0 and int(math.frexp(total)[0] * 2.0**53) % 2 == 0:
        total = math.nextafter(total, math.copysign(math.inf, lost))
    return np.float32(total)


def native_fused() -> Any:
    """The native form: one instruction where the host has it, else the C library's `fmaf`."""
    from numba import types

    return _fused_instruction(types.float32)


@native_twin("warploom.machine.engine.intrinsics:native_fused_double")
def fused_double(a: Any, b: Any, c: Any) -> Any:
    """a * b + c, 64-bit floats, rounded once. Which NaN a NaN is, is left open: callers make it canonical."""
    x, y, z = float(a), float(b), float(c)
    if not (math.isfinite(x) and math.isfinite(y)):
        return np.float64(x * y + z)
    if not math.isfinite(z):
        return np.float64(z)  # the product is finite, even if no float holds it
    from fractions import Fraction

    exact = Fraction(x) * Fraction(y) + Fraction(z)
    if exact == 0:
        return np.float64(x * y + z if x * y == 0 else 0.0)
    try:
        return np.float64(float(exact))
    except OverflowError:
        return np.float64(-math.inf if exact < 0 else math.inf)


def native_fused_double() -> Any:
    """The native form of `fused_double`."""
    from numba import types

    return _fused_instruction(types.float64)


def _fused_instruction(kind: Any) -> Any:
    """The host's fused multiply-add of one kind of float."""
    from numba.extending import intrinsic

    @intrinsic
    def fused_instruction(typing_context: Any, a: Any, b: Any, c: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.fma(*arguments)

        return kind(kind, kind, kind), code

    return fused_instruction
