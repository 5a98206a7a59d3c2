"""Turns of atomics against a count by hand, and how long they keep a slice and a port against an H100's (tests/golden/h100/atomics.csv)."""

import csv
from collections import Counter, defaultdict
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warploom.machine.core.load_store.atomic_turns import count_turns
from warploom.machine.core.load_store.lane_access import Access
from warploom.machine.core.load_store.lsu import Lsu
from warploom.machine.engine.unit import mirror, zeros
from warploom.machine.memory.crossbar import Crossbar, cross_back, leave_core
from warploom.machine.memory.l2 import L2, _take_turns
from warploom.machine.memory.transactions import EXTRA_SHIFT, PASSES_SHIFT, SUM, TURNS_BITS

LINE, SECTOR = 7, 5  # log2 of their bytes
H100 = Path(__file__).parents[3] / "golden" / "h100" / "atomics.csv"
SLICE, KEPT_LINE = 2, 9


def turns(addresses, at_once=1, kind=0):
    """(turns of the most wanted word, passes) of each line of a warp's addresses, as the machine notes them."""
    lsu, access = mirror(zeros(1, Lsu))[0], mirror(zeros(1, Access))[0]
    lsu.line_shift, lsu.sector_shift = LINE, SECTOR
    lines = list(dict.fromkeys(address >> LINE for address in addresses))
    for index, line in enumerate(lines):
        lsu.line[0, index] = line
        lsu.sectors[0, index] = sum(1 << sector for sector in {address >> SECTOR & 3 for address in addresses if address >> LINE == line})
    active = np.zeros(64, np.uint32)
    active[: len(addresses)], access.address[: len(addresses)] = 1, addresses
    count_turns(lsu, access, active, len(addresses), 0, len(lines), at_once, kind)
    noted = [int(lsu.turns[0, index]) for index in range(len(lines))]
    assert all(one & SUM == kind for one in noted)
    return [((one & TURNS_BITS) + 1, (one >> PASSES_SHIFT & TURNS_BITS) + 1) for one in noted]


def by_hand(addresses, at_once):
    """A pass has one lane for each word of a sector, or as many on one word as go at once."""
    wanted = defaultdict(Counter)
    for address in addresses:
        wanted[address >> SECTOR][address >> 2] += 1
    most = {sector: max(-(-lanes // at_once) for lanes in words.values()) for sector, words in wanted.items()}
    lines = dict.fromkeys(address >> LINE for address in addresses)
    of_line = {line: [turn for sector, turn in most.items() if sector >> LINE - SECTOR == line] for line in lines}
    return [(max(each), sum(each)) for each in of_line.values()]


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(0, 99), min_size=1, max_size=32), st.sampled_from([1, 2, 16]))
def test_lanes_on_one_word_follow_each_other_and_sectors_too(words, at_once):
    addresses = [4 * word for word in words]
    assert turns(addresses, at_once) == by_hand(addresses, at_once)


def slice_cycles(rows, kind=0):
    """Cycles of a slice for each of many atomics with `rows` = [(turns, passes)] of its lines, all in that slice."""
    l2 = mirror(zeros(1, L2))[0]
    l2.atomic_pass, l2.atomic_sum = 23, 56
    now, repeats = 0, 64
    for _ in range(repeats):
        for line, (most, passes) in zip(count(KEPT_LINE), rows):
            tag = np.int64((most - 1 | passes - 1 << PASSES_SHIFT | kind) << EXTRA_SHIFT)
            _take_turns(l2, SLICE, np.int64(line), tag, np.int64(now))
            now = max(now + 1, int(l2.passing[SLICE]) >> 4, 0)
    until = max(int(l2.passing[SLICE]), int(l2.summing[SLICE])) / 16
    return until / repeats


def measured(name, words, step, place="one place", blocks=132):
    with H100.open() as file:
        for row in csv.DictReader(file):
            if row["name"] == f"atomic2.global.{name}" and row["params"] == f"words={words} step={step} {place} blocks={blocks} warps=8":
                return float(row["value"])
    raise KeyError((name, words, step, place, blocks))


@pytest.mark.parametrize("name, kind", [("red_add", 0), ("atom_add", 0), ("add_f32", SUM)])
@pytest.mark.parametrize(
    "words, step, bound",
    [(1, 4, 0.01), (2, 4, 0.01), (4, 4, 0.01), (8, 4, 0.27), (16, 4, 0.27), (32, 4, 0.25), (2, 32, 0.01), (4, 32, 0.01)],
)
def test_a_slice_takes_as_long_as_on_an_h100(name, kind, words, step, bound):
    """All multiprocessors want the same line. A pass of a whole sector takes 1.16 cycles there, others 1.45, as all do here."""
    lanes = [step * (lane % words) for lane in range(32)]
    assert slice_cycles(turns(lanes, 1, kind), kind) == pytest.approx(measured(name, words, step), rel=bound)


@pytest.mark.parametrize("name, back", [("red_add", False), ("atom_add", True)])
@pytest.mark.parametrize("words, step", [(1, 4), (32, 128)])
def test_a_core_sends_a_pass_a_cycle_and_gets_a_result_in_two(name, back, words, step):
    passes = sum(passes for _, passes in turns([step * (lane % words) for lane in range(32)]))
    crossbar = mirror(zeros(1, Crossbar))[0]
    crossbar.core_bytes = crossbar.slice_bytes = 64
    for _ in range(8):
        leave_core(crossbar, 0, 32, passes, 0)
        cross_back(crossbar, 0, 0, 32, 2 * passes, 0)
    port = crossbar.to_cores[0] if back else crossbar.to_slices[0]
    assert int(port) / 8 == pytest.approx(measured(name, words, step, "a place a warp", 1), rel=0.01)


def test_sums_of_floats_on_other_words_go_on():
    l2 = mirror(zeros(1, L2))[0]
    l2.atomic_pass, l2.atomic_sum = 16, 64
    tag = np.int64(SUM << EXTRA_SHIFT)
    assert [int(_take_turns(l2, 0, np.int64(line), tag, np.int64(now))) for now, line in ((0, 1), (1, 2), (2, 2))] == [3, 3, 6]
