"""NumPy's functions that count, in 64 bits on every host.

NumPy's default integer, and that of its indices, is as wide as an address of the host. Where that is 32 bits, as in a browser,
`np.arange(n) << 32` is 0, and `np.repeat` and `np.bincount` refuse numbers of 64. So the package names the width wherever it makes
integers (`dtype=np.int64`), and calls these functions where NumPy has no such argument. A test refuses what does neither.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def numbers(stop: int) -> np.ndarray:
    """int64[stop]: 0, 1, ... stop - 1."""
    return np.arange(stop, dtype=np.int64)


def positions(mask: np.ndarray) -> np.ndarray:
    """int64: the indices of a flat mask at which it is true."""
    return np.flatnonzero(mask).astype(np.int64)


def running_sum(values: Any) -> np.ndarray:
    """int64: the sums of the first values, one, two ... of them. values: integers or truth values."""
    return np.cumsum(values, dtype=np.int64)


def repeated(values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Each value as often as its count says. counts: integers of any width."""
    return np.repeat(values, counts.astype(np.intp))


def tally(values: np.ndarray, size: int = 0) -> np.ndarray:
    """int64[size, or more]: how often each number from 0 on occurs among `values`, integers of any width."""
    return np.bincount(values.astype(np.intp), minlength=size).astype(np.int64)


def total_by(values: np.ndarray, weights: np.ndarray | None, size: int) -> np.ndarray:
    """float64[size, or more]: of each number from 0 on, the sum of the weights (without: 1) that stand where it does in `values`."""
    return np.bincount(values.astype(np.intp), weights, size)
