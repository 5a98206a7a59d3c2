"""Stretches: neighbouring lanes of an access whose items lie at one distance, the pitch.

A warp of a block with one row of threads has one stretch; one of a block of 16 x 16 threads that works on a matrix has two, a row of
the matrix each. Lanes of an access without such order are looked at one by one.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.engine.bits import EMPTY, ONE, has, lowest, ones
from warploom.machine.engine.unit import inlined, unit

MOST_STRETCHES = 4  # of an access; more of them are short, and take longer than their lanes one by one
MOST_PITCH = 64  # bytes: items farther apart have too few neighbours in a run
MOST_FIELDS = 8  # items in a pitch, so that a run has parts for them


@inlined
def pitch_of_lanes(part, addresses, size):
    """Bytes from the first of some lanes' items to the next one's; of one item its size; 0 where lanes are to be looked at one by one."""
    if part == EMPTY:
        return np.int64(0)
    lane = lowest(part)
    if lane == 63 or not has(part, lane + 1):
        return np.int64(size)
    pitch = np.int64(addresses[lane + 1]) - np.int64(addresses[lane])
    if pitch < size or pitch > MOST_PITCH or pitch > MOST_FIELDS * size or pitch % size != 0:
        return np.int64(0)
    return pitch


@unit
def starts_of_stretches(part, addresses, lanes, pitch):
    """The lanes of `part` with which a stretch begins."""
    apart = EMPTY
    for lane in range(1, lanes):
        apart |= np.uint64(np.int64(addresses[lane]) - np.int64(addresses[lane - 1]) != pitch) << np.uint64(lane)
    if apart == EMPTY and part == ones(lanes):
        return ONE
    return part & (apart | ~(part << ONE))
