"""How the masks of a run are drawn: lanes by core and warp slot, a row per ALU, bars of the caches' lookups, all on one axis of time."""

from __future__ import annotations

import numpy as np

from warploom.machine.accounting.events import OUTCOMES
from warploom.observe.facts.lane_states import OFF
from warploom.observe.pictures.bands import CORE_GAP, GAP, Band, cell_width, sheet_of
from warploom.observe.pictures.masks import FIRST_ACTIVITY, NAMED, Masks, Slot, Traffic
from warploom.observe.pictures.raster import blended, painted, rgb, ruled, stacked
from warploom.observe.pictures.sheet import SCALE, Page, Sheet
from warploom.observe.text.palette import DARK, LANES, LIGHT, LOOKUPS, NONE, SOLID, WARPS, Look, look_of
from warploom.observe.text.styled import counted, grouped, percent, warp_name

TALLEST_CELL = 14  # points
LANES_HEIGHT = 560  # points that the lanes of all warps may take together, as long as each has one
BAR = 30  # points of the caches' bars
RULED = 12  # pixels of a cell from which on a line parts it from the next


def draw(masks: Masks, page: Page) -> Sheet:
    """The sheet of a run's masks."""
    across = cell_width(page, masks.columns)
    rows = sum(len(slot.cells) for slot in masks.slots)
    down = max(SCALE, min(LANES_HEIGHT * SCALE // max(rows, 1), TALLEST_CELL * SCALE))
    looks = looks_of(masks)
    return sheet_of(page, _bands(masks, looks, across, down, page.dark), masks.columns, across, shares_label(masks), _entries(masks, looks))


def shares_label(masks: Masks) -> str:
    """The label of the axis of time: what a cell stands for."""
    several = [grouped(masks.lanes_a_row) + " lanes"] if masks.lanes_a_row > 1 else []
    several += [counted(masks.columns.each, "cycle")] if masks.columns.each > 1 else []
    return f"cycle; a cell stands for {' x '.join(several)}, and has the mean of their colours" if several else "cycle"


def looks_of(masks: Masks) -> list[Look]:
    """The look of each number of a cell."""
    own = [LANES[name] for name in masks.names[:FIRST_ACTIVITY]]
    return own + [look_of(name, sequencer=masks.sequencer) for name in masks.names[FIRST_ACTIVITY:]]


def _bands(masks: Masks, looks: list[Look], across: int, down: int, dark: bool) -> list[Band]:
    bands: list[Band] = []
    for core in sorted({slot.core for slot in masks.slots}):
        gap = CORE_GAP if bands else 0
        units = [unit for unit in masks.units if unit.core == core]
        for slot in (slot for slot in masks.slots if slot.core == core):
            points = _lanes(slot, looks, across, down, dark)
            name = f"core {core}" if masks.sequencer else warp_name(core, slot.warp)
            mark = WARPS[slot.warp % len(WARPS)] if units else None
            bands.append(Band(name, points, gap, low="0", high=str(masks.lanes - 1), mark=mark))
            gap = GAP if len(points) >= 16 * SCALE else 2
        thin = 11 if len(units) <= 4 else 4 if len(units) <= 16 else 2
        for unit in units:
            slots = [WARPS[slot % len(WARPS)] for slot in range(len(unit.shares))]
            points = stacked(unit.shares, [*slots, LANES[NONE]], across, thin * SCALE, dark=dark, patterns=across >= 4)
            show = len(units) <= 4 or unit is units[0]
            name = unit.name if len(units) <= 4 else f"{len(units)} pipes"
            bands.append(Band(name if show else "", points, GAP if unit is units[0] else 1, minor=True))
        bands += [_bars(traffic, across, dark) for traffic in masks.traffic if traffic.core == core]
    return bands + [_bars(traffic, across, dark, CORE_GAP) for traffic in masks.traffic if traffic.core is None]


def _lanes(slot: Slot, looks: list[Look], across: int, down: int, dark: bool) -> np.ndarray:
    """The points of a warp slot. A cell that stands for several lane-cycles has the mean of their colours."""
    grid = DARK.background if dark else LIGHT.background
    if slot.shares is None:
        points = painted(slot.cells, looks, across, down, dark=dark)
        if min(across, down) >= RULED:
            ruled(points, across, down, grid)
        return points
    points = blended(slot.shares, looks, across, down, dark=dark)
    if down >= RULED and len(slot.shares) > 1:
        points[down - 1 :: down] = rgb(grid)
    return points


def _bars(traffic: Traffic, across: int, dark: bool, gap: int = GAP) -> Band:
    """Lookups as bars from below, their outcomes stacked; the highest one fills the band."""
    tall = BAR * SCALE
    most = max(int(traffic.counts.sum(axis=0).max()), 1)
    ground = Look("#F3F4F6", "#20252C", SOLID, " ")
    looks = [*(LOOKUPS[outcome] for outcome in OUTCOMES), ground]
    points = stacked(traffic.counts / most, looks, across, tall, dark=dark, patterns=across >= 4)
    return Band(traffic.name, points, gap, minor=True, low="0", high=f"{most}")


def _entries(masks: Masks, looks: list[Look]) -> list[tuple[str, Look]]:
    """The legend: what is in the picture, with its part of the lane-cycles bought."""
    bought = max(masks.bought, 1)
    shown: dict[str, Look] = dict(zip(masks.names, looks, strict=True))
    spent = sorted(masks.lane_cycles.items(), key=lambda item: (item[0] not in ("selected", *OFF), -item[1]))
    entries = [(f"{NAMED.get(name, name)} {percent(cycles / bought).strip()}", shown[name]) for name, cycles in spent if cycles]
    if any((slot.cells == 0).any() for slot in masks.slots):
        entries.append(("no warp", LANES[NONE]) if not masks.sequencer else ("no block", LANES[NONE]))
    outcomes = {outcome for traffic in masks.traffic for outcome, row in zip(OUTCOMES, traffic.counts, strict=True) if row.any()}
    return entries + [(f"lookup: {outcome}", LOOKUPS[outcome]) for outcome in OUTCOMES if outcome in outcomes]
