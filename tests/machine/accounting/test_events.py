"""What a traced run writes down."""

import weakref

import numpy as np
import pytest

from tests.machine.programs import FREE, GLOBAL, Assembly, run
from tests.machine.two_engines import both
from warploom import GPU, tiny
from warploom.machine.accounting import events as e
from warploom.machine.accounting import reasons as r
from warploom.machine.accounting.events import EVENT_COLUMNS, emit
from warploom.machine.accounting.status import TooManyEvents
from warploom.machine.device import machine as pipeline_machine
from warploom.machine.device.device import Log
from warploom.machine.engine.unit import unit
from warploom.machine.run.tables import Tables

A, B, C = range(FREE, FREE + 3)


@unit
def write_two(logs, tables):
    emit(logs[0], tables, 7, e.ISSUE, 1, 2, 3, np.uint64(0xFFFFFFFFFFFFFFFF), 4, 5)
    emit(logs[0], tables, 8, e.STALL, 1, 2, 3, np.uint64(1), 4, 5)
    return logs[0].rows


def test_an_event_is_a_row():
    rows, after = both(write_two, np.zeros(1, Log), Tables(events=np.zeros((3, EVENT_COLUMNS), np.int64)))
    assert rows == 2
    assert after[1].events.tolist() == [[7, e.ISSUE, 1, 2, 3, -1, 4, 5], [8, e.STALL, 1, 2, 3, 1, 4, 5], [0] * 8]


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

    def of(kind, **columns):
        found = rows[rows[:, e.KIND] == kind]
        for name, value in columns.items():
            found = found[found[:, getattr(e, name)] == value]
        return found

    assert of(e.BLOCK)[:, [e.A, e.B]].tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert of(e.LAUNCH)[:, [e.WARP, e.MASK, e.A, e.B]].tolist() == [[0, 15, 0, 0], [1, 15, 0, 1], [0, 15, 1, 0], [1, 15, 1, 1]]
    assert len(of(e.END)) == 4
    assert of(e.ISSUE, WARP=0, TIME=0)[0, [e.PC, e.MASK, e.A, e.B]].tolist() == [0, 15, 15, 1]
    assert of(e.PIPE, WARP=0, TIME=0)[0, [e.A, e.B]].tolist() == [0, 1]
    # The barrier opens with the second warp of each block.
    assert of(e.BARRIER)[:, e.B].tolist() == [0, 1, 0, 1]
    # A load's life: issue, request, lookup in the second cache, memory through it, fill, complete.
    assert of(e.REQUEST, PC=1)[0, [e.TIME, e.A, e.B]].tolist() == [2, 0, 1]
    assert of(e.FILL)[0, [e.A, e.B]].tolist() == [0, 0]
    completed = of(e.COMPLETE, PC=1)[0]
    # It shares its line with the load of the next warp, issued a cycle later, and the line's entry answers both when all of it is there.
    assert (completed[e.A], completed[e.B]) == (2, 33)
    waited = of(e.STALL, PC=2, A=r.LONG_SCOREBOARD)[0]
    assert (waited[e.B], waited[e.TIME]) == (3, 34)


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
    assert e.KINDS.index("block") == e.BLOCK == len(e.KINDS) - 1


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
    visits = rows[rows[:, e.KIND] == e.VISIT]
    assert visits[:3, [e.TIME, e.WARP, e.A]].tolist() == [[1, 0, 1], [2, 0, 1], [3, 0, 1]]


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
