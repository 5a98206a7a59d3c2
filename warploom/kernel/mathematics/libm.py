"""The library of mathematics, in the dialect of kernels itself: 64-bit floats, translated in place where a kernel calls them.

GPUs have no instructions for these either; NVIDIA's are in libdevice. Arguments are reduced to a short stretch around zero, where a power
series of twenty terms at most is exact to the last bits; results are within a few units in the last place. The functions also run as
plain Python on NumPy's floats, where tests compare them with C's.

Sources: Muller, "Elementary Functions", 3rd ed., chapters 3, 8 and 11; Kahan's formulas for expm1 and log1p, in Higham, "Accuracy and
Stability of Numerical Algorithms", section 1.14; Payne and Hanek, "Radian Reduction for Trigonometric Functions", 1983; Shepherd and
Laframboise, "Chebyshev Approximation of (1 + 2x) exp(x^2) erfc x", 1981; Abramowitz and Stegun, 6.1.33 and 6.1.41, for gamma.
"""

# ruff: noqa: D103, PLR0124, PLR1714
from __future__ import annotations

from typing import Any

import numpy as np

from warploom.machine.engine.intrinsics import fused_double

LN2_HIGH = 0.6931471803691238  # its last 20 bits are zero, so that a product with a whole number is exact
LN2_LOW = 1.9082149292705877e-10
LOG2_E = 1.4426950408889634
HALF_PI_1, HALF_PI_2, HALF_PI_3 = 1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21
TWO_OVER_PI = 0.6366197723675814
HALF_PI, HALF_PI_REST = 1.5707963267948966, 6.123233995736766e-17
# 2/pi in digits of 24 bits.
TWO_OVER_PI_DIGITS = np.array(
    [
        10680707, 7228996, 1387004, 2578385, 16069853, 12639074, 9804092, 4427841, 16666979, 11263675, 12935607, 2387514, 4345298, 14681673,
        3074569, 13734428, 16653803, 1880361, 10960616, 8533493, 3062596, 8710556, 7349940, 6258241, 3772886, 3769171, 3798172, 8675211,
        12450088, 3874808, 9961438, 366607, 15675153, 9132554, 7151469, 3571407, 2607881, 12013382, 4155038, 6285869, 7677882, 13102053,
        15825725, 473591, 9065106, 15363067, 6271263, 9264392, 5636912, 4652155, 7056368, 13614112, 10155062, 1944035, 9527646, 15080200,
    ],
    np.float64,
)  # fmt: skip
PI = 3.141592653589793
INFINITY = float("inf")
NAN = -float("nan")  # of an operation without a result, on NVIDIA's GPUs: negative
MANTISSA, LEADING = (1 << 52) - 1, 1 << 52
EXACT = 4503599627370496.0  # 2^52: from here on every float is whole


def fused(x: Any, y: Any, z: Any) -> Any:
    """`x * y + z`, rounded once. In kernels one operation."""
    return fused_double(np.float64(x), np.float64(y), np.float64(z))


fused.kernel_name = "kernel.fma"  # type: ignore[attr-defined]


def invalid(x: Any) -> Any:
    """The result where x is outside of a function's domain: a NaN, and x itself where that is one."""
    return NAN if x == x else x


def two_to(k: Any) -> Any:
    return np.int64((k + 1023) << 52).view(np.float64)


def scaled(x: Any, k: Any) -> Any:
    """`x * 2**k`, in steps that neither overflow nor round twice where the result is normal."""
    k = min(max(k, -2200), 2200)
    first = k // 3
    return x * two_to(first) * two_to(first) * two_to(k - 2 * first)


def copysign(x: Any, y: Any) -> Any:
    bits = (np.float64(x).view(np.int64) & 0x7FFFFFFFFFFFFFFF) | (np.float64(y).view(np.int64) & -0x8000000000000000)
    return bits.view(np.float64)


def exponent(x: Any) -> Any:
    """The exponent of a normal number."""
    return ((x.view(np.int64) >> 52) & 0x7FF) - 1023


def exp_parts(x: Any, low: Any) -> Any:
    """`k` and `q` with e^(x + low) = 2^k (1 + q), q between sqrt(1/2) - 1 and sqrt(2) - 1. low: what x has no digits for."""
    bounded = min(max(x, -800.0), 800.0)
    k = np.int64(np.floor(bounded * LOG2_E + 0.5))
    near = bounded - k * LN2_HIGH
    less = low - k * LN2_LOW
    r = near + less
    less = less - (r - near)
    p = 1 / 6227020800.0
    for c in (
        1 / 479001600.0, 1 / 39916800.0, 1 / 3628800.0, 1 / 362880.0, 1 / 40320.0, 1 / 5040.0, 1 / 720.0, 1 / 120.0, 1 / 24.0, 1 / 6.0, 0.5,
    ):  # fmt: skip
        p = p * r + c
    return k, r + (r * r * p + less)


def exp(x: Any) -> Any:
    k, q = exp_parts(x, 0.0)
    return scaled(1.0 + q, k) if x == x else x


def half_exp(x: Any) -> Any:
    """`exp(x) / 2`, also where exp(x) has no place."""
    k, q = exp_parts(x, 0.0)
    return scaled(1.0 + q, k - 1)


def exp_minus_square(x: Any) -> Any:
    """`exp(-x * x)`, with the square to twice the digits."""
    square = x * x
    rest = fused(x, x, -square)
    value = exp(-square)
    return value - value * rest if square < 800.0 else value


def expm1(x: Any) -> Any:
    k, q = exp_parts(x, 0.0)
    value = scaled(q + (1.0 - two_to(-min(max(k, -100), 1000))), k) if k != 0 else q
    value = -1.0 if k < -60 else value
    return copysign(value, x) if x == x else x


def _log_parts(x: Any) -> Any:
    """The exponent of a positive number, and its fraction between sqrt(1/2) and sqrt(2)."""
    tiny = x < 2.2250738585072014e-308
    bits = (x * 18014398509481984.0 if tiny else x).view(np.int64)
    e = ((bits >> 52) & 0x7FF) - 1023 - (54 if tiny else 0)
    m = ((bits & MANTISSA) | 0x3FF0000000000000).view(np.float64)
    large = m > 1.4142135623730951
    return e + 1 if large else e, m * 0.5 if large else m


def _log_series(z: Any) -> Any:
    """2/3 z + 2/5 z^2 + ..., for z to 0.0295."""
    p = 2 / 25.0
    for c in (2 / 23.0, 2 / 21.0, 2 / 19.0, 2 / 17.0, 2 / 15.0, 2 / 13.0, 2 / 11.0, 2 / 9.0, 2 / 7.0, 2 / 5.0, 2 / 3.0):
        p = p * z + c
    return p * z


def log(x: Any) -> Any:
    e, m = _log_parts(x)
    f = m - 1.0
    s = f / (2.0 + f)
    value = e * LN2_HIGH + (f - (s * (f - _log_series(s * s)) - e * LN2_LOW))
    value = value if x < INFINITY else x
    value = value if x != 0.0 else -INFINITY
    return value if x >= 0.0 else invalid(x)


def log1p(x: Any) -> Any:
    u = 1.0 + x
    d = u - 1.0
    value = x if d == 0.0 else log(u) * (x / d)
    return value if u < INFINITY else u


def log2(x: Any) -> Any:
    e, m = _log_parts(x)
    f = m - 1.0
    s = f / (2.0 + f)
    value = e + (f - s * (f - _log_series(s * s))) * LOG2_E
    value = value if x < INFINITY else x
    value = value if x != 0.0 else -INFINITY
    return value if x >= 0.0 else invalid(x)


def log10(x: Any) -> Any:
    e, m = _log_parts(x)
    f = m - 1.0
    s = f / (2.0 + f)
    value = e * 0.3010299956639812 + (f - s * (f - _log_series(s * s))) * 0.43429448190325182
    value = value if x < INFINITY else x
    value = value if x != 0.0 else -INFINITY
    return value if x >= 0.0 else invalid(x)


def exp2(x: Any) -> Any:
    bounded = min(max(x, -1200.0), 1200.0)
    k = np.int64(np.floor(bounded + 0.5))
    return scaled(exp((bounded - k) * 0.6931471805599453), k) if x == x else x


def _quadrant(x: Any) -> Any:
    """The nearest multiple of pi/2, of a large one modulo 8, and how far the angle is from it."""
    if abs(x) > 100000.0:
        return _quadrant_of_large(x)
    n = np.floor(x * TWO_OVER_PI + 0.5)
    r = fused(-n, HALF_PI_3, fused(-n, HALF_PI_2, fused(-n, HALF_PI_1, x)))
    return np.int64(n), r


def _quadrant_of_large(x: Any) -> Any:
    """Payne and Hanek: x times those digits of 2/pi that neither make whole turns nor vanish, 24 bits each.

    Every product is exact as a sum of two floats. Whole turns are taken out of each; what is left is added up with what its roundings lose.
    """
    size = abs(x) if abs(x) < INFINITY else 0.0
    first = max((exponent(size) - 60) // 24, 0)
    y = scaled(size, -24 * (first + 1))
    near = 0.0
    for place in range(8):
        high = y * TWO_OVER_PI_DIGITS[first + place] * two_to(-24 * place)
        near = near + (high - 8.0 * np.floor(0.125 * high + 0.5))
    n = np.floor(near - 8.0 * np.floor(0.125 * near) + 0.5)
    total, lost, rest = -n, 0.0, 0.0
    for place in range(8):
        part = y * two_to(-24 * place)
        digit = TWO_OVER_PI_DIGITS[first + place]
        high = part * digit
        low = fused(part, digit, -high)
        for term in (high - 8.0 * np.floor(0.125 * high + 0.5), low - 8.0 * np.floor(0.125 * low + 0.5)):
            together = total + term
            back = together - total
            error = (total - (together - back)) + (term - back)
            total = together
            together = lost + error
            back = together - lost
            rest = rest + ((lost - (together - back)) + (error - back))
            lost = together
    turns = 8.0 * np.floor(0.125 * total + 0.5)
    total = total - turns
    sum_ = total + lost
    lost = (lost - (sum_ - total)) + rest
    more = np.floor(sum_ + 0.5)  # the estimate of the quadrant was one off
    sum_ = sum_ - more
    r = fused(sum_, HALF_PI, fused(sum_, HALF_PI_REST, lost * HALF_PI))
    k = np.int64(n + more) & 7
    return (k, r) if x > 0.0 else (-k, -r)


def _sine(r: Any) -> Any:
    z = r * r
    p = 1 / 355687428096000.0
    for c in (-1 / 1307674368000.0, 1 / 6227020800.0, -1 / 39916800.0, 1 / 362880.0, -1 / 5040.0, 1 / 120.0, -1 / 6.0):
        p = p * z + c
    return r + r * (z * p)


def _cosine(r: Any) -> Any:
    z = r * r
    p = 1 / 20922789888000.0
    for c in (-1 / 87178291200.0, 1 / 479001600.0, -1 / 3628800.0, 1 / 40320.0, -1 / 720.0, 1 / 24.0):
        p = p * z + c
    return 1.0 - (0.5 * z - z * z * p)


def sin(x: Any) -> Any:
    n, r = _quadrant(x)
    value = _cosine(r) if n & 1 else _sine(r)
    value = -value if n & 2 else value
    value = value if x != 0.0 else x
    return value if abs(x) < INFINITY else invalid(x)


def cos(x: Any) -> Any:
    n, r = _quadrant(x)
    value = _sine(r) if n & 1 else _cosine(r)
    value = -value if (n + 1) & 2 else value
    return value if abs(x) < INFINITY else invalid(x)


def tan(x: Any) -> Any:
    n, r = _quadrant(x)
    s, c = _sine(r), _cosine(r)
    value = -c / s if n & 1 else s / c
    value = value if x != 0.0 else x
    return value if abs(x) < INFINITY else invalid(x)


def atan(x: Any) -> Any:
    a = abs(x)
    inverse = a > 1.0
    a = 1.0 / a if inverse else a
    k = np.int64(np.floor(4.0 * a + 0.5))
    c = 0.25 * k
    t = (a - c) / (1.0 + a * c)
    z = t * t
    p = 1 / 17.0
    for q in (-1 / 15.0, 1 / 13.0, -1 / 11.0, 1 / 9.0, -1 / 7.0, 1 / 5.0, -1 / 3.0):
        p = p * z + q
    base = 0.24497866312686414 if k == 1 else 0.0
    base = 0.4636476090008061 if k == 2 else base
    base = 0.6435011087932844 if k == 3 else base
    base = 0.7853981633974483 if k == 4 else base
    value = base + (t + t * (z * p))
    value = 1.5707963267948966 - (value - 6.123233995736766e-17) if inverse else value
    return copysign(value, x) if x == x else x


def atan2(y: Any, x: Any) -> Any:
    a, b = abs(y), abs(x)
    both = a == INFINITY and b == INFINITY
    small, large = min(a, b), max(a, b)
    q = 1.0 if both else (0.0 if large == 0.0 else small / large)
    value = atan(q)
    value = 1.5707963267948966 - value if a > b else value
    value = PI - value if x.view(np.int64) < 0 else value
    value = copysign(value, y)
    return value if x == x and y == y else x + y


def asin(x: Any) -> Any:
    return atan2(x, np.sqrt((1.0 - x) * (1.0 + x)))


def acos(x: Any) -> Any:
    return atan2(np.sqrt((1.0 - x) * (1.0 + x)), x)


def sinh(x: Any) -> Any:
    a = abs(x)
    t = expm1(a)
    value = 0.5 * (t + t / (t + 1.0)) if a < 40.0 else half_exp(a)
    return copysign(value, x) if x == x else x


def cosh(x: Any) -> Any:
    e = half_exp(abs(x))
    value = e + 0.25 / e if abs(x) < 40.0 else e
    return value if x == x else x


def tanh(x: Any) -> Any:
    t = expm1(-2.0 * abs(x))
    return copysign(-t / (t + 2.0), x) if x == x else x


def asinh(x: Any) -> Any:
    a = abs(x)
    value = log1p(a + a * a / (1.0 + np.sqrt(a * a + 1.0))) if a < 1e8 else log(a) + 0.6931471805599453
    return copysign(value, x) if x == x else x


def acosh(x: Any) -> Any:
    t = x - 1.0
    value = log1p(t + np.sqrt(2.0 * t + t * t)) if x < 1e8 else log(x) + 0.6931471805599453
    return value if x >= 1.0 else invalid(x)


def atanh(x: Any) -> Any:
    a = abs(x)
    t = a + a
    value = 0.5 * log1p(t + t * a / (1.0 - a) if a < 0.5 else t / (1.0 - a))
    return copysign(value, x) if x == x else x


def is_whole(x: Any) -> Any:
    return np.floor(x) == x


def is_odd(x: Any) -> Any:
    half = 0.5 * x
    return is_whole(x) and np.floor(half) != half and abs(x) < 9007199254740992.0


def power(x: Any, y: Any) -> Any:
    """`x ** y`: a logarithm of twice the digits, times y, and the exponential."""
    a = abs(x)
    e, m = _log_parts(a)
    f = m - 1.0
    d = 2.0 + f
    s = f / d
    rest = (fused(-s, d, f) - s * (f - (d - 2.0))) / d
    high = e * LN2_HIGH
    low = 2.0 * s
    first = high + low
    gone = low - (first - high) if abs(high) > abs(low) else high - (first - low)
    more = s * _log_series(s * s)
    total = first + more
    tail = (more - (total - first)) + (gone + (2.0 * rest + e * LN2_LOW))
    logarithm = total + tail
    tail = tail - (logarithm - total)
    product = y * logarithm
    small = fused(y, logarithm, -product) + y * tail
    k, q = exp_parts(product, small if abs(product) < 800.0 else 0.0)
    value = scaled(1.0 + q, k)
    odd = is_odd(y)
    value = (0.0 if y > 0.0 else INFINITY) if a == 0.0 else value
    value = (INFINITY if y > 0.0 else 0.0) if a == INFINITY else value
    value = -value if x.view(np.int64) < 0 and odd else value
    value = NAN if x < 0.0 and a < INFINITY and not is_whole(y) else value
    if abs(y) == INFINITY:
        grows = (a > 1.0) == (y > 0.0)
        value = 1.0 if a == 1.0 else (INFINITY if grows else 0.0)
    value = value if x == x and y == y else x + y
    return 1.0 if y == 0.0 or x == 1.0 else value


def integer_power(x: Any, n: Any) -> Any:
    result = x * 0 + 1
    left = abs(n)
    factor = x
    while left > 0:
        if left & 1:
            result = result * factor
        left = left >> 1
        factor = factor * factor
    negative = 1 // result if result == 1 or result == -1 else result * 0
    return negative if n < 0 else result


def hypot(x: Any, y: Any) -> Any:
    a, b = abs(x), abs(y)
    large, small = max(a, b), min(a, b)
    q = 0.0 if large == 0.0 else small / large
    value = large * np.sqrt(1.0 + q * q)
    value = value if x == x and y == y else x + y
    return INFINITY if a == INFINITY or b == INFINITY else value


def norm(x: Any, y: Any, z: Any, w: Any) -> Any:
    """The root of a sum of squares, scaled by a power of two so that no square overflows."""
    a, b, c, d = abs(x), abs(y), abs(z), abs(w)
    large = max(a, b, c, d)
    k = min(max(exponent(large), -1000), 1000)
    s = two_to(-k)
    a, b, c, d = a * s, b * s, c * s, d * s
    value = scaled(np.sqrt(fused(a, a, fused(b, b, fused(c, c, d * d)))), k)
    value = value if x == x and y == y and z == z and w == w else x + y + z + w
    return INFINITY if a == INFINITY or b == INFINITY or c == INFINITY or d == INFINITY else value


def fmod(x: Any, y: Any) -> Any:
    """Exact, by division of the significands: the quotient's bits are taken 11 at a time, 186 times at most."""
    a, b = abs(x), abs(y)
    if b == 0.0 or a == INFINITY or x != x or y != y:
        return x + y if x != x or y != y else NAN
    if a < b or b == INFINITY:
        return x
    p, q = a.view(np.int64), b.view(np.int64)
    above, below = max(p >> 52, 1), max(q >> 52, 1)
    rest = np.uint64((p & MANTISSA) | (LEADING if p >> 52 else 0))
    divisor = np.uint64((q & MANTISSA) | (LEADING if q >> 52 else 0))
    rest = rest % divisor
    left = above - below
    while left > 0:
        step = min(left, 11)
        rest = (rest << np.uint64(step)) % divisor
        left = left - step
    return copysign(scaled(np.float64(np.int64(rest)), below - 1075), x)


def remainder(x: Any, y: Any) -> Any:
    """x less the nearest multiple of y, of two the even one."""
    a, b = abs(x), abs(y)
    if b == INFINITY and a < INFINITY:
        return x
    large = b > 8e307
    m = abs(fmod(x, y if large else y + y))
    odd = large and a >= b and a - b < b
    if m > b - m or (m == b - m and odd):
        m = m - b
        m = m - b if m > 0.0 and m >= b - m and not large else m
    value = m if x.view(np.int64) >= 0 else -m
    value = value if m == m else NAN
    return value if x == x and y == y else x + y


def remquo(x: Any, y: Any) -> Any:
    """`remainder`, and the last three bits of the quotient, with its sign."""
    a, b = abs(x), abs(y)
    if b == 0.0 or a == INFINITY or x != x or y != y:
        return x + y if x != x or y != y else NAN, 0
    if b == INFINITY:
        return x, 0
    m = fmod(a, 8.0 * b) if b < 2.0**1021 else a
    q = 0
    for k in (4, 2, 1):
        if m >= k * b:
            m = m - k * b
            q = q + k
    if m > b - m or (m == b - m and q & 1):
        m = m - b
        q = q + 1
    q = q & 7
    return -m if x.view(np.int64) < 0 else m, -q if (x.view(np.int64) ^ y.view(np.int64)) < 0 else q


def trunc(x: Any) -> Any:
    return copysign(np.floor(abs(x)), x)


def ceil(x: Any) -> Any:
    return -np.floor(-x)


def round_even(x: Any) -> Any:
    a = abs(x)
    return copysign((a + EXACT) - EXACT, x) if a < EXACT else x


def round_digits(x: Any, digits: Any) -> Any:
    p = power(10.0, np.float64(abs(digits)))
    value = round_even(x * p) / p if digits >= 0 else round_even(x / p) * p
    return value + 0.0 if abs(x) < INFINITY else x  # no zero is negative: Numba rounds to a whole number


def modf(x: Any) -> Any:
    whole = trunc(x)
    part = 0.0 if abs(x) == INFINITY else x - whole
    return copysign(part, x) if x == x else x, whole if x == x else x


def frexp(x: Any) -> Any:
    a = abs(x)
    tiny = a < 2.2250738585072014e-308
    y = x * 18014398509481984.0 if tiny else x
    e = exponent(y) + 1 - (54 if tiny else 0)
    m = ((y.view(np.int64) & -0x7FF0000000000001) | 0x3FE0000000000000).view(np.float64)
    special = a == 0.0 or not a < INFINITY
    return x if special else m, 0 if special else e


def ldexp(x: Any, n: Any) -> Any:
    return scaled(x, n)


def cbrt(x: Any) -> Any:
    a = abs(x)
    y = power(a, 1 / 3.0)
    y = y - (y * y * y - a) / (3.0 * y * y) if 0.0 < a < INFINITY else y
    return copysign(y, x)


def erf(x: Any) -> Any:
    a = abs(x)
    value = 1.0 - _erfc_positive(a) if a >= 1.0 else erf_series(a)
    return copysign(value, x) if x == x else x


def erfc(x: Any) -> Any:
    a = abs(x)
    value = _erfc_positive(a)
    value = 2.0 - value if x < 0.0 else value
    near = 1.0 - copysign(erf_series(min(a, 1.0)), x)
    value = near if a < 0.5 else value
    return value if x == x else x


def erf_series(a: Any) -> Any:
    """2 / sqrt(pi) exp(-x^2) x (1 + 2 x^2 / 3 + (2 x^2)^2 / (3 5) + ...), to x = 1: no term takes another one away."""
    z = 2.0 * a * a
    term = 1.0
    total = 0.0
    for n in range(1, 24):
        term = term * z / (2 * n + 1)
        total = total + term
    return 1.1283791670955126 * a * exp_minus_square(a) * (1.0 + total)


def _erfc_positive(a: Any) -> Any:
    b = min(a, 30.0)
    return exp_minus_square(b) * erfcx_positive(b)


def erfcx_positive(b: Any) -> Any:
    """exp(x^2) erfc(x): a polynomial in (x - 3.75) / (x + 3.75) by 1 + 2 x (Shepherd and Laframboise, 1981), by Clenshaw's sum."""
    t = (b - 3.75) / (b + 3.75)
    here, before = 0.0, 0.0
    for c in (
        5.160933808497e-17, 7.385293533099538e-17, -1.2523516675163596e-15, -1.8671761690636963e-15, 3.347474159142582e-14,
        3.2521719734039045e-14, -9.65473394145853e-13, 1.9455543198666976e-13, 2.868794769384707e-11, -6.31808847079399e-11,
        -7.754400209132785e-10, 4.52195981246601e-09, 1.076499946806037e-08, -2.188640104890789e-07, 7.740383066236234e-07,
        4.1390279860768684e-06, -6.916973302500856e-05, 0.0004907758365258113, -0.0024131635404176064, 0.009074997670705265,
        -0.026658668435305753, 0.059209939998191886, -0.08424913336651792, -0.004590054580646481,
    ):  # fmt: skip
        following = 2.0 * t * here - before + c
        before = here
        here = following
    return ((t * here - before) + 1.1775789345674017) / (1.0 + 2.0 * b)


def _stirling(x: Any) -> Any:
    """What is missing in Stirling's formula, from 10 on: 1 / (12 x) - 1 / (360 x^3) + ..."""
    z = 1.0 / (x * x)
    p = -0.029550653594771242
    for c in (
        0.00641025641025641, -0.0019175269175269176, 0.0008417508417508417, -0.0005952380952380953, 0.0007936507936507937,
        -0.002777777777777778, 0.08333333333333333,
    ):  # fmt: skip
        p = p * z + c
    return p / x


def gamma(x: Any) -> Any:
    reflected = x < 0.5
    start = 1.0 - x if reflected else x
    y = min(start, np.float64(400.0))
    product, gone = 1.0, (1.0 - start) - x if reflected else 0.0
    while y < 10.0:
        product = product * y
        above = y + 1.0
        gone = gone + (y - (above - 1.0))
        y = above
    slope = log(y) - 0.5 / y
    power_ = 0.5 * y - 0.25
    gone = (2.0 * ((0.5 * y - power_) - 0.25) + gone) * slope  # what that has rounded away, and all steps to y
    half = power(y, power_)
    correction = expm1(_stirling(y) + gone)
    value = 2.5066282746310007 * (half * (exp(-y) * half)) / product
    value = value + value * correction
    if reflected:
        value = PI / (sine_pi(x) * value) if start < 171.0 else _gamma_far_left(x, half, exp(-y), _stirling(y) + gone)
    value = value if start <= 171.62437695630272 or reflected else INFINITY
    value = NAN if x < 0.0 and (is_whole(x) or x == -INFINITY) else value
    value = copysign(INFINITY, x) if x == 0.0 else value
    return value if x == x else x


def _gamma_far_left(x: Any, half: Any, decay: Any, correction: Any) -> Any:
    """pi / (sin(pi x) gamma(1 - x)) where gamma(1 - x) has no place: divided in steps."""
    value = PI / (sine_pi(x) * 2.5066282746310007)
    return value / half / (decay * half) * exp(-correction)


def _half_turns(x: Any) -> Any:
    """x modulo 2, between -1 and 1: exact."""
    return x - 2.0 * round_even(0.5 * x)


def sine_pi(x: Any) -> Any:
    """`sin(pi x)`."""
    r = _half_turns(x)
    r = copysign(1.0, r) - r if abs(r) > 0.5 else r
    value = sin(PI * r)
    value = copysign(0.0, x) if value == 0.0 else value
    return value if abs(x) < INFINITY else invalid(x)


def cosine_pi(x: Any) -> Any:
    """`cos(pi x)`."""
    value = sin(PI * (0.5 - abs(_half_turns(x))))
    return value if abs(x) < INFINITY else invalid(x)


def ilogb(x: Any) -> Any:
    """The exponent of a number's leading bit; the least int32 of 0 and of what is not a number, the largest of infinities."""
    _fraction, e = frexp(x)
    e = e - 1 if x != 0.0 and x == x else -0x80000000
    return e if abs(x) < INFINITY or x != x else 0x7FFFFFFF


def logb(x: Any) -> Any:
    """`ilogb` as a float; of 0 it is -infinity."""
    _fraction, e = frexp(x)
    value = np.float64(e - 1) if x != 0.0 else -INFINITY
    return value if abs(x) < INFINITY else abs(x)


def lgamma(x: Any) -> Any:
    a = abs(x)
    tiny = a < 1e-17
    y = 1.0 - x if x < 0.0 else x
    y = np.float64(3.0) if tiny else y
    value = _log_gamma(y) if y < 1e305 else y * (log(y) - 1.0)
    if x < 0.0:
        value = log(PI / abs(sine_pi(x))) - value
    value = -log(a) if tiny else value
    value = value if a < INFINITY else INFINITY
    value = INFINITY if x <= 0.0 and is_whole(x) else value
    return value if x == x else x


def _log_gamma(x: Any) -> Any:
    """Of a positive number: Stirling's formula from 10 on, below a series around 2, moved there by gamma(x + 1) = x gamma(x)."""
    if x >= 10.0:
        return (x - 0.5) * (log(x) - 1.0) + (0.41893853320467274 + _stirling(x))
    product = 1.0
    y = x
    while y > 2.5:
        y = y - 1.0
        product = product * y
    below = y < 1.35
    lower = y < 0.5
    z = y if lower else y - 1.0 if below else y - 2.0
    p = -3.527742476575915e-12
    for c in (
        7.275974480239079e-12, -1.5021384080754142e-11, 3.1044247747322276e-11, -6.4229645638381e-11, 1.330476437424449e-10,
        -2.7595228851242334e-10, 5.731367241678862e-10, -1.1921401405860912e-09, 2.4836745438024785e-09, -5.183475041970047e-09,
        1.0838659214896955e-08, -2.2711094608943164e-08, 4.7698101693639804e-08, -1.0043224823968099e-07, 2.1207184805554665e-07,
        -4.492469198764566e-07, 9.55141213040742e-07, -2.039215753801366e-06, 4.374866789907488e-06, -9.439488275268397e-06,
        2.050721277567069e-05, -4.492623673813314e-05, 9.945751278180853e-05, -0.00022315475845357939, 0.0005096695247430425,
        -0.001192753911703261, 0.0028905103307415234, -0.007385551028673986, 0.020580808427784546, -0.0673523010531981,
        0.3224670334241132,
    ):  # fmt: skip
        p = p * z + c
    value = z * 0.42278433509846713 + z * z * p
    value = value - log1p(z) if below else value
    value = value - log(y) if lower else value
    return value + log(product) if product != 1.0 else value


def nextafter(x: Any, y: Any) -> Any:
    """The next 64-bit float from x towards y: floats of one sign are in the order of their bits."""
    if x != x or y != y:
        return x + y
    if x == y:
        return y
    if x == 0.0:
        return copysign(5e-324, y)
    bits = x.view(np.int64)
    return (bits + (1 if (x < y) == (x > 0.0) else -1)).view(np.float64)


def nextafter_single(x: Any, y: Any) -> Any:
    """`nextafter` of 32-bit floats."""
    if x != x or y != y:
        return x + y
    if x == y:
        return y
    bits = x.view(np.int32)
    if x == np.float32(0.0):
        return np.int32(1 if y > np.float32(0.0) else -0x7FFFFFFF).view(np.float32)
    return np.int32(bits + (1 if (x < y) == (x > np.float32(0.0)) else -1)).view(np.float32)
