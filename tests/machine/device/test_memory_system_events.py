"""What becomes of each request whose time has come: which unit it reaches, in which cycle. Whole programs: `test_memory_system.py`."""

from types import SimpleNamespace

import numpy as np
import pytest

from tests.machine.core.unit_bench import bench, events
from tests.machine.programs import Assembly
from warploom.machine.accounting.events import MEMORY
from warploom.machine.device.memory_system import no_events, serve_events
from warploom.machine.memory import transactions as t
from warploom.machine.memory.event_wheel import schedule
from warploom.machine.memory.l2 import WAITING_REQUESTS
from warploom.machine.memory.request import request

NOW, LATENCY, LINE, ACCESS, WARP = 100, 20, 42, 7, 2


def system(*requests, l2=1024, **changes):
    """Two cores and their memory; the requests are due. Access 7 of each unit of core 1 waits for two answers."""
    code = Assembly()
    code("sample_fixed", dst=4, a=0, b=1, c=2)  # so that there is a texture unit
    code("exit")
    gpu, cores, tables = bench(code, gpu__cores=2, l2__bytes=l2, texture__count=1, **changes)
    tables.profile = np.zeros((2, 64), np.int64)
    for unit in (cores[1].lsu, cores[1].texture):
        unit.open[ACCESS], unit.warp[ACCESS], unit.kind[ACCESS], unit.leaving[ACCESS] = 2, WARP, t.LOAD, 1
    for asked in requests:
        schedule(gpu.wheel, np.int64(NOW), request(*asked))
    return SimpleNamespace(gpu=gpu, cores=cores, tables=tables, before=len(requests))


def serve(made, now=NOW):
    serve_events(made.gpu, made.cores, made.tables, np.int64(now))


def ahead(made):
    """(cycles from now, kind, core, line, sectors, tag) of what lies on the wheel now."""
    wheel = made.gpu.wheel
    given_back = set(wheel.free[: wheel.freed].tolist())
    columns = (wheel.kind, wheel.core, wheel.line, wheel.sectors, wheel.tag)
    rows = [index for index in range(wheel.used) if index not in given_back]
    return [(int(wheel.time[index]) - NOW, *(int(column[index]) for column in columns)) for index in rows]


def answered(made):
    return 2 - int(made.cores[1].lsu.open[ACCESS]), 2 - int(made.cores[1].texture.open[ACCESS])


def asked(kind, tag=ACCESS, core=1, line=LINE, sectors=0b11):
    return kind, core, line, sectors, tag


def test_nothing_happens_before_its_cycle():
    made = system(asked(t.DELIVERED), asked(t.DELIVERED))
    serve(made, NOW - 1)
    assert answered(made) == (0, 0) and len(ahead(made)) == 2
    serve(made)
    assert answered(made) == (2, 0) and ahead(made) == []
    no_events(made.gpu, made.cores, made.tables, NOW)


@pytest.mark.parametrize("kind", [t.ANSWER, t.DELIVERED])
@pytest.mark.parametrize("tag, units", [(ACCESS, (1, 0)), (ACCESS + t.TEXTURE_TAG, (0, 1))])
def test_an_answer_reaches_the_unit_that_its_tag_names(kind, tag, units):
    made = system(asked(kind, tag))
    serve(made)
    assert answered(made) == units and ahead(made) == []


def test_an_answer_crosses_and_is_delivered_later():
    made = system(asked(t.ANSWER), asked(t.DELIVERED))
    made.gpu.crossbar.core_bytes = 16
    serve(made)
    assert answered(made) == (1, 0) and ahead(made) == [(1, t.DELIVERED, 1, LINE, 0b11, ACCESS)]
    made = system(asked(t.ANSWER))
    made.gpu.crossbar.core_bytes = 32  # all of it in this cycle
    serve(made)
    assert answered(made) == (1, 0) and ahead(made) == []


@pytest.mark.parametrize("kind", [t.LOAD, t.ATOMIC])
def test_a_miss_of_the_second_level_goes_to_memory_and_comes_back(kind):
    made = system(asked(kind))
    l2 = made.gpu.l2
    serve(made)
    assert l2.waiting == 1 and ahead(made) == [(l2.latency - 1, t.TO_MEMORY, 1, LINE, 0b11, 0)]
    serve(made, NOW + l2.latency - 1)
    assert ahead(made) == [(l2.latency - 1 + LATENCY - 1, t.L2_FILL, -1, LINE, 0b11, 0)]
    serve(made, NOW + l2.latency - 1 + LATENCY - 1)
    assert answered(made) == (1, 0) and l2.waiting == 0 and l2.filled == 2 and ahead(made) == []


def test_a_store_that_is_passed_on_is_taken_by_memory():
    made = system(asked(t.WRITE_MEMORY, ACCESS + t.TRACKED_TAG))
    serve(made)
    assert ahead(made) == [(LATENCY - 1, t.WRITTEN, 1, LINE, 0b11, ACCESS + t.TRACKED_TAG)]
    serve(made, NOW + LATENCY - 2)
    assert answered(made) == (0, 0)
    made.cores[1].lsu.kind[ACCESS] = t.STORE
    serve(made, NOW + LATENCY - 1)
    assert answered(made) == (1, 0) and ahead(made) == []


@pytest.mark.parametrize("kind", [t.WRITTEN, t.LINE_WRITTEN])
def test_a_slice_counts_what_memory_has_taken(kind):
    made = system(asked(kind, core=0))
    made.gpu.l2.counts_writes, made.gpu.l2.writing[0], made.gpu.unfinished = 1, 3, 9
    serve(made)
    assert (made.gpu.l2.writing[0], made.gpu.unfinished) == (2, 8)


def test_turns_are_those_of_the_slice_and_the_channel_in_the_line():
    made = system(asked(t.SLICE_TURN, line=1), asked(t.CHANNEL_TURN, line=1), l2__slices=2, dram__channels=2)
    made.gpu.l2.turn[:2], made.gpu.dram.turn[:2] = 1, 1
    serve(made)
    assert made.gpu.l2.turn[:2].tolist() == made.gpu.dram.turn[:2].tolist() == [1, 0]


@pytest.mark.parametrize("room, waits", [(0, True), (1, False), (-1, True)])
def test_a_second_level_that_is_full_takes_a_request_in_the_next_cycle(room, waits):
    made = system(asked(t.LOAD))
    made.gpu.l2.waiting = WAITING_REQUESTS - room
    serve(made)
    assert (ahead(made) == [(1, t.LOAD, 1, LINE, 0b11, ACCESS)]) == waits
    assert made.gpu.l2.waiting == WAITING_REQUESTS - room + (not waits)


@pytest.mark.parametrize(
    "kind, tag, told",
    [(t.LOAD, 0, True), (t.ATOMIC, 0, True), (t.ATOMIC, 5 << t.EXTRA_SHIFT, True), (t.STORE, 0, False), (t.STORE, t.TRACKED_TAG, True)],
)
@pytest.mark.parametrize("tracing", [0, 1])
def test_without_a_second_level_memory_answers(kind, tag, told, tracing):
    made = system(asked(kind, ACCESS + tag), l2=0)
    made.gpu.log.tracing = tracing
    serve(made)
    dram = made.gpu.dram
    writes = kind == t.STORE
    assert (dram.bytes_read.sum(), dram.bytes_written.sum()) == ((0, 32) if writes else (32, 0))
    later = LATENCY - 1 + (tag >> t.EXTRA_SHIFT)
    assert ahead(made) == ([(later, t.ANSWER, 1, LINE, 0b11, ACCESS + tag)] if told else [])
    assert events(made.gpu, made.tables) == ([[NOW, MEMORY, 1, -1, -1, 0b11, LINE, NOW + later]] if tracing else [])


@pytest.mark.parametrize("entry", [0, 1, 6])
def test_memory_forgets_the_bytes_of_a_store(entry):
    """A store's tag says which entry lists its bytes: its number + 1; of an atomic these bits are cycles."""
    made = system(asked(t.STORE, ACCESS + t.TRACKED_TAG + (entry << t.EXTRA_SHIFT)), l2=0, l1__bytes=1024, l1__write="back")
    partial = made.gpu.partial_stores
    partial.fresh = 9
    serve(made)
    assert partial.free[: partial.freed].tolist() == ([entry - 1] if entry else [])
    assert ahead(made) == [(LATENCY - 1, t.ANSWER, 1, LINE, 0b11, ACCESS + t.TRACKED_TAG)]
    made = system(asked(t.ATOMIC, ACCESS + (entry << t.EXTRA_SHIFT)), l2=0)
    serve(made)
    assert made.gpu.partial_stores.freed == 0


@pytest.mark.parametrize("line", [LINE, LINE + 1])
def test_memory_is_asked_by_the_byte_address(line):
    made = system(asked(t.LOAD, line=line), l2=0, dram__channels=4)
    serve(made)
    assert np.flatnonzero(made.gpu.dram.bytes_read).tolist() == [line % 4]
