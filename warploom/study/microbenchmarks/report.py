"""What probes found, beside what the configuration promises and what is published: rows, text, JSON and a figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from warploom.machine.accounting.status import LaunchError
from warploom.machine.config.presets import load_config, preset_names
from warploom.machine.config.schema import Config
from warploom.observe.text.styled import in_lines
from warploom.study.figure import Figure, Panel, Series
from warploom.study.microbenchmarks import find
from warploom.study.microbenchmarks.bench import Bench
from warploom.study.microbenchmarks.memory import pointer_chase
from warploom.study.microbenchmarks.microbenchmark import Curve, Finding, Reading
from warploom.study.microbenchmarks.published import PART_OF, SOURCES, Published, points, published
from warploom.study.needs import StudyError

TOLERANCE = 0.05  # what differs by more is marked
QUANTITY, NUMBER = 42, 8  # characters of the columns
ACROSS = 3  # panels of a figure side by side


@dataclass(frozen=True)
class Row:
    """A quantity: measured, configured, published; None for what there is not."""

    reading: Reading
    configured: float | None
    published: Published | None

    @property
    def differs(self) -> bool:
        """Whether the machine does not keep what its configuration promises."""
        return self.configured is not None and abs(self.reading.measured - self.configured) > TOLERANCE * abs(self.configured)

    @property
    def unlike(self) -> bool:
        """Whether the real GPU is published to be different."""
        if self.published is None:
            return False
        low, high = self.published.low * (1 - TOLERANCE), self.published.high * (1 + TOLERANCE)
        return not low <= self.reading.measured <= high


@dataclass(frozen=True)
class Probed:
    """One probe on one machine. lacks: why it does not apply there, and nothing else."""

    name: str
    title: str
    how: str
    lacks: str = ""
    rows: tuple[Row, ...] = ()
    finding: Finding = field(default_factory=lambda: Finding(()))


def probe(name: str, bench: Bench) -> Probed:
    """Run one probe on a bench's machine; one whose program the machine refuses does not apply. Raises Unmeasured, StudyError."""
    chosen = find(name)
    lacks = chosen.lacks(bench.config)
    if lacks:
        return Probed(name, chosen.title, chosen.how, lacks)
    try:
        finding = chosen.measure(bench if chosen.whole else bench.of_one_core())
    except LaunchError as refused:
        return Probed(name, chosen.title, chosen.how, str(refused))
    promised = chosen.configured(bench.config)
    gpu, whole = bench.config.name, is_whole(bench.config)
    rows = tuple(Row(each, promised.get(each.key), published(gpu, each.key, whole=whole)) for each in finding.readings)
    return Probed(name, chosen.title, chosen.how, "", rows, finding)


def is_whole(config: Config) -> bool:
    """Whether a machine has as many cores as the preset whose name it has; any other machine is whole."""
    return config.name not in preset_names() or config.gpu.cores == load_config(config.name).gpu.cores


def unusable(config: Config) -> str:
    """Why no probe at all applies to a machine, in a sentence; "" where some do."""
    if not config.has.warps:
        return (
            f"{config.name!r} runs one instruction at a time (core.control = {config.core.control}): it has no pipes, warps or caches "
            "to probe; choose a machine with warps, as --gpu sm"
        )
    if why := pointer_chase.lacks(config):
        return f"{config.name!r}: {why}; machines with warps and DRAM can be probed, as --gpu sm"
    return ""


# ---- text


def lines(found: Sequence[Probed], gpu: str, width: int) -> Iterator[str]:
    """Everything as text, at most `width` characters a line, down to 80."""
    yield f"{gpu}{'':<{max(QUANTITY + 3 - len(gpu), 1)}}{'measured':>{NUMBER}}{'preset':>{NUMBER}}  published"
    for each in found:
        yield ""
        yield from in_lines(f"{each.name}: {each.title}", width - 1, rest="  ")
        if each.lacks:
            yield from in_lines(f"not here: {each.lacks}", width - 1, "  ", "  ")
        for row in each.rows:
            yield _line(row)
    yield ""
    yield from (part for sentence in _legend(found, gpu) for part in in_lines(sentence, width - 1, rest="     "))


def _line(row: Row) -> str:
    promised = "-" if row.configured is None else number(row.configured)
    mark = "!" if row.differs else " "
    text = f"  {row.reading.what:<{QUANTITY}} {number(row.reading.measured):>{NUMBER}}{promised:>{NUMBER}}{mark}"
    if row.published is None:
        return text.rstrip()
    return f"{text} {'~' if row.unlike else ' '}{_range(row.published)} {row.published.source}"


def number(value: float) -> str:
    """Four digits, or as many as a whole number has."""
    return f"{value:.0f}" if value >= 1000 else f"{value:.4g}"


def _range(figure: Published) -> str:
    if figure.high == float("inf"):
        return f">={number(figure.low)}"
    return number(figure.low) if figure.low == figure.high else f"{number(figure.low)}-{number(figure.high)}"


def _legend(found: Sequence[Probed], gpu: str) -> Iterator[str]:
    rows = [row for each in found for row in each.rows]
    promised = [row for row in rows if row.configured is not None]
    if promised:
        wrong = sum(row.differs for row in promised)
        yield f"{len(promised) - wrong} of {len(promised)} numbers are what the preset says; ! differs by more than 5 %"
    known = [row for row in rows if row.published is not None]
    if known:
        of = f" of the {PART_OF[gpu]}" if gpu in PART_OF else ""
        alike = sum(not row.unlike for row in known)
        yield f"{alike} of {len(known)} are what is published{of}; ~ differs by more than 5 %"
    for key in sorted({key for row in known if row.published for key in row.published.source.split()}):
        yield f"{key:<4} {SOURCES[key]}"


# ---- JSON


def body(found: Sequence[Probed], gpu: str) -> dict[str, Any]:
    """Everything for other programs."""
    return {"gpu": gpu, "probes": [_probe(each, gpu) for each in found], "sources": SOURCES}


def _probe(each: Probed, gpu: str) -> dict[str, Any]:
    described: dict[str, Any] = {"name": each.name, "title": each.title, "how": each.how}
    if each.lacks:
        return described | {"lacks": each.lacks, "readings": [], "curves": []}
    return described | {"readings": [_reading(row) for row in each.rows], "curves": [_curve(curve, gpu) for curve in each.finding.curves]}


def _reading(row: Row) -> dict[str, Any]:
    low_high = None
    if row.published is not None:
        high = None if row.published.high == float("inf") else row.published.high
        low_high = {"low": row.published.low, "high": high, "sources": row.published.source.split()}
    return {
        "key": row.reading.key,
        "what": row.reading.what,
        "measured": row.reading.measured,
        "configured": row.configured,
        "published": low_high,
        "differs": row.differs,
        "unlike": row.unlike,
    }


def _curve(curve: Curve, gpu: str) -> dict[str, Any]:
    known, source = points(gpu, curve.key)
    theirs = {"x": [x for x, _ in known], "y": [y for _, y in known], "source": source} if known else None
    return {"panel": curve.panel, "name": curve.name, "x": list(curve.x), "y": list(curve.y), "published": theirs}


# ---- the figure


def figure(found: Sequence[Probed], gpu: str) -> Figure:
    """All curves, with the published points beside them. Raises StudyError where there are none."""
    panels = [panel for each in found for panel in _panels(each, gpu)]
    if not panels:
        raise StudyError(f"there is nothing to draw: {', '.join(each.name for each in found)} give numbers and no curves")
    return Figure(f"Probes of {gpu}", tuple(panels), columns=ACROSS)


def _panels(each: Probed, gpu: str) -> Iterator[Panel]:
    for name, axes in (each.finding.axes or {}).items():
        curves = [curve for curve in each.finding.curves if curve.panel == name]
        series = [Series(curve.name, curve.x, curve.y) for curve in curves]
        for curve in curves:
            known, source = points(gpu, curve.key)
            if known:
                of = PART_OF.get(gpu, gpu)
                series.append(Series(f"published: {of} ({source})", tuple(x for x, _ in known), tuple(y for _, y in known), published=True))
        yield Panel(axes.title, axes.x_label, axes.y_label, tuple(series), log_x=axes.log_x, log_y=axes.log_y)
