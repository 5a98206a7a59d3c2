"""A run as a table: a row per event, with names for what the machine writes down as numbers. Each machine has its columns.

Cores with warps: the events of the run, in the order in which they were written; `cycle` of a stall is the first one after it.
Cores that run one instruction at a time: a row per state of a core and a row per request of a channel, in the order in which they ended.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from warploom.isa.program import Program
from warploom.machine.accounting import events as e
from warploom.machine.accounting.event_kinds import CYCLE, EVENT_KINDS, INSTRUCTION, KIND, LANES, LINE, SECTORS, SLOT, WORD, Field
from warploom.machine.config.schema import Config
from warploom.machine.engine.unit import FOREVER
from warploom.machine.run.result import RunResult
from warploom.machine.sequencer.states import STATES
from warploom.observe.facts.events import events_of
from warploom.observe.facts.state_spans import State
from warploom.observe.traces.steps import Request, steps
from warploom.observe.traces.vocabulary import Percent, instruction

EVERY = 1024  # rows between two words about progress
FEW = 4  # kinds of events that the meaning of a column still names
WHOLE_WORD = (1 << 64) - 1


class Column(NamedTuple):
    """A column. kind: "int64", "uint64" (masks) or "string"; a cell may be empty (None)."""

    name: str
    kind: str
    meaning: str


_COMMON = (
    Column("cycle", "int64", "the first cycle after it"),
    Column("since", "int64", "its first cycle"),
    Column("kind", "string", "what happened"),
    Column("core", "int64", "where"),
)
_INSTRUCTION = (
    Column("pc", "int64", "number of the instruction"),
    Column("instruction", "string", "its text"),
    Column("line", "int64", "its line in the source"),
    Column("lanes", "uint64", "mask of the lanes that take part"),
    Column("active_lanes", "int64", "how many they are"),
)
# Columns that no field of an event fills alone, and after which column of a field each stands.
_MADE = {
    "since": Column("kind", "string", "what happened: " + ", ".join(e.KINDS)),
    "pc": Column("instruction", "string", "its text"),
    "instruction": Column("line", "int64", "its line in the source"),
    "lanes": Column("active_lanes", "int64", "how many they are"),
}
# The order of the columns that fields fill; those of kinds that came later follow.
_ORDER = (
    "cycle",
    "since",
    "core",
    "warp_slot",
    "pc",
    "lanes",
    "lanes_after",
    "reason",
    "until",
    "outcome",
    "address",
    "sectors",
    "unit",
    "block",
    "warp",
)


def _warp_columns() -> Iterator[Column]:
    """The columns of cores with warps: those that the fields of the kinds of events name, and what is made of them."""
    named: dict[str, dict[tuple[str, str], list[str]]] = {name: {} for name in _ORDER}
    for kind in EVENT_KINDS:
        for field in kind.fields:
            named.setdefault(field.column, {}).setdefault((_TYPES.get(field.unit, "int64"), _meaning(field)), []).append(kind.name)
    for name, said in named.items():
        (form,) = {form for form, _ in said}
        meanings = [meaning if len(kinds) > FEW else f"{', '.join(kinds)}: {meaning}" for (_, meaning), kinds in said.items()]
        column = Column(name, form, "; ".join(meanings))
        yield column
        while made := _MADE.get(column.name):
            yield made
            column = made


def _meaning(field: Field) -> str:
    return "first byte of the line" if field.unit == LINE else field.meaning  # as `_cell` has it


_TYPES = {LANES: "uint64", SECTORS: "uint64", WORD: "string"}  # of columns by the unit of their fields; of all others int64
WARP_COLUMNS = tuple(_warp_columns())
STEP_COLUMNS = (
    *_COMMON,
    Column("thread", "int64", "of a data request: the thread in the core"),
    *_INSTRUCTION,
    Column("state", "string", "of a core: its state"),
    Column("block", "int64", "number of the block in the launch"),
    Column("channel", "int64", "of a request: the channel that served it"),
    Column("answer", "int64", "of a request: the cycle in which memory had answered"),
    Column("outcome", "string", "of a request: read or write"),
    Column("address", "int64", "of a request: the word that it asks for"),
    Column("value", "int64", "what was read or written"),
)
_WARP_PLACE = {column.name: number for number, column in enumerate(WARP_COLUMNS)}
_STEP_PLACE = {column.name: number for number, column in enumerate(STEP_COLUMNS)}


def columns(result: RunResult) -> tuple[Column, ...]:
    """The columns of a run's table."""
    return STEP_COLUMNS if result.has.steps else WARP_COLUMNS


def rows(result: RunResult, progress: Percent) -> Iterator[list[Any]]:
    """The rows, in the order of `columns`. Raises ValueError for a run on cores with warps without events."""
    yield from (_step_rows if result.has.steps else _warp_rows)(result, progress)
    progress(100)


class EventRows:
    """Turns the events of a run into rows of WARP_COLUMNS, so many at a time as there are."""

    def __init__(self, program: Program, config: Config) -> None:
        self._known = [_instruction(program, pc) for pc in range(len(program))]
        self._line_bytes = config.l1.line

    def of(self, events: np.ndarray) -> Iterator[list[Any]]:
        """A row per event."""
        return (_warp_row(event, self._known, self._line_bytes) for event in events.tolist())


def _warp_rows(result: RunResult, progress: Percent) -> Iterator[list[Any]]:
    events = events_of(result, "a trace file")
    made = EventRows(result.program, result.config)
    for start in range(0, len(events), EVERY):
        progress(100 * start // len(events))
        yield from made.of(events[start : start + EVERY])


def _instruction(program: Program, pc: int) -> tuple[str, int | None]:
    return instruction(program, pc), program.position(pc).line or None


def _warp_row(event: list[int], known: list[tuple[str, int | None]], line_bytes: int) -> list[Any]:
    kind = EVENT_KINDS[event[KIND]]
    said: dict[str, Any] = {"kind": kind.name}
    for field in kind.fields:
        said[field.column] = _cell(field, event[field.place], line_bytes)
    pc = said.get("pc")
    if pc is not None:
        said["instruction"], said["line"] = known[pc] if pc < len(known) else (None, None)
        said["active_lanes"] = said["lanes"].bit_count()
    return _row(said, _WARP_PLACE)


def _cell(field: Field, value: int, line_bytes: int) -> Any:
    """What a table has for a field of an event; None for what there is none of."""
    unit = field.unit
    if unit in (LANES, SECTORS):
        return value & WHOLE_WORD
    if unit == WORD:
        return field.words[value]
    if unit == LINE:
        return value * line_bytes
    none = value == FOREVER if unit == CYCLE else value < 0 and unit in (SLOT, INSTRUCTION)
    return None if none else value


def _row(said: dict[str, Any], place: dict[str, int]) -> list[Any]:
    row: list[Any] = [None] * len(place)
    for name, value in said.items():
        row[place[name]] = value
    return row


def _step_rows(result: RunResult, progress: Percent) -> Iterator[list[Any]]:
    for step in steps(result):
        if step.cycle % EVERY == 0:
            progress(100 * step.cycle // max(result.cycles, 1))
        for state in step.states:
            yield _row(_state(result, state), _STEP_PLACE)
        for request in step.requests:
            yield _row(_request(request), _STEP_PLACE)


def _state(result: RunResult, state: State) -> dict[str, Any]:
    text, line = _instruction(result.program, state.pc)
    return {
        "cycle": state.stop,
        "since": state.start,
        "kind": "state",
        "core": state.core,
        "pc": state.pc,
        "instruction": text,
        "line": line,
        "lanes": (1 << state.threads) - 1,
        "active_lanes": state.threads,
        "state": STATES[state.state],
        "block": state.block,
    }


def _request(request: Request) -> dict[str, Any]:
    return {
        "cycle": request.stop,
        "since": request.start,
        "kind": f"{request.controller} request",
        "core": request.core,
        "thread": request.thread if request.thread >= 0 else None,
        "channel": request.channel,
        "answer": request.answer if request.answer >= 0 else None,
        "outcome": "write" if request.writes else "read",
        "address": request.address,
        "value": request.value if request.value >= 0 else None,
    }
