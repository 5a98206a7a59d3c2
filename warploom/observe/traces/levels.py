"""Numbers over time: how many there are of something that begins and ends."""

from __future__ import annotations

import numpy as np

from warploom.observe.facts import timeline as t


def level(up: np.ndarray, down: np.ndarray, by: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """(cycles, values): a number that goes up at the cycles `up` and down at `down`, by 1 or by so much; int64[n] each."""
    rises, falls = (np.ones(len(up), np.int64), np.ones(len(down), np.int64)) if by is None else (by, by)
    times, place = np.unique(np.concatenate([up, down]), return_inverse=True)
    changes = np.zeros(len(times), np.int64)
    np.add.at(changes, place, np.concatenate([rises, -falls]))
    return times, np.cumsum(changes)


def pulses(times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(cycles, values): how many there are in each cycle."""
    return level(times, times + 1)


def blocks(spans: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first cycle of every block, and the first one after it: from its first warp's launch to its last one's end."""
    _, place = np.unique(spans[:, t.BLOCK], return_inverse=True)
    count = int(place.max()) + 1 if len(place) else 0
    first, last = np.full(count, np.iinfo(np.int64).max), np.zeros(count, np.int64)
    np.minimum.at(first, place, spans[:, t.START])
    np.maximum.at(last, place, spans[:, t.STOP])
    return first, last
