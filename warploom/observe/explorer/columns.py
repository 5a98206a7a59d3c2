"""Columns: numbers of a run as few bytes, which a page unpacks again.

Two ways to lay out an array:

* `steps`: whole numbers. The difference from each to the next, with its sign in the lowest bit (0, -1, 1, -2 ... become 0, 1, 2, 3 ...), in
  groups of seven bits, lowest first; the eighth bit of a byte says that another one follows. Cycles and addresses rise by small
  steps, so most take one byte.
* `planes`: 32-bit words, the lowest byte of all of them first, then the second one of all, and so on: deflate finds more in bytes of
  one kind.
"""

from __future__ import annotations

import numpy as np

from warploom.isa.counts import running_sum

MOST = 1 << 53  # a page counts in doubles
GROUP = 7  # bits of a number that a byte holds


def steps(values: np.ndarray) -> bytes:
    """Whole numbers (any shape, taken in order) as bytes. Raises ValueError beyond plus or minus 2^53."""
    flat = np.asarray(values, np.int64).ravel()
    if not len(flat):
        return b""
    if int(flat.max()) > MOST or int(flat.min()) < -MOST:
        raise ValueError(f"a page counts up to {MOST}")
    difference = np.diff(flat, prepend=0)
    left = np.where(difference < 0, -2 * difference - 1, 2 * difference).astype(np.uint64)
    length = np.ones(len(left), np.int64)
    for group in range(1, 9):
        length += left >> np.uint64(GROUP * group) != 0
    end = running_sum(length)
    out = np.zeros(int(end[-1]), np.uint8)
    for group in range(int(length.max())):
        here = length > group
        part = (left[here] >> np.uint64(GROUP * group)).astype(np.uint8) & 0x7F
        out[(end - length)[here] + group] = part | np.where(length[here] > group + 1, 0x80, 0).astype(np.uint8)
    return out.tobytes()


def planes(words: np.ndarray) -> bytes:
    """32-bit words (any shape, taken in order) as bytes."""
    return np.ascontiguousarray(np.asarray(words, "<u4").ravel().view(np.uint8).reshape(-1, 4).T).tobytes()
