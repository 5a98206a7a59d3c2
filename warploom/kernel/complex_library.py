"""Functions of complex numbers, in the dialect of kernels: pairs of 64-bit floats in, pairs out. See `libm.py`."""

# ruff: noqa: D103
from __future__ import annotations

from typing import Any

import numpy as np

from warploom.kernel.libm import atan2, copysign, cos, cosh, exp, hypot, log, sin, sinh


def complex_exp(x: Any, y: Any) -> Any:
    e = exp(x)
    return e * cos(y), e * sin(y) if y != 0.0 else y


def complex_log(x: Any, y: Any) -> Any:
    return log(hypot(x, y)), atan2(y, x)


def complex_sqrt(x: Any, y: Any) -> Any:
    size = hypot(x, y)
    root = np.sqrt(0.5 * (size + abs(x)))
    other = 0.5 * abs(y) / root if root != 0.0 else root
    right = x >= 0.0
    return root if right else other, copysign(other if right else root, y)


def complex_power(x: Any, y: Any, u: Any, v: Any) -> Any:
    real, imag = complex_log(x, y)
    p, q = complex_exp(real * u - imag * v, real * v + imag * u)
    zero = x == 0.0 and y == 0.0
    one = u == 0.0 and v == 0.0
    p = (1.0 if one else 0.0) if zero else p
    return p, 0.0 if zero else q


def complex_sin(x: Any, y: Any) -> Any:
    return sin(x) * cosh(y), cos(x) * sinh(y)


def complex_cos(x: Any, y: Any) -> Any:
    return cos(x) * cosh(y), -sin(x) * sinh(y)


def complex_sinh(x: Any, y: Any) -> Any:
    return sinh(x) * cos(y), cosh(x) * sin(y)


def complex_cosh(x: Any, y: Any) -> Any:
    return cosh(x) * cos(y), sinh(x) * sin(y)


def complex_tanh(x: Any, y: Any) -> Any:
    bounded = min(max(x, -25.0), 25.0)
    size = cosh(2.0 * bounded) + cos(2.0 * y)
    return sinh(2.0 * bounded) / size, sin(2.0 * y) / size


def complex_tan(x: Any, y: Any) -> Any:
    real, imag = complex_tanh(-y, x)
    return imag, -real
