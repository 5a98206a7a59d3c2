"""Double-precision unit: 64-bit IEEE 754 arithmetic on pairs of registers, comparisons and conversions.

In hardware: a fused multiply-add datapath of 53 bits of significand, about four times the area of the 32-bit one. A GPU for computing
centres has one for every two 32-bit lanes, one for games two in a whole multiprocessor. Division and square root
are sequences of multiply-adds, as for 32 bits. A value lies in two registers, the low word in the first; so an operation
reads and writes the register file twice as often.

Rules that all hosts share (canonical NaN, here 0x7ff8000000000000, or NVIDIA's, which is an operand's; subnormals kept; ties to even)
stand in `alu.py`. Conversions
saturate and the larger of a number and a NaN is the number, as for 32 bits.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.isa.uop import NUMBER, OPERATIONS
from warploom.machine.engine.intrinsics import fused_double
from warploom.machine.engine.unit import inlined, out_of_line

NAN = np.float64(np.nan)
NAN_BITS = np.uint64(0x7FF8000000000000)
NAN_32, SIGN_32, FRACTION_32 = np.uint64(0x7FC00000), np.uint64(0x80000000), np.uint64(0x007FFFFF)  # of 32 bits
DROPPED = np.uint64(29)  # bits of a fraction that 32 bits have no room for
WORD, HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
TOP_32, TOP_64 = np.float64(1 << 31), np.float64(1 << 63)
TWICE_TOP_32, TWICE_TOP_64 = np.float64(1 << 32), np.float64(1 << 64)
DADD, DSUB, DMUL, DFMA, DDIV, DSQRT = (NUMBER[name] for name in ("dadd", "dsub", "dmul", "dfma", "ddiv", "dsqrt"))
DMIN, DMAX, DEQ, DLT, DLE = (NUMBER[name] for name in ("dmin", "dmax", "deq", "dlt", "dle"))
F2D, D2F, I2D, U2D, D2I, D2U = (NUMBER[name] for name in ("f2d", "d2f", "i2d", "u2d", "d2i", "d2u"))
D2H = NUMBER["d2h"]
MAGNITUDE, INFINITY = np.uint64(0x7FFFFFFFFFFFFFFF), np.uint64(0x7FF0000000000000)
QUIET, INVALID = np.uint64(1 << 51), np.uint64(0xFFF8000000000000)  # NVIDIA's NaN where no operand is one
HALF_OVERFLOW = np.uint64(0x40EFFE0000000000)  # 65520, from which on 16-bit floats are infinite
HALF_NORMAL = np.uint64(0x3F10000000000000)  # 2^-14, below which they are subnormal
HALF_SUBNORMAL, HALF_SUBNORMAL_BITS = np.float64(1 << 28), np.uint64(0x41B0000000000000)  # its unit in the last place is 2^-24
L2D, UL2D, D2L, D2UL = (NUMBER[name] for name in ("l2d", "ul2d", "d2l", "d2ul"))
WRITES_PAIR = np.array(["d" in operation.pairs for operation in OPERATIONS], np.int64)


@inlined
def writes_pair(op):
    """1 when an operation's result has 64 bits."""
    return WRITES_PAIR[op]


@out_of_line
def double(registers, op, a, b, c, rule, lanes):
    """`registers.result` = operation `op` of the pairs, or of the words, that begin in rows a, b and c.

    Of a result of 64 bits that is its low word; the whole is in `registers.wide[3]`. rule: which NaN, 0 RISC-V's, 1 NVIDIA's.
    """
    _gather(registers, 0, a, lanes)
    if op <= DLE and op != DSQRT:
        _gather(registers, 1, b, lanes)
    if op == DFMA:
        _gather(registers, 2, c, lanes)
    x = registers.wide[0].view(np.float64)
    y = registers.wide[1].view(np.float64)
    d = registers.wide[3].view(np.float64)
    if op == DADD:
        for l in range(lanes):
            d[l] = x[l] + y[l]
    elif op == DSUB:
        for l in range(lanes):
            d[l] = x[l] - y[l]
    elif op == DMUL:
        for l in range(lanes):
            d[l] = x[l] * y[l]
    elif op == DFMA:
        z = registers.wide[2].view(np.float64)
        for l in range(lanes):
            d[l] = fused_double(x[l], y[l], z[l])
    elif op == DDIV:
        for l in range(lanes):
            d[l] = x[l] / y[l]
    elif op == DSQRT:
        for l in range(lanes):
            d[l] = np.sqrt(x[l])
    elif op <= DLE:
        _compare(registers, op, rule, lanes)
    else:
        _convert(registers, op, a, rule, lanes)
    if op <= DSQRT and rule != 0:
        _keep_nan(registers, op, lanes)
    elif op <= DSQRT:
        for l in range(lanes):
            d[l] = d[l] if d[l] == d[l] else NAN
    if WRITES_PAIR[op] != 0:
        for l in range(lanes):
            registers.result[l] = np.uint32(registers.wide[3, l] & WORD)


@inlined
def _gather(registers, port, row, lanes):
    """Put the pair of registers that begins in `row` together."""
    low = registers.lane[row]
    high = registers.lane[row + 1]
    for l in range(lanes):
        registers.wide[port, l] = (np.uint64(high[l]) << HALF) | np.uint64(low[l])


@out_of_line
def _keep_nan(registers, op, lanes):
    """Results that are NaN become the NaN of an operand, made quiet: b's, else c's, else a's; of a quotient a's first."""
    for l in range(lanes):
        if np.uint64(registers.wide[3, l] & MAGNITUDE) <= INFINITY:
            continue
        kept = INVALID
        x = registers.wide[0, l]
        if np.uint64(x & MAGNITUDE) > INFINITY:
            kept = np.uint64(x | QUIET)
        if op == DFMA:
            z = registers.wide[2, l]
            if np.uint64(z & MAGNITUDE) > INFINITY:
                kept = np.uint64(z | QUIET)
        if op != DSQRT:
            y = registers.wide[1, l]
            if np.uint64(y & MAGNITUDE) > INFINITY and (op != DDIV or kept == INVALID):
                kept = np.uint64(y | QUIET)
        registers.wide[3, l] = kept


@inlined
def _compare(registers, op, rule, lanes):
    """Smaller, larger, and comparisons that give 1 or 0. Two equal floats differ only if they are zeros, in the sign."""
    s = registers.wide[0]
    t = registers.wide[1]
    p = s.view(np.float64)
    q = t.view(np.float64)
    d = registers.wide[3]
    for l in range(lanes):
        x = p[l]
        y = q[l]
        if op == DMIN or op == DMAX:
            first = x < y if op == DMIN else x > y
            second = y < x if op == DMIN else y > x
            equal = np.uint64(s[l] | t[l]) if op == DMIN else np.uint64(s[l] & t[l])
            chosen = s[l] if first or y != y else equal
            chosen = t[l] if second or x != x else chosen
            d[l] = chosen if x == x or y == y else np.uint64(t[l] | QUIET) if rule != 0 else NAN_BITS
        else:
            holds = x == y if op == DEQ else x < y if op == DLT else x <= y
            registers.result[l] = 1 if holds else 0


@inlined
def _convert(registers, op, a, rule, lanes):
    """Conversions: from words of row `a` or from pairs, to `registers.result` or to pairs."""
    words = registers.lane[a]
    x = registers.wide[0].view(np.float64)
    d = registers.wide[3].view(np.float64)
    bits = registers.wide[3]
    for l in range(lanes):
        if op == F2D:
            single = words.view(np.float32)[l]
            d[l] = np.float64(single)
            if single != single:
                bits[l] = _wide_nan(words[l]) if rule != 0 else NAN_BITS
        elif op == I2D:
            d[l] = np.float64(words.view(np.int32)[l])
        elif op == U2D:
            d[l] = np.float64(words[l])
        elif op == L2D:
            d[l] = np.float64(np.int64(registers.wide[0].view(np.int64)[l]))
        elif op == UL2D:
            d[l] = np.float64(registers.wide[0, l])
        elif op == D2F:
            registers.result.view(np.float32)[l] = np.float32(x[l])
            if x[l] != x[l]:
                registers.result[l] = _single_nan(registers.wide[0, l]) if rule != 0 else np.uint32(NAN_32)
        elif op == D2H:
            registers.result[l] = _half_of(registers, l)
            if x[l] != x[l] and rule != 0:
                registers.result[l] = _half_nan(registers.wide[0, l])
        elif op == D2I:
            near = np.int64(x[l]) if abs(x[l]) <= TOP_32 else np.int64(0x7FFFFFFF)
            near = min(near, np.int64(0x7FFFFFFF))
            registers.result[l] = np.uint32((np.int64(-0x80000000) if x[l] <= -TOP_32 else near) & 0xFFFFFFFF)
        elif op == D2U:
            near = np.int64(x[l]) if abs(x[l]) < TWICE_TOP_32 else np.int64(0xFFFFFFFF)
            registers.result[l] = np.uint32(np.int64(0) if x[l] < 0 else near)
        elif op == D2L:
            near = np.int64(x[l]) if abs(x[l]) < TOP_64 else np.int64(0x7FFFFFFFFFFFFFFF)
            bits[l] = np.uint64(0x8000000000000000) if x[l] <= -TOP_64 else np.uint64(near)
        elif op == D2UL:
            near = np.uint64(x[l]) if 0 <= x[l] < TWICE_TOP_64 else np.uint64(0xFFFFFFFFFFFFFFFF)
            bits[l] = np.uint64(0) if x[l] < 0 else near


@inlined
def _wide_nan(word):
    """A 32-bit NaN as a quiet one of 64 bits, with its sign and its bits."""
    bits = np.uint64(word)
    return np.uint64(((bits & SIGN_32) << HALF) | INFINITY | QUIET | ((bits & FRACTION_32) << DROPPED))


@inlined
def _single_nan(bits):
    """A 64-bit NaN as a quiet one of 32 bits, with its sign and its highest bits."""
    return np.uint32(((bits >> HALF) & SIGN_32) | NAN_32 | ((bits >> DROPPED) & FRACTION_32))


@inlined
def _half_nan(bits):
    """A 64-bit NaN as a quiet one of 16 bits, with its sign and its highest bits."""
    return np.uint32(((bits >> np.uint64(48)) & np.uint64(0x8000)) | np.uint64(0x7E00) | ((bits >> np.uint64(42)) & np.uint64(0x3FF)))


@inlined
def _half_of(registers, lane):
    """The 16-bit float nearest to a lane's 64-bit one, ties to even, rounded once: by way of 32 bits some would be rounded twice."""
    bits = registers.wide[0, lane]
    sign = np.uint32((bits >> np.uint64(48)) & np.uint64(0x8000))
    magnitude = np.uint64(bits & MAGNITUDE)
    if magnitude > INFINITY:
        return np.uint32(0x7E00)
    if magnitude >= HALF_OVERFLOW:
        return np.uint32(sign | np.uint32(0x7C00))
    if magnitude >= HALF_NORMAL:
        odd = (magnitude >> np.uint64(42)) & np.uint64(1)
        rounded = np.uint64(magnitude + np.uint64((1 << 41) - 1) + odd)
        return np.uint32(sign | np.uint32(np.uint64((rounded >> np.uint64(42)) - np.uint64(1008 << 10)) & np.uint64(0xFFFF)))
    registers.wide[3, lane] = magnitude
    row = registers.wide[3].view(np.float64)
    row[lane] = row[lane] + HALF_SUBNORMAL
    return np.uint32(sign | np.uint32(np.uint64(registers.wide[3, lane] - HALF_SUBNORMAL_BITS) & np.uint64(0xFFFF)))
