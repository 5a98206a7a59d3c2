"""Functions of complex numbers, in the dialect of kernels: pairs of 64-bit floats in, pairs out. See `libm.py`."""

# ruff: noqa: D103, PLR0124
from __future__ import annotations

from typing import Any

import numpy as np

from warploom.kernel.mathematics.libm import INFINITY, asinh, atan2, copysign, cos, cosh, exp, hypot, log, log1p, sin, sinh


def complex_exp(x: Any, y: Any) -> Any:
    e = exp(x)
    empty = e == 0.0 and not abs(y) < INFINITY
    real = 0.0 if empty else e * cos(y)
    imag = 0.0 if empty else e * sin(y)
    real = x if abs(x) == INFINITY and x > 0.0 and not abs(y) < INFINITY else real
    return real, imag if y != 0.0 else y


def complex_log(x: Any, y: Any) -> Any:
    return log(hypot(x, y)), atan2(y, x)


def complex_sqrt(x: Any, y: Any) -> Any:
    size = hypot(x, y)
    root = np.sqrt(0.5 * (size + abs(x)))
    other = 0.5 * abs(y) / root if root != 0.0 else root
    right = x >= 0.0
    real, imag = root if right else other, copysign(other if right else root, y)
    endless = abs(x) == INFINITY and abs(y) < INFINITY
    imag = copysign(0.0, y) if endless and right else imag
    real = 0.0 if endless and not right else real
    return INFINITY if abs(y) == INFINITY else real, y if abs(y) == INFINITY else imag


def complex_quotient(x: Any, y: Any, u: Any, v: Any) -> Any:
    """(x + iy) / (u + iv) without overflow on the way (Smith, "Algorithm 116", CACM 1962)."""
    wide = abs(u) >= abs(v)
    r = (v / u if u != 0.0 else 0.0) if wide else u / v
    d = u + v * r if wide else u * r + v
    real = (x + y * r if wide else x * r + y) / d
    imag = (y - x * r if wide else y * r - x) / d
    return real, imag


def complex_power(x: Any, y: Any, u: Any, v: Any) -> Any:
    real, imag = complex_log(x, y)
    p, q = complex_exp(real * u - imag * v, real * v + imag * u)
    zero = x == 0.0 and y == 0.0
    one = u == 0.0 and v == 0.0
    p = (1.0 if one else 0.0) if zero else p
    return p, 0.0 if zero else q


def along(size: Any, part: Any) -> Any:
    """`size * part`; nothing of length zero has a direction."""
    return _times(size, part) if part == part else (0.0 if size == 0.0 else part)


def _times(x: Any, y: Any) -> Any:
    """A product in which zero times infinity is zero, as along an axis."""
    zero = copysign(0.0, x) * copysign(1.0, y)
    return zero if x == 0.0 or y == 0.0 else x * y


def complex_sin(x: Any, y: Any) -> Any:
    real, imag = complex_sinh(-y, x)
    return imag, -real


def complex_cos(x: Any, y: Any) -> Any:
    return complex_cosh(-y, x)


def complex_sinh(x: Any, y: Any) -> Any:
    return _times(sinh(x), cos(y)), _times(cosh(x), sin(y))


def complex_cosh(x: Any, y: Any) -> Any:
    return _times(cosh(x), cos(y)), _times(sinh(x), sin(y))


def complex_tanh(x: Any, y: Any) -> Any:
    bounded = min(max(x, -25.0), 25.0)
    size = cosh(2.0 * bounded) + cos(2.0 * y)
    far = abs(x) > 25.0
    imag = 0.0 if far and not abs(y) < INFINITY else sin(2.0 * y) / size
    return copysign(1.0, x) if far else sinh(2.0 * bounded) / size, imag


def complex_log10(x: Any, y: Any) -> Any:
    real, imag = complex_log(x, y)
    return real * 0.4342944819032518, imag * 0.4342944819032518


def complex_log2(x: Any, y: Any) -> Any:
    real, imag = complex_log(x, y)
    return real * 1.4426950408889634, imag * 1.4426950408889634


def complex_asinh(x: Any, y: Any) -> Any:
    """From the roots of 1 + iz and 1 - iz (Kahan, "Branch Cuts for Complex Elementary Functions", 1987)."""
    a, b = complex_sqrt(1.0 + y, -x)
    c, d = complex_sqrt(1.0 - y, x)
    real, imag = asinh(a * d - b * c), atan2(y, a * c - b * d)
    endless = abs(x) == INFINITY or abs(y) == INFINITY
    real = copysign(INFINITY, x) if endless else real
    return real, atan2(y, abs(x)) if endless else imag


def complex_asin(x: Any, y: Any) -> Any:
    real, imag = complex_asinh(-y, x)
    return imag, -real


def complex_acos(x: Any, y: Any) -> Any:
    a, b = complex_sqrt(1.0 - x, -y)
    c, d = complex_sqrt(1.0 + x, y)
    endless = abs(x) == INFINITY or abs(y) == INFINITY
    real = atan2(abs(y), x) if endless else 2.0 * atan2(a, c)
    return real, -copysign(INFINITY, y) if endless else asinh(c * b - d * a)


def complex_acosh(x: Any, y: Any) -> Any:
    a, b = complex_sqrt(x - 1.0, y)
    c, d = complex_sqrt(x + 1.0, y)
    endless = abs(x) == INFINITY or abs(y) == INFINITY
    return INFINITY if endless else asinh(a * c + b * d), atan2(y, x) if endless else 2.0 * atan2(b, c)


def complex_atanh(x: Any, y: Any) -> Any:
    z = y * y
    p, q = (1.0 + x) * (1.0 + x) + z, (1.0 - x) * (1.0 - x) + z
    real = 0.25 * log1p(4.0 * x / q) if q != 0.0 else 0.25 * (log(p) - log(q))
    imag = 0.5 * atan2(2.0 * y, (1.0 - x) * (1.0 + x) - z)
    endless = abs(x) == INFINITY or abs(y) == INFINITY
    return copysign(0.0, x) if endless else real, copysign(1.5707963267948966, y) if endless and y == y else imag


def complex_atan(x: Any, y: Any) -> Any:
    real, imag = complex_atanh(-y, x)
    return imag, -real


def complex_tan(x: Any, y: Any) -> Any:
    real, imag = complex_tanh(-y, x)
    return imag, -real
