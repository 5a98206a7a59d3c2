"""The library of mathematics, in the dialect of kernels itself: 64-bit floats, translated in place where a kernel calls them.

GPUs have no instructions for these either; NVIDIA's are in libdevice. Arguments are reduced to a short stretch around zero, where a
power series of twenty terms at most is exact to the last bits; results are within a few units in the last place. Sines of arguments
beyond 10^6 lose digits. The functions also run as plain Python on NumPy's floats, where tests compare them with C's.

Sources: Muller, "Elementary Functions", 3rd ed., chapters 3, 8 and 11; Kahan's formulas for expm1 and log1p, in Higham, "Accuracy
and Stability of Numerical Algorithms", section 1.14; Lanczos, "A Precision Approximation of the Gamma Function", 1964, with the
coefficients of Godfrey, 2001.
"""

# ruff: noqa: D103, PLR0124, PLR1714
from __future__ import annotations

from typing import Any

import numpy as np

LN2_HIGH = 0.6931471803691238  # its last 20 bits are zero, so that a product with a whole number is exact
LN2_LOW = 1.9082149292705877e-10
LOG2_E = 1.4426950408889634
HALF_PI_1, HALF_PI_2, HALF_PI_3 = 1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21
TWO_OVER_PI = 0.6366197723675814
PI = 3.141592653589793
INFINITY = float("inf")
NAN = float("nan")
MANTISSA = (1 << 52) - 1
EXACT = 4503599627370496.0  # 2^52: from here on every float is whole


def fused(x: Any, y: Any, z: Any) -> Any:
    """`x * y + z`, rounded once. In kernels one operation; here to twice the digits."""
    return np.float64(np.longdouble(x) * np.longdouble(y) + np.longdouble(z))


fused.kernel_name = "kernel.fma"  # type: ignore[attr-defined]


def two_to(k: Any) -> Any:
    return ((k + 1023) << 52).view(np.float64)


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


def exp(x: Any) -> Any:
    bounded = min(max(x, -800.0), 800.0)
    k = np.int64(np.floor(bounded * LOG2_E + 0.5))
    r = bounded - k * LN2_HIGH - k * LN2_LOW
    p = 1 / 6227020800.0
    for c in (
        1 / 479001600.0,
        1 / 39916800.0,
        1 / 3628800.0,
        1 / 362880.0,
        1 / 40320.0,
        1 / 5040.0,
        1 / 720.0,
        1 / 120.0,
        1 / 24.0,
        1 / 6.0,
        0.5,
    ):
        p = p * r + c
    return scaled(1.0 + (r + r * r * p), k) if x == x else x


def expm1(x: Any) -> Any:
    u = exp(x)
    small = abs(x) < 1e-5
    d = u - 1.0
    value = d if d == -1.0 or u > 1e15 else d * x / log(u)
    return x + 0.5 * x * x if small else value


def _log_parts(x: Any) -> Any:
    """Of a positive number the exponent, and the fraction between sqrt(1/2) and sqrt(2)."""
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
    return value if x >= 0.0 else NAN


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
    return value if x >= 0.0 else NAN


def log10(x: Any) -> Any:
    e, m = _log_parts(x)
    f = m - 1.0
    s = f / (2.0 + f)
    value = e * 0.3010299956639812 + (f - s * (f - _log_series(s * s))) * 0.43429448190325182
    value = value if x < INFINITY else x
    value = value if x != 0.0 else -INFINITY
    return value if x >= 0.0 else NAN


def exp2(x: Any) -> Any:
    bounded = min(max(x, -1200.0), 1200.0)
    k = np.int64(np.floor(bounded + 0.5))
    return scaled(exp((bounded - k) * 0.6931471805599453), k) if x == x else x


def _quadrant(x: Any) -> Any:
    """The nearest multiple of pi/2, and how far the angle is from it."""
    n = np.floor(x * TWO_OVER_PI + 0.5)
    r = fused(-n, HALF_PI_3, fused(-n, HALF_PI_2, fused(-n, HALF_PI_1, x)))
    return np.int64(n), r


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
    return value if abs(x) < INFINITY else NAN


def cos(x: Any) -> Any:
    n, r = _quadrant(x)
    value = _sine(r) if n & 1 else _cosine(r)
    value = -value if (n + 1) & 2 else value
    return value if abs(x) < INFINITY else NAN


def tan(x: Any) -> Any:
    n, r = _quadrant(x)
    s, c = _sine(r), _cosine(r)
    value = -c / s if n & 1 else s / c
    value = value if x != 0.0 else x
    return value if abs(x) < INFINITY else NAN


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
    return value if x == x and y == y else NAN


def asin(x: Any) -> Any:
    return atan2(x, np.sqrt((1.0 - x) * (1.0 + x)))


def acos(x: Any) -> Any:
    return atan2(np.sqrt((1.0 - x) * (1.0 + x)), x)


def sinh(x: Any) -> Any:
    a = abs(x)
    t = expm1(a)
    half = exp(0.5 * a)
    value = 0.5 * (t + t / (t + 1.0)) if a < 700.0 else 0.5 * half * half
    return copysign(value, x) if x == x else x


def cosh(x: Any) -> Any:
    half = exp(0.5 * abs(x))
    e = half * half
    return 0.5 * e + 0.5 / e if abs(x) < 700.0 else 0.5 * half * half


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
    return value if x >= 1.0 else NAN


def atanh(x: Any) -> Any:
    a = abs(x)
    value = 0.5 * log1p(2.0 * a / (1.0 - a))
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
    product = y * total
    small = fused(y, total, -product) + y * tail
    value = exp(product)
    value = value + value * small if 0.0 < value < INFINITY else value
    odd = is_odd(y)
    value = (0.0 if y > 0.0 else INFINITY) if a == 0.0 else value
    value = (INFINITY if y > 0.0 else 0.0) if a == INFINITY else value
    value = -value if x.view(np.int64) < 0 and odd else value
    value = NAN if x < 0.0 and a < INFINITY and not is_whole(y) else value
    if abs(y) == INFINITY:
        grows = (a > 1.0) == (y > 0.0)
        value = 1.0 if a == 1.0 else (INFINITY if grows else 0.0)
    value = value if x == x and y == y else NAN
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
    value = value if x == x and y == y else NAN
    return INFINITY if a == INFINITY or b == INFINITY else value


def fmod(x: Any, y: Any) -> Any:
    a, b = abs(x), abs(y)
    if b == 0.0 or a == INFINITY or x != x or y != y:
        return NAN
    while a >= b and b < INFINITY:
        c = scaled(b, exponent(a) - max(exponent(b), -1022))
        c = 0.5 * c if c > a else c
        a = a - (c if c >= b else b)
    return copysign(a, x)


def float_mod(x: Any, y: Any) -> Any:
    m = fmod(x, y)
    wrong = (m < 0.0) != (y < 0.0)
    value = m + y if wrong else m
    return value if m != 0.0 else copysign(m, y)


def float_floordiv(x: Any, y: Any) -> Any:
    if y == 0.0:
        return x / y
    m = float_mod(x, y)
    d = (x - m) / y
    f = np.floor(d)
    return f + 1.0 if d - f > 0.5 else f


def remainder(x: Any, y: Any) -> Any:
    b = abs(y)
    m = abs(fmod(x, y + y)) if b < 8e307 else abs(fmod(x, y))
    m = m - b if m > 0.5 * b else m
    m = m - b if m >= 0.5 * b else m
    return (m if x.view(np.int64) >= 0 else -m) if b < INFINITY else x


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
    return value if abs(x) < INFINITY else x


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
    value = 1.0 - _erfc_tail(a) if a >= 2.0 else _erf_series(a)
    return copysign(value, x) if x == x else x


def erfc(x: Any) -> Any:
    if x < -2.0:
        return 2.0 - _erfc_tail(-x)
    if x < 2.0:
        return 1.0 - copysign(_erf_series(abs(x)), x)
    return _erfc_tail(x) if x == x else x


def _erf_series(a: Any) -> Any:
    """2 / sqrt(pi) exp(-x^2) x (1 + 2 x^2 / 3 + (2 x^2)^2 / (3 5) + ...): no term takes another one away."""
    z = 2.0 * a * a
    term = 1.0
    total = 1.0
    for n in range(1, 60):
        term = term * z / (2 * n + 1)
        total = total + term
    return 1.1283791670955126 * a * exp(-a * a) * total


def _erfc_tail(a: Any) -> Any:
    """exp(-x^2) / sqrt(pi) times a continued fraction, from its end (Abramowitz and Stegun, 7.1.14)."""
    b = min(a, 30.0)
    q = b
    for n in range(120, 0, -1):
        q = b + 0.5 * n / q
    return exp(-b * b) * 0.5641895835477563 / q


def _lanczos(x: Any) -> Any:
    total = 0.9999999999998099
    place = 1
    for c in (
        676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905, -0.13857109526572012,
        9.984369578019572e-06, 1.5056327351493116e-07,
    ):  # fmt: skip
        total = total + c / (x + place)
        place += 1
    return total


def gamma(x: Any) -> Any:
    reflected = x < 0.5
    z = (1.0 - x if reflected else x) - 1.0
    t = z + 7.5
    half = power(t, 0.5 * (z + 0.5))
    value = 2.5066282746310007 * half * exp(-t) * half * _lanczos(z)
    value = PI / (_sine_pi(x) * value) if reflected else value
    value = value if z < 171.7 else (copysign(0.0, value) if reflected else INFINITY)
    value = NAN if x < 0.0 and is_whole(x) else value
    value = copysign(INFINITY, x) if x == 0.0 else value
    return value if x == x else x


def _sine_pi(x: Any) -> Any:
    r = x - 2.0 * round_even(0.5 * x)
    return sin(PI * r)


def lgamma(x: Any) -> Any:
    reflected = x < 0.5
    z = (1.0 - x if reflected else x) - 1.0
    t = z + 7.5
    value = 0.9189385332046727 + (z + 0.5) * log(t) - t + log(_lanczos(z))
    value = log(PI / abs(_sine_pi(x))) - value if reflected else value
    value = value if abs(x) < INFINITY else INFINITY
    value = INFINITY if x <= 0.0 and is_whole(x) else value
    return 0.0 if x == 1.0 or x == 2.0 else (value if x == x else x)


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
