"""What a traced run writes down."""

import weakref
from types import SimpleNamespace

import numpy as np
import pytest

from tests.machine.programs import FREE, GLOBAL, Assembly, run
from tests.machine.two_engines import both
from warploom import GPU, tiny
from warploom.machine.accounting import events as e
from warploom.machine.accounting import reasons as r
from warploom.machine.accounting.event_kinds import EVENT_COLUMNS, EVENT_KINDS, KIND
from warploom.machine.accounting.events import (
    emit_barrier,
    emit_block,
    emit_end,
    emit_fill,
    emit_issue,
    emit_l2,
    emit_launch,
    emit_stall,
    emit_visit,
)
from warploom.machine.accounting.status import TooManyEvents
from warploom.machine.device import machine as pipeline_machine
from warploom.machine.device.device import Log
from warploom.machine.engine.unit import unit
from warploom.machine.run.tables import Tables

A, B, C = range(FREE, FREE + 3)


@unit
def write_all(logs, tables):
    emit_issue(logs[0], tables, 7, 1, 2, 3, np.uint64(0xFFFFFFFFFFFFFFFF), np.int64(4), 5)
    emit_stall(logs[0], tables, 8, 1, 2, 3, np.uint64(1), 4, 5)
    emit_launch(logs[0], tables, 9, 1, 2, 3, np.uint64(1), 4, 5)
    emit_end(logs[0], tables, 10, 1, 2, 3, 0)
    emit_visit(logs[0], tables, 11, 1, 2, 3, np.uint64(1), 4)
    emit_fill(logs[0], tables, time=12, core=1, texture=5, sectors=np.uint64(3), line=4)
    emit_l2(logs[0], tables, 13, 1, np.uint64(3), 4, 5)
    emit_block(logs[0], tables, 14, 1, 2, 4, 5)
    return logs[0].rows


def test_an_event_is_a_row_with_nothing_in_the_places_that_its_kind_does_not_use():
    rows, after = both(write_all, np.zeros(1, Log), Tables(events=np.zeros((9, EVENT_COLUMNS), np.int64)))
    assert rows == 8
    assert after[1].events.tolist() == [
        [7, e.ISSUE, 1, 2, 3, -1, 4, 5],
        [8, e.STALL, 1, 2, 3, 1, 4, 5],
        [9, e.LAUNCH, 1, 2, 3, 1, 4, 5],
        [10, e.END, 1, 2, 3, 0, 0, 0],
        [11, e.VISIT, 1, 2, 3, 1, 4, 0],
        [12, e.FILL, 1, -1, -1, 3, 4, 5],
        [13, e.L2, 1, -1, -1, 3, 4, 5],
        [14, e.BLOCK, 1, 2, -1, 0, 4, 5],
        [0] * 8,
    ]


@pytest.mark.parametrize("kind", range(len(e.KINDS)), ids=e.KINDS)
def test_what_a_kind_writes_is_read_by_the_names_of_its_fields(kind):
    about = EVENT_KINDS[kind]
    said = {field.name: 100 + number for number, field in enumerate(about.fields)}
    log, tables = SimpleNamespace(rows=0), Tables(events=np.zeros((1, EVENT_COLUMNS), np.int64))
    getattr(e, f"emit_{about.name}")(log, tables, **said)
    (row,) = e.of_kind(tables.events, kind)
    assert log.rows == 1
    assert {name: int(row[name]) for name in row.dtype.names} == said
    assert tables.events[0].tolist() == list(e.row_of(kind, **said))
    assert {field.place for field in about.fields}.isdisjoint({KIND}) and len({field.place for field in about.fields}) == len(said)
    assert about.name == e.KINDS[kind] and all(field.meaning and field.unit and field.column for field in about.fields)


def test_an_event_takes_the_fields_of_its_kind_and_no_others():
    tables = Tables(events=np.zeros((1, EVENT_COLUMNS), np.int64))
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'opens'"):
        emit_barrier(SimpleNamespace(rows=0), tables, 1, 2, 3, 4, 5, 6)
    with pytest.raises(KeyError, match="an event 'end' has no field 'block': it has time, core, warp, pc, lanes"):
        e.row_of(e.END, block=1)
    with pytest.raises(ValueError, match="an event 'end' lacks core, warp, pc, lanes"):
        e.row_of(e.END, time=1)


def test_events_of_one_kind_are_the_very_rows():
    rows = np.array([e.row_of(e.BLOCK, time=t, core=0, warp=-1, block=t, ends=0) for t in range(3)], np.int64)
    assert np.shares_memory(e.named(rows, e.BLOCK), rows)
    assert len(e.of_kind(rows, e.BLOCK)) == 3 and len(e.of_kind(rows, e.ISSUE)) == 0
    assert len(e.of_kind(rows[:0], e.BLOCK)["ends"]) == 0
    assert e.named(rows[:, :], e.BLOCK)[1:]["block"].tolist() == [1, 2]


def program():
    code = Assembly()
    code.op("shl", A, GLOBAL, imm=2)
    code.load(B, A)
    code.op("mul", B, B, imm=3)
    code.store(A, B)
    code("barrier")
    code("exit")
    return code.program(threads=16, block=8)


def test_a_run_tells_its_story():
    rows = run(program(), tracing=True, core__blocks=1).detail.events

    def of(kind, fields, **wanted):
        found = e.of_kind(rows, kind)
        for name, value in wanted.items():
            found = found[found[name] == value]
        return found[fields.split()].tolist()

    assert of(e.BLOCK, "block ends") == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert of(e.LAUNCH, "warp lanes block rank") == [(0, 15, 0, 0), (1, 15, 0, 1), (0, 15, 1, 0), (1, 15, 1, 1)]
    assert len(of(e.END, "warp")) == 4
    assert of(e.ISSUE, "pc lanes after ready", warp=0, time=0) == [(0, 15, 15, 1)]
    assert of(e.PIPE, "pipe until", warp=0, time=0) == [(0, 1)]
    # The barrier opens with the second warp of each block.
    assert of(e.BARRIER, "opens") == [(0,), (1,), (0,), (1,)]
    # A load's life: issue, request, lookup in the second cache, memory through it, fill, complete.
    assert of(e.REQUEST, "time line outcome", pc=1)[0] == (2, 0, 1)
    assert of(e.FILL, "line texture")[0] == (0, 0)
    # It shares its line with the load of the next warp, issued a cycle later, and the line's entry answers both when all of it is there.
    assert of(e.COMPLETE, "issued done", pc=1)[0] == (2, 33)
    assert of(e.STALL, "since time", pc=2, reason=r.LONG_SCOREBOARD)[0] == (3, 34)


def test_rows_are_in_the_order_of_their_cycles_but_for_spans_and_ends():
    rows = run(program(), tracing=True).detail.events
    in_order = rows[np.isin(rows[:, e.KIND], [e.ISSUE, e.REQUEST, e.FILL, e.COMPLETE, e.L2, e.MEMORY, e.BARRIER, e.LAUNCH])]
    assert (np.diff(in_order[:, e.TIME]) >= 0).all()


@pytest.mark.parametrize("engine", ["python", "native"])
def test_a_buffer_that_fills_up_is_emptied_and_nothing_is_lost(engine, monkeypatch):
    whole = run(program(), tracing=True)
    monkeypatch.setattr(pipeline_machine, "EVENT_ROWS", 5)
    pieces = run(program(), tracing=True, engine=engine)
    assert np.array_equal(whole.detail.events, pieces.detail.events)
    assert whole.cycles == pieces.cycles


def test_nothing_is_written_when_nobody_asked():
    assert len(run(program()).detail.events) == 0


def test_every_kind_has_a_number():
    assert e.KINDS.index("issue") == e.ISSUE
    assert e.KINDS.index("color") == e.COLOR == len(e.KINDS) - 1


def test_visits_of_warps_that_cannot_issue_are_written_down():
    """guppy's fetch unit looks at one slot a cycle: at one that waits, at one that lacks an ALU, at an empty one."""
    code = Assembly()
    code.op("divu", A, GLOBAL, imm=3)
    code.op("add", B, GLOBAL, imm=5)
    code.op("add", B, A, imm=5)
    code("exit")
    result = run(
        code.program(threads=4, block=4),
        tracing=True,
        core__scheduler="guppy",
        core__warps=2,
        alu__depth=1,
        latency__divide=4,
        core__blocks=1,
    )
    rows = result.detail.events
    visits = e.of_kind(rows, e.VISIT)[["time", "warp", "outcome"]].tolist()
    assert visits[:3] == [(1, 0, e.LACKS_UNIT), (2, 0, e.LACKS_UNIT), (3, 0, e.LACKS_UNIT)]


def test_nothing_of_a_run_that_is_listened_to_is_kept(monkeypatch):
    monkeypatch.setattr(pipeline_machine, "EVENT_ROWS", 16)
    endless = tiny.assemble(".threads 8\nagain: CMP R0, R0\nBRz again\nRET")
    handed, alive = [], []

    def listen(events):
        alive.append(sum(reference() is not None for reference in handed))
        handed.append(weakref.ref(events))

    result = GPU("sm", engine="python").run(endless, tracing=True, max_cycles=1000, listener=listen)
    assert len(result.detail.events) == 0
    assert len(alive) > 5
    assert max(alive) <= 1


def test_what_is_kept_has_a_bound():
    endless = tiny.assemble(".threads 64\nagain: CMP R0, R0\nBRz again\nRET", path="endless.asm")
    with pytest.raises(TooManyEvents, match=r"^endless has written down more than 500 events in [0-9]+ cycles, the most"):
        GPU("sm", engine="python").run(endless, tracing=True, most_events=500)
