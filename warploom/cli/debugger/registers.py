"""The registers of the chosen warp: a row per register, a column per lane."""

from __future__ import annotations

from warploom.cli.debugger.debugger import Debugger
from warploom.cli.debugger.values import shown
from warploom.cli.debugger.warps import lane_place
from warploom.observe.text.styled import CHANGED, QUIET, TITLE, Line

COMING = "italic yellow"
CHOSEN = "bold underline"


def lines(debugger: Debugger, width: int, only: list[int] | None = None) -> list[Line]:
    """The registers, of as many lanes as fit, the chosen one among them. only: numbers of registers.

    Marks: * changed by the last step, ~ in flight (computed, but hardware would still wait for it).
    """
    program, rows, before = debugger.program, debugger.registers(), debugger.registers_before()
    coming = debugger.machine.inspection.pending_registers(debugger.core, debugger.slot)
    names = {number: name for number, name in enumerate(program.register_names[: len(rows)]) if name and (only is None or number in only)}
    state = debugger.warp()
    first = max((len(name) for name in names.values()), default=4)
    first = max(first, 4)
    texts = {number: [shown(int(value), debugger.bits, debugger.form) for value in rows[number]] for number in names}
    column = max([len(text) for row in texts.values() for text in row] + [3]) + 2
    shown_lanes = visible(debugger.lanes, debugger.lane, max((width - first - 1) // column, 1))
    found: list[Line] = [_head(debugger, shown_lanes, first, column)]
    places = [lane_place(state, lane) for lane in shown_lanes]
    if len(set(places)) > 1:
        found.append([(f"{'at':<{first}} ", QUIET), *((f"{_line(debugger, pc):>{column - 1}} ", QUIET) for pc in places)])
    for number, name in names.items():
        line: Line = [(f"{name:<{first}}", ""), ("~" if coming[number] else " ", COMING)]
        for lane in shown_lanes:
            changed = rows[number, lane] != before[number, lane]
            runs = state is not None and state.mask >> lane & 1
            style = CHANGED if changed else "" if runs else QUIET
            line.append((f"{texts[number][lane]:>{column - 1}}{'*' if changed else ' '}", style))
        found.append(line)
    if only is None:
        found += _scalars(debugger, first)
    return found


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


def _scalars(debugger: Debugger, first: int) -> list[Line]:
    values = debugger.machine.inspection.scalars(debugger.core, debugger.slot)
    return [
        [(f"{name:<{first}}  ", ""), (shown(int(value), 32, debugger.form), "")]
        for name, value in zip(debugger.program.scalar_names, values, strict=False)
        if name
    ]


def visible(lanes: int, chosen: int, room: int) -> range:
    """The lanes that are shown where there is room for so many: the chosen one among them."""
    if room >= lanes:
        return range(lanes)
    start = min(max(chosen - room // 2, 0), lanes - room)
    return range(start, start + room)
