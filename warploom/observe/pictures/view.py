"""View: which cycles, cores and warp slots a picture shows, and how many cycles one of its columns stands for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from warploom.isa.counts import numbers, repeated, running_sum, total_by
from warploom.isa.numbers import whole_number
from warploom.machine.run.result import RunResult


class DrawingError(ValueError):
    """A picture that cannot be drawn: of a run that does not have what it shows, or as it was asked for. One sentence."""


@dataclass(frozen=True)
class View:
    """A part of a run.

    start, stop: its first cycle and the first one after it. cores, warps: their numbers, None for all.
    """

    start: int
    stop: int
    cores: tuple[int, ...] | None = None
    warps: tuple[int, ...] | None = None

    @property
    def cycles(self) -> int:
        """How many cycles it has."""
        return self.stop - self.start


def view_of(
    result: RunResult,
    cycles: tuple[int, int | None] | None = None,
    cores: Iterable[int] | None = None,
    warps: Iterable[int] | None = None,
) -> View:
    """A part of a run. cycles: first and last, both included; None for the last is the end of the run.

    Raises DrawingError where the run has no such cycles, cores or warp slots.
    """
    first, last = _span(cycles)
    if first < 0 or (last is not None and last < first):
        raise DrawingError(f"cycles {first} to {last}: the span ends before it begins")
    if first >= result.cycles:
        raise DrawingError(f"there is no cycle {first}: the run has {result.cycles} cycles, numbered from 0")
    stop = result.cycles if last is None else min(last + 1, result.cycles)
    with_warps = result.has.warps
    slots = result.config.core.warps if with_warps else 1
    return View(
        first,
        stop,
        _numbers("cores", cores, result.config.gpu.cores, "core"),
        _numbers("warps", warps, slots, "warp slot" if with_warps else "block slot of a core"),
    )


def _span(cycles: tuple[int, int | None] | None) -> tuple[int, int | None]:
    if cycles is None:
        return 0, None
    try:
        first, last = cycles
        return whole_number("cycles", first), None if last is None else whole_number("cycles", last)
    except (TypeError, ValueError):
        raise DrawingError(f"cycles = {cycles!r}: write the first and the last one, as (0, 99)") from None


def _numbers(name: str, wanted: Iterable[int] | None, count: int, noun: str) -> tuple[int, ...] | None:
    if wanted is None:
        return None
    try:
        found = tuple(sorted({whole_number(name, number) for number in wanted}))
    except (TypeError, ValueError):
        raise DrawingError(f"{name} = {wanted!r}: write their numbers, as [0, 2]") from None
    for number in found:
        if not 0 <= number < count:
            raise DrawingError(f"there is no {noun} {number}: they are numbered 0 to {count - 1}")
    return found


@dataclass(frozen=True)
class Columns:
    """The columns of a picture whose x axis is time. each: cycles that a column stands for (the last one may stand for fewer)."""

    start: int
    stop: int
    each: int

    @property
    def count(self) -> int:
        """How many columns there are."""
        return -(-(self.stop - self.start) // self.each)

    def edges(self) -> np.ndarray:
        """int64[count + 1]: where each column begins, and where the last one ends."""
        return np.minimum(self.start + numbers(self.count + 1) * self.each, self.stop)

    def sums(self, time: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
        """float64[count]: how many of the cycles `time` fall into each column, or the sum of their weights."""
        inside = (time >= self.start) & (time < self.stop)
        chosen = None if weight is None else weight[inside]
        return total_by((time[inside] - self.start) // self.each, chosen, self.count).astype(np.float64)

    def overlap(self, start: np.ndarray, stop: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
        """float64[count]: cycles of the spans [start, stop) in each column, times their weights. Exact, whatever their lengths."""
        span, column, cycles = self.pieces(start, stop)
        return total_by(column, cycles if weight is None else cycles * weight[span], self.count).astype(np.float64)

    def pieces(self, start: np.ndarray, stop: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Spans cut at the columns' edges: (span, column, cycles) of every piece, int64 each."""
        begin, end = np.clip(start, self.start, self.stop), np.clip(stop, self.start, self.stop)
        kept = np.flatnonzero(end > begin)
        first = (begin[kept] - self.start) // self.each
        count = (end[kept] - 1 - self.start) // self.each - first + 1
        span = repeated(kept, count)
        column = numbers(len(span)) - repeated(running_sum(count) - count, count) + repeated(first, count)
        edges = self.edges()
        return span, column, np.minimum(end[span], edges[column + 1]) - np.maximum(begin[span], edges[column])


def columns_of(view: View, most: int) -> Columns:
    """As many columns as fit into `most`, each of the same number of whole cycles."""
    return Columns(view.start, view.stop, max(1, -(-view.cycles // most)))


def sampled(start: np.ndarray, stop: np.ndarray, cycles: np.ndarray) -> np.ndarray:
    """The number of the span that holds each cycle, or -1. start, stop: int64[n] of spans in order, without overlap."""
    if not len(start):
        return np.full(cycles.shape, -1, np.int64)
    found = np.searchsorted(start, cycles, side="right") - 1
    return np.where((found >= 0) & (cycles < stop[np.maximum(found, 0)]), found, -1)
