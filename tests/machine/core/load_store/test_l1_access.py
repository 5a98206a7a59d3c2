"""The first-level cache as the load/store unit uses it, one transaction and one answer at a time: what is sent on, and who waits for it."""

from types import SimpleNamespace

import numpy as np
import pytest

from tests.machine.core.unit_bench import bench, events, mask
from tests.machine.programs import FREE, LANE, Assembly
from warploom.machine.accounting.events import COMPLETE, FILL, HIT, MERGED, MISS, PASSED_ON, REQUEST
from warploom.machine.accounting.events import STORE as STORED
from warploom.machine.accounting.reasons import HITS, MISSES
from warploom.machine.core.load_store import l1_access
from warploom.machine.core.load_store.l1_access import NOBODY, answer, send_one
from warploom.machine.engine.unit import FOREVER
from warploom.machine.memory.cache import contains, fill
from warploom.machine.memory.transactions import ATOMIC, CACHED_TAG, EXTRA_SHIFT, LOAD, STORE, TRACKED_TAG

SLOT, WARP, NOW, LATENCY, FORWARD, LINE = 1, 2, 100, 4, 6, 40
OWN = [5, 6, 7, 8]  # numbers of accesses


def unit(**settings):
    """A load/store unit with a cache of one line, and four accesses of warp WARP, of one transaction each: by slot, of all of LINE."""
    code = Assembly()
    code.load(FREE, LANE)
    code("exit")
    gpu, cores, tables = bench(code, core__warps=4, l1__bytes=64, l1__ways=1, l1__write="back")
    core = cores[0]
    lsu = core.lsu
    tables.profile = np.zeros((2, 64), np.int64)
    lsu.cached, lsu.latency, lsu.forward, lsu.misses.limit, lsu.misses.merges = 1, LATENCY, FORWARD, 2, 2
    lsu.write_back = lsu.write_allocate = lsu.store_limit = lsu.tracks_bytes = 0
    for name, value in settings.items():
        setattr(lsu, name, value)
    for slot, access in enumerate(OWN):
        lsu.access[slot], lsu.warp[access], lsu.kind[access] = access, WARP, LOAD
        lsu.line[slot, 3], lsu.sectors[slot, 3], lsu.whole[slot, 3] = LINE, 0b11, 0b11
    core.warps.pending[WARP] = core.warps.stores[WARP] = 4
    gpu.log.tracing = 1
    return SimpleNamespace(gpu=gpu, core=core, lsu=lsu, tables=tables)


def give(made, slot, now=NOW):
    return send_one(made.gpu, made.core, made.lsu, slot, 3, made.tables, np.int64(now))


def come(made, line, sectors, tag, now=NOW):
    asked = SimpleNamespace(line=np.int64(line), sectors=np.uint64(sectors), tag=np.int64(tag))
    answer(made.gpu, made.core, made.lsu, made.tables, asked, np.int64(now))


def sent(made):
    """(cycles from now until it is there, kind, line, sectors, tag) of each request."""
    wheel, ahead = made.gpu.wheel, int(made.gpu.l2.ahead)
    columns = (wheel.time, wheel.kind, wheel.line, wheel.sectors, wheel.tag)
    return [(int(time) - NOW - ahead, *map(int, more)) for time, *more in zip(*(c[: wheel.used] for c in columns), strict=True)]


def outcomes(made):
    return [row[7] for row in events(made.gpu, made.tables) if row[1] == REQUEST]


def looked_up(made):
    return made.tables.profile[0, [HITS, MISSES]].tolist()


def test_a_hit_is_done_when_its_lookup_ends():
    made = unit()
    fill(made.lsu.cache, LINE, np.uint64(0b11), NOW)
    assert give(made, SLOT) == 1
    assert (sent(made), outcomes(made), looked_up(made)) == ([], [HIT], [1, 0])
    assert (made.lsu.done[6], made.lsu.open[6]) == (NOW + LATENCY - 1, 0)


def test_misses_ask_for_what_nobody_has_asked_for_and_wait_together():
    made = unit()
    made.lsu.sectors[:4, 3] = 0b01, 0b01, 0b11, 0b10
    assert [give(made, slot) for slot in range(3)] == [1, 1, 0]  # two may wait for a line
    made.lsu.misses.merges = 0
    assert [give(made, slot) for slot in (2, 3)] == [1, 1]
    assert outcomes(made) == [MISS, MERGED, MISS, MERGED]
    assert looked_up(made) == [0, 4]
    assert sent(made) == [(FORWARD, LOAD, LINE, 0b01, 5 + CACHED_TAG), (FORWARD, LOAD, LINE, 0b10, 7 + CACHED_TAG)]
    assert made.lsu.open[OWN].tolist() == [1] * 4
    assert made.lsu.done[OWN].tolist() == [NOW + LATENCY - 1] * 4
    come(made, LINE, 0b01, 5 + CACHED_TAG, NOW + 30)
    assert contains(made.lsu.cache, LINE) == 0b01
    assert made.lsu.open[OWN].tolist() == [1] * 4 and made.lsu.misses.table.used == 1
    come(made, LINE, 0b10, 7 + CACHED_TAG, NOW + 40)
    assert contains(made.lsu.cache, LINE) == 0b11
    assert made.lsu.open[OWN].tolist() == [0] * 4 and made.lsu.misses.table.used == 0
    assert made.lsu.free[:4].tolist() == OWN  # in the order in which they came
    fills = [row for row in events(made.gpu, made.tables) if row[1] == FILL]
    assert fills == [[NOW + 30, FILL, 0, -1, -1, 0b01, LINE, 0], [NOW + 40, FILL, 0, -1, -1, 0b10, LINE, 0]]


def test_a_sector_that_is_there_is_not_asked_for():
    made = unit()
    fill(made.lsu.cache, LINE, np.uint64(0b10), NOW)
    assert give(made, SLOT) == 1
    assert [row[3] for row in sent(made)] == [0b01] and outcomes(made) == [MISS]


def test_without_a_free_mshr_a_miss_waits_and_a_hit_does_not():
    made = unit()
    made.lsu.misses.limit = 1
    fill(made.lsu.cache, 77, np.uint64(0b11), NOW)
    made.lsu.line[1:3, 3] = 41, 77
    assert [give(made, slot) for slot in range(3)] == [1, 0, 1]
    assert (outcomes(made), looked_up(made), made.lsu.open[6], made.lsu.done[6]) == ([MISS, HIT], [1, 1], 0, 0)


@pytest.mark.parametrize("cached, bypass, kind", [(0, 0, LOAD), (1, 1, LOAD), (0, 0, ATOMIC), (1, 0, ATOMIC), (1, 1, ATOMIC)])
def test_what_passes_the_cache_by_leaves_at_once_and_carries_its_turns(cached, bypass, kind):
    """But an atomic goes down the cache's pipe, of four cycles here, where there is one."""
    made = unit(cached=cached)
    fill(made.lsu.cache, LINE, np.uint64(0b11), NOW)
    made.lsu.bypass[6], made.lsu.kind[6], made.lsu.turns[SLOT, :8] = bypass, kind, 3
    turns = 3 << EXTRA_SHIFT if kind == ATOMIC else 0
    assert give(made, SLOT) == 1
    assert sent(made) == [(FORWARD if cached and not bypass else 0, kind, LINE, 0b11, 6 + turns)]
    assert (outcomes(made), looked_up(made), made.lsu.open[6], made.lsu.done[6]) == ([PASSED_ON], [0, 0], 1, 0)
    come(made, LINE, 0b11, 6 + turns, NOW + 9)
    assert made.lsu.open[6] == 0 and [row[1] for row in events(made.gpu, made.tables)] == [REQUEST, COMPLETE]


@pytest.mark.parametrize("cached, bypass, delay", [(1, 0, LATENCY - 1), (1, 1, 0), (0, 0, 0)])
@pytest.mark.parametrize("limit, stores, goes", [(0, 0, True), (2, 0, True), (2, 1, True), (2, 2, False), (2, 3, False)])
def test_a_store_goes_on_if_there_is_a_place_for_it(cached, bypass, delay, limit, stores, goes):
    made = unit(cached=cached, store_limit=limit, stores=stores)
    lsu = made.lsu
    lsu.kind[6], lsu.bypass[6], lsu.done[6], made.gpu.unfinished = STORE, bypass, NOW - 1, 9
    assert give(made, SLOT) == int(goes)
    tracked = int(limit > 0)
    assert sent(made) == ([(FORWARD if delay else 0, STORE, LINE, 0b11, 6 + tracked * TRACKED_TAG)] if goes else [])
    assert outcomes(made) == ([STORED if delay else PASSED_ON] if goes else [])
    more = int(goes) * tracked
    assert (lsu.stores, made.gpu.unfinished, lsu.open[6]) == (stores + more, 9 + more, more)
    assert lsu.done[6] == (NOW + delay if goes else NOW - 1)
    assert contains(lsu.cache, LINE) == 0
    if more:
        come(made, LINE, 0b11, 6 + TRACKED_TAG)
        assert (lsu.stores, made.gpu.unfinished, lsu.open[6], made.core.warps.stores[WARP]) == (stores, 9, 0, 3)


@pytest.mark.parametrize("allocate", [0, 1])
@pytest.mark.parametrize("there", [0, 0b01])
@pytest.mark.parametrize("back", [0, 1])
def test_a_store_is_kept_passed_on_or_both(back, there, allocate):
    made = unit(write_back=back, write_allocate=allocate)
    if there:
        fill(made.lsu.cache, LINE, np.uint64(there), NOW)
    made.lsu.kind[6] = STORE
    assert give(made, SLOT) == 1
    keeps = back and (there or allocate)
    assert [row[1:] for row in sent(made)] == ([] if keeps else [(STORE, LINE, 0b11, 6)])
    assert contains(made.lsu.cache, LINE) == (0b11 if keeps or allocate else there)


@pytest.mark.parametrize("limit", [0, 4])
def test_a_dirty_line_that_has_to_go_is_nobodys_store(limit):
    made = unit(write_back=1, write_allocate=1, store_limit=limit)
    lsu = made.lsu
    lsu.kind[5:9], lsu.line[1, 3], lsu.sectors[0, 3], lsu.whole[0, 3] = STORE, LINE + 1, 0b10, 0b10
    assert [give(made, slot) for slot in range(2)] == [1, 1]
    nobodys = NOBODY + (TRACKED_TAG if limit else 0)
    assert sent(made) == [(FORWARD, STORE, LINE, 0b10, nobodys)]
    come(made, 99, 0b01, 5, NOW)  # an answer of no cache's displaces nothing
    lsu.misses.limit = 3
    lsu.kind[7], lsu.line[2, 3], lsu.open[7] = LOAD, LINE + 2, 0
    assert give(made, 2) == 1
    come(made, LINE + 2, 0b11, 7 + CACHED_TAG)
    assert sent(made)[2:] == [(0, STORE, LINE + 1, 0b11, nobodys)]
    assert (lsu.stores, made.gpu.unfinished) == ((2, 2) if limit else (0, 0))
    if limit:
        before = lsu.freed
        come(made, LINE, 0b10, nobodys)
        assert (lsu.stores, made.gpu.unfinished, lsu.freed) == (1, 1, before)


@pytest.mark.parametrize("tracks, whole", [(0, 0b01), (1, 0b11), (1, 0b01)])
@pytest.mark.parametrize("back", [0, 1])
def test_a_store_of_part_of_a_sector_takes_its_bytes_along(back, tracks, whole):
    made = unit(tracks_bytes=tracks, write_back=back, write_allocate=back)
    partial = made.gpu.partial_stores
    made.lsu.kind[6], made.lsu.whole[SLOT, 3], made.lsu.written[SLOT, 3] = STORE, whole, (7, 0, 0, 0)
    assert give(made, SLOT) == 1
    partly = tracks == 1 and whole == 0b01
    assert (partial.fresh, partial.freed) == (int(partly), int(partly and back == 1))
    if partly:
        assert partial.written[0].tolist() == [7, 0, 0, 0] and partial.whole[0] == whole
    if not back:
        assert [row[4] for row in sent(made)] == [6 + (int(partly) << EXTRA_SHIFT)]


def test_a_dirty_line_that_has_to_go_takes_along_which_bytes_were_stored():
    """Of sector 0 three bytes, of sector 1 all: the next level has to fetch the rest of the former when it is read."""
    made = unit(tracks_bytes=1, write_back=1, write_allocate=1)
    lsu, partial = made.lsu, made.gpu.partial_stores
    size = 1 << int(lsu.cache.sector_shift)
    written = 7 | ((1 << size) - 1) << size
    lsu.kind[5:7], lsu.whole[0, 3], lsu.written[0, 3] = STORE, 0b10, (written, 0, 0, 0)
    lsu.line[1, 3], lsu.whole[1, 3] = LINE + 1, 0b11
    assert [give(made, slot) for slot in range(2)] == [1, 1]
    ((_, kind, line, sectors, tag),) = sent(made)
    assert (kind, line, sectors) == (STORE, LINE, 0b11)
    entry = (tag >> EXTRA_SHIFT) - 1
    assert partial.whole[entry] == 0b10
    assert partial.written[entry].tolist() == [written, 0, 0, 0]
    assert partial.fresh - partial.freed == 1


def test_an_answer_ends_what_blocks_the_unit():
    made = unit()
    lsu = made.lsu
    lsu.open[6], lsu.blocked_since, lsu.stalled, made.gpu.wake[0] = 3, NOW - 7, 10, FOREVER
    come(made, LINE, 0b11, 6)
    assert (lsu.stalled, made.gpu.wake[0]) == (10, FOREVER)
    lsu.blocked = 1
    come(made, LINE, 0b11, 6)
    assert (lsu.blocked, lsu.stalled, made.gpu.wake[0]) == (0, 17, NOW + 1)


@pytest.mark.parametrize("counts, texture, expected", [(2, 0, (2, 1)), (1, 0, (0, 0)), (2, 1, (0, 0))])
def test_a_core_that_counts_counts_lookups_of_loads(counts, texture, expected):
    made = unit(texture=texture)
    made.core.counts = counts
    fill(made.lsu.cache, 77, np.uint64(0b11), NOW)
    made.lsu.line[1, 3] = 77
    assert [give(made, slot) for slot in range(2)] == [1, 1]
    assert (made.core.monitor.cache_reads, made.core.monitor.cache_read_misses) == expected


def test_the_event_of_a_request_says_who_asks():
    made = unit()
    made.lsu.mask[6], made.lsu.pc[6] = mask(0, 2), 1
    give(made, SLOT)
    assert events(made.gpu, made.tables) == [[NOW, REQUEST, 0, WARP, 1, 0b101, LINE, MISS]]
    made.gpu.log.tracing = 0
    give(made, SLOT + 1)
    come(made, LINE, 0b01, 6 + CACHED_TAG)
    assert len(events(made.gpu, made.tables)) == 1


@pytest.mark.parametrize("counts, texture, reads, misses", [(0, 0, 0, 0), (1, 0, 0, 0), (2, 0, 5, 2), (2, 1, 0, 0)])
def test_what_a_core_with_counters_of_its_own_reads_is_counted_and_what_its_texture_unit_reads_is_not(counts, texture, reads, misses):
    made = unit(texture=texture)
    made.core.counts = counts
    fill(made.lsu.cache, 77, np.uint64(0b11), NOW)
    made.lsu.line[:4, 3] = 77, 41, 77, 42
    for slot in (0, 1, 2, 3, 0):
        assert give(made, slot) == 1
    assert outcomes(made) == [HIT, MISS, HIT, MISS, HIT]
    assert (made.core.monitor.cache_reads, made.core.monitor.cache_read_misses) == (reads, misses)


@pytest.mark.parametrize("texture", [0, 1])
def test_only_a_texture_unit_s_hits_serve_lanes(monkeypatch, texture):
    served = []
    monkeypatch.setattr(l1_access, "serve_lanes", lambda gpu, core, access, line, now: served.append((access, line, now)))
    made = unit(texture=texture)
    fill(made.lsu.cache, LINE, np.uint64(0b11), NOW)
    made.lsu.line[2, 3] = 77
    assert [give(made, slot) for slot in (1, 2)] == [1, 1]
    assert served == ([(6, LINE, NOW)] if texture else [])


@pytest.mark.parametrize("evicted", [0, 0b101])
@pytest.mark.parametrize(("back", "partial"), [(0, -1), (1, -1), (1, 3)])
def test_a_store_is_kept_in_the_sectors_of_its_own_line_and_what_goes_for_it_is_nobodys(monkeypatch, evicted, back, partial):
    kept, sent = [], []
    lsu = SimpleNamespace(cache=SimpleNamespace(evicted_dirty=None, evicted_partly=np.uint64(0)), write_back=back)
    gpu = SimpleNamespace(partial_stores="partial stores")

    def keep_store(cache, *arguments):
        cache.evicted_dirty = np.uint64(evicted)
        kept.append(arguments)
        return 77

    monkeypatch.setattr(l1_access, "keep_store", keep_store)
    monkeypatch.setattr(l1_access, "_send_store", lambda gpu, core, lsu, *arguments: sent.append(arguments))
    l1_access._keep(gpu, None, lsu, 9, 0b11, partial, 4, 30)
    assert kept == [(9, 0b11, "partial stores", partial, 0, back, 30)]
    assert sent == ([(NOBODY, 77, evicted, -1, 4, 30)] if evicted else [])
