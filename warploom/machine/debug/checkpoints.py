"""Checkpoints: what a machine's bytes were at some cycles of its run, so that a run can continue from any of them.

Not hardware: what stepping backwards needs. A machine is deterministic, so its state at a cycle is a checkpoint
before it and a run from there. Only pages of memory that are not zero are kept, compressed. The further a checkpoint
lies from the cycle that was visited last, the wider the gap to its neighbour, so a run of n cycles has some log n of them.
"""

from __future__ import annotations

import time
import zlib
from bisect import bisect_right
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from warploom.machine.engine.pages import PAGE, parts_of
from warploom.machine.run.runnable import Detector

NEAREST = 16  # cycles between two checkpoints, at least
STEPS = 4  # checkpoints in each doubling of the distance
MOST_BYTES = 256 << 20
SHARE = 0.3  # of the time of a run that may go into checkpoints


class Stateful(Protocol):
    """What a checkpoint is taken of."""

    @property
    def cycle(self) -> int:
        """Cycles simulated so far."""

    @property
    def detector(self) -> Detector | None:
        """What else has a memory of the run, or None."""

    def whole(self) -> tuple[np.ndarray, ...]:
        """Everything that changes."""


@dataclass(frozen=True)
class Pages:
    """The pages of one array that are not zero: their numbers, and their bytes, compressed. tail: the bytes after the last whole page."""

    numbers: np.ndarray
    packed: bytes
    tail: bytes


class Checkpoints:
    """The checkpoints of one machine, by cycle. The first one, of the cycle at which this is made, is never given up."""

    def __init__(self, machine: Stateful, most_bytes: int = MOST_BYTES) -> None:
        self.machine, self.most_bytes = machine, most_bytes
        self._kept: dict[int, tuple[tuple[Pages, ...], tuple[Any, ...] | None]] = {}
        self._seconds = 0.0  # that the last one took
        self._ready = 0.0  # when the next one may be taken
        self.take()

    @property
    def cycles(self) -> list[int]:
        """The cycles of all checkpoints, in order."""
        return sorted(self._kept)

    @property
    def bytes(self) -> int:
        """Bytes that they take, about."""
        return sum(len(pages.packed) + pages.numbers.nbytes for arrays, _ in self._kept.values() for pages in arrays)

    def before(self, cycle: int) -> int:
        """The cycle of the last checkpoint at or before a cycle; of the first one when there is none."""
        cycles = self.cycles
        return cycles[max(bisect_right(cycles, cycle) - 1, 0)]

    @property
    def due(self) -> bool:
        """Whether it is worth the time to take a checkpoint now."""
        return self.machine.cycle - self.before(self.machine.cycle) >= NEAREST and time.perf_counter() >= self._ready

    def take(self) -> None:
        """Keep the machine as it is now."""
        cycle, start = self.machine.cycle, time.perf_counter()
        if cycle in self._kept:
            return
        detector = self.machine.detector
        arrays = tuple(_pages(array) for array in self.machine.whole())
        self._kept[cycle] = arrays, detector.snapshot() if detector is not None else None
        self._thin(cycle)
        now = time.perf_counter()
        self._seconds = now - start
        self._ready = now + self._seconds / SHARE

    def restore(self, cycle: int) -> None:
        """Make the machine what it was at the last checkpoint at or before a cycle."""
        arrays, snapshot = self._kept[self.before(cycle)]
        for array, pages in zip(self.machine.whole(), arrays, strict=True):
            _write(array, pages)
        if self.machine.detector is not None and snapshot is not None:
            self.machine.detector.restore(snapshot)

    def forget_after(self, cycle: int) -> None:
        """Give up those after a cycle: the run continues differently from there."""
        for late in [kept for kept in self.cycles[1:] if kept > cycle]:
            del self._kept[late]

    def _thin(self, cycle: int) -> None:
        """Keep the first of those at about the same distance from `cycle`, on the same side of it."""
        seen: set[tuple[bool, int]] = set()
        for kept in self.cycles[1:]:
            distance = max(abs(kept - cycle), 1) / NEAREST
            group = (kept > cycle, int(STEPS * np.log2(distance)) if distance > STEPS else -int(distance))
            if group in seen and kept != cycle:
                del self._kept[kept]
            seen.add(group)
        while self.bytes > self.most_bytes and len(self._kept) > 2:
            del self._kept[max(self.cycles[1:], key=lambda kept: abs(kept - cycle))]


def _pages(array: np.ndarray) -> Pages:
    parts, rest, used = parts_of(array)
    return Pages(used, zlib.compress(parts[used].tobytes(), 1), rest.tobytes())


def _write(array: np.ndarray, kept: Pages) -> None:
    parts, rest, used = parts_of(array)
    parts[used] = 0
    parts[kept.numbers] = np.frombuffer(zlib.decompress(kept.packed), np.uint8).reshape(-1, PAGE)
    rest[:] = np.frombuffer(kept.tail, np.uint8)
