"""The figure of a comparison: what varied most along the x axis, a line or set of bars for every combination of the other settings.

Where two lines lie on one another, a panel below shows each relative to the first. Kernels differ in their cycles by far more than by
what is compared, so several are drawn relative to the first combination of settings, with their geometric mean. Over seeds a point is a
mean, with its interval.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from warploom.machine.config.schema import settings
from warploom.study.compare import name_of
from warploom.study.figure import Figure, Panel, Series, coincide, doubling, numeric
from warploom.study.metrics import METRIC, Metric
from warploom.study.needs import StudyError
from warploom.study.samples import Estimate
from warploom.study.suite import ALL_KERNELS, Samples, Suite
from warploom.study.table import Table

Point = dict[str, Any]
Value = Callable[[Point], Estimate | None]


def chart(suite: Suite, table: Table, metric: str = "cycles", *, relative: bool = False) -> Figure:
    """A comparison as a figure. table: its runs. metric: a name of metrics.METRICS. Runs that are not done are left out.

    relative: draw one kernel relative to the first line, as several kernels always are. Raises StudyError when there is nothing to draw.
    """
    if not suite.first.over:
        raise StudyError("a plot has something along its axis, and nothing varies: add --over NAME=VALUES, as --over core.warps=4..64*2")
    samples = Samples(suite, table)
    drawing = _Drawing(suite, samples, METRIC[metric])
    panels = drawing.of_kernels() if len(suite.kernels) > 1 else drawing.of_one(relative)
    return Figure(f"{suite.name} on {suite.first.where}", panels, stacked=len(panels) > 1)


class _Drawing:
    """What the panels of a comparison have in common."""

    def __init__(self, suite: Suite, samples: Samples, metric: Metric) -> None:
        self.suite, self.samples, self.metric = suite, samples, metric
        over = suite.first.over
        self.along = max(over, key=lambda name: (numeric(over[name]), len(over[name])))
        self.others = [name for name in over if name != self.along]
        self.values = over[self.along]
        self.is_line = numeric(self.values) and len(self.values) > 2
        self.note = f"means of {len(suite.seeds)} seeds, with their intervals of 95 %" if suite.seeds else ""

    # ---- one kernel

    def of_one(self, relative: bool) -> tuple[Panel, ...]:
        """The metric itself; relative to the first line alone, or below where lines coincide."""
        kernel, name, factor = self.suite.kernels[0], self.metric.name, 100 if self.metric.percent else 1
        lines = [
            dict(zip(self.others, chosen, strict=True))
            for chosen in itertools.product(*(self.suite.first.over[name] for name in self.others))
        ]

        def value(point: Point) -> Estimate | None:
            found = self.samples.mean(kernel, point, name)
            return found and Estimate(factor * found.mean, None if found.half is None else factor * found.half)

        series = [self._line(_label(fixed) or self.suite.name, fixed, value) for fixed in lines]
        found = _known(series)
        unit = "%" if self.metric.percent else self.metric.unit
        label = f"{_words(name)} ({unit})" if unit not in ("", name) else _words(name)
        plain = self._panel(found, label, title=self.note or ("" if self.others else self.metric.meaning))
        if not (relative or (self.is_line and coincide(found))):
            return (plain,)
        first = next(fixed for fixed, one in zip(lines, series, strict=True) if one in found)
        base = first if self.others else {self.along: self.values[0]}

        def ratio(point: Point) -> Estimate | None:
            return self.samples.ratio(kernel, point, name, {**point, **base})

        below = _known([self._line(one.name, fixed, ratio) for fixed, one in zip(lines, series, strict=True) if one in found])
        compared = self._panel(below, f"{_words(name)}, relative to\n{name_of(base)}", title=self.note * relative, reference=1.0)
        return (compared,) if relative else (plain, compared)

    # ---- several

    def of_kernels(self) -> tuple[Panel, ...]:
        """Each kernel relative to the first combination, and the geometric mean of all."""
        base, points = self.samples.base, self.suite.first.points
        if base is None:
            raise StudyError("there is no combination of settings on which every kernel has ended well, so there is nothing to draw")
        name = "speedup" if self.metric.name == "cycles" else self.metric.name

        def of(kernel: str) -> Value:
            return lambda point: self.samples.ratio(kernel, point, name, base)

        def of_all(point: Point) -> Estimate | None:
            return self.samples.over_kernels(point, name, base)

        label = f"speed-up over\n{name_of(base)}" if name == "speedup" else f"{_words(name)}, relative to\n{name_of(base)}"
        if self.is_line and not self.others:
            series = [self._line(kernel, {}, of(kernel)) for kernel in self.suite.kernels]
            series.append(self._line(ALL_KERNELS, {}, of_all, published=True))
            return (self._panel(_known(series), label, title=self.note, reference=1.0),)
        groups = [*((kernel, of(kernel)) for kernel in self.suite.kernels), (ALL_KERNELS, of_all)]
        series = [_series(_label(point), [(group, value(point)) for group, value in groups]) for point in points]
        legend = self.along if not self.others else ""
        return (Panel(self.note, "", label, tuple(_known(series)), kind="bar", legend=legend, reference=1.0),)

    # ---- both

    def _line(self, name: str, fixed: Point, value: Value, *, published: bool = False) -> Series:
        """A line over the values of the setting along the x axis. fixed: the other settings."""
        over = self.suite.first.over
        points = [{setting: {**fixed, self.along: x}[setting] for setting in over} for x in self.values]
        xs = self.values if self.is_line else tuple(map(str, self.values))
        return _series(name, [(x, value(point)) for x, point in zip(xs, points, strict=True)], published=published)

    def _panel(self, series: Sequence[Series], label: str, *, title: str = "", reference: float | None = None) -> Panel:
        unit = next((setting.unit for setting in settings() if setting.name == self.along), "")
        return Panel(
            title,
            f"{self.along} ({unit})" if unit else self.along,
            label,
            tuple(series),
            kind="line" if self.is_line else "bar",
            log_x=self.is_line and doubling(self.values),
            y_from_zero=reference is None or not self.is_line,
            legend=self.others[0] if len(self.others) == 1 else "",
            ticks=tuple(self.values) if self.is_line and len(self.values) <= 10 else (),
            reference=reference,
        )


def _series(name: str, values: Sequence[tuple[Any, Estimate | None]], *, published: bool = False) -> Series:
    halves = tuple(found.half if found else None for _, found in values)
    heights = tuple(found.mean if found else None for _, found in values)
    return Series(name, tuple(x for x, _ in values), heights, published, halves if any(half is not None for half in halves) else ())


def _known(series: Sequence[Series]) -> list[Series]:
    """Those that have a value. Raises StudyError where none has."""
    found = [one for one in series if any(y is not None for y in one.y)]
    if not found:
        raise StudyError("no run has ended well, so there is nothing to draw")
    return found


def _label(fixed: Point) -> str:
    """The values alone, where there is one setting: the legend of a figure has little room."""
    return str(next(iter(fixed.values()))) if len(fixed) == 1 else name_of(fixed)


def _words(name: str) -> str:
    return name.replace("_", " ")
