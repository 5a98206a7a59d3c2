"""Quads and fragments of a run: which triangle, quad, warp and lane a pixel's colour comes from, and what became of every fragment.

It needs a run with `tracing=True` on a machine with a raster engine and an output merger, and reads nothing but its Result.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from warploom.isa.counts import numbers
from warploom.machine.accounting import events as e
from warploom.machine.accounting.event_kinds import FATES
from warploom.machine.run.result import RunResult
from warploom.observe.facts.events import events_of

UNKNOWN = -1
ROW_SHIFT, COLUMN_SHIFT, COLUMNS = 18, 4, 0x3FFF  # of a stamp

Quads = np.dtype([(name, "i8") for name in ("time", "core", "warp", "pc", "lane", "triangle", "x", "y", "covered")])
Fragments = np.dtype([(name, "i8") for name in (
    "time", "core", "warp", "pc", "lane", "x", "y", "fate", "quad", "triangle",
    "depth", "depth_before", "depth_after", "color", "color_before", "color_after")])  # fmt: skip


@dataclass(frozen=True, eq=False)
class Drawing:
    """What a run has drawn, in the order of time.

    quads: records Quads; x, y: upper left pixel; covered: bit p = pixel (x + p % 2, y + p // 2). fragments: records Fragments; fate: a
    number of FATES; quad: which of the quads, of its lane the last one; UNKNOWN (-1) for that, the triangle, a depth that was not tested,
    or a colour that was not written. Depths before and after hold the stencil in bits 24 to 31.
    """

    quads: np.ndarray
    fragments: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns) of the smallest picture that holds all of them."""
        x, y = (np.concatenate([self.fragments[name], self.quads[name] + 1]) for name in "xy")
        return (int(y.max()) + 1, int(x.max()) + 1) if len(x) else (0, 0)

    def at(self, x: int, y: int) -> np.ndarray:
        """The fragments of a pixel."""
        return self.fragments[(self.fragments["x"] == x) & (self.fragments["y"] == y)]

    def said_of(self, one: np.void) -> str:
        """A fragment as a sentence."""
        of = f"triangle {one['triangle']}, " if one["triangle"] >= 0 else ""
        place = f"cycle {one['time']}: {of}warp {one['core']}:{one['warp']}, lane {one['lane']}: {FATES[int(one['fate'])]}"
        if one["fate"] == e.DRAWN:
            return place + (f", {one['color_before']:08x} becomes {one['color_after']:08x}" if one["color_after"] >= 0 else "")
        if one["fate"] == e.FAILED_DEPTH:
            return f"{place}, its depth is {one['depth']}, the pixel's {one['depth_before'] & 0xFFFFFF}"
        return f"{place}, the pixel's stencil is {one['depth_before'] >> 24}"


def drawing(result: RunResult) -> Drawing:
    """The quads and fragments of a run. Raises NoEvents where it has written down no events, ValueError where it has drawn nothing."""
    rows = events_of(result, "what was drawn")
    found = Drawing(_quads(rows), _fragments(rows))
    if not len(found.quads) and not len(found.fragments):
        raise ValueError("the run has drawn nothing: it took no quads from a raster engine, and handed no fragments to an output merger")
    return found


def _quads(rows: np.ndarray) -> np.ndarray:
    events = e.of_kind(rows, e.QUAD)
    found = np.zeros(len(events), Quads)
    for name in ("time", "core", "warp", "pc", "lane", "triangle"):
        found[name] = events[name]
    found["x"] = (events["stamp"] >> COLUMN_SHIFT & COLUMNS) * 2
    found["y"] = (events["stamp"] >> ROW_SHIFT) * 2
    found["covered"] = events["stamp"] & 15
    return found


def _fragments(rows: np.ndarray) -> np.ndarray:
    kind = np.append(rows[:, e.KIND], [UNKNOWN, UNKNOWN])
    places = np.flatnonzero(kind == e.FRAGMENT)
    events = e.named(rows[places], e.FRAGMENT)
    found = np.full(len(places), UNKNOWN, Fragments)
    for name in ("time", "core", "warp", "pc", "lane", "fate"):
        found[name] = events[name]
    found["x"], found["y"] = events["pixel"] & 0xFFFF, events["pixel"] >> 16
    tested = kind[places + 1] == e.DEPTH  # a fragment's events follow one another
    of_depth = e.named(rows[places[tested] + 1], e.DEPTH)
    for name in ("depth", "before", "after"):
        found[name if name == "depth" else f"depth_{name}"][tested] = of_depth[name]
    of_color = places + 1 + tested
    written = kind[of_color] == e.COLOR
    colors = e.named(rows[of_color[written]], e.COLOR)
    for name in ("color", "before", "after"):
        found[name if name == "color" else f"color_{name}"][written] = colors[name]
    _find_quads(found, places, rows)
    return found


def _find_quads(found: np.ndarray, places: np.ndarray, rows: np.ndarray) -> None:
    """The quad that a fragment's lane was given last."""
    given = np.flatnonzero(rows[:, e.KIND] == e.QUAD)
    if not len(given) or not len(found):
        return
    events = e.named(rows[given], e.QUAD)
    lanes = np.concatenate([_lane_of(events), _lane_of(found)])
    at, quad = np.concatenate([given, places]), np.concatenate([numbers(len(given)), np.full(len(places), UNKNOWN, np.int64)])
    order = np.lexsort((at, lanes))
    ordered = np.where(quad[order] >= 0, numbers(len(order)), UNKNOWN)
    last = np.maximum.accumulate(ordered)
    known = (last >= 0) & (lanes[order][last] == lanes[order])
    whose = np.full(len(order), UNKNOWN, np.int64)
    whose[order] = np.where(known, quad[order][last], UNKNOWN)
    found["quad"] = whose[len(given) :]
    found["triangle"] = np.where(found["quad"] >= 0, events["triangle"][found["quad"]], UNKNOWN)


def _lane_of(rows: np.ndarray) -> np.ndarray:
    lanes: np.ndarray = (rows["core"] << 16) | (rows["warp"] << 8) | rows["lane"]
    return lanes
