"""Rounding unit: 32-bit floats in all five rounding modes of IEEE 754, and the flags that say what rounding did.

In hardware: the last stage of a floating-point unit. It sees the exact result, or enough of it: two bits more than are kept, and one that
says whether anything below is not zero (guard, round, sticky). CPUs and RISC-V GPUs have modes and flags; NVIDIA's instructions name a
mode each and have no flags, and most programs want the nearest, which `floating_point.py` gives at the full speed of the host.

Here an operation is two or three micro-ops. An `exact` one leaves a 64-bit float rounded to odd in a pair of registers: its last bit is 1
where anything was lost, so 29 bits more than are kept and a sticky bit (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums:
proved algorithms using rounding to odd", IEEE Transactions on Computers, 2008). `round_float` rounds that; `round_float_flags` says what it
lost. What a 64-bit float cannot say is the last digit of a NaN: see the codes below.

Tininess is detected after rounding, an invalid conversion to an integer saturates, every NaN is the canonical one: RISC-V Unprivileged
Specification 20240411, chapter "F". Modes and flags have RISC-V's numbers.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.isa.uop import NUMBER
from warploom.machine.engine.intrinsics import fused_double
from warploom.machine.engine.unit import inlined, out_of_line, unit

ADD, SUB, MUL, FMA, DIV, SQRT = (NUMBER[f"exact_{name}"] for name in ("add", "sub", "mul", "fma", "div", "sqrt"))
FLOAT, INT, UINT = (NUMBER[f"exact_{name}"] for name in ("float", "int", "uint"))
ROUND_FLOAT, FLOAT_FLAGS, ROUND_INT = NUMBER["round_float"], NUMBER["round_float_flags"], NUMBER["round_int"]
INT_FLAGS, ROUND_UINT, UINT_FLAGS = NUMBER["round_int_flags"], NUMBER["round_uint"], NUMBER["round_uint_flags"]

NEAREST_EVEN, TO_ZERO, DOWN, UP, NEAREST_AWAY = range(5)
INEXACT, UNDERFLOW, OVERFLOW, DIVIDES_BY_ZERO, INVALID = 1, 2, 4, 8, 16

# 64-bit NaNs: the last two bits say which. A quotient by zero keeps its sign.
QUIET, INVALID_CODE, BY_ZERO_CODE, CANCELLED_CODE = range(4)  # cancelled: the zero of x - x, whose sign the mode decides
QUIET_BITS = np.uint64(0x7FF8000000000000)
SIGN = np.uint64(1 << 63)
QUIET_BIT = np.uint32(0x00400000)
NAN_BITS, INFINITY_BITS = np.int64(0x7FC00000), np.int64(0x7F800000)
FRACTION, HIDDEN_BIT = np.int64((1 << 52) - 1), np.int64(1 << 52)
NORMAL = np.int64(-126)  # exponent of the smallest normal 32-bit float
LARGEST_INT, SMALLEST_INT, LARGEST_UINT = np.int64(0x7FFFFFFF), np.int64(0x80000000), np.int64(0xFFFFFFFF)


@out_of_line
def rounding(registers, op, a, b, c, lanes):
    """`registers.result` = operation `op` of rows a, b and c; of an exact one the low word, and the whole in `registers.wide[3]`."""
    for lane in range(lanes):
        if op <= UINT:
            _exact(registers, op, a, b, c, lane)
            registers.result[lane] = np.uint32(registers.wide[3, lane] & np.uint64(0xFFFFFFFF))
            continue
        bits = np.uint64(np.uint64(registers.lane[a + 1, lane]) << np.uint64(32)) | np.uint64(registers.lane[a, lane])
        mode = np.int64(registers.lane[b, lane])
        if op == ROUND_FLOAT or op == FLOAT_FLAGS:
            value, flags = round_float(bits, mode)
        else:
            value, flags = round_int(bits, mode, 1 if op == ROUND_INT or op == INT_FLAGS else 0)
        wants_flags = op == FLOAT_FLAGS or op == INT_FLAGS or op == UINT_FLAGS
        registers.result[lane] = np.uint32(flags if wants_flags else value)


@inlined
def _exact(registers, op, a, b, c, lane):
    """`registers.wide[3, lane]` = the exact result of an operation, rounded to odd, or a NaN with a code."""
    wide = registers.wide
    first = registers.lane[a, lane]
    if op == INT or op == UINT:
        number = np.int64(first) - (np.int64(first >> np.uint32(31)) << 32) if op == INT else np.int64(first)
        wide[3].view(np.float64)[lane] = np.float64(number)
        return
    second = registers.lane[b, lane]
    third = registers.lane[c, lane]
    x = np.float64(registers.lane[a].view(np.float32)[lane])
    y = np.float64(registers.lane[b].view(np.float32)[lane])
    z = np.float64(registers.lane[c].view(np.float32)[lane])
    signals = _signals(first)
    if op <= DIV:
        signals = signals | _signals(second)
    if op == FMA:
        signals = signals | _signals(third)
    result = x
    lost = np.float64(0)
    cancelled = 0
    if op == ADD or op == SUB or op == FMA:
        addend = y if op == ADD else -y if op == SUB else z
        if op == FMA:
            x = np.float64(x * y)
        result = np.float64(x + addend)
        part = np.float64(result - x)
        lost = np.float64(np.float64(x - np.float64(result - part)) + np.float64(addend - part))
        both_negative = result == 0 and np.signbit(x) and np.signbit(addend)
        both_positive = result == 0 and not np.signbit(x) and not np.signbit(addend)
        cancelled = 1 if result == 0 and not both_negative and not both_positive else 0
    elif op == MUL:
        result = np.float64(x * y)
    elif op == DIV:
        result = np.float64(x / y)
        lost = _remainder(result, y, x)
        if y < 0:
            lost = np.float64(-lost)
    elif op == SQRT:
        result = np.float64(np.sqrt(x))
        lost = _remainder(result, result, x)
    row = wide[3].view(np.float64)
    row[lane] = result
    if result != result:
        is_nan = x != x or (op <= DIV and y != y) or (op == FMA and (z != z or _is_nan(first) or _is_nan(second)))
        if op == FMA and not _is_nan(first) and not _is_nan(second) and x != x:
            is_nan = False  # infinity times zero is invalid, whatever is added (RISC-V: also a quiet NaN)
        wide[3, lane] = QUIET_BITS | np.uint64(INVALID_CODE if signals or not is_nan else QUIET)
    elif op == DIV and y == 0 and abs(x) < np.inf:
        wide[3, lane] = (wide[3, lane] & SIGN) | QUIET_BITS | np.uint64(BY_ZERO_CODE)
    elif cancelled != 0:
        wide[3, lane] = QUIET_BITS | np.uint64(CANCELLED_CODE)
    elif lost != 0 and abs(result) < np.inf and wide[3, lane] & np.uint64(1) == 0:
        outwards = (lost < 0) == (result < 0)
        wide[3, lane] = np.uint64(wide[3, lane] + np.uint64(1)) if outwards else np.uint64(wide[3, lane] - np.uint64(1))


@unit
def _remainder(result, factor, whole):
    """whole - result * factor, exactly; 0 where the result is not a number with a remainder."""
    if result == 0 or not abs(result) < np.inf or not abs(factor) < np.inf:
        return np.float64(0)
    return np.float64(fused_double(np.float64(-result), factor, whole))


@inlined
def _is_nan(bits):
    """Whether a 32-bit float is a NaN."""
    return np.int64(bits) & 0x7FFFFFFF > INFINITY_BITS


@inlined
def _signals(bits):
    """Whether a 32-bit float is a signalling NaN."""
    return _is_nan(bits) and bits & QUIET_BIT == 0


@inlined
def _rounds_up(kept, lost, half, negative, mode):
    """Whether a magnitude of which `lost` is cut off becomes `kept` + 1. half: half of a unit of `kept`."""
    if mode == NEAREST_EVEN:
        return lost > half or (lost == half and kept & 1 != 0)
    if mode == NEAREST_AWAY:
        return lost >= half
    return lost != 0 and ((mode == DOWN and negative) or (mode == UP and not negative))


@unit
def round_float(bits, mode):
    """(32-bit float as an integer, flags) of a 64-bit float that is exact or rounded to odd."""
    negative = bits & SIGN != 0
    sign = np.int64(1 << 31) if negative else np.int64(0)
    field = np.int64((bits >> np.uint64(52)) & np.uint64(0x7FF))
    fraction = np.int64(bits & np.uint64(FRACTION))
    if field == 0x7FF and fraction != 0:
        code = fraction & 3
        if code == BY_ZERO_CODE:
            return sign | INFINITY_BITS, np.int64(DIVIDES_BY_ZERO)
        if code == CANCELLED_CODE:
            return np.int64(1 << 31) if mode == DOWN else np.int64(0), np.int64(0)
        return NAN_BITS, np.int64(INVALID if code == INVALID_CODE else 0)
    if field == 0x7FF:
        return sign | INFINITY_BITS, np.int64(0)
    if field == 0:
        return sign, np.int64(0)  # a product of 32-bit floats is not a subnormal 64-bit one
    exponent = field - 1023
    significand = fraction | HIDDEN_BIT
    cut = min(np.int64(29) + max(NORMAL - exponent, np.int64(0)), np.int64(62))
    kept = significand >> cut
    lost = significand & ((np.int64(1) << cut) - 1)
    magnitude = kept + (max(exponent - NORMAL, np.int64(0)) << 23)
    if _rounds_up(kept, lost, np.int64(1) << (cut - 1), negative, mode):
        magnitude += 1
    if magnitude >= INFINITY_BITS:
        stays = mode == TO_ZERO or (mode == DOWN and not negative) or (mode == UP and negative)
        return sign | (INFINITY_BITS - 1 if stays else INFINITY_BITS), np.int64(OVERFLOW | INEXACT)
    flags = np.int64(INEXACT if lost != 0 else 0)
    if lost != 0 and exponent < NORMAL:
        # Not tiny when rounding it as if exponents had no end makes it the smallest normal number.
        whole = significand >> 29
        part = significand & ((1 << 29) - 1)
        carries = _rounds_up(whole, part, np.int64(1 << 28), negative, mode) and whole == (1 << 24) - 1
        if not (exponent == NORMAL - 1 and carries):
            flags |= UNDERFLOW
    return sign | magnitude, flags


@unit
def round_int(bits, mode, signed):
    """(32-bit integer, flags) of a 64-bit float. signed: 1 for a signed integer; else unsigned."""
    negative = bits & SIGN != 0
    field = np.int64((bits >> np.uint64(52)) & np.uint64(0x7FF))
    fraction = np.int64(bits & np.uint64(FRACTION))
    exponent = field - 1023
    largest = LARGEST_INT if signed != 0 else LARGEST_UINT
    if field == 0x7FF and fraction != 0:
        return largest, np.int64(INVALID)
    magnitude = np.int64(1) << 40
    lost = np.int64(0)
    if field == 0:
        magnitude = np.int64(0)
    elif exponent < 33:
        cut = min(np.int64(52) - exponent, np.int64(62))
        significand = fraction | HIDDEN_BIT
        magnitude = significand >> cut
        lost = significand & ((np.int64(1) << cut) - 1)
        if _rounds_up(magnitude, lost, np.int64(1) << (cut - 1), negative, mode):
            magnitude += 1
    smallest = SMALLEST_INT if signed != 0 else np.int64(0)
    if negative and magnitude > smallest:
        return smallest, np.int64(INVALID)
    if not negative and magnitude > largest:
        return largest, np.int64(INVALID)
    value = (np.int64(1 << 32) - magnitude) & 0xFFFFFFFF if negative else magnitude
    return value, np.int64(INEXACT if lost != 0 else 0)
