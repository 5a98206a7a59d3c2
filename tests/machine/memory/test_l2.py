"""The second-level cache as the cores see it: merging, banks, waiting for an MSHR, write-back."""

from types import SimpleNamespace

import numpy as np
import pytest

from tests.machine.core.unit_bench import bench
from tests.machine.programs import FREE, GLOBAL, LANE, WARP, Assembly, finished, issues, machine, run
from warploom.machine.accounting import events as e
from warploom.machine.memory import l2 as unit
from warploom.machine.memory.cache import fill_set, set_in_slice
from warploom.machine.memory.request import request
from warploom.machine.memory.transactions import ATOMIC, EXTRA_SHIFT, LOAD
from warploom.machine.memory.transactions import STORE as KIND_STORE
from warploom.machine.run.driver import drive

A, B, C, D, X = range(FREE, FREE + 5)
HIT, MISS, WAITS, STORE = range(4)
NO_L1 = {"l1__bytes": 0}


def rows(result, kind):
    return e.of_kind(result.detail.events, kind)


def trial(code, *, threads=4, block=4, **changes):
    result = run(code.program(threads=threads, block=block), tracing=True, **changes)
    assert result.status == "done", result.fault
    return result


def consumer(result, core=0):
    """Cycles from the issue of a core's first load to its consumer, the next instruction."""
    events = rows(result, e.ISSUE)
    times = {int(row["pc"]): int(row["time"]) for row in events if row["core"] == core}
    return times[1] - times[0]


def one_load(offset=0):
    code = Assembly()
    code.load(A, X, offset)
    code.op("add", B, A, imm=1)
    code("exit")
    return code


def test_a_second_core_finds_what_the_first_one_brought():
    code = Assembly()
    code.op("mul", A, GLOBAL, imm=0)
    code.load(B, A)
    code.op("add", C, B, imm=1)
    code("exit")
    result = trial(code, threads=8, block=4, gpu__cores=2)
    # Both ask in the same cycle: the second request waits with the first one's MSHR, and memory is asked once.
    assert rows(result, e.L2)["outcome"].tolist() == [MISS, WAITS]
    assert result.counters["dram_requests"] == 1


def test_a_hit_costs_both_caches_latencies():
    code = Assembly()
    code.load(A, X)  # brings the line into both caches
    code.op("add", D, A, imm=1)
    code.load(A, X, 4 * 64)  # two more lines push it out of the first one, which is small
    code.op("add", D, A, imm=1)
    code.load(A, X, 8 * 64)
    code.op("add", D, A, imm=1)
    code.load(A, X)
    code.op("add", D, A, imm=1)
    code("exit")
    result = trial(code, l1__bytes=512, l2__bytes=4096)
    times = [time for time, *_ in issues(result)]
    assert times[7] - times[6] == 4 + 8


def test_a_bank_looks_up_one_request_a_cycle_and_banks_work_side_by_side():
    code = Assembly()
    code.op("shl", A, LANE, imm=6)
    code.load(B, A)
    code.op("add", C, B, imm=1)
    code("exit")
    one = trial(code, lsu__ports=4, l2__slices=1, **NO_L1)
    four = trial(code, lsu__ports=4, l2__slices=4, **NO_L1)
    assert one.cycles - four.cycles == 3


def test_a_core_s_lines_are_parts_of_a_longer_line():
    code = Assembly()
    code.load(A, X)
    code.op("add", B, A, imm=1)
    code.load(A, X, 64)
    code.op("add", B, A, imm=1)
    code.load(A, X, 128)
    code.op("add", B, A, imm=1)
    code("exit")
    result = trial(code, l2__line=128, l2__ways=1, l2__bytes=1024, lsu__sector=64)
    # Line 1 of the core is in line 0 of this cache, but its sector is not there: it is fetched by itself.
    assert rows(result, e.L2)[["line", "outcome"]].tolist() == [(0, MISS), (1, MISS), (2, MISS)]
    assert result.counters["dram_bytes"] == 3 * 64
    assert (result.counters["l2_evictions"], result.counters["l2_misses"]) == (0, 3)


def many_lines(count, stride=64):
    """Every lane of every warp loads lines of its own, then adds them up."""
    code = Assembly()
    code.op("mul", A, GLOBAL, imm=stride * count)
    for number in range(count):
        code.load(B + number, A, number * stride)
    for number in range(count):
        code.op("add", FREE + 20, FREE + 20, B + number)
    code("exit")
    return code


@pytest.mark.parametrize("mshrs", [1, 2, 3, 256])
@pytest.mark.parametrize("present", [0, 512])
def test_requests_that_wait_for_an_mshr_are_all_served_in_the_end(mshrs, present):
    program = many_lines(4).program(threads=16, block=16)
    ends = finished(program, l2__mshrs=mshrs, l1__bytes=present, l1__mshrs=16, lsu__ports=4, max_cycles=5000)
    l2 = ends.gpu["l2"]
    assert (l2["misses"]["used"], l2["waiting"], l2["queue_first"].sum(), l2["in_use"].sum()) == (0, 0, 0, 0)
    assert ends.gpu["dram"]["requests"].sum() == 64


def test_fewer_mshrs_let_fewer_misses_overlap():
    shape = {"threads": 16, "block": 16, "lsu__ports": 4, "dram__latency": 100, **NO_L1}
    cycles = [trial(many_lines(4), l2__mshrs=count, **shape).cycles for count in (1, 2, 4, 64)]
    assert cycles[0] > 64 * 100
    assert [round(cycles[0] / each) for each in cycles[1:3]] == [2, 4]
    assert cycles[3] < 400


def test_parked_requests_of_one_line_do_not_wait_for_ever_when_they_all_hit():
    """One MSHR; while it is taken, several requests for another line are parked, then all of them hit or merge at once."""
    code = Assembly()
    code.op("min", A, WARP, imm=1)
    code.op("shl", A, A, imm=6)
    code.load(B, A)
    code.op("add", C, B, imm=1)
    code("exit")
    result = trial(code, threads=16, block=16, l2__mshrs=1, **NO_L1)
    assert result.counters["dram_requests"] == 2
    assert rows(result, e.L2)["outcome"].tolist().count(MISS) >= 2


def write_then_push_out(**changes):
    code = Assembly()
    code.mov(A, 7)
    code.store(X, A)
    for number in (8, 16, 24):
        code.load(B, X, number * 64)
        code.op("add", C, B, imm=1)
    code("exit")
    made = machine(code.program(), l2__bytes=1024, l2__ways=2, **NO_L1, **changes)
    assert drive(made, engine="python").status == "done"
    return made


def test_a_store_goes_through_to_memory():
    made = write_then_push_out()
    assert made.gpu["dram"]["bytes_written"].sum() == 16
    assert made.gpu["l2"]["cache"]["write_backs"] == 0


def test_a_cache_that_writes_back_writes_the_sectors_that_a_line_has_when_it_goes():
    made = write_then_push_out(l2__write="back", l2__allocate=True)
    assert made.gpu["l2"]["cache"]["write_backs"] == 1
    assert made.gpu["dram"]["bytes_written"].sum() == 16
    assert made.gpu["dram"]["bytes_read"].sum() == 3 * 16


def test_a_store_that_misses_and_does_not_allocate_passes_by():
    made = write_then_push_out(l2__write="back", l2__allocate=False)
    assert made.gpu["l2"]["cache"]["write_backs"] == 0
    assert made.gpu["dram"]["bytes_written"].sum() == 16


def test_a_store_to_a_line_that_is_there_stays_in_a_cache_that_writes_back_even_if_stores_bring_no_lines():
    code = Assembly()
    code.load(B, X)
    code.op("add", C, B, imm=1)
    code.store(X, C)
    for number in (8, 16, 24):
        code.load(B, X, number * 64)
        code.op("add", C, B, imm=1)
    code("exit")
    made = finished(code.program(), l2__bytes=1024, l2__ways=2, l2__write="back", l2__allocate=False, **NO_L1)
    assert made.gpu["l2"]["cache"]["write_backs"] == 1
    assert made.gpu["dram"]["bytes_written"].sum() == 16


@pytest.mark.parametrize(("allocate", "read"), [(True, 0), (False, 16)])
def test_a_cache_that_writes_through_keeps_what_is_stored_if_stores_bring_lines(allocate, read):
    code = Assembly()
    code.op("shl", D, LANE, imm=2)
    code.store(D, A)  # a whole sector
    code.load(B, D)  # after the store, on the same way
    code.op("add", C, B, imm=1)
    code("exit")
    made = finished(code.program(), l2__write="through", l2__allocate=allocate, **NO_L1)
    assert made.gpu["dram"]["bytes_read"].sum() == read
    assert made.gpu["dram"]["bytes_written"].sum() == 16


def test_a_kernel_does_not_end_while_memory_has_not_taken_what_a_slice_has_sent():
    """A slice counts its lines on their way. The warp of this kernel has ended long before the second cache has its store."""
    code = Assembly()
    code.store(X, A)
    code("exit")
    made = finished(code.program(), l2__write="through", l2__write_buffer=2, **NO_L1)
    assert made.gpu["dram"]["bytes_written"].sum() == 16
    assert made.gpu["l2"]["writing"].max() == 0


def test_an_atomic_dirties_a_line_of_a_cache_that_writes_back():
    code = Assembly()
    code("atomic_add", dst=B, a=X, b=LANE)
    code.op("add", C, B, imm=1)
    for number in (8, 16):
        code.load(B, X, number * 64)
        code.op("add", C, B, imm=1)
    code("exit")
    made = finished(code.program(), l2__bytes=1024, l2__ways=2, l2__write="back", **NO_L1)
    assert made.gpu["l2"]["cache"]["write_backs"] == 1
    assert np.array_equal(made.memory[:1], [0 + 1 + 2 + 3])


def test_without_it_every_request_goes_to_memory():
    result = trial(one_load(), l2__bytes=0)
    assert len(rows(result, e.L2)) == 0
    assert len(rows(result, e.MEMORY)) == 1
    assert consumer(result) == 4 + 20


@pytest.mark.parametrize("takes", [False, True])
@pytest.mark.parametrize(("queued", "free_at"), [(0, 50), (0, 51), (4, 50)])
def test_a_request_that_comes_is_taken_or_waits_and_one_that_cannot_be_taken_keeps_its_slice(monkeypatch, takes, queued, free_at):
    """A slice looks only at the first of its queue, and only once it is free."""
    gpu, _, tables = bench()
    l2, slice, looked, waits = gpu.l2, 0, [], []
    monkeypatch.setattr(unit, "_look_up", lambda gpu, l2, tables, slice, asked, now: looked.append(asked) or takes)
    monkeypatch.setattr(unit, "queue_up", lambda gpu, l2, slice, asked, now: waits.append((slice, asked, now)))
    l2.queue_first[slice], l2.slice_free[slice], l2.stalled[:] = queued, free_at, 0
    asked = SimpleNamespace(line=5)
    unit.arrive(gpu, l2, tables, asked, 50)
    looks = queued == 0 and free_at == 50
    assert looked == [asked] * looks
    assert waits == ([] if looks and takes else [(slice, asked, 50)])
    assert l2.stalled[slice] == (1 if looks and not takes else 0)


@pytest.mark.parametrize("takes", [False, True])
@pytest.mark.parametrize("queue", [[], [3], [3, 6], [6, 2, 3]])
def test_in_its_turn_a_slice_takes_the_first_of_its_queue_and_has_a_turn_for_the_next(monkeypatch, takes, queue):
    gpu, _, tables = bench()
    l2, slice, turns = gpu.l2, 1, []
    monkeypatch.setattr(unit, "_look_up", lambda gpu, l2, tables, slice, asked, now: takes)
    monkeypatch.setattr(unit, "take_turn", lambda gpu, l2, slice, soonest: turns.append((slice, soonest)))
    l2.turn[:], l2.stalled[:], l2.waiting = 1, 0, len(queue)
    l2.queue_first[slice] = queue[0] if queue else 0
    for link, following in zip(queue, [*queue[1:], 0], strict=False):
        l2.next[link - 1] = following
    unit.serve_slice(gpu, l2, tables, slice, 50)
    assert l2.turn[:3].tolist() == [1, 0, 1]
    taken = bool(queue) and takes
    assert l2.stalled[:3].tolist() == [0, int(bool(queue) and not takes), 0]
    assert l2.queue_first[slice] == (queue[1:] or [0])[0] if taken else l2.queue_first[slice] == (queue or [0])[0]
    assert l2.waiting == len(queue) - taken
    assert turns == ([(slice, 51)] if taken and len(queue) > 1 else [])


@pytest.mark.parametrize("ports", [0, 2])
@pytest.mark.parametrize("width", [0, 1, 8])
@pytest.mark.parametrize("kind", [LOAD, ATOMIC])
@pytest.mark.parametrize("extra", [0, 1, 5])
def test_what_a_slice_looks_up_keeps_its_port_and_an_atomic_is_counted_by_its_passes(monkeypatch, kind, extra, width, ports):
    """Two sectors that are there, of 16 bytes each, and a port of so many cycles a lookup, of so many bytes a cycle; 0: no limit."""
    gpu, _, tables = bench()
    l2, back, changed = gpu.l2, [], []
    monkeypatch.setattr(unit, "send_back", lambda gpu, asked, ready: back.append(ready))
    monkeypatch.setattr(unit, "change", lambda gpu, l2, slice, line, sectors, asked, ready: changed.append((slice, line, sectors, ready)))
    fill_set(l2.cache, set_in_slice(l2.cache, 1, 5), 5, np.uint64(0b11), np.int64(9))
    l2.ratio_shift, l2.sectors_a_line, l2.sector_shift, l2.ports, l2.latency, gpu.crossbar.slice_bytes = 0, 4, 4, ports, 8, width
    l2.atomics, l2.stalls, l2.slice_free[:] = 10, 20, 0
    asked = request(kind, 3, 5, 0b11, extra << EXTRA_SHIFT)
    assert unit._look_up(gpu, l2, tables, 1, asked, np.int64(50))
    assert (l2.atomics, l2.stalls) == (10 + (1 + extra if kind == ATOMIC else 0), 20)
    assert back == [50 + 8 - 1 + extra]
    assert changed == ([(1, 5, 0b11, 57 + extra)] if kind == ATOMIC else [])
    wide = 32 // width if width and kind == ATOMIC else 0
    assert l2.slice_free[:3].tolist() == [0, 50 + max(ports + extra, wide), 0]


@pytest.mark.parametrize("kind", [LOAD, ATOMIC, KIND_STORE])
def test_what_a_slice_cannot_take_is_a_stall_and_leaves_it_as_it_is(monkeypatch, kind):
    gpu, _, tables = bench()
    l2 = gpu.l2
    monkeypatch.setattr(unit, "_may_take", lambda *_: False)
    l2.atomics, l2.stalls, l2.slice_free[:] = 10, 20, 7
    before = [int(count) for count in (l2.cache.hits, l2.cache.tag_misses, l2.cache.sector_misses)]
    assert not unit._look_up(gpu, l2, tables, 1, request(kind, 3, 5, 0b11, 2 << EXTRA_SHIFT), np.int64(50))
    assert (l2.atomics, l2.stalls, l2.slice_free[1]) == (10, 21, 7)
    assert [int(count) for count in (l2.cache.hits, l2.cache.tag_misses, l2.cache.sector_misses)] == before


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize("write", ["through", "back"])
def test_without_a_limit_of_writes_a_kernel_ends_when_they_are_written_all_the_same(engine, write):
    """Stores to lines that take one another's place: what DRAM has moved at the end is what was stored, but for the line that stays."""
    code = Assembly()
    code.op("shl", FREE, LANE, imm=6)
    for number in range(4):
        code.store(FREE, LANE, number * 256)
    code("exit")
    cycles = {}
    for buffer in (0, 64):
        made = finished(
            code.program(), engine=engine, l1__bytes=0, l2__bytes=64, l2__line=64, l2__ways=1, l2__write=write, l2__allocate=True,
            lsu__stores=64, l2__write_buffer=buffer, dram__latency=300, dram__bandwidth=16, dram__channels=1, memory__bytes=4096,
        )  # fmt: skip
        assert made.gpu["unfinished"] == 0 and made.gpu["l2"]["writing"].max() == 0
        assert made.gpu["dram"]["bytes_written"].sum() == 16 * 16 - (16 if write == "back" else 0)
        cycles[buffer] = made.cycle
    assert cycles[0] == cycles[64] > 300
