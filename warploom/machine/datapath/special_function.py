"""Special-function unit: square root, reciprocals, sine, cosine, exponential and logarithm to base 2.

In hardware: a table of coefficients, indexed by the operand's high bits, and a short polynomial in the low ones;
a quarter or an eighth as many units as lanes, so a warp instruction takes several passes (Oberman and Siu, "A
High-Performance Area-Efficient Multifunction Interpolator", ARITH 2005). Such units are right to 22 or 23 bits; `fsqrt`
alone is IEEE's everywhere.

Here all results are within 0.501 units in the last place, the square root and the reciprocal exactly rounded: 64-bit
arithmetic with plain Taylor series, rounded once to 32 bits. Only + - * / and the square root are used, which IEEE 754
defines to the last bit, so both engines and all hosts agree. Sine and cosine are as good for the
largest argument: its product with 2/pi is taken in fixed point with as many bits of 2/pi as matter (Payne and Hanek, "Radian
Reduction for Trigonometric Functions", SIGNUM 1983).

Special cases are those of C's functions: reciprocals of zero are infinite with its sign, log2 of zero is -infinity,
the root and logarithm of a negative number, and the sine of an infinity, are NaN (the canonical one of the rule).
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.isa.uop import NUMBER
from warploom.machine.datapath.integer import ones_of, smear
from warploom.machine.datapath.nan_rule import NANS
from warploom.machine.engine.unit import inlined, unit

FSQRT, FRCP, FRSQRT, FSIN, FCOS = (NUMBER[name] for name in ("fsqrt", "frcp", "frsqrt", "fsin", "fcos"))
FEXP2, FLOG2 = NUMBER["fexp2"], NUMBER["flog2"]
INFINITY = np.float32(np.inf)
ONE = np.float32(1)

LOG2_E = 1.4426950408889634
LN_2 = 0.6931471805599453
HALF_PI = 1.5707963267948966
SQUARE_ROOT_OF_2 = 0xB504F3  # times 2^-23
# exp2: whole powers of two, from below the smallest to above the largest float.
LOWEST, HIGHEST = -160, 130
POWERS = np.ldexp(1.0, np.arange(LOWEST, HIGHEST + 1, dtype=np.int32))

# Bits of 2/pi in words of 32, after a word of zeros. An argument of at most 24 bits times a power of two, 2^104 at most,
# needs 96 of them.
TWO_OVER_PI = np.array([0, 0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB], np.uint64)
WORD = np.uint64(32)
LOW_WORD = np.uint64(0xFFFFFFFF)
QUADRANT = np.uint64(62)  # the product in fixed point: two bits of quadrant, 62 of fraction
HALF_QUADRANT = np.uint64(1 << 61)
FIXED_TO_RADIANS = HALF_PI / 2.0**62
HALF_EXPONENT = 126  # exponent field of 0.5


@inlined
def special(registers, op, a, rule, wide):
    """Result = operation `op` of row `a` of `registers.lane`, in the first `wide` lanes. rule: which NaN, as in `floating`."""
    bits = registers.lane[a]
    p = bits.view(np.float32)
    d = registers.result.view(np.float32)
    nan = NANS[rule]
    if op == FSQRT:
        for l in range(wide):
            x = np.sqrt(p[l])
            d[l] = x if x == x else nan
    elif op == FRCP:
        for l in range(wide):
            x = ONE / p[l]
            d[l] = x if x == x else nan
    elif op == FRSQRT:
        for l in range(wide):
            x = np.float32(1.0 / np.sqrt(np.float64(p[l])))
            d[l] = x if x == x else nan
    elif op == FSIN:
        circular(registers, a, 0, rule, wide)
    elif op == FCOS:
        circular(registers, a, 1, rule, wide)
    elif op == FEXP2:
        for l in range(wide):
            d[l] = power_of_two(p[l], nan)
    elif op == FLOG2:
        for l in range(wide):
            d[l] = logarithm(bits[l], p[l], nan)


@unit
def circular(registers, a, ahead, rule, wide):
    """Result = sine of row `a`, `ahead` quadrants on (1: the cosine)."""
    bits = registers.lane[a]
    p = bits.view(np.float32)
    d = registers.result.view(np.float32)
    for l in range(wide):
        exponent = np.int64(bits[l] >> np.uint32(23)) & 0xFF
        small = exponent < HALF_EXPONENT
        # Fixed point: where in its quadrant, counted from the nearest quadrant's start.
        start = (np.int64(HALF_EXPONENT) if small else exponent) - 120
        word = start >> 5
        shift = np.uint64(32 - (start & 31))
        mantissa = np.uint64((np.int64(bits[l]) & 0x7FFFFF) | 0x800000)
        first = TWO_OVER_PI[word]
        second = TWO_OVER_PI[word + 1]
        third = TWO_OVER_PI[word + 2]
        fourth = TWO_OVER_PI[word + 3]
        high = (((first << WORD) | second) >> shift) & LOW_WORD
        middle = (((second << WORD) | third) >> shift) & LOW_WORD
        low = (((third << WORD) | fourth) >> shift) & LOW_WORD
        product = np.uint64(((mantissa * high) << WORD) + mantissa * middle + ((mantissa * low) >> WORD))
        quadrant = np.uint64((product + HALF_QUADRANT) >> QUADRANT)
        fixed = np.float64(np.int64(product - (quadrant << QUADRANT))) * FIXED_TO_RADIANS
        # A small argument is its own angle: the fixed point would lose its last bits.
        angle = np.float64(abs(p[l])) if small else fixed
        turned = (np.int64(0) if small else np.int64(quadrant)) + ahead
        sine = sine_series(angle)
        cosine = cosine_series(angle)
        y = cosine if turned & 1 != 0 else sine
        negative = ((turned >> 1) ^ (np.int64(bits[l] >> np.uint32(31)) & (1 - ahead))) & 1
        y = -y if negative != 0 else y
        d[l] = np.float32(y) if exponent != 0xFF else NANS[rule]


@inlined
def sine_series(x):
    """Sine of an angle between -pi/4 and pi/4, to 2^-43 of itself."""
    z = x * x
    y = 1 / 6227020800
    y = y * z - 1 / 39916800
    y = y * z + 1 / 362880
    y = y * z - 1 / 5040
    y = y * z + 1 / 120
    y = y * z - 1 / 6
    return x + x * (y * z)


@inlined
def cosine_series(x):
    """Cosine of an angle between -pi/4 and pi/4, to 2^-39 of itself."""
    z = x * x
    y = 1 / 479001600
    y = y * z - 1 / 3628800
    y = y * z + 1 / 40320
    y = y * z - 1 / 720
    y = y * z + 1 / 24
    y = y * z - 1 / 2
    return 1.0 + y * z


@inlined
def power_of_two(x, nan):
    """2 to the power x: a whole power from the table, and the series of e^t for the rest, |t| <= ln(2) / 2."""
    y = np.float64(x)
    y = y if y > LOWEST else np.float64(LOWEST)  # a NaN too
    y = y if y < HIGHEST else np.float64(HIGHEST)
    whole = np.int64(y + 512.5) - 512  # nearest: a truncated number is a floor where all are positive
    t = (y - np.float64(whole)) * LN_2
    e = 1 / 3628800
    e = e * t + 1 / 362880
    e = e * t + 1 / 40320
    e = e * t + 1 / 5040
    e = e * t + 1 / 720
    e = e * t + 1 / 120
    e = e * t + 1 / 24
    e = e * t + 1 / 6
    e = e * t + 1 / 2
    e = e * t + 1
    e = e * t + 1
    power = np.float32(e * POWERS[whole - LOWEST])
    return power if x == x else nan


@inlined
def logarithm(bits, x, nan):
    """Logarithm to base 2: the exponent, and the series of the inverse hyperbolic tangent for a fraction near 1."""
    magnitude = np.uint32(bits & np.uint32(0x7FFFFFFF))
    exponent = np.int64(magnitude >> np.uint32(23))
    subnormal = exponent == 0
    leading = np.int64(ones_of(np.uint32(~smear(magnitude)))) - 8
    mantissa = (np.int64(magnitude) & 0x7FFFFF) | 0x800000
    mantissa = np.int64(magnitude) << max(leading, np.int64(0)) if subnormal else mantissa
    exponent = (1 - leading if subnormal else exponent) - 127
    above = mantissa > SQUARE_ROOT_OF_2
    scale = 2.0**-24 if above else 2.0**-23
    exponent = exponent + 1 if above else exponent
    fraction = np.float64(mantissa) * scale
    s = (fraction - 1.0) / (fraction + 1.0)
    z = s * s
    y = 1 / 15
    y = y * z + 1 / 13
    y = y * z + 1 / 11
    y = y * z + 1 / 9
    y = y * z + 1 / 7
    y = y * z + 1 / 5
    y = y * z + 1 / 3
    y = 2.0 * LOG2_E * (s + s * (y * z))
    value = np.float32(np.float64(exponent) + y)
    value = value if x < INFINITY else INFINITY
    value = -INFINITY if magnitude == 0 else value
    return value if x >= 0 else nan
