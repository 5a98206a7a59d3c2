"""Memory: traffic and hit rates of the caches, and how many accesses are on their way, over time.

On cores with warps from the events of the run: a transaction of a core is looked up in the first cache, if there is one, and then in the
second. On cores that run one instruction at a time, from the run repeated: which channels of memory serve a request.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.machine.accounting import events as e
from warploom.machine.run.result import RunResult
from warploom.observe.facts.events import events_of
from warploom.observe.pictures.series import Panel, Part, Series, columns_for
from warploom.observe.pictures.view import Columns, DrawingError, View, columns_of
from warploom.observe.text.palette import LOOKUPS, REASONS, STATES, WARPS
from warploom.observe.text.styled import counted

WAIT = 4  # state of a core: its load/store units are at work


def data(result: RunResult, view: View, *, most_columns: int = 1000) -> Series:
    """Traffic of a run. Raises DrawingError where it has none, ValueError where it has no events."""
    columns = columns_of(view, columns_for(most_columns, view.cycles))
    if not result.has.events:
        return _channels(result, view, columns)
    events = events_of(result, "this view")
    if view.cores is not None:
        events = events[np.isin(events[:, e.CORE], view.cores)]
    config = result.config
    first = ", ".join(name for name, size in (("L1", config.l1.bytes), ("texture cache", config.texture.bytes)) if size)
    panels, rates = [], []
    for kind, title, present, look in (
        (e.REQUEST, f"Transactions of the cores{': ' + first if first else ''}", bool(first), WARPS[0]),
        (e.L2, "Lookups in L2", config.l2.bytes > 0, WARPS[1]),
    ):
        rows = e.of_kind(events, kind)
        counts = [columns.sums(rows["time"][rows["outcome"] == outcome]) for outcome in range(len(e.OUTCOMES))]
        if not any(count.any() for count in counts):
            continue
        panels.append(Panel(title, "per cycle", _parts(counts, columns)))
        looked = counts[e.HIT] + counts[e.MISS] + counts[e.MERGED]
        if present and looked.any():
            with np.errstate(invalid="ignore"):
                name = first if kind == e.REQUEST else "L2"
                said = f"{name} {100 * counts[e.HIT].sum() / looked.sum():.1f} %"
                rates.append(Part(said, look, 100 * counts[e.HIT] / looked, line=True))
    if not panels:
        raise DrawingError("the kernel has no access to memory in these cycles, so there is nothing to draw")
    if rates:
        panels.append(Panel("Hit rate of loads, where there are lookups", "%", tuple(rates), most=105))
    done = e.of_kind(events, e.COMPLETE)
    flight = columns.overlap(done["issued"], done["done"]) / np.diff(columns.edges())
    on_their_way = Part("issued and not complete", REASONS["long_scoreboard"], flight)
    panels.append(Panel("Accesses of warps in flight", "accesses", (on_their_way,)))
    return Series(columns, tuple(panels))


def _parts(counts: list[np.ndarray], columns: Columns) -> tuple[Part, ...]:
    length = np.diff(columns.edges())
    return tuple(Part(name, LOOKUPS[name], count / length) for name, count in zip(e.OUTCOMES, counts, strict=True) if count.any())


def _channels(result: RunResult, view: View, columns: Columns) -> Series:
    """Of a machine that runs one instruction at a time: channels that serve a request, and threads in WAIT."""
    spent = np.zeros((3, view.cycles))
    for cycle, line in enumerate(result.trace(view.start, view.stop - 1)):
        for row, name in enumerate(("data_ctrl", "prog_ctrl")):
            spent[row, cycle] = sum(channel["state"] != 0 for channel in line[name]["channels"])
        spent[2, cycle] = sum(core["thread_count"] for core in line["cores"] if core["core_state"] == WAIT)
    time, length = np.arange(view.start, view.stop, dtype=np.int64), np.diff(columns.edges())
    data_busy, program_busy, waiting = (columns.sums(time, row) / length for row in spent)
    memory = result.config.memory
    serving = "serve a request"
    return Series(
        columns,
        (
            Panel(
                "Data memory",
                "channels",
                (Part(serving, WARPS[0], data_busy),),
                mark=(counted(memory.data_channels, "channel"), memory.data_channels),
            ),
            Panel(
                "Program memory",
                "channels",
                (Part(serving, WARPS[2], program_busy),),
                mark=(counted(memory.program_channels, "channel"), memory.program_channels),
            ),
            Panel("Threads in WAIT", "threads", (Part("their core waits for data memory", STATES["wait"], waiting),)),
        ),
    )


def caption(series: Series) -> str:
    """What the picture says in a sentence."""
    rates = [part.name for panel in series.panels if panel.title.startswith("Hit rate") for part in panel.parts]
    return "hits of loads: " + ", ".join(rates) if rates else ""


def facts(series: Series) -> dict[str, Any]:
    """The picture in numbers: the total of every quantity over the cycles shown, by panel."""
    length = np.diff(series.columns.edges())
    return {
        "totals": {
            panel.title: {part.name: round(float((part.values * length).sum())) for part in panel.parts}
            for panel in series.panels
            if not panel.title.startswith("Hit rate")
        }
    }
