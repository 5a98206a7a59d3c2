"""Arithmetic that rounds up, down or towards zero, in the dialect of kernels: the nearest result, and its neighbour where that lies wrong.

What a rounded sum, product, quotient or root lacks is itself computed, exactly or to its sign. Results of 32 bits are computed in 64,
where a product of two floats is exact. Modes have RISC-V's numbers: 1 towards zero, 2 down, 3 up.

Sources: Knuth, "The Art of Computer Programming", volume 2, 4.2.2, for the rest of a sum; Muller et al., "Handbook of Floating-Point
Arithmetic", 2nd ed., chapter 4, for those of products, quotients and roots by a fused multiply-add.
"""

# ruff: noqa: D103
from __future__ import annotations

from typing import Any

import numpy as np

from warploom.kernel.mathematics.libm import INFINITY, fused

SMALL, TINY, LARGE = 2.0**-300, 2.0**-900, 2.0**600


def _stepped(near: Any, rest: Any, mode: Any) -> Any:
    """A 64-bit float, or its neighbour. rest: the exact result less `near`; only its sign counts."""
    up = rest > 0.0 and (mode == 3 or (mode == 1 and near < 0.0))
    down = rest < 0.0 and (mode == 2 or (mode == 1 and near > 0.0))
    bits = near.view(np.int64)
    above = bits + (1 if near > 0.0 else -1)
    below = bits + (-1 if near > 0.0 else 1)
    above = np.int64(1) if near == 0.0 else above
    below = np.int64(-0x7FFFFFFFFFFFFFFF) if near == 0.0 else below
    return (above if up else below if down else bits).view(np.float64)


def single(value: Any, rest: Any, mode: Any) -> Any:
    """A 64-bit float, and what it lacks, as a float of 32 bits."""
    near = np.float32(value) + np.float32(-0.0)  # a NaN becomes that of 32 bits
    lost = value - np.float64(near) if abs(value) < INFINITY else 0.0
    lost = rest if lost == 0.0 else lost
    up = lost > 0.0 and (mode == 3 or (mode == 1 and near < np.float32(0.0)))
    down = lost < 0.0 and (mode == 2 or (mode == 1 and near > np.float32(0.0)))
    bits = near.view(np.int32)
    above = np.int32(bits + (1 if near > np.float32(0.0) else -1))
    below = np.int32(bits + (-1 if near > np.float32(0.0) else 1))
    above = np.int32(1) if near == np.float32(0.0) else above
    below = np.int32(-0x7FFFFFFF) if near == np.float32(0.0) else below
    return np.int32(above if up else below if down else bits).view(np.float32)


def _sum_rest(x: Any, y: Any, total: Any) -> Any:
    part = total - x
    rest = (x - (total - part)) + (y - part)
    over = abs(total) == INFINITY
    finite = abs(x) < INFINITY and abs(y) < INFINITY
    return (-total if finite else 0.0) if over else rest


def _zero(x: Any, y: Any, total: Any, mode: Any) -> Any:
    """A sum that is exactly zero is -0 where it is rounded down, unless both are +0."""
    apart = (x.view(np.int64) ^ y.view(np.int64)) < 0
    return -0.0 if mode == 2 and total == 0.0 and apart else total


def _product_rest(x: Any, y: Any, product: Any) -> Any:
    """Where the product is tiny, of both made larger, so that the rest has a place."""
    tiny = abs(product) < TINY
    fx = LARGE if tiny and abs(x) < 1.0 else 1.0
    fy = LARGE if tiny and abs(y) < 1.0 else 1.0
    rest = fused(x * fx, y * fy, -((product * fx) * fy))
    over = abs(product) == INFINITY
    finite = abs(x) < INFINITY and abs(y) < INFINITY
    return (-product if finite else 0.0) if over else rest


def _quotient_rest(x: Any, y: Any, quotient: Any) -> Any:
    small, both = abs(x) < SMALL, abs(x) < SMALL and abs(y) < SMALL
    p = x * LARGE if small else x
    q = y * LARGE if both else y
    r = quotient * LARGE if small and not both else quotient
    rest = fused(-r, q, p)
    rest = -rest if y < 0.0 else rest
    over = abs(quotient) == INFINITY
    finite = abs(x) < INFINITY and y != 0.0
    rest = (-quotient if finite else 0.0) if over else rest
    return rest if abs(y) < INFINITY else 0.0


def _root_rest(x: Any, root: Any) -> Any:
    small = x < TINY
    p, r = x * LARGE if small else x, root * 2.0**300 if small else root
    return fused(-r, r, p) if 0.0 < x < INFINITY else 0.0


def add(x: Any, y: Any, mode: Any) -> Any:
    total = x + y
    return _stepped(_zero(x, y, total, mode), _sum_rest(x, y, total), mode)


def add_single(x: Any, y: Any, mode: Any) -> Any:
    total = x + y
    return single(_zero(x, y, total, mode), _sum_rest(x, y, total), mode)


def mul(x: Any, y: Any, mode: Any) -> Any:
    product = x * y
    return _stepped(product, _product_rest(x, y, product), mode)


def mul_single(x: Any, y: Any, mode: Any) -> Any:
    return single(x * y, 0.0, mode)


def div(x: Any, y: Any, mode: Any) -> Any:
    quotient = x / y
    return _stepped(quotient, _quotient_rest(x, y, quotient), mode)


def div_single(x: Any, y: Any, mode: Any) -> Any:
    quotient = x / y
    return single(quotient, _quotient_rest(x, y, quotient), mode)


def sqrt(x: Any, mode: Any) -> Any:
    root = np.sqrt(x)
    return _stepped(root, _root_rest(x, root), mode)


def sqrt_single(x: Any, mode: Any) -> Any:
    root = np.sqrt(x)
    return single(root, _root_rest(x, root), mode)


def fma(x: Any, y: Any, z: Any, mode: Any) -> Any:
    near = fused(x, y, z)
    product = x * y
    lost = _product_rest(x, y, product) if abs(product) >= TINY else 0.0
    total = product + z
    rest = (total - near) + (lost + _sum_rest(product, z, total))
    over = abs(near) == INFINITY
    finite = abs(x) < INFINITY and abs(y) < INFINITY and abs(z) < INFINITY
    rest = (-near if finite else 0.0) if over else rest
    return _stepped(_zero(product, z, near, mode), rest, mode)


def fma_single(x: Any, y: Any, z: Any, mode: Any) -> Any:
    product = x * y
    return add_single(product, z, mode)
