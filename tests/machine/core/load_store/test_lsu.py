"""The load/store unit on an idle machine: exact cycles, merging, throttling and write-back, seen from outside."""

from types import SimpleNamespace

import numpy as np
import pytest

from tests.machine.core.unit_bench import bench, mask
from tests.machine.programs import FREE, GLOBAL, LANE, THREAD, Assembly, issues, run, words
from warploom.machine.accounting import events as e
from warploom.machine.accounting import reasons as r
from warploom.machine.core.load_store import lsu as unit
from warploom.machine.memory.partial_stores import PARTIAL_STORES
from warploom.machine.memory.transactions import transaction_room

A, B, C, D, X = range(FREE, FREE + 5)
HIT, MISS, MERGED, STORED, PASSED = range(5)


def at(result, instruction, warp=0):
    """The cycle in which an instruction issues."""
    return next(time for time, who, pc, _ in issues(result) if (who, pc) == (warp, instruction))


def rows(result, kind):
    return e.of_kind(result.detail.events, kind)


def trial(assembly, **changes):
    """A traced run of one warp unless told otherwise."""
    threads = changes.pop("threads", 4)
    result = run(assembly.program(threads=threads, block=changes.pop("block", threads)), tracing=True, **changes)
    assert result.status == "done", result.fault
    return result


def loads(*offsets, use_each=False):
    """Loads of single words, the same in all lanes, then a consumer of each."""
    code = Assembly()
    for number, offset in enumerate(offsets):
        code.load(FREE + number, X + 4, offset)
        if use_each:
            code.op("add", X, FREE + number, imm=1)
    if not use_each:
        for number in range(len(offsets)):
            code.op("add", X, FREE + number, imm=1)
    code("exit")
    return code


def test_a_load_that_misses_everywhere_takes_the_latencies_of_all_levels():
    """The article's machine with L1 4, L2 8, DRAM 20: a load issued in cycle 2, its consumer in cycle 33; then 4 cycles."""
    code = Assembly()
    code("nop")
    code("nop")
    code.load(A, X)
    code.op("add", B, A, imm=1)
    code.load(C, X, 4)
    code.op("add", D, C, imm=1)
    code("exit")
    result = trial(code)
    assert [at(result, pc) for pc in (2, 3, 4, 5)] == [2, 33, 34, 38]


@pytest.mark.parametrize(
    ("changes", "cycles"),
    [
        ({}, 4 + 8 + 20 - 1),
        ({"l1__bytes": 0}, 8 + 20 - 1 + 0),
        ({"l2__bytes": 0}, 4 + 20),
        ({"l1__bytes": 0, "l2__bytes": 0}, 20),
        ({"l1__latency": 9, "l2__latency": 30, "dram__latency": 50}, 9 + 30 + 50 - 1),
        ({"memory__kind": "channels", "memory__channel_bytes": 16}, 4 + 8 + 8 - 1),
        ({"memory__kind": "channels", "memory__channel_bytes": 16, "l1__bytes": 0, "l2__bytes": 0}, 8),
        ({"memory__kind": "channels", "memory__channel_bytes": 4, "memory__data_channels": 1, "l1__bytes": 0, "l2__bytes": 0}, 8 + 3 * 7),
    ],
)
def test_each_level_that_is_there_adds_its_latency(changes, cycles):
    result = trial(loads(0), **changes)
    assert at(result, 1) - at(result, 0) == cycles


def test_a_second_load_of_a_line_on_its_way_waits_with_the_first_and_sends_nothing():
    result = trial(loads(0, 4, 8))
    assert rows(result, e.REQUEST)["outcome"].tolist() == [MISS, MERGED, MERGED]
    assert len(rows(result, e.L2)) == 1
    assert result.counters["dram_requests"] == 1
    assert [at(result, pc) for pc in (3, 4, 5)] == [31, 32, 33]


def test_another_sector_of_a_line_on_its_way_is_asked_for_by_itself():
    result = trial(loads(0, 16))
    assert rows(result, e.REQUEST)["outcome"].tolist() == [MISS, MISS]
    assert result.counters["dram_bytes"] == 32


def test_when_no_mshr_is_free_the_queue_stands_still_and_goes_on():
    one = trial(loads(0, 64, 128, 192), l1__mshrs=1)
    many = trial(loads(0, 64, 128, 192), l1__mshrs=4)
    assert [at(many, pc) for pc in range(4, 8)] == [31, 32, 33, 34]
    # One at a time: the next leaves in the cycle behind the answer, and takes as long again.
    assert [at(one, pc) for pc in range(4, 8)] == [31, 62, 93, 124]
    assert many.memory.tobytes() == one.memory.tobytes()


def test_a_hit_may_pass_while_all_mshrs_are_taken():
    code = Assembly()
    code.load(A, X)
    code.op("add", B, A, imm=1)
    code.load(C, X, 64)
    code.load(D, X, 4)
    code.op("add", B, D, imm=1)
    code("exit")
    result = trial(code, l1__mshrs=1)
    assert at(result, 4) - at(result, 3) == 4


def test_a_warp_waits_for_the_load_that_it_needs_and_not_for_a_later_one():
    """Both hit; the second is answered a cycle later than the first, and nobody needs it yet."""
    code = Assembly()
    code.load(A, X)
    code.op("add", B, A, imm=1)
    code.load(A, X)
    code.load(C, X, 4)
    code.op("add", B, A, imm=1)
    code.op("add", B, C, imm=1)
    code("exit")
    result = trial(code)
    assert [at(result, pc) - at(result, 2) for pc in (3, 4, 5)] == [1, 4, 5]


def test_a_warp_waits_for_the_later_of_two_loads_that_it_needs():
    code = Assembly()
    code.load(A, X)
    code.load(B, X, 256)
    code.op("add", C, A, B)
    code("exit")
    result = trial(code)
    assert at(result, 2) == 32


def test_lanes_of_one_line_are_one_transaction_and_scattered_lanes_one_each():
    for scale, transactions in ((2, 1), (6, 4)):
        code = Assembly()
        code.op("shl", A, LANE, imm=scale)
        code.load(B, A)
        code.op("add", C, B, imm=1)
        code("exit")
        result = trial(code)
        assert result.counters["transactions"] == transactions
        # One leaves a cycle, so the last answer is as many cycles later.
        assert at(result, 2) - at(result, 1) == 31 + transactions - 1
        assert trial(code, lsu__ports=4, l2__slices=4).cycles == result.cycles - transactions + 1


def test_without_coalescing_every_lane_is_a_transaction():
    code = Assembly()
    code.op("shl", A, LANE, imm=2)
    code.load(B, A)
    code.op("add", C, B, imm=1)
    code("exit")
    result = trial(code, lsu__coalesce=False)
    assert rows(result, e.REQUEST)["outcome"].tolist() == [MISS, MERGED, MERGED, MERGED]
    assert result.detail.profile[1, [r.TRANSACTIONS, r.HITS, r.MISSES]].tolist() == [4, 0, 4]


def test_a_full_queue_throttles():
    """Every load has four lines to ask for, one a cycle."""
    code = Assembly()
    code.op("shl", X, LANE, imm=6)
    for number in range(4):
        code.load(FREE + number, X, 256 * number)
    code("exit")
    narrow, wide = trial(code, lsu__queue=1), trial(code, lsu__queue=4)
    assert [at(wide, pc) for pc in range(1, 5)] == [1, 2, 3, 4]
    assert [at(narrow, pc) for pc in range(1, 5)] == [1, 5, 9, 13]
    assert narrow.counters["lg_throttle_warp_cycles"] == 3 * 3
    assert wide.counters["lg_throttle_warp_cycles"] == 0


def test_a_load_leaves_the_queue_when_it_is_sent():
    """A queue of one place holds no load back that is on its way: who waits for answers is the scoreboard."""
    result = trial(loads(0, 64, 128, 192), lsu__queue=1)
    assert [at(result, pc) for pc in range(4)] == [0, 1, 2, 3]
    assert result.counters["lg_throttle_warp_cycles"] == 0


def store_then_push_out(**changes):
    """Write 4 bytes of line 0, then load lines 4, 8 and 12 of a cache of 2 ways and 4 sets: line 0 has to go."""
    code = Assembly()
    code.mov(A, 7)
    code.store(X, A)
    for number in (4, 8, 12):
        code.load(B, X, number * 64)
        code.op("add", C, B, imm=1)
    code("exit")
    return trial(code, l2__bytes=0, **changes)


def test_a_store_goes_through_to_memory():
    result = store_then_push_out()
    assert rows(result, e.REQUEST)["outcome"][0] == STORED
    assert rows(result, e.MEMORY)[["line", "sectors"]].tolist()[0] == (0, 1)
    assert words(result)[0] == 7


def test_a_cache_that_writes_back_keeps_a_store_until_its_line_goes():
    result = store_then_push_out(l1__write="back", l1__allocate=True)
    traffic = rows(result, e.MEMORY)[["line", "sectors"]].tolist()
    # Memory sees the three loads, and line 0 when the second pushes it out: with the one sector that it has, not with the new line's.
    assert traffic == [(4, 1), (8, 1), (0, 1), (12, 1)]
    assert words(result)[0] == 7


def test_a_written_line_goes_back_with_the_sectors_that_it_has():
    code = Assembly()
    code.mov(A, 7)
    code.op("shl", B, LANE, imm=4)
    code.store(B, A)  # four sectors of line 0
    for number in (4, 8, 12):
        code.load(C, X, number * 64)
        code.op("add", D, C, imm=1)
    code("exit")
    result = trial(code, l2__bytes=0, l1__write="back", l1__allocate=True)
    assert (0, 0b1111) in rows(result, e.MEMORY)[["line", "sectors"]].tolist()
    assert result.counters["dram_bytes"] == 3 * 16 + 64


def test_an_atomic_passes_the_cache_by_and_takes_longer_when_lanes_meet_on_a_word():
    def cycles(scale, **changes):
        code = Assembly()
        code.op("shl", A, LANE, imm=scale)
        code.op("and", A, A, imm=12)
        code("atomic_add", dst=B, a=A, b=LANE)
        code.op("add", C, B, imm=1)
        code("exit")
        result = trial(code, **changes)
        assert rows(result, e.REQUEST)["outcome"][0] == PASSED
        return at(result, 3) - at(result, 2)

    # It goes down the cache's pipe as a load does that misses.
    assert cycles(2) == 4 + 8 + 20 - 1  # every lane has a word of its own
    assert cycles(4) == 4 + 8 + 20 - 1 + 3  # all four lanes add to one word
    assert cycles(2, l1__bytes=0) == 8 + 20 - 1
    assert cycles(2, l2__atomic_latency=30) == 4 + 8 + 20 - 1 + 30


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize("latency", [0, 32])
def test_an_atomic_takes_the_time_of_a_load_from_the_second_level_and_that_of_the_atomic_unit(engine, latency):
    code = Assembly()
    code.load(A, X)
    code.op("add", B, A, imm=0)
    code("atomic_add", dst=C, a=X, b=D)
    code.op("add", D, C, imm=0)
    code("exit")
    result = trial(code, threads=1, engine=engine, l2__atomic_latency=latency)
    assert at(result, 3) - at(result, 2) == 4 + 8 + latency


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize("scope, latency", [(0, 90), (1, 20)])
def test_a_fence_takes_its_time_once_whether_accesses_are_on_their_way_or_not(engine, scope, latency):
    """Three fences: alone, alone again, and after a store that takes longer."""

    def times(**changes):
        code = Assembly()
        code("nop")
        for _ in range(2):
            code("fence", imm=scope)
        code("nop")
        code.store(X, LANE)
        code("fence", imm=scope)
        code("nop")
        code("exit")
        result = trial(code, engine=engine, core__branch_latency=1, lsu__stores=8, **changes)
        return [at(result, pc) for pc in (1, 2, 3, 5, 6)]

    free, slow = times(), times(core__fence_device=90, core__fence_block=20)
    assert (slow[1] - slow[0], slow[2] - slow[1]) == (latency, 1)
    after_store = [found[3] - (found[2] + 1) for found in (free, slow)]
    assert after_store[1] == max(latency, after_store[0])


def test_a_fence_waits_for_all_accesses_before_it():
    code = Assembly()
    code.store(X, A)
    code.load(B, X, 256)
    code("fence")
    code("nop")
    code("exit")
    result = trial(code)
    assert at(result, 2) == at(result, 1) + 31
    assert result.detail.profile[2, r.MEMBAR] == 30


def test_a_fence_waits_for_a_hit_too():
    code = Assembly()
    code.load(A, X)
    code.op("add", C, A, imm=1)
    code.load(B, X, 4)
    code("fence")
    code("exit")
    result = trial(code)
    assert at(result, 3) - at(result, 2) == 4


def test_a_warp_that_ends_keeps_its_slot_until_its_accesses_are_done():
    code = Assembly()
    code.op("shl", A, THREAD, imm=2)
    code.load(B, A)
    code("exit")
    result = trial(code)
    end = rows(result, e.END)[0]
    assert end["time"] == at(result, 1) + 31
    assert result.detail.profile[2, r.DRAIN] == end["time"] - at(result, 2) - 1


@pytest.mark.parametrize("changes", [{}, {"l1__mshrs": 1}, {"l1__bytes": 0}, {"l2__mshrs": 1}, {"lsu__queue": 2, "lsu__ports": 4}])
def test_every_access_that_was_sent_is_completed_once(changes):
    code = Assembly()
    code.op("shl", A, GLOBAL, imm=5)
    for offset in (0, 4, 1024, 0):
        code.load(B, A, offset)
        code.op("add", C, C, B)
        code.store(A, C, 2048)
    code("exit")
    result = trial(code, threads=32, block=8, gpu__cores=2, **changes)
    complete = rows(result, e.COMPLETE)
    assert len(complete) == result.detail.profile[:, r.ACCESSES].sum() == 8 * 8
    assert len(rows(result, e.REQUEST)) == result.counters["transactions"]
    asked = rows(result, e.REQUEST)
    assert (asked["outcome"] == MISS).sum() == len(rows(result, e.FILL))
    assert (np.diff(complete["time"]) >= 0).all()


ISSUED = 100


@pytest.fixture
def head(monkeypatch):
    """(device, core, what was sent): an access of three transactions at the head of an idle unit with two ports, in slot 4."""
    code = Assembly()
    code.load(A, X)
    code("exit")
    gpu, cores, tables = bench(code)
    lsu = cores[0].lsu
    lsu.ports, lsu.ahead, lsu.waiting, lsu.queue[lsu.head] = 2, 0, 1, 4
    lsu.used, lsu.count, lsu.access[4], lsu.total[4], lsu.sent[4] = mask(4), 1, 7, 3, 0
    lsu.issued[7], lsu.open[7], lsu.stalled = ISSUED, 3, 30
    sent = []
    monkeypatch.setattr(unit, "send_one", lambda gpu, core, lsu, slot, index, tables, now: sent.append((int(slot), int(index))) or 1)
    return SimpleNamespace(gpu=gpu, lsu=lsu, sent=sent, step=lambda now: unit.load_store(gpu, cores[0], lsu, tables, np.int64(now)))


@pytest.mark.parametrize("ahead", [0, 1, 4])
def test_what_is_looked_up_late_waits_at_the_head_until_then(head, ahead):
    head.lsu.ahead = ahead
    for now in range(ISSUED, ISSUED + ahead):
        assert (head.step(now), head.sent) == (1, [])
    assert (head.step(ISSUED + ahead), head.sent) == (1, [(4, 0), (4, 1)])
    assert (head.step(ISSUED + ahead + 1), head.sent, head.lsu.waiting) == (0, [(4, 0), (4, 1), (4, 2)], 0)
    assert head.lsu.stalled == 30


@pytest.mark.parametrize("room, entries, waits", [(2, 1, False), (3, 1, False), (1, 1, True), (0, 1, True), (2, 0, True), (1, 0, True)])
def test_a_cycle_without_room_on_the_way_to_memory_is_counted_and_sends_nothing(head, room, entries, waits):
    """room: for transactions; entries: for a store that is not whole."""
    head.gpu.dram.waiting += transaction_room(head.gpu) - room
    head.gpu.partial_stores.fresh, head.gpu.partial_stores.freed = PARTIAL_STORES + 3 - entries, 3
    assert head.step(ISSUED) == 1
    assert (head.sent, head.lsu.stalled) == (([], 31) if waits else ([(4, 0), (4, 1)], 30))


def test_a_transaction_that_takes_an_answer_first_stops_the_unit(head, monkeypatch):
    monkeypatch.setattr(unit, "send_one", lambda *_: 0)
    assert head.step(ISSUED + 5) == 0
    assert (head.lsu.blocked, head.lsu.blocked_since, head.lsu.sent[4], head.lsu.stalled) == (1, ISSUED + 5, 0, 30)


def test_an_access_without_transactions_leaves_and_sends_none(head):
    head.lsu.total[4] = 0
    assert (head.step(ISSUED), head.sent, head.lsu.waiting, head.lsu.used) == (0, [], 0, 0)


@pytest.mark.parametrize("engine", ["python", "native"])
def test_each_scheduler_has_a_share_of_the_queue_so_that_none_starves(engine):
    """Two schedulers with a warp each, whose loads take the unit eight cycles: they go on side by side, and end together."""
    code = Assembly()
    code.op("shl", X, LANE, imm=6)
    for number in range(8):
        code.load(FREE + 1 + number, X)
    code.op("add", X, FREE + 8, imm=0)
    code("exit")
    result = trial(
        code, threads=16, block=8, engine=engine, core__lanes=8, core__warps=2, core__schedulers=2, pipes__owner="scheduler",
        lsu__queue=4, l1__bytes=0, l2__bytes=0, memory__bytes=1024,
    )  # fmt: skip
    assert abs(at(result, 9, 0) - at(result, 9, 1)) <= 8
