"""The masks of a run in a terminal: two lanes per line as coloured half blocks, or a letter a lane where there are no colours."""

from __future__ import annotations

from collections.abc import Iterator

from warploom.machine.run.result import RunResult
from warploom.observe.pictures.masks import NAMED, NOBODY, Masks, Slot, caption, data
from warploom.observe.pictures.masks_sheet import looks_of
from warploom.observe.pictures.raster import blended
from warploom.observe.pictures.view import View
from warploom.observe.text.palette import WARPS, Look
from warploom.observe.text.styled import QUIET, Line, grouped, percent, warp_name

LABEL = 15  # characters in front of the lanes
UPPER_HALF = "▀"
MOST_LINES = 96  # of lanes


def lines(result: RunResult, view: View, width: int, *, colours: bool) -> Iterator[Line]:
    """The lanes by core and warp, the ALUs (the last digit of the warp in it), the axis and the legend, in so many characters."""
    most = MOST_LINES * (2 if colours else 1)
    masks = data(result, view, most_columns=max(width - LABEL, 20), most_rows=most, most_shared_rows=most)
    yield [(caption(masks), "")]
    yield []
    looks = looks_of(masks)
    several = len({slot.core for slot in masks.slots}) > 1
    for core in sorted({slot.core for slot in masks.slots}):
        place = f"core {core} " if several or masks.sequencer else ""
        for slot in (slot for slot in masks.slots if slot.core == core):
            name = place.strip() if masks.sequencer else warp_name(core, slot.warp)
            step = 2 if colours else 1
            for row in range(0, len(slot.cells), step):
                lane = row * masks.lanes_a_row
                head: Line = [(f"{name if row == 0 else '':<{LABEL - 4}}", ""), (f"{lane:>3} ", QUIET)]
                if not colours:
                    yield [*head, ("".join(looks[cell].letter for cell in slot.cells[row].tolist()), "")]
                    continue
                yield [*head, *_blocks(*(_colours(slot, place, looks) for place in (row, row + 1)))]
        for unit in (unit for unit in masks.units if unit.core == core):
            name = f"{place}{unit.name}"
            yield _alu(name, unit.holders.tolist(), colours)
    yield from _axis(masks, colours)
    yield []
    bought = max(masks.bought, 1)
    for number, name in enumerate(masks.names):
        cycles = masks.lane_cycles.get(name, 0)
        if not cycles:
            continue
        said = NAMED.get(name, name)
        mark = ("██", looks[number].dark) if colours else (f" {looks[number].letter}", "")
        yield [("  ", ""), mark, (f"  {said:<26}{percent(cycles / bought)}{grouped(cycles):>16} lane-cycles", "")]


def _colours(slot: Slot, row: int, looks: list[Look]) -> list[str]:
    """The colours of a row of cells, the mean where a cell stands for several lane-cycles; "" for a row below the last one."""
    if row >= len(slot.cells):
        return [""] * slot.cells.shape[1]
    if slot.shares is None:
        return [looks[cell].dark for cell in slot.cells[row].tolist()]
    points = blended(slot.shares[row : row + 1], looks, 1, 1, dark=True)[0]
    return [f"#{red:02X}{green:02X}{blue:02X}" for red, green, blue in points.tolist()]


def _blocks(upper: list[str], lower: list[str]) -> Line:
    """A line of half blocks, equal neighbours in one piece."""
    pieces: Line = []
    text = ""
    last = ("", "")
    for pair in zip(upper, lower, strict=True):
        if pair != last and text:
            pieces.append((text, _style(last)))
            text = ""
        last, text = pair, text + UPPER_HALF
    return [*pieces, (text, _style(last))]


def _style(pair: tuple[str, str]) -> str:
    return pair[0] + (f" on {pair[1]}" if pair[1] else "")


def _alu(name: str, holders: list[int], colours: bool) -> Line:
    head: Line = [(f"{name:<{LABEL}}", QUIET)]
    if not colours:
        return [*head, ("".join(" " if holder == NOBODY else str(holder % 10) for holder in holders), "")]
    looks = [(" ", "") if holder == NOBODY else ("█", WARPS[holder % len(WARPS)].dark) for holder in holders]
    return [*head, *looks]


def _axis(masks: Masks, colours: bool) -> Iterator[Line]:
    columns = masks.columns
    step = 10 if columns.count <= 120 else 20
    marks = "".join(f"{'|' + grouped(columns.start + place * columns.each):<{step}}"[:step] for place in range(0, columns.count, step))
    shows = "has the mean of their colours" if colours else "shows what takes most of them"
    said = f"cycle; a column stands for {grouped(columns.each)} cycles, a cell {shows}" if columns.each > 1 else "cycle"
    yield [(" " * LABEL + marks[: max(columns.count + step, 1)].rstrip(), QUIET)]
    yield [(" " * LABEL + said, QUIET)]
