"""Issue: how full the machine is, how many of its issue slots are taken, and how many lanes an issue has, over time.

An issue slot is one scheduler in one cycle. Occupancy is the warps that a machine holds, of those it could hold.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.machine.config.pipes import issue_slots
from warploom.machine.run.result import RunResult
from warploom.observe.facts import timeline as t
from warploom.observe.pictures.series import Panel, Part, Series, columns_for
from warploom.observe.pictures.view import View, columns_of
from warploom.observe.text.palette import LANES, LOOKUPS, REASONS, STATES, WARPS
from warploom.observe.text.styled import counted, percent

EXECUTE = "execute"


def data(result: RunResult, view: View, *, most_columns: int = 1000) -> Series:
    """Occupancy, issue slots and active lanes of a run. Raises ValueError where the run has written down no events."""
    line = t.timeline(result)
    cores, warps = (None if part is None else list(part) for part in (view.cores, view.warps))
    spans = line.part(view.start, view.stop, cores, warps)
    columns = columns_of(view, columns_for(most_columns, view.cycles))
    length = np.diff(columns.edges())
    start, stop, kind = spans[:, t.START], spans[:, t.STOP], line.kinds()[spans[:, t.ACTIVITY]]
    sequencer = not result.has.warps
    shown = len(view.cores) if view.cores else line.cores

    def held(chosen: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
        return columns.overlap(start[chosen], stop[chosen], None if weight is None else weight[chosen])

    if sequencer:
        works = spans[:, t.ACTIVITY] == [activity.name for activity in line.activities].index(EXECUTE)
        slots, noun, unit = shown, "core", "cores with a block"
        looks = (LANES["active"], STATES["update"], STATES["wait"])
        names = ("EXECUTE", "decode, request, update", "fetch, wait")
        ready = (kind == t.ACTIVE) & ~works
    else:
        works, ready = kind == t.ACTIVE, kind == t.READY  # a warp whose unit is full cannot issue
        slots, noun, unit = shown * (len(view.warps) if view.warps else line.warps), "warp slot", "warps"
        looks = (LANES["active"], REASONS["not_selected"], LOOKUPS["passed on"])
        names = ("selected", "not_selected", "any other reason")
    parts = tuple(
        Part(name, look, held(chosen) / length) for name, look, chosen in zip(names, looks, (works, ready, ~works & ~ready), strict=True)
    )
    each_cycle = shown * (1 if sequencer else issue_slots(result.config))
    issues = held(works) / length
    lanes = np.bitwise_count(spans[:, t.MASK].astype(np.uint64)).astype(np.float64)
    with np.errstate(invalid="ignore"):
        active = held(works, lanes) / held(works)
    taken = 100 * issues / each_cycle
    panels = (
        Panel("Occupancy", unit, parts, mark=(counted(slots, noun), slots)),
        Panel("Issue slots", "%", (Part("cores in EXECUTE" if sequencer else "taken", WARPS[0], taken),), 105, _mean(taken, length)),
        Panel(
            "Lanes of an instruction", "lanes", (Part("active, mean", WARPS[2], active),), mark=(counted(line.lanes, "lane"), line.lanes)
        ),
    )
    return Series(columns, panels)


def _mean(values: np.ndarray, length: np.ndarray) -> tuple[str, float]:
    mean = float((values * length).sum() / length.sum())
    return f"mean {mean:.1f} %", mean


def _facts(series: Series) -> tuple[float, float]:
    """(mean occupancy, part of the issue slots taken), from 0 to 1."""
    length = np.diff(series.columns.edges())
    occupancy, slots, _ = series.panels
    assert occupancy.mark is not None
    warps = sum(float((part.values * length).sum()) for part in occupancy.parts) / length.sum()
    return warps / occupancy.mark[1], float((slots.parts[0].values * length).sum() / length.sum()) / 100


def caption(series: Series) -> str:
    """What the picture says in a sentence."""
    occupancy, slots = _facts(series)
    return f"occupancy {percent(occupancy).strip()}, issue slots {percent(slots).strip()} taken"


def facts(series: Series) -> dict[str, Any]:
    """The picture in numbers, from 0 to 1."""
    occupancy, slots = _facts(series)
    return {"occupancy": occupancy, "issue_slots_taken": slots}
