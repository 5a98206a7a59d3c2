"""The masks of a run in a terminal: two lanes a line as coloured half blocks, or a letter a lane where there are no colours."""

from __future__ import annotations

from collections.abc import Iterator

from warploom.machine.run.result import RunResult
from warploom.observe.pictures.masks import NOBODY, Masks, caption, data
from warploom.observe.pictures.masks_sheet import looks_of
from warploom.observe.pictures.view import View
from warploom.observe.text.palette import WARPS
from warploom.observe.text.styled import QUIET, Line, grouped, percent

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
        place = f"core {core} " if several else ""
        for slot in (slot for slot in masks.slots if slot.core == core):
            name = f"{place}{'' if masks.sequencer else f'warp {slot.warp}'}".strip() or "threads"
            step = 2 if colours else 1
            for row in range(0, len(slot.cells), step):
                lane = row * masks.lanes_a_row
                head: Line = [(f"{name if row == 0 else '':<{LABEL - 4}}", ""), (f"{lane:>3} ", QUIET)]
                upper = slot.cells[row].tolist()
                if not colours:
                    yield [*head, ("".join(looks[cell].letter for cell in upper), "")]
                    continue
                lower = slot.cells[row + 1].tolist() if row + 1 < len(slot.cells) else None
                yield [*head, *_blocks(upper, lower, [look.dark for look in looks])]
        for unit in (unit for unit in masks.units if unit.core == core):
            name = f"{place}{unit.name}"
            yield _alu(name, unit.holders.tolist(), colours)
    yield from _axis(masks)
    yield []
    bought = max(masks.bought, 1)
    for number, name in enumerate(masks.names):
        cycles = masks.lane_cycles.get(name, 0)
        if not cycles:
            continue
        said = {"selected": "active", "inactive": "inactive: the black area"}.get(name, name)
        mark = ("██", looks[number].dark) if colours else (f" {looks[number].letter}", "")
        yield [("  ", ""), mark, (f"  {said:<26}{percent(cycles / bought)}{grouped(cycles):>16} lane-cycles", "")]


def _blocks(upper: list[int], lower: list[int] | None, colours: list[str]) -> Line:
    """A line of half blocks, equal neighbours in one piece."""
    pieces: Line = []
    pairs = zip(upper, lower if lower is not None else [-1] * len(upper), strict=True)
    last, text = (-2, -2), ""
    for pair in pairs:
        if pair != last and text:
            pieces.append((text, _style(last, colours)))
            text = ""
        last, text = pair, text + UPPER_HALF
    return [*pieces, (text, _style(last, colours))]


def _style(pair: tuple[int, int], colours: list[str]) -> str:
    return colours[pair[0]] + (f" on {colours[pair[1]]}" if pair[1] >= 0 else "")


def _alu(name: str, holders: list[int], colours: bool) -> Line:
    head: Line = [(f"{name:<{LABEL}}", QUIET)]
    if not colours:
        return [*head, ("".join(" " if holder == NOBODY else str(holder % 10) for holder in holders), "")]
    looks = [(" ", "") if holder == NOBODY else ("█", WARPS[holder % len(WARPS)].dark) for holder in holders]
    return [*head, *looks]


def _axis(masks: Masks) -> Iterator[Line]:
    columns = masks.columns
    step = 10 if columns.count <= 120 else 20
    marks = "".join(f"{'|' + grouped(columns.start + place * columns.each):<{step}}"[:step] for place in range(0, columns.count, step))
    said = f"cycle; a column stands for {grouped(columns.each)} cycles, a cell shows one of them" if columns.each > 1 else "cycle"
    yield [(" " * LABEL + marks[: max(columns.count + step, 1)].rstrip(), QUIET)]
    yield [(" " * LABEL + said, QUIET)]
