"""The warps: where each is, what it waits for, and which of its lanes run; and the lanes of the chosen one."""

from __future__ import annotations

from warploom.cli.debugger.debugger import Debugger
from warploom.machine.accounting.faults import lanes_text
from warploom.machine.run.protocol import WarpState
from warploom.observe.facts.lane_states import DIVERGED, ENDED, NO_THREAD, OFF
from warploom.observe.facts.timeline import STATE_ACTIVITIES, WARP_ACTIVITIES
from warploom.observe.text.palette import ACTIVE, LANES
from warploom.observe.text.styled import QUIET, TITLE, Line

LETTERS = {name: LANES[name].letter for name in (ACTIVE, *OFF)}  # of a lane
CHOSEN, ISSUED = "bold reverse", "bold green"
GAP = "  "
DISPENSABLE = ("block", "line")  # columns that a narrow panel leaves out
LONGEST_STATE = max(len(activity.name) for activity in (*WARP_ACTIVITIES, *STATE_ACTIVITIES)) + len(" 9999")
READY = ("not_selected", "decode", "request", "execute", "update")


def lines(debugger: Debugger, width: int) -> list[Line]:
    """A row per warp, under a heading."""
    states = debugger.warps()
    if not states:
        return [[("no warp runs", QUIET)]]
    columns = _columns(debugger, states, width)
    cells = {name: _column(name, texts) for name, texts in columns.items()}
    found: list[Line] = [[("  " + GAP.join(column[0] for column in cells.values()), TITLE)]]
    for number, state in enumerate(states, 1):
        chosen = (state.core, state.slot) == (debugger.core, debugger.slot)
        place = GAP.join(column[number] for name, column in cells.items() if name not in ("lanes", "state"))
        found.append(
            [
                (">" if chosen else " ", "bold yellow"),
                ("!" if state.issued else " ", ISSUED),
                (place, CHOSEN if chosen else ""),
                (f"{GAP}{cells['lanes'][number]}{GAP}", ""),
                (columns["state"][number - 1], "bold green" if state.activity in READY else "yellow"),
            ]
        )
    return found


def _columns(debugger: Debugger, states: list[WarpState], width: int) -> dict[str, list[str]]:
    """The cells of each column that has room, lanes as letters or as a mask in hexadecimal digits."""
    columns = {
        "warp": [debugger.name(state.core, state.slot) for state in states],
        "block": [f"{state.block}.{state.rank}" for state in states],
        "line": [_place(debugger, state) for state in states],
        "lanes": [mask_text(state, debugger.lanes) for state in states],
        "state": [_activity(debugger, state) for state in states],
    }
    if _width(columns) > width:
        columns["lanes"] = [f"{state.mask:0{-(-debugger.lanes // 4)}x}" for state in states]
    for name in DISPENSABLE:
        if _width(columns) > width:
            del columns[name]
    return columns


def legend(debugger: Debugger, width: int) -> str:
    """What stands in the column of lanes."""
    states = debugger.warps()
    if states and _columns(debugger, states, width)["lanes"][0] != mask_text(states[0], debugger.lanes):
        return "lanes that run, as a mask"
    return ", ".join(f"{mark} {name}" for name, mark in LETTERS.items())


def _width(columns: dict[str, list[str]]) -> int:
    """Characters of a row, where a state is as long as any can be: so that a panel does not change its columns from cycle to cycle."""
    taken = [max(map(len, (name, *texts))) for name, texts in columns.items() if name != "state"]
    return sum(taken) + LONGEST_STATE + len(GAP) * len(taken) + 2


def _column(name: str, texts: list[str]) -> list[str]:
    """A heading and texts, all of one width."""
    width = max(map(len, (name, *texts)))
    return [f"{text:<{width}}" for text in (name, *texts)]


def _place(debugger: Debugger, state: WarpState) -> str:
    line = debugger.program.position(state.pc).line
    return str(line) if line else f"@{state.pc}"


def _activity(debugger: Debugger, state: WarpState) -> str:
    name = debugger.activity(state)
    return f"{name} {state.until - debugger.session.cycle}" if state.until is not None else name


def mask_text(state: WarpState, lanes: int) -> str:
    """A letter of LETTERS a lane."""
    return "".join(LETTERS[lane_state(state, lane)] for lane in range(lanes))


def lane_state(state: WarpState, lane: int) -> str:
    """What a lane of a warp is: active, or why it does not run."""
    if state.mask >> lane & 1:
        return ACTIVE
    if state.threads >> lane & 1:
        return DIVERGED
    return ENDED if state.launched >> lane & 1 else NO_THREAD


def meaning(debugger: Debugger, state: WarpState) -> str:
    """What a warp is doing, in words."""
    if state.activity == "not_selected":
        return "can issue"
    return next(found.meaning for found in (*WARP_ACTIVITIES, *STATE_ACTIVITIES) if found.name == state.activity)


def lane_lines(debugger: Debugger) -> list[Line]:
    """The paths of the chosen warp: which lanes run, which wait, and where."""
    state = debugger.warp()
    if state is None:
        return [[(f"no warp in slot {debugger.name()}", QUIET)]]
    until = f", {state.until - debugger.session.cycle} cycles more" if state.until is not None else ""
    found: list[Line] = [[(f"warp {debugger.name()}: warp {state.rank} of block {state.block}; {meaning(debugger, state)}{until}", TITLE)]]
    if state.mask:
        found.append([(f"  {lanes_text(state.mask, 'lane')}: run at {debugger.where(state.pc)}", "")])
    for mask, pc in state.waiting:
        found.append([(f"  {lanes_text(mask, 'lane')}: diverged, continue at {debugger.where(pc)}", "")])
    ended, never = state.launched & ~state.threads, ~state.launched & ((1 << debugger.lanes) - 1)
    for mask, name in ((ended, ENDED), (never, NO_THREAD)):
        if mask:
            found.append([(f"  {lanes_text(mask, 'lane')}: {name}", QUIET)])
    return found


def lane_place(state: WarpState | None, lane: int) -> int | None:
    """The instruction at which a lane of a warp runs or waits; None when it does neither."""
    if state is None or not state.threads >> lane & 1:
        return None
    if state.mask >> lane & 1:
        return state.pc
    return next((pc for mask, pc in state.waiting if mask >> lane & 1), None)
