"""The registers of the chosen warp: a row per register, a column per lane."""

from __future__ import annotations

from warploom.cli.debugger.debugger import Debugger
from warploom.cli.debugger.values import shown
from warploom.cli.debugger.warps import lane_place
from warploom.isa import uop as u
from warploom.observe.facts.variables import held
from warploom.observe.text.styled import CHANGED, QUIET, TITLE, Line

COMING = "italic yellow"
CHOSEN = "bold underline"


def lines(debugger: Debugger, width: int, only: list[int] | None = None) -> list[Line]:
    """The registers, of as many lanes as fit, the chosen one among them. only: numbers of registers.

    Marks: * changed by the last step, ~ in flight (computed, but hardware would still wait for it).
    """
    rows, before = debugger.registers(), debugger.registers_before()
    coming = debugger.machine.inspection.pending_registers(debugger.core, debugger.slot)
    state = debugger.warp()
    names, texts, first, column = _columns(debugger, only)
    holding = _holding(debugger)
    first += max((len(holding.get(number, "")) + 1 for number in names if number in holding), default=0)
    lanes = visible(debugger.lanes, debugger.lane, max((width - first - 1) // column, 1))
    found: list[Line] = [_head(debugger, lanes, first, column)]
    places = [lane_place(state, lane) for lane in lanes]
    if len(set(places)) > 1:
        found.append([(f"{'at':<{first}} ", QUIET), *((f"{_line(debugger, pc):>{column - 1}} ", QUIET) for pc in places)])
    for number, name in names.items():
        line: Line = [(f"{name} {holding.get(number, '')}".ljust(first), ""), ("~" if coming[number] else " ", COMING)]
        for lane in lanes:
            changed = rows[number, lane] != before[number, lane]
            runs = state is not None and state.mask >> lane & 1
            style = CHANGED if changed else "" if runs else QUIET
            line.append((f"{texts[number][lane]:>{column - 1}}{'*' if changed else ' '}", style))
        found.append(line)
    if only is None:
        found += _scalars(debugger, first, holding)
    return found


def shown_lanes(debugger: Debugger, width: int) -> range:
    """The lanes for which there is room."""
    *_, first, column = _columns(debugger, None)
    return visible(debugger.lanes, debugger.lane, max((width - first - 1) // column, 1))


def _columns(debugger: Debugger, only: list[int] | None) -> tuple[dict[int, str], dict[int, list[str]], int, int]:
    """The registers' names and values by number, and how wide the names and the values are."""
    rows = debugger.registers()
    every = debugger.program.register_names[: len(rows)]
    names = {number: name for number, name in enumerate(every) if name and (only is None or number in only)}
    texts = {number: [shown(int(value), debugger.bits, debugger.form) for value in rows[number]] for number in names}
    column = max([len(text) for row in texts.values() for text in row] + [3]) + 2
    return names, texts, max([4, *map(len, names.values())]), column


def _head(debugger: Debugger, lanes: range, first: int, column: int) -> Line:
    head: Line = [(f"{'lane':<{first}} ", TITLE)]
    for lane in lanes:
        text = f"[{lane}]" if lane == debugger.lane else f"{lane} "
        head.append((f"{text:>{column}}", CHOSEN if lane == debugger.lane else TITLE))
    return head


def _line(debugger: Debugger, pc: int | None) -> str:
    if pc is None:
        return "-"
    return str(debugger.program.position(pc).line or f"@{pc}")


def _scalars(debugger: Debugger, first: int, holding: dict[int, str]) -> list[Line]:
    values = debugger.machine.inspection.scalars(debugger.core, debugger.slot)
    return [
        [(f"{name} {holding.get(u.scalar(number), '')}".ljust(first) + "  ", ""), (shown(int(value), 32, debugger.form), "")]
        for number, (name, value) in enumerate(zip(debugger.program.scalar_names, values, strict=False))
        if name
    ]


def _holding(debugger: Debugger) -> dict[int, str]:
    """By register, as operands say it: the variable that it holds where the chosen warp is."""
    state = debugger.warp()
    there = held(debugger.program).at(state.pc) if state is not None else {}
    return {one.register: name for name, one in there.items()}


def visible(lanes: int, chosen: int, room: int) -> range:
    """The lanes that are shown where there is room for so many: the chosen one among them."""
    if room >= lanes:
        return range(lanes)
    start = min(max(chosen - room // 2, 0), lanes - room)
    return range(start, start + room)
