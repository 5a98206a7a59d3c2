"""A comparison of several kernels, or of one over several seeds: all its runs, and what they say together.

A *member* is one kernel with one seed, and has a plan of its own; all members vary the same settings of the same machine. The speed-up
of a run is over the same member on the first combination of settings that all members have run, so that members can be compared: of a
kernel it is the mean over its seeds, of all kernels the geometric mean.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from warploom.machine.run.driver import DEFAULT_MAX_CYCLES, ENGINES, cycle_limit
from warploom.machine.run.runnable import Notice
from warploom.study.compare import Plan, name_of, names_of, table_of, tasks_of
from warploom.study.metrics import METRICS
from warploom.study.needs import StudyError
from warploom.study.samples import Estimate, estimate, geometric_mean
from warploom.study.sweep import Progress, measure, spread
from warploom.study.table import Column, Table
from warploom.study.varied import MOST_RUNS

ALL_KERNELS = "geometric mean"
INTERVAL = "_interval"  # behind the name of a value: how far its interval reaches


@dataclass(frozen=True)
class Member:
    """One kernel with one seed. seed: None where there are none."""

    kernel: str
    seed: int | None
    plan: Plan


class Suite:
    """The members of a comparison, which share machine and settings. Raises StudyError where they do not."""

    def __init__(self, members: Sequence[Member]) -> None:
        self.members = tuple(members)
        self.first = self.members[0].plan
        self.kernels = tuple(dict.fromkeys(member.kernel for member in members))
        self.seeds = tuple(dict.fromkeys(member.seed for member in members if member.seed is not None))
        self.runs = sum(len(member.plan.points) for member in members)
        other = next((member for member in members if member.plan.base.name != self.first.base.name), None)
        if other is not None:
            here, there = self.members[0], other
            machines = f"{here.plan.base.name} for {here.kernel}, {there.plan.base.name} for {there.kernel}"
            raise StudyError(f"these kernels have different usual machines ({machines}): name one for all, as --gpu sm")
        if self.runs > MOST_RUNS:
            raise StudyError(f"these kernels, seeds and values make {self.runs} runs, and a comparison has at most {MOST_RUNS}: take fewer")

    @property
    def alone(self) -> bool:
        """Whether this is one kernel that runs once on each machine."""
        return len(self.members) == 1 and not self.seeds

    @property
    def name(self) -> str:
        """What is compared, as a heading."""
        return self.kernels[0] if len(self.kernels) == 1 else f"{len(self.kernels)} kernels"

    def run(
        self,
        *,
        max_cycles: int = DEFAULT_MAX_CYCLES,
        engine: str = "auto",
        jobs: int | None = None,
        dask: str | None = None,
        progress: Progress | None = None,
        notice: Notice | None = None,
    ) -> Table:
        """Every run is a row. Raises LaunchError when no machine can start a member, StudyError."""
        if engine not in ENGINES:
            raise StudyError(f"engine = {engine!r}: it is one of {', '.join(ENGINES)}")
        limit = cycle_limit(max_cycles)
        tasks = [tasks_of(member.plan, limit, engine) for member in self.members]
        outcomes = iter(spread(measure, list(itertools.chain.from_iterable(tasks)), jobs=jobs, dask=dask, progress=progress, notice=notice))
        tables = [table_of(member.plan, [next(outcomes) for _ in own]) for member, own in zip(self.members, tasks, strict=True)]
        return tables[0] if self.alone else self._together(tables)

    def _together(self, tables: Sequence[Table]) -> Table:
        names = tuple(dict.fromkeys(name for table in tables for name in table.names))
        columns = [Column("kernel", "kernel")] if len(self.kernels) > 1 else []
        columns += [Column("seed", "seed")] if self.seeds else []
        rows = []
        for member, table in zip(self.members, tables, strict=True):
            who: dict[str, Any] = {"kernel": member.kernel, "seed": member.seed}
            who = {column.name: who[column.name] for column in columns}
            rows += [who | {name: row.get(name) for name in names} for row in table]
        widest = max(tables, key=lambda table: len(table.columns))
        found = Table(rows, (*columns, *widest.columns), self._notes(tables))
        base = Samples(self, found).base
        for row, cycles in zip(rows, Samples(self, found).bases("cycles"), strict=True):
            row["speedup"] = cycles / row["cycles"] if base is not None and row["status"] == "done" and cycles else None
        return found

    def _notes(self, tables: Sequence[Table]) -> tuple[str, ...]:
        """Remarks of the members: once where all have it, once for a kernel where all its seeds have it."""
        who: dict[str, list[Member]] = {}
        for member, table in zip(self.members, tables, strict=True):
            for note in table.notes:
                who.setdefault(note, []).append(member)
        said = []
        for note, members in who.items():
            kernels = list(dict.fromkeys(member.kernel for member in members))
            seeds = [str(member.seed) for member in members if member.kernel == kernels[0]]
            place = ", ".join(kernels) if len(kernels) < len(self.kernels) else ""
            place += (", " if place else "") + f"seed {', '.join(seeds)}" if 0 < len(seeds) < len(self.seeds) else ""
            said.append(f"{place}: {note}" if place else note)
        return tuple(said)


class Samples:
    """The rows of a suite's runs by kernel, seed and combination of settings."""

    def __init__(self, suite: Suite, table: Table) -> None:
        self.suite = suite
        self._rows = {self._key(row): row for row in table.rows}
        self._table = table
        done = [point for point in suite.first.points if all(self._row(member, point)["status"] == "done" for member in suite.members)]
        self.base: dict[str, Any] | None = done[0] if done else None  # the combination that the others are relative to

    def _key(self, row: dict[str, Any]) -> tuple[Any, ...]:
        return (row.get("kernel"), row.get("seed"), *(row[name] for name in self.suite.first.over))

    def _row(self, member: Member, point: dict[str, Any]) -> dict[str, Any]:
        kernel = member.kernel if len(self.suite.kernels) > 1 else None
        return self._rows[(kernel, member.seed, *point.values())]

    def bases(self, metric: str) -> list[Any]:
        """Of each row the metric of the run that it is relative to: its member's on that combination; where nothing varies, the first's."""
        if self.base is None:
            return [None] * len(self._table)
        first = None if self.suite.first.over else self.suite.kernels[0]
        return [self._rows[(first or row.get("kernel"), row.get("seed"), *self.base.values())][metric] for row in self._table]

    def values(self, kernel: str, point: dict[str, Any], metric: str) -> dict[int | None, Any]:
        """A metric of a kernel's runs that have ended well and have it, by seed."""
        found = {member.seed: self._row(member, point) for member in self.suite.members if member.kernel == kernel}
        return {seed: row[metric] for seed, row in found.items() if row["status"] == "done" and row.get(metric) is not None}

    def mean(self, kernel: str, point: dict[str, Any], metric: str) -> Estimate | None:
        """The mean over the seeds."""
        return estimate(list(self.values(kernel, point, metric).values()))

    def ratios(self, kernel: str, point: dict[str, Any], metric: str, base: dict[str, Any]) -> dict[int | None, float]:
        """A metric over that of another combination, each seed over itself."""
        below = self.values(kernel, base, metric)
        return {seed: value / below[seed] for seed, value in self.values(kernel, point, metric).items() if below.get(seed)}

    def ratio(self, kernel: str, point: dict[str, Any], metric: str, base: dict[str, Any]) -> Estimate | None:
        """The mean of `ratios`."""
        return estimate(list(self.ratios(kernel, point, metric, base).values()))

    def over_kernels(self, point: dict[str, Any], metric: str, base: dict[str, Any]) -> Estimate | None:
        """The geometric mean of all kernels' ratios, for each seed alone, and the mean of that."""
        of_kernels = [self.ratios(kernel, point, metric, base) for kernel in self.suite.kernels]
        seeds = self.suite.seeds or (None,)
        found = [geometric_mean([ratios.get(seed) for ratios in of_kernels]) for seed in seeds]
        return estimate([value for value in found if value is not None]) if None not in found else None


def summary(suite: Suite, table: Table) -> Table:
    """What the runs say together: a row for each kernel and combination, the geometric mean over the kernels below."""
    samples = Samples(suite, table)
    rows = []
    for kernel in suite.kernels:
        for point in suite.first.points:
            row: dict[str, Any] = {"kernel": kernel, **point}
            count = len(samples.values(kernel, point, "cycles"))
            row["runs"] = count
            for metric in (*(metric.name for metric in METRICS), "speedup"):
                found = samples.mean(kernel, point, metric)
                row[metric] = found.mean if found else None
                row[metric + INTERVAL] = found.half if found else None
            row["held_up"] = _held_up(list(samples.values(kernel, point, "held_up").values()))
            rows.append(row)
    notes = []
    if len(suite.kernels) > 1 and suite.first.over:
        rows += [_of_all(samples, point, dict.fromkeys(rows[0])) for point in suite.first.points]
        missing = [row for row in rows if row["kernel"] == ALL_KERNELS and row["speedup"] is None]
        if missing:
            points = [{name: row[name] for name in suite.first.over} for row in missing]
            notes.append(f"no geometric mean where a kernel has not ended well: {names_of(points, suite.first)}")
    if samples.base is not None and not suite.first.over:
        notes.insert(0, f"speed-up: over {suite.kernels[0]}{', the same seed' if suite.seeds else ''}")
    elif samples.base is not None:
        same = "kernel and seed" if suite.seeds else "kernel"
        notes.insert(0, f"speed-up: over {name_of(samples.base)}, the same {same}")
    if suite.seeds:
        notes.insert(0, f"means of {len(suite.seeds)} seeds; ±: the mean's interval of 95 %, by Student's distribution")
        notes += [f"{kernel}: every seed gives the same runs" for kernel in suite.kernels if _same(samples, kernel)]
    return Table(rows, _columns(suite, rows), (*notes, *table.notes))


def _of_all(samples: Samples, point: dict[str, Any], empty: dict[str, Any]) -> dict[str, Any]:
    """The row of the geometric mean: cycles of different kernels have none, ratios have."""
    found = samples.over_kernels(point, "speedup", samples.base) if samples.base is not None else None
    means = {"speedup": found.mean, "speedup" + INTERVAL: found.half} if found else {}
    return empty | {"kernel": ALL_KERNELS, **point} | means


def _held_up(texts: Sequence[Any]) -> str | None:
    """What runs mostly waited for: the share too where there is one run, and nothing where seeds differ."""
    if len(texts) <= 1:
        return texts[0] if texts else None
    words = {text.partition(" ")[0] for text in texts}
    return words.pop() if len(words) == 1 else "differs"


def _same(samples: Samples, kernel: str) -> bool:
    """Whether a kernel's runs are the same for all seeds, as those of a program are that does not look at its seed."""
    points = samples.suite.first.points
    return all(len(set(samples.values(kernel, point, name).values())) <= 1 for point in points for name in ("cycles", "memory"))


def _columns(suite: Suite, rows: Sequence[dict[str, Any]]) -> tuple[Column, ...]:
    columns = [Column("kernel", "kernel")] if len(suite.kernels) > 1 else []
    columns += [Column(name, name) for name in suite.first.over]
    whole = max(len(suite.seeds), 1)
    columns += [Column("runs", "runs")] if any(row["runs"] not in (None, whole) for row in rows) else []
    digits = 1 if suite.seeds else 0
    shown = {metric.name: metric.column for metric in METRICS}
    cycles = shown.pop("cycles")
    columns += [Column("cycles", cycles.heading, digits)] + ([Column("cycles_interval", "±", 1)] if suite.seeds else [])
    columns += [Column("speedup", "speed-up", 2)] + ([Column("speedup_interval", "±", 2)] if suite.seeds else [])
    columns += [
        Column(one.name, one.heading, one.digits or (0 if one.percent else digits), one.percent, one.spare) for one in shown.values()
    ]
    return (*columns, Column("held_up", "mostly waits for", spare=True))
