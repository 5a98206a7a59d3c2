"""Floating-point unit of a lane: 32-bit IEEE 754 arithmetic, comparisons and conversions.

In hardware: one fused multiply-add datapath (align, multiply, add, normalise, round) does add, subtract and multiply
too; four or five cycles deep, one result a cycle. Division has no unit of its own on a GPU: it is a reciprocal
estimate and Newton steps in FMAs, hence its long latency. Comparisons and conversions are small.

Rules that all hosts share (the two canonical NaNs, subnormals kept, ties to even) stand in `alu.py`. Conversions
saturate and the larger of a number and a NaN is the number, as in RISC-V (unprivileged specification, F).
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.isa.uop import NUMBER
from warploom.machine.datapath.nan_rule import HALF_NANS, NAN_WORDS, NANS
from warploom.machine.engine.intrinsics import fused
from warploom.machine.engine.unit import inlined, lanewise, out_of_line

NAN_BITS = 0x7FC00000
WHOLE = np.float32(1 << 23)  # from here on every float is a whole number
TOP = np.float32(1 << 31)
TWICE_TOP = np.float32(1 << 32)
ONE = np.float32(1)
FADD, FSUB, FMUL, FMA, FMAD, FDIV = (NUMBER[name] for name in ("fadd", "fsub", "fmul", "fma", "fmad", "fdiv"))
FMIN, FMAX, FEQ, FLT, FLE = (NUMBER[name] for name in ("fmin", "fmax", "feq", "flt", "fle"))
FLOOR, FCLASS, F2I, F2U, I2F, U2F = (NUMBER[name] for name in ("floor", "fclass", "f2i", "f2u", "i2f", "u2f"))
H2F, F2H = NUMBER["h2f"], NUMBER["f2h"]
FROUND, FNAN = NUMBER["fround"], NUMBER["fnan"]
HALF = np.float32(0.5)
SIGN = np.uint32(0x80000000)
QUIET = np.uint32(0x00400000)  # the bit of a NaN that says that it raises nothing
INDEFINITE = np.uint32(0xFFC00000)  # x86's NaN of an operation that has no result
# Floats of 16 bits: 5 of exponent, bias 15, 10 of significand. Their bits as an unsigned number are an order, so rounding may carry.
HALF_INFINITY = np.uint32(0x7C00)
HALF_OVERFLOW = np.uint32(0x477FF000)  # 65520, from which on floats round to infinity
HALF_NORMAL = np.uint32(0x38800000)  # 2^-14, below which they are subnormal
HALF_SUBNORMAL = np.float32(0.5)  # plus a number below 2^-14: a unit in its last place is one of a subnormal float of 16 bits
HALF_SCALE = np.float32(2.0**112)  # from a bias of 15 to one of 127


@lanewise
def floating(result, a, b, c, op, rule, wide):
    """Row `result` = floating-point operation `op` of the rows a, b and c, in the first `wide` lanes.

    rule: which NaN a result is, 0 RISC-V's, 1 NVIDIA's.

    Here sums, products and quotients. Each of these functions hands on the operations that it has no case for.
    """
    d = result.view(np.float32)
    p = a.view(np.float32)
    q = b.view(np.float32)
    nan = NANS[rule]
    if op == FADD:
        for l in range(wide):
            x = p[l] + q[l]
            d[l] = x if x == x else nan
    elif op == FSUB:
        for l in range(wide):
            x = p[l] - q[l]
            d[l] = x if x == x else nan
    elif op == FMUL:
        for l in range(wide):
            x = p[l] * q[l]
            d[l] = x if x == x else nan
    elif op == FDIV:
        for l in range(wide):
            x = p[l] / q[l]
            d[l] = x if x == x else nan
    elif op == FMA:
        r = c.view(np.float32)
        for l in range(wide):
            x = fused(p[l], q[l], r[l])
            d[l] = x if x == x else nan
    elif op == FMAD:
        r = c.view(np.float32)
        for l in range(wide):
            x = np.float32(p[l] * q[l]) + r[l]
            d[l] = x if x == x else nan
    elif op == FROUND:
        round_whole(result, a, b, rule, wide)
    elif op == FNAN:
        choose_nan(result, a, b, c, wide)
    else:
        compare_floats(result, a, b, op, rule, wide)


@lanewise
def compare_floats(d, s, t, op, rule, wide):
    """Smaller, larger, and comparisons that give 1 or 0.

    Of two equal floats only zeros can differ, in the sign: the smaller has it if one has it, the larger if both have.
    """
    p = s.view(np.float32)
    q = t.view(np.float32)
    nan = NAN_WORDS[rule]
    if op == FMIN:
        for l in range(wide):
            x = p[l]
            y = q[l]
            equal = s[l] | t[l]
            smaller = s[l] if x < y or y != y else equal
            smaller = t[l] if y < x or x != x else smaller
            d[l] = smaller if x == x or y == y else nan
    elif op == FMAX:
        for l in range(wide):
            x = p[l]
            y = q[l]
            equal = s[l] & t[l]
            larger = s[l] if x > y or y != y else equal
            larger = t[l] if y > x or x != x else larger
            d[l] = larger if x == x or y == y else nan
    elif op == FEQ:
        for l in range(wide):
            d[l] = 1 if p[l] == q[l] else 0
    elif op == FLT:
        for l in range(wide):
            d[l] = 1 if p[l] < q[l] else 0
    elif op == FLE:
        for l in range(wide):
            d[l] = 1 if p[l] <= q[l] else 0
    else:
        convert(d, s, op, rule, wide)


@lanewise
def convert(d, bits, op, rule, wide):
    """Floor, class, and conversions between floats and integers."""
    p = bits.view(np.float32)
    f = d.view(np.float32)
    if op == FLOOR:
        for l in range(wide):
            x = p[l]
            truncated = np.float32(np.int32(x)) if abs(x) < WHOLE else x
            below = truncated if truncated <= x else np.float32(truncated - ONE)
            below = x if truncated == x else below
            f[l] = below if x == x else NANS[rule]
    elif op == FCLASS:
        for l in range(wide):
            d[l] = class_of(bits[l])
    elif op == F2I:
        for l in range(wide):
            x = p[l]
            truncated = np.int64(np.int32(x)) if abs(x) < TOP else np.int64(0x7FFFFFFF)
            d[l] = np.int64(0x80000000) if x <= -TOP else truncated
    elif op == F2U:
        for l in range(wide):
            x = p[l]
            truncated = np.int64(x) if abs(x) < TWICE_TOP else np.int64(0xFFFFFFFF)
            d[l] = np.int64(0) if x < 0 else truncated
    elif op == I2F:
        s = bits.view(np.int32)
        for l in range(wide):
            f[l] = np.float32(s[l])
    elif op == U2F:
        for l in range(wide):
            f[l] = np.float32(bits[l])
    elif op == H2F:
        widen_halves(d, bits, rule, wide)
    elif op == F2H:
        narrow_to_halves(d, bits, rule, wide)


@out_of_line
def round_whole(d, bits, mode, rule, wide):
    """Floats as whole floats. Modes: 0 nearest, ties to even; 1 towards zero; 2 down; 3 up; 4 nearest, ties away from zero."""
    f = d.view(np.float32)
    p = bits.view(np.float32)
    for l in range(wide):
        sign = np.uint32(bits[l] & SIGN)
        size = np.float32(abs(p[l]))
        if not size < WHOLE:
            d[l] = bits[l] if size == size else NAN_WORDS[rule]
            continue
        cut = np.int64(size)
        rest = np.float32(size - np.float32(cut))
        how = np.int64(mode[l])
        if how == 0:
            more = rest > HALF or (rest == HALF and cut & 1 != 0)
        elif how == 2 or how == 3:
            more = rest > 0 and (sign != 0) == (how == 2)
        else:
            more = how == 4 and rest >= HALF
        f[l] = np.float32(cut + 1 if more else cut)
        d[l] = np.uint32(d[l] | sign)


@out_of_line
def choose_nan(d, a, b, c, wide):
    """Results `c`; where one is NaN, the first of `a` and `b` that is NaN, made quiet (Intel SDM, volume 1, table 4-7)."""
    for l in range(wide):
        word = c[l]
        if np.uint32(word & ~SIGN) > np.uint32(0x7F800000):
            word = INDEFINITE
            if np.uint32(a[l] & ~SIGN) > np.uint32(0x7F800000):
                word = np.uint32(a[l] | QUIET)
            elif np.uint32(b[l] & ~SIGN) > np.uint32(0x7F800000):
                word = np.uint32(b[l] | QUIET)
        d[l] = word


@out_of_line
def widen_halves(d, bits, rule, wide):
    """16-bit floats in the low halves of `bits` as 32-bit floats. Every one of them is one."""
    f = d.view(np.float32)
    for l in range(wide):
        half = np.uint32(bits[l] & np.uint32(0xFFFF))
        magnitude = np.uint32(half & np.uint32(0x7FFF))
        d[l] = np.uint32(magnitude << np.uint32(13))
        if magnitude > HALF_INFINITY:
            d[l] = NAN_WORDS[rule]
            continue
        if magnitude == HALF_INFINITY:
            d[l] = np.uint32(0x7F800000)
        else:
            f[l] = np.float32(f[l] * HALF_SCALE)
        d[l] = np.uint32(d[l] | np.uint32(np.uint32(half & np.uint32(0x8000)) << np.uint32(16)))


@out_of_line
def narrow_to_halves(d, bits, rule, wide):
    """32-bit floats as the nearest 16-bit ones, ties to even, in the low halves."""
    f = d.view(np.float32)
    for l in range(wide):
        sign = np.uint32((bits[l] >> np.uint32(16)) & np.uint32(0x8000))
        magnitude = np.uint32(bits[l] & np.uint32(0x7FFFFFFF))
        d[l] = magnitude
        if magnitude > np.uint32(0x7F800000):
            d[l] = HALF_NANS[rule]
            continue
        if magnitude >= HALF_OVERFLOW:
            d[l] = HALF_INFINITY
        elif magnitude >= HALF_NORMAL:
            odd = np.uint32((magnitude >> np.uint32(13)) & np.uint32(1))
            rounded = np.uint32(magnitude + np.uint32(0xFFF) + odd)
            d[l] = np.uint32((rounded >> np.uint32(13)) - np.uint32(112 << 10))
        else:
            f[l] = np.float32(f[l] + HALF_SUBNORMAL)
            d[l] = np.uint32(d[l] - np.uint32(0x3F000000))
        d[l] = np.uint32(d[l] | sign)


@inlined
def class_of(p):
    """One of ten bits: -inf, -normal, -subnormal, -0, +0, +subnormal, +normal, +inf, signalling NaN, quiet NaN."""
    magnitude = np.int64(p) & 0x7FFFFFFF
    if magnitude > 0x7F800000:
        return np.uint32(1 << 9 if magnitude >= NAN_BITS else 1 << 8)
    rank = 3 if magnitude == 0x7F800000 else 2 if magnitude >= 0x00800000 else 1 if magnitude != 0 else 0
    return np.uint32(1 << (3 - rank) if p >> np.uint32(31) != 0 else 1 << (4 + rank))
