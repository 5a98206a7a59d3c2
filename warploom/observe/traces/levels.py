"""Numbers over time: how many there are of something that begins and ends."""

from __future__ import annotations

import numpy as np

from warploom.isa.counts import running_sum

_NONE = np.zeros(0, np.int64)


class Level:
    """A number that goes up and down, told window by window. What is known of later cycles waits until they come."""

    def __init__(self) -> None:
        self.value = 0
        self._times, self._changes = _NONE, _NONE

    def until(self, stop: int, up: np.ndarray, down: np.ndarray, by: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """(cycles, values) where it changes before cycle `stop`: it goes up at the cycles `up` and down at `down`, by 1 or by so much."""
        rises, falls = (np.ones(len(up), np.int64), np.ones(len(down), np.int64)) if by is None else (by, by)
        times = np.concatenate([self._times, up, down])
        changes = np.concatenate([self._changes, rises, -falls])
        self._times, self._changes = times[times >= stop], changes[times >= stop]
        found, place = np.unique(times[times < stop], return_inverse=True)
        sums = np.zeros(len(found), np.int64)
        np.add.at(sums, place, changes[times < stop])
        values = self.value + running_sum(sums)
        self.value = int(values[-1]) if len(values) else self.value
        return found[sums != 0], values[sums != 0]


class Blocks:
    """The blocks that have a warp in a core: from their first warp's launch to their last one's end."""

    def __init__(self) -> None:
        self._of_slot: dict[tuple[int, int], int] = {}
        self._warps: dict[int, int] = {}

    def of(self, rows: np.ndarray, launch: int, end: int) -> tuple[np.ndarray, np.ndarray]:
        """The cycles in which blocks come, and those in which they go. rows: launches and ends of warps, of the kinds named so."""
        came, went = [], []
        for time, kind, core, warp, _, _, launched, _ in rows.tolist():
            if kind == launch:
                block = launched
                self._of_slot[core, warp] = block
                self._warps[block] = self._warps.get(block, 0) + 1
                if self._warps[block] == 1:
                    came.append(time)
            elif kind == end and (core, warp) in self._of_slot:
                block = self._of_slot.pop((core, warp))
                self._warps[block] -= 1
                if self._warps[block] == 0:
                    del self._warps[block]
                    went.append(time)
        return np.array(came, np.int64), np.array(went, np.int64)
