"""The coalescer against a dictionary of the bytes that the lanes touch."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.two_engines import both
from warploom.machine.core.load_store.coalescer import coalesce, coalesce_by_pattern, coalesce_run, sectors_needed
from warploom.machine.engine.unit import mirror, record, unit

ALL = 0xFFFFFFFF
Settings = record(settings=dict(merge="i8", line_shift="i8", sector_shift="i8"))


@unit
def drive(settings, addresses, active, size, lanes, lines, sectors):
    return coalesce(settings[0], addresses, active, size, lanes, lines, sectors)


def transactions(addresses, active=None, size=4, merge=1, line=128, sector=32):
    """[(line number, sectors), ...] as both engines give them; line and sector in bytes."""
    lanes = len(addresses)
    row = np.zeros(64, np.uint32)
    row[:lanes] = addresses
    on = np.zeros(64, np.uint32)
    on[:lanes] = ALL if active is None else active
    shape = np.array([(merge, line.bit_length() - 1, sector.bit_length() - 1)], Settings)
    lines, sectors = np.full(128, -1), np.zeros(128, np.uint64)
    count, after = both(drive, shape, row, on, size, lanes, lines, sectors)
    # The form that native code has instead does the same in plain Python.
    by_pattern, marks = np.full(128, -1), np.zeros(128, np.uint64)
    with np.errstate(over="ignore"):
        assert coalesce_by_pattern(mirror(shape)[0], row, on, size, lanes, by_pattern, marks) == count
    assert by_pattern[:count].tolist() == after[-2][:count].tolist() and marks[:count].tolist() == after[-1][:count].tolist()
    return [(int(number), int(mask)) for number, mask in zip(after[-2][:count], after[-1][:count], strict=True)]


def naive(addresses, active, size, merge, line, sector):
    """Byte by byte: a dictionary from line to the set of its sectors, in the order of insertion."""
    found = []
    for address, on in zip(addresses, active, strict=True):
        if not on:
            continue
        if not merge or not found:
            found.append({})
        for byte in range(address, address + size):
            found[-1].setdefault(byte // line, set()).add(byte % line // sector)
    return [(number, sum(1 << s for s in touched)) for lane in found for number, touched in lane.items()]


def sectors_of(found):
    return sum(mask.bit_count() for _, mask in found)


@pytest.mark.parametrize(
    ("stride", "sectors", "lines"), [(0, 1, 1), (1, 4, 1), (2, 8, 2), (4, 16, 4), (8, 32, 8), (16, 32, 16), (32, 32, 32), (100, 32, 32)]
)
def test_sectors_and_lines_of_a_strided_warp(stride, sectors, lines):
    found = transactions([4 * stride * lane for lane in range(32)])
    assert (sectors_of(found), len(found)) == (sectors, lines)


@pytest.mark.parametrize(
    ("size", "found"), [(1, [(2, 1)]), (2, [(2, 3)]), (4, [(2, 15)]), (8, [(2, 15), (3, 15)]), (16, [(n, 15) for n in range(2, 6)])]
)
def test_consecutive_items_of_every_size(size, found):
    assert transactions([256 + size * lane for lane in range(32)], size=size) == found


def test_one_word_off_costs_one_more_line_and_one_more_sector():
    assert transactions([4 + 4 * lane for lane in range(32)]) == [(0, 15), (1, 1)]


def test_a_permutation_of_a_line_is_as_good_as_the_line_in_order():
    order = np.random.default_rng(1).permutation(32)
    assert transactions([128 + 4 * int(place) for place in order]) == [(1, 15)]


def test_lines_come_in_the_order_of_the_first_lane_that_touches_them():
    assert transactions([900, 10, 300, 905, 20], size=1) == [(7, 1), (0, 1), (2, 2)]


def test_an_access_may_straddle_two_lines():
    assert transactions([126], size=4) == [(0, 8), (1, 1)]


def test_the_last_byte_of_memory_belongs_to_the_last_line():
    assert transactions([0xFFFFFFFC, 0]) == [(0xFFFFFFFF >> 7, 8), (0, 1)]


def test_addresses_that_wrap_around_are_not_consecutive():
    assert transactions([0xFFFFFFFC, 0, 4]) == [(0xFFFFFFFF >> 7, 8), (0, 1)]


def test_inactive_lanes_ask_for_nothing():
    assert transactions([0, 5000, 4], active=[1, 0, 1]) == [(0, 1)]
    assert transactions([0, 4, 8], active=[0, 0, 0]) == []


def test_an_inactive_lane_among_consecutive_ones_leaves_its_sector_out():
    assert transactions([0, 32, 64, 96], active=[1, 1, 0, 1], size=16) == [(0, 0b1011)]
    assert transactions([64 + 16 * lane for lane in range(8)], active=[1, 1, 1, 1, 0, 0, 1, 1], size=16) == [(0, 0b1100), (1, 0b0010)]


def test_without_merging_every_active_lane_is_a_transaction():
    assert transactions([0, 4, 8, 128], active=[1, 1, 0, 1], merge=0) == [(0, 1), (0, 1), (1, 1)]


def test_the_least_number_of_sectors_is_rounded_up():
    assert [both(sectors_needed, size, 5)[0] for size in (0, 1, 32, 33, 128)] == [0, 1, 1, 2, 4]


@st.composite
def accesses(draw):
    """Addresses of a warp: a stride, anywhere in a window, or anywhere at all."""
    lanes = draw(st.integers(1, 64))
    start = draw(st.integers(0, 1 << 20) | st.integers((1 << 32) - 200, (1 << 32) - 1))
    shape = draw(st.sampled_from(["stride", "window", "anywhere"]))
    if shape == "stride":
        step = draw(st.integers(-40, 40) | st.sampled_from([128, -128, 512]))
        addresses = [(start + step * lane) % (1 << 32) for lane in range(lanes)]
    else:
        span = 300 if shape == "window" else 1 << 32
        addresses = [(start + offset) % (1 << 32) for offset in draw(st.lists(st.integers(0, span), min_size=lanes, max_size=lanes))]
    full = st.just([ALL] * lanes)
    active = draw(full | st.lists(st.sampled_from([0, 1, 1 << 31, ALL]), min_size=lanes, max_size=lanes))
    line = draw(st.sampled_from([16, 32, 64, 128, 256]))
    sector = draw(st.sampled_from([s for s in (1, 4, 16, 32, 128) if s <= line <= 64 * s]))
    return addresses, active, draw(st.sampled_from([1, 2, 4, 8, 16])), draw(st.sampled_from([0, 1])), line, sector


@settings(max_examples=300, deadline=None)
@given(accesses())
def test_agrees_with_a_dictionary_of_bytes(access):
    assert transactions(*access) == naive(*access)


def test_a_run_of_bytes_touches_these_sectors_of_these_lines():
    """Against a set of bytes; among them a run from byte 1 on whose last line has the number of the first byte shifted up."""
    source = random.Random(4)
    runs = [(1, 256, 4, 4), (0, 0, 7, 5), (127, 128, 7, 5), (0, 511, 6, 6)]
    runs += [
        (first := source.randrange(2000), first + source.randrange(512), shift, source.randint(2, shift)) for shift in (4, 5, 7, 8) * 10
    ]
    for first, last, line_shift, sector_shift in runs:
        lines, sectors, expected = np.zeros(64, np.int64), np.zeros(64, np.uint64), {}
        if line_shift - sector_shift > 6:
            continue
        count = coalesce_run(np.int64(first), np.int64(last), line_shift, sector_shift, lines, sectors)
        for byte in range(first, last + 1):
            line = byte >> line_shift
            expected[line] = expected.get(line, 0) | 1 << (byte - (line << line_shift) >> sector_shift)
        assert list(zip(lines[:count].tolist(), sectors[:count].tolist(), strict=True)) == sorted(expected.items())
