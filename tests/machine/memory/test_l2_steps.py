"""The steps of a lookup in the second-level cache, call by call: what a slice takes, who waits for a line, and where a store goes."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from warploom.machine.accounting.events import HIT, MERGED, MISS
from warploom.machine.accounting.events import STORE as STORED
from warploom.machine.memory import l2
from warploom.machine.memory.transactions import ATOMIC, EXTRA_SHIFT, LOAD, STORE, TO_MEMORY, TRACKED_TAG

SLICE, LINE, NOW, READY = 1, 77, 40, 60
SET = 21


def sectors(bits):
    return np.uint64(bits)


@pytest.mark.parametrize("kind", [LOAD, STORE, ATOMIC])
def test_a_slice_takes_what_memory_and_its_mshrs_have_room_for(monkeypatch, kind):
    """A store needs no MSHR; nor does what is there already, or what joins a miss of its line."""
    for writing, limit, used, joins, there in product((0, 1, 3, 4, 5), (0, 1, 4), (0, 2, 3), (False, True), (0b00, 0b01, 0b11)):
        monkeypatch.setattr(l2, "find_line", lambda table, line, joins=joins: 0 if joins else -1)
        monkeypatch.setattr(l2, "contains", lambda cache, line, there=there: sectors(there))
        state = SimpleNamespace(write_limit=limit, writing=[9, writing], in_use=[9, used], limit=3, misses=None, cache=None)
        room = limit == 0 or writing < limit
        expected = room and (kind == STORE or used < 3 or joins or there == 0b11)
        assert bool(l2._may_take(state, SLICE, LINE, sectors(0b11), kind)) == expected


def test_requests_for_a_line_wait_in_order_and_each_sector_is_asked_for_once(monkeypatch):
    sent, held = [], iter((5, 2, 7, 3))
    table = {}
    monkeypatch.setattr(l2, "find_line", lambda misses, line: table.get(line, -1))
    monkeypatch.setattr(l2, "add_line", lambda misses, line: table.setdefault(line, 4))
    monkeypatch.setattr(l2, "hold", lambda state, asked: next(held))
    monkeypatch.setattr(l2, "request", lambda *fields: fields)
    monkeypatch.setattr(l2, "schedule", lambda wheel, time, asked: sent.append((wheel, time, *asked)))
    state = SimpleNamespace(misses=None, in_use=[0, 0], miss_sectors=np.full(8, 0xFF, np.uint64), next=np.zeros(8, np.int64))
    state.ready = np.zeros(8, np.int64)
    state.miss_first, state.miss_last = np.full(8, 9), np.full(8, 9)  # of a line before
    outcomes = [
        l2._miss(SimpleNamespace(wheel="wheel"), state, SLICE, LINE, sectors(missing), SimpleNamespace(core=3), READY)
        for missing in (0b0011, 0b0001, 0b0110, 0b0111)
    ]
    assert outcomes == [MISS, MERGED, MERGED, MERGED]
    assert sent == [("wheel", READY, TO_MEMORY, 3, LINE, sectors(new), 0) for new in (0b0011, 0b0100)]
    assert (state.in_use, state.miss_sectors[4]) == ([0, 1], 0b0111)
    waiting, link = [], int(state.miss_first[4])
    while link:
        waiting.append(link - 1)
        link = int(state.next[link - 1])
    assert (waiting, state.miss_last[4]) == ([5, 2, 7, 3], 4)
    assert [int(state.ready[index]) for index in waiting] == [READY] * 4


@pytest.mark.parametrize("tracked", [False, True])
@pytest.mark.parametrize("partial", [-1, 0, 6])
@pytest.mark.parametrize("there", ["none", "some", "all"])
@pytest.mark.parametrize(("back", "allocate"), list(product((0, 1), repeat=2)))
def test_a_store_stays_where_its_line_is_kept_and_else_goes_on_to_memory(monkeypatch, back, allocate, there, partial, tracked):
    calls = []
    asked = SimpleNamespace(tag=((partial + 1) << EXTRA_SHIFT) | (TRACKED_TAG if tracked else 0))
    missing = {"none": 0b11, "some": 0b10, "all": 0}[there]
    state = SimpleNamespace(write_back=back, write_allocate=allocate, cache="cache")
    gpu = SimpleNamespace(partial_stores="partial")
    monkeypatch.setattr(l2, "keep_store_in_set", lambda *given: calls.append(("keep", *given)) or "gone")
    monkeypatch.setattr(l2, "write_back", lambda gpu, state, slice, gone, now: calls.append(("write back", slice, gone, now)))
    monkeypatch.setattr(l2, "remove_partial", lambda stores, entry: calls.append(("remove", entry)))
    monkeypatch.setattr(l2, "pass_on", lambda gpu, state, slice, asked, ready: calls.append(("pass on", slice, ready)))
    monkeypatch.setattr(l2, "send_back", lambda gpu, asked, ready: calls.append(("answer", ready)))
    l2._store(gpu, state, SLICE, SET, LINE, 8, sectors(0b11), sectors(missing), asked, NOW, READY)
    stays = back and (allocate or there != "none")
    expected = []
    if stays or allocate:
        kept = ("keep", "cache", SET, LINE, 0b11, "partial", partial, 8, back, NOW)
        expected += [kept, ("write back", SLICE, "gone", NOW)]  # the line that made room
    expected += [("remove", partial)] if partial >= 0 else []
    expected += [("answer", READY)] if stays and tracked else []
    assert calls == (expected if stays else [*expected, ("pass on", SLICE, READY)])


@pytest.mark.parametrize("kind", [LOAD, STORE, ATOMIC])
@pytest.mark.parametrize(("ports", "extra", "slice_bytes", "tracing"), list(product((0, 1), (0, 3), (0, 16), (0, 1))))
def test_a_lookup_takes_its_slice_and_is_answered_merged_or_missed_and_told_once(monkeypatch, kind, ports, extra, slice_bytes, tracing):
    """The second of the cores' lines that one line here holds, of two sectors each: its two sectors are the third and the fourth."""
    for missing in (0b0000, 0b0100, 0b1100):
        calls = []
        monkeypatch.setattr(l2, "_may_take", lambda *given, calls=calls: calls.append(("may take", *given[1:])) or True)
        monkeypatch.setattr(l2, "set_in_slice", lambda cache, slice, line: SET if (slice, line) == (SLICE, LINE) else None)
        look = lambda *given, missing=missing, calls=calls: calls.append(("look", *given)) or sectors(missing)  # noqa: E731
        monkeypatch.setattr(l2, "lookup_in_set", look)
        monkeypatch.setattr(l2, "_store", lambda *given, calls=calls: calls.append(("store", *given[2:-3], *given[-2:])))
        monkeypatch.setattr(l2, "_miss", lambda *given, calls=calls: calls.append(("miss", *given[2:-2], given[-1])) or MERGED)
        monkeypatch.setattr(l2, "change", lambda *given, calls=calls: calls.append(("change", *given[2:-2], given[-1])))
        monkeypatch.setattr(l2, "send_back", lambda *given, calls=calls: calls.append(("answer", given[-1])))
        monkeypatch.setattr(l2, "emit_l2", lambda *given, calls=calls: calls.append(("event", *given)))
        state = SimpleNamespace(
            ratio_shift=1, sectors_a_line=2, sector_shift=5, ports=ports, latency=20, slice_free=[5, 6], atomics=7, stalls=8, cache="cache",
            atomic_latency=30, atomic_pass=0,
        )  # fmt: skip
        gpu = SimpleNamespace(crossbar=SimpleNamespace(slice_bytes=slice_bytes), log=SimpleNamespace(tracing=tracing))
        asked = SimpleNamespace(line=2 * LINE + 1, sectors=sectors(0b11), kind=kind, core=3, tag=np.int64(extra << EXTRA_SHIFT | 9))
        assert l2._look_up(gpu, state, "tables", SLICE, asked, NOW)
        more = 0 if kind == STORE else extra  # of a store it names the bytes
        ready = NOW + 20 - 1 + more
        asks = [("may take", SLICE, LINE, 0b1100, kind), ("look", "cache", SET, LINE, 0b1100, NOW)]
        if kind == STORE:
            outcome, does = STORED, [("store", SLICE, SET, LINE, 2, 0b1100, missing, NOW, ready)]
        elif missing:
            outcome, does = MERGED, [("miss", SLICE, LINE, missing, ready)]
        else:
            ready += 30 if kind == ATOMIC else 0
            outcome, does = HIT, [("change", SLICE, LINE, 0b1100, ready)] * (kind == ATOMIC) + [("answer", ready)]
        told = [("event", gpu.log, "tables", NOW, 3, 0b11, asked.line, outcome)] * tracing
        assert calls == [*asks, *does, *told]
        data = 64 // 16 if slice_bytes and kind != LOAD else 0  # cycles in which a store's or an atomic's come in
        assert state.slice_free == [5, NOW + max(ports + more, data)]
        assert (state.atomics, state.stalls) == (7 + (1 + extra) * (kind == ATOMIC), 8)


def test_a_lookup_that_has_to_wait_is_a_stall_and_nothing_else(monkeypatch):
    monkeypatch.setattr(l2, "_may_take", lambda *given: False)
    state = SimpleNamespace(ratio_shift=0, sectors_a_line=4, stalls=8)
    asked = SimpleNamespace(line=LINE, sectors=sectors(0b11), kind=LOAD)
    assert not l2._look_up(None, state, None, SLICE, asked, NOW)
    assert vars(state) == {"ratio_shift": 0, "sectors_a_line": 4, "stalls": 9}


@pytest.mark.parametrize("waiting", [0, 3])
@pytest.mark.parametrize("free", [NOW - 1, NOW, NOW + 1])
@pytest.mark.parametrize("taken", [False, True])
def test_a_request_is_looked_up_when_it_comes_unless_its_slice_has_others_or_is_busy(monkeypatch, waiting, free, taken):
    """Slice 1 of two, of lines that hold two of the cores' lines each: line 6 of the cores' is line 3 here, in slice 1."""
    calls = []
    monkeypatch.setattr(l2, "channel_place", lambda hash, line: int(line) % 2)
    monkeypatch.setattr(l2, "_look_up", lambda *given: calls.append(("look", *given[3:])) or taken)
    monkeypatch.setattr(l2, "queue_up", lambda *given: calls.append(("queue", *given[2:])))
    state = SimpleNamespace(
        cache=SimpleNamespace(slices=None), ratio_shift=1, queue_first=[9, waiting], slice_free=[0, free], stalled=[0, 0]
    )
    asked = SimpleNamespace(line=6)
    l2.arrive(None, state, None, asked, NOW)
    tries = not waiting and free <= NOW
    expected = [("look", 1, asked, NOW)] * tries + [("queue", 1, asked, NOW)] * (not (tries and taken))
    assert (calls, state.stalled) == (expected, [0, int(tries and not taken)])


@pytest.mark.parametrize("first", [0, 1, 5])
@pytest.mark.parametrize("following", [0, 8])
@pytest.mark.parametrize("taken", [False, True])
def test_in_its_turn_a_slice_takes_the_first_of_its_queue_or_stalls(monkeypatch, first, following, taken):
    calls = []
    monkeypatch.setattr(l2, "held", lambda state, index: ("held", index))
    monkeypatch.setattr(l2, "let_go", lambda state, index: calls.append(("let go", index)))
    monkeypatch.setattr(l2, "_look_up", lambda *given: calls.append(("look", *given[3:])) or taken)
    monkeypatch.setattr(l2, "take_turn", lambda *given: calls.append(("turn", *given[2:])))
    state = SimpleNamespace(turn=[1, 1], queue_first=[9, first], next=[following] * 9, stalled=[0, 0])
    l2.serve_slice(None, state, None, SLICE, NOW)
    looks = [("look", SLICE, ("held", first - 1), NOW)] * (first > 0)
    goes = [("let go", first - 1), *[("turn", SLICE, NOW + 1)] * (following > 0)] if first and taken else []
    assert (calls, state.turn) == (looks + goes, [1, 0])
    assert (state.queue_first, state.stalled) == ([9, following if first and taken else first], [0, int(first > 0 and not taken)])
