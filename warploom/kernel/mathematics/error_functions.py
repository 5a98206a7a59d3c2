"""The scaled error function, the inverse ones and the normal distribution, in the dialect of kernels: 64-bit floats, as in `libm.py`.

An inverse is found by Newton's method, from the logarithm of `erfc` where that is small, so that the result has as many digits as the
argument down to the smallest float.

Source: NIST Digital Library of Mathematical Functions, 7.2 (definitions) and 7.17 (inverse functions); edges: NVIDIA, "CUDA C++
Programming Guide", mathematical functions.
"""

# ruff: noqa: D103, PLR0124
from __future__ import annotations

from typing import Any

import numpy as np

from warploom.kernel.mathematics.libm import (
    INFINITY,
    copysign,
    erf_series,
    erfc,
    erfcx_positive,
    exp,
    exp_minus_square,
    fused,
    invalid,
    log,
)

HALF_ROOT_PI = 0.886226925452758
ROOT_PI = 1.7724538509055159
ROOT_2 = 1.4142135623730951
HALF_ROOT_2, HALF_ROOT_2_REST = 0.7071067811865476, -4.833646656726457e-17


def erfcx(x: Any) -> Any:
    """`exp(x * x) * erfc(x)`."""
    a = abs(x)
    value = 1.0 / (ROOT_PI * a) if a > 1e9 else erfcx_positive(a)
    if x < 0.0:
        square = x * x
        grown = exp(min(square, 720.0))
        value = 2.0 * (grown + grown * fused(x, x, -square)) - value if a < 27.0 else INFINITY
    return value if x == x else x


def _erfinv_near(y: Any) -> Any:
    """For |y| to a half."""
    a = abs(y)
    x = a * HALF_ROOT_PI * (1.0 + 0.2617993877991494 * a * a)
    for _ in range(3):
        x = x - (erf_series(x) - a) * HALF_ROOT_PI / exp_minus_square(x)
    return copysign(x if a > 1e-150 else a * HALF_ROOT_PI, y)


def _erfcinv_small(q: Any) -> Any:
    """For q above 0 and to a half: Newton's method for log(erfc(x)) = log(q)."""
    logarithm = log(q)
    x = np.sqrt(max(-logarithm - 0.5 * log(-3.141592653589793 * logarithm), 0.2))
    for _ in range(5):
        scaled = erfcx_positive(x)
        square = x * x
        off = (square + logarithm) + (fused(x, x, -square) - log(scaled))
        x = x - off * HALF_ROOT_PI * scaled
    return x


def erfinv(y: Any) -> Any:
    a = abs(y)
    if a <= 0.5:
        value = _erfinv_near(y)
    elif a < 1.0:
        value = copysign(_erfcinv_small(1.0 - a), y)
    else:
        value = copysign(INFINITY, y) if a == 1.0 else invalid(y)
    return value


def erfcinv(q: Any) -> Any:
    small = min(q, 2.0 - q)
    if small > 0.5:
        value = _erfinv_near(1.0 - q)
    elif small > 0.0:
        value = copysign(_erfcinv_small(small), 1.0 - q)
    else:
        value = copysign(INFINITY, 1.0 - q) if small == 0.0 else invalid(q)
    return value


def normcdf(x: Any) -> Any:
    """`erfc(-x / sqrt(2)) / 2`, with what the quotient has rounded away."""
    bounded = min(max(x, -40.0), 40.0)
    z = -bounded * HALF_ROOT_2
    rest = fused(-bounded, HALF_ROOT_2, -z) - bounded * HALF_ROOT_2_REST
    value = 0.5 * erfc(z) - exp_minus_square(z) * rest * 0.5641895835477563
    return value if x == x else x


def normcdfinv(p: Any) -> Any:
    return 0.0 - ROOT_2 * erfcinv(2.0 * p)
