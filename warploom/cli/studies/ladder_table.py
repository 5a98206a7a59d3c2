"""What `warploom ladder` shows of one kernel: the table, each rung's sentence and settings, and the JSON object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from warploom.isa.numbers import grouped
from warploom.observe.text.styled import in_lines

if TYPE_CHECKING:
    from warploom.study.ladder import Ladder, Step

COLUMNS = ("cycles", "gain", "total", "alone", "kept")
GAINS = "gain, total: times as fast as the rung above, and as the first one. alone: what the switch gains by itself."
LEGEND = (
    f"{GAINS} kept: cycles with the first rung's channels to memory. held up by: the channels that are busy, or what most time goes into."
)
WARPS_LEGEND = f"{GAINS} held up by: what most time goes into."
COST_LEGEND = (
    "transistors: what the rung adds, of the units that there are as hardware beside the model; -: of this rung there is none. Of these "
    "descriptions, by one script (warploom cost --script), never the area or the clock of a product."
)
WIDTH = 80


def table(ladder: Ladder, costs: Sequence[int | None] | None = None) -> list[str]:
    """The ladder as lines of text, 80 columns wide, with what there is to say about it below. costs: transistors that each rung adds."""
    from warploom.study.remarks import remarks, title

    width = max(len(step.rung.name) for step in ladder.steps)
    columns = COLUMNS[:-1] if ladder.of_warps else COLUMNS
    lines = [*wrapped(title(ladder)), "", _line("rung", columns, "held up by" if costs is None else "transistors", width)]
    for number, step in enumerate(ladder.steps):
        lines.append(_row(ladder, step, width, None if costs is None else _added(costs[number])))
    said = WARPS_LEGEND if ladder.of_warps else LEGEND
    legend = said if costs is None else f"{said.partition(' held up by')[0]} {COST_LEGEND}"
    for paragraph in (legend, *remarks(ladder)):
        lines += ["", *wrapped(paragraph)]
    return lines


def wrapped(text: str, first: str = "", other: str = "") -> list[str]:
    """A paragraph as lines of 80 columns. first, other: what its first line, and the others, begin with."""
    return in_lines(text, WIDTH, first, other)


def _line(name: str, cells: Sequence[str], last: str, width: int) -> str:
    first, *others = cells
    return f"{name:{width}}{first:>8}{''.join(f'{cell:>7}' for cell in others)}  {last}".rstrip()


def _added(cost: int | None) -> str:
    """Transistors that a rung adds; a dash for a rung without hardware."""
    return "-".rjust(11) if cost is None else f"{'+' if cost >= 0 else '-'}{grouped(abs(cost))}".rjust(11)


def _row(ladder: Ladder, step: Step, width: int, added: str | None = None) -> str:
    if step.skipped:
        return _line(step.rung.name, "-", "left out", width)
    ratios = (ladder.gain(step), ladder.speedup(step), step.alone)
    cells = [str(step.cycles), *("" if ratio is None else f"{ratio:.2f}" for ratio in ratios)]
    cells += [] if step.same_channels is None else [str(step.same_channels.cycles)]
    return _line(step.rung.name, cells, str(step.bottleneck) if added is None else added, width)


def explanations(ladder: Ladder) -> list[str]:
    """Each rung's sentence and settings."""
    lines = []
    for number, step in enumerate(ladder.steps, 1):
        lines += ["", *wrapped(f"{number:2} {step.rung.name}: {step.rung.about}.", other="   ")]
        settings = " ".join(f"{name}={str(value).lower()}" for name, value in step.rung.settings.items())
        lines += wrapped(settings, "   ", "   ") if settings else []
    return lines


def body(ladder: Ladder) -> dict[str, Any]:
    """The ladder as a JSON object. settings: all that differ from the machine at the foot; changes: those of this rung."""
    from warploom.study.remarks import remarks

    different = ladder.differing()
    rungs = [
        {
            "name": step.rung.name,
            "settings": step.settings,
            "cycles": step.cycles,
            "speedup": ladder.speedup(step) if step.result else None,
            "bottleneck": step.bottleneck.name if step.bottleneck else None,
            "bottleneck_share": step.bottleneck.share if step.bottleneck else None,
            "gain": ladder.gain(step),
            "alone": step.alone,
            "same_channels_cycles": step.same_channels.cycles if step.same_channels else None,
            "same_memory": step not in different if step.result else None,
            "skipped": step.skipped or None,
            "changes": dict(step.rung.settings),
            "about": step.rung.about,
        }
        for step in ladder.steps
    ]
    memory = ladder.start.memory
    return {
        "kernel": ladder.program.source.path,
        "variant": ladder.variant.source.path if ladder.variant else None,
        "gpu": ladder.start.name,
        "cores": ladder.start.gpu.cores,
        "threads_per_block": ladder.start.core.threads_per_block,
        "data_channels": memory.data_channels,
        "program_channels": memory.program_channels,
        "rungs": rungs,
        "remarks": remarks(ladder),
    }
