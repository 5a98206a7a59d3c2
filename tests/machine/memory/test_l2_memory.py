"""What an L2 slice has to do with memory, call by call: what it sends there, what it counts, and whom it answers."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from tests.machine.core.unit_bench import bench
from warploom.machine.memory import transactions as t
from warploom.machine.memory.cache import contains, fill
from warploom.machine.memory.l2_memory import (
    accept_fill,
    change,
    end_write,
    pass_on,
    read_memory,
    send_back,
    time_to_cross,
    write_back,
    write_memory,
)
from warploom.machine.memory.line_table import add_line, find_line
from warploom.machine.memory.request import hold, request
from warploom.machine.memory.sector_masks import DIRTY

NOW, LATENCY, LINE, SLICE = 100, 20, 42, 0  # of two slices: even lines
LIMITED, UNLIMITED = 4, 0


def level(write_limit=LIMITED, channels=1, **settings):
    """An L2 of lines of 128 bytes, each two of the cores', with sectors of 16; memory takes 20 cycles."""
    gpu, cores, tables = bench(gpu__cores=3, l2__slices=2, l2__bytes=1024, l2__ways=2, l2__line=128, dram__channels=channels)
    l2 = gpu.l2
    l2.write_limit, l2.counts_writes, l2.write_back = write_limit, int(write_limit > 0), 1
    for name, value in settings.items():
        setattr(l2, name, value)
    gpu.unfinished = 10
    l2.writing[:2] = 5
    return SimpleNamespace(gpu=gpu, l2=l2, cores=cores, tables=tables)


def asked(kind=t.LOAD, core=2, line=2 * LINE + 1, sectors=0b0011, tag=7):
    """By default the upper half of LINE: sectors 4 and 5 there."""
    return request(kind, core, line, sectors, tag)


def wheel(made):
    """(cycles from now, kind, core, line, sectors, tag) of all that goes on later."""
    found = made.gpu.wheel
    columns = (found.kind, found.core, found.line, found.sectors, found.tag)
    return [(int(found.time[index]) - NOW, *(int(column[index]) for column in columns)) for index in range(found.used)]


def counts(made):
    return int(made.gpu.unfinished) - 10, (made.l2.writing[:2] - 5).tolist()


def dirty(made):
    """The dirty sectors of the only line that has some."""
    return int(made.l2.cache.masks.bytes[:, DIRTY].max())


def moved(made):
    return int(made.gpu.dram.bytes_read.sum()), int(made.gpu.dram.bytes_written.sum())


def test_the_machine_is_as_these_tests_take_it_to_be():
    made = level()
    assert (made.l2.line_shift, made.l2.ratio_shift, made.l2.sectors_a_line, made.l2.sector_shift) == (7, 1, 4, 4)
    assert made.gpu.sector_shift == 4 and made.gpu.dram.interleave_shift == 7


def test_what_goes_back_is_an_answer():
    made = level()
    send_back(made.gpu, asked(), NOW + 3)
    assert wheel(made) == [(3, t.ANSWER, 2, 2 * LINE + 1, 0b0011, 7)]


@pytest.mark.parametrize(
    "core_bytes, slice_bytes, tag, cycles",
    [(0, 0, 7, 0), (1, 0, 7, 31), (0, 1, 7, 31), (8, 0, 7, 3), (0, 16, 7, 1), (8, 16, 7, 3), (8, 16, 7 + t.TRACKED_TAG, 0), (0, 8, 7, 3)],
)
def test_an_answer_crosses_as_its_data_take(core_bytes, slice_bytes, tag, cycles):
    made = level()
    crossbar = made.gpu.crossbar
    crossbar.core_bytes, crossbar.slice_bytes = core_bytes, slice_bytes
    assert time_to_cross(made.gpu, 0, asked(tag=tag), NOW) == NOW + cycles
    assert (crossbar.out_of_slice[0] > 0) == (slice_bytes > 0) and crossbar.out_of_slice[1] == 0
    assert crossbar.to_cores[:3].tolist() == [0, 0, NOW + cycles + 1 if core_bytes else 0]
    time_to_cross(made.gpu, 1, asked(), NOW)
    assert (crossbar.out_of_slice[1] > 0) == (slice_bytes > 0)


@pytest.mark.parametrize("limit", [LIMITED, UNLIMITED, 1])
def test_what_is_passed_on_is_on_its_way_to_memory(limit):
    made = level(limit)
    pass_on(made.gpu, made.l2, 1, asked(tag=7 + t.TRACKED_TAG + (3 << t.EXTRA_SHIFT)), NOW + 4)
    assert wheel(made) == [(4, t.WRITE_MEMORY, 2, 2 * LINE + 1, 0b0011, 7 + t.TRACKED_TAG)]
    assert made.l2.passed_on == 2 and counts(made) == ((1, [0, 1]) if limit else (0, [0, 0]))


@pytest.mark.parametrize("back", [0, 1])
def test_what_an_atomic_changes_is_dirty_or_passed_on(back):
    made = level(write_back=back)
    fill(made.l2.cache, LINE, np.uint64(0xFF), NOW)
    change(made.gpu, made.l2, SLICE, LINE, np.uint64(0b110000), asked(), NOW + 4)
    assert len(wheel(made)) == 1 - back and made.l2.passed_on == 2 * (1 - back)
    assert dirty(made) == (0b110000 if back else 0)


@pytest.mark.parametrize("limit", [LIMITED, UNLIMITED, 1])
@pytest.mark.parametrize("dirty", [0, 0b10000111])
def test_dirty_sectors_of_a_line_that_goes_are_written(dirty, limit):
    made = level(limit)
    made.l2.cache.evicted_dirty = dirty
    write_back(made.gpu, made.l2, 1, np.int64(LINE + 1), NOW)
    assert moved(made) == (0, 16 * dirty.bit_count())
    tells = limit and dirty
    assert wheel(made) == ([(LATENCY - 1, t.LINE_WRITTEN, 1, LINE + 1, 0, 0)] if tells else [])
    assert counts(made) == ((1, [0, 1]) if tells else (0, [0, 0]))


@pytest.mark.parametrize(
    "limit, tag, told", [(LIMITED, 7, True), (UNLIMITED, 7, False), (UNLIMITED, 7 + t.TRACKED_TAG, True), (1, 7, True)]
)
def test_a_store_that_is_passed_on_reaches_memory(limit, tag, told):
    made = level(limit)
    write_memory(made.gpu, made.l2, asked(tag=tag), NOW)
    assert moved(made) == (0, 32)
    assert wheel(made) == ([(LATENCY - 1, t.WRITTEN, 2, 2 * LINE + 1, 0b0011, tag)] if told else [])


@pytest.mark.parametrize("tag", [7, 7 + t.TRACKED_TAG])
@pytest.mark.parametrize("kind, line, slice", [(t.WRITTEN, 2 * LINE + 1, 0), (t.WRITTEN, 2 * LINE + 2, 1), (t.LINE_WRITTEN, LINE, 1)])
def test_memory_has_taken_something(kind, line, slice, tag):
    """A slice that stood still goes on in this cycle; of a store that it tracks the core hears."""
    made = level()
    made.l2.stalled[:2] = 1
    end_write(made.gpu, made.l2, asked(kind, core=1, line=line, tag=tag), NOW)
    assert counts(made) == (-1, [-1, 0] if slice == 0 else [0, -1])
    answers = kind == t.WRITTEN and tag != 7
    turn = (0, t.SLICE_TURN, -1, slice, 0, 0)
    assert wheel(made) == ([(0, t.ANSWER, 1, line, 0b0011, tag)] if answers else []) + [turn]
    assert made.l2.stalled[:2].tolist() == [slice, 1 - slice]


def test_a_miss_reads_its_sectors_and_they_fill_the_line():
    made = level()
    read_memory(made.gpu, made.l2, asked(line=LINE, sectors=0b110001), NOW)
    assert moved(made) == (48, 0) and wheel(made) == [(LATENCY - 1, t.L2_FILL, -1, LINE, 0b110001, 0)]


@pytest.mark.parametrize("line", [LINE, LINE + 1])
def test_memory_is_asked_by_the_byte_address_of_the_line(line):
    """Its channel says which: of four, which take lines in turn."""
    calls = [
        lambda made: read_memory(made.gpu, made.l2, asked(line=line), NOW),
        lambda made: write_memory(made.gpu, made.l2, asked(line=2 * line + 1), NOW),
        lambda made: write_back(made.gpu, made.l2, 0, np.int64(line), NOW),
    ]
    for call in calls:
        made = level(channels=4)
        made.l2.cache.evicted_dirty = 1
        call(made)
        dram = made.gpu.dram
        assert np.flatnonzero(dram.bytes_read + dram.bytes_written).tolist() == [line % 4]


def test_a_channel_with_banks_has_a_queue_for_writes():
    calls = [(read_memory, 0), (write_memory, 1), (lambda gpu, l2, each, now: write_back(gpu, l2, 0, np.int64(LINE), now), 1)]
    for call, queue in calls:
        made = level()
        made.gpu.dram.banks, made.gpu.dram.row, made.l2.cache.evicted_dirty = 4, 1024, 1
        made.gpu.dram.turn[0] = 1  # the channel is busy
        call(made.gpu, made.l2, asked(line=LINE), NOW)
        assert made.gpu.dram.count[0].tolist() == [1 - queue, queue]


def waiting(made, *requests, missing=0b110001):
    """Requests that wait for LINE, of which some sectors are on their way."""
    l2 = made.l2
    entry = add_line(l2.misses, LINE)
    l2.in_use[:2] = 3
    l2.miss_sectors[entry] = missing
    indices = [int(hold(l2, each)) for each in requests]
    l2.miss_first[entry], l2.miss_last[entry] = indices[0] + 1, indices[-1] + 1
    for one, following in pairwise(indices):
        l2.next[one] = following + 1
    return entry


def test_all_that_wait_for_a_line_are_answered_when_nothing_of_it_is_missing():
    made = level()
    l2 = made.l2
    entry = waiting(made, asked(core=1, line=2 * LINE, sectors=1, tag=3), asked(), asked(t.ATOMIC, tag=9))
    l2.stalled[:2] = 1
    accept_fill(made.gpu, l2, asked(t.L2_FILL, core=-1, line=LINE, sectors=0b010001), NOW)
    assert contains(l2.cache, LINE) == 0b010001 and l2.filled == 2
    assert l2.miss_sectors[entry] == 0b100000 and wheel(made) == [] and l2.waiting == 3 and l2.stalled[0] == 1
    accept_fill(made.gpu, l2, asked(t.L2_FILL, core=-1, line=LINE, sectors=0b100000), NOW)
    assert contains(l2.cache, LINE) == 0b110001 and l2.filled == 3
    assert find_line(l2.misses, LINE) == -1 and l2.in_use[:2].tolist() == [2, 3] and l2.waiting == 0
    assert wheel(made) == [
        (0, t.DELIVERED, 1, 2 * LINE, 0b0001, 3),
        (0, t.DELIVERED, 2, 2 * LINE + 1, 0b0011, 7),
        (0, t.DELIVERED, 2, 2 * LINE + 1, 0b0011, 9),
        (0, t.SLICE_TURN, -1, SLICE, 0, 0),
    ]
    assert dirty(made) == 0b110000  # of the atomic: the upper half of the line


def test_an_atomic_of_the_lower_half_and_an_answer_that_crosses_later():
    made = level(write_back=0)
    made.gpu.crossbar.core_bytes = 8
    waiting(made, asked(t.ATOMIC, line=2 * LINE, tag=9), missing=0b11)
    accept_fill(made.gpu, made.l2, asked(t.L2_FILL, core=-1, line=LINE, sectors=0b11), NOW)
    assert wheel(made) == [(0, t.WRITE_MEMORY, 2, 2 * LINE, 0b11, 9), (3, t.DELIVERED, 2, 2 * LINE, 0b11, 9)]
    assert counts(made) == (1, [1, 0])


def test_a_fill_makes_a_dirty_line_go():
    made = level()
    cache = made.l2.cache
    for line in (LINE + 4, LINE + 8):  # of the same set, whose ways are two
        fill(cache, line, np.uint64(0xFF), NOW - 50)
    change(made.gpu, made.l2, SLICE, LINE + 4, np.uint64(0b11), asked(), NOW)
    change(made.gpu, made.l2, SLICE, LINE + 8, np.uint64(0b11), asked(), NOW)
    waiting(made, asked(), missing=0b110000)
    accept_fill(made.gpu, made.l2, asked(t.L2_FILL, core=-1, line=LINE, sectors=0b110000), NOW)
    written = [row for row in wheel(made) if row[1] == t.LINE_WRITTEN]
    assert len(written) == 1 and written[0][3] in (LINE + 4, LINE + 8) and moved(made) == (0, 32)
