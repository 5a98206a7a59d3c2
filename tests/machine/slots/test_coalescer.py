"""The coalescer slot: ours through the door is ours, others change the transactions and never the memory."""

from __future__ import annotations

import numpy as np
import pytest

from tests.machine.slots.running import ran, same_in_both
from warploom.machine.core.load_store.coalescer import coalesce
from warploom.machine.core.load_store.lsu import Lsu
from warploom.machine.engine.unit import mirror, zeros
from warploom.machine.slots.coalescer import are_transactions, half_warp
from warploom.units import UnitError


def too_many(lsu, addresses, active, size, lanes, lines, sectors):
    return 1 << 20


def a_line_below_memory(lsu, addresses, active, size, lanes, lines, sectors):
    lines[0] = -1
    sectors[0] = 1
    return 1


def a_sector_too_far(lsu, addresses, active, size, lanes, lines, sectors):
    lines[0] = 0
    sectors[0] = 1 << 40
    return 1


def no_sector(lsu, addresses, active, size, lanes, lines, sectors):
    lines[0] = 0
    sectors[0] = 0
    return 1


@pytest.mark.parametrize("program", ["guppy/load_strided.guppy", "guppy/load_coalesced.guppy", "guppy/texture.guppy"])
def test_ours_through_the_door_is_ours(program):
    assert ran({"coalescer": coalesce}, program=program)[1].counters == ran({}, program=program)[1].counters


def test_half_a_warp_at_a_time_sends_a_line_twice():
    _, whole = ran({"coalescer": "whole_warp"}, program="guppy/load_coalesced.guppy")
    _, half = same_in_both({"coalescer": half_warp}, program="guppy/load_coalesced.guppy")
    assert half.counters["transactions"] == 2 * whole.counters["transactions"]
    assert (half.memory == whole.memory).all()


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize("unit", [too_many, a_line_below_memory, a_sector_too_far, no_sector])
def test_what_are_no_transactions_is_refused(unit, engine):
    with pytest.raises(UnitError, match=rf"{unit.__name__} returned \d+; a coalescer returns how many transactions it has written, each "):
        ran({"coalescer": unit}, engine)


# (line, sectors) of each transaction that is written, and whether these are transactions: a line of 128 bytes has four sectors of 32.
WRITTEN = [
    ([], True),
    ([(0, 0b1)], True),
    ([(0, 0b1111)], True),
    ([(0, 0b10000)], False),
    ([(0, 0)], False),
    ([(-1, 1)], False),
    ([((1 << 25) - 1, 1)], True),  # the last line that an address of 32 bits can have
    ([(1 << 25, 1)], False),
    ([(3, 1), (2, 0b100)], True),
    ([(3, 1), (2, 0)], False),
    ([(0, 1)] * 8, True),  # as many as there is room for
]


@pytest.mark.parametrize(("written", "are"), WRITTEN)
def test_a_transaction_is_a_line_of_memory_and_some_of_its_sectors(written, are):
    lsu = mirror(zeros(1, Lsu))[0]
    lsu.line_shift, lsu.sector_shift = 7, 5
    lines, sectors = np.zeros(8, np.int64), np.zeros(8, np.uint64)
    for index, (line, mask) in enumerate(written):
        lines[index], sectors[index] = line, mask
    assert are_transactions(len(written), lsu, None, None, 4, 32, lines, sectors) == are
    assert not are_transactions(9, lsu, None, None, 4, 32, lines, sectors)
    assert not are_transactions(-1, lsu, None, None, 4, 32, lines, sectors)


def test_a_line_of_64_sectors_may_send_each_of_them():
    lsu = mirror(zeros(1, Lsu))[0]
    lsu.line_shift, lsu.sector_shift = 8, 2
    assert are_transactions(1, lsu, None, None, 4, 32, np.zeros(1, np.int64), np.full(1, 1 << 63, np.uint64))


@pytest.mark.parametrize(
    ("addresses", "active", "sent"),
    [
        ((0, 4, 8, 12), (1, 1, 1, 1), [(0, 1), (0, 1)]),  # each half sends the line
        ((0, 4, 128, 132), (1, 1, 1, 1), [(0, 1), (1, 1)]),
        ((0, 128, 0, 128), (1, 0, 0, 1), [(0, 1), (1, 1)]),
        ((0, 4, 8, 12), (0, 0, 1, 1), [(0, 1)]),
        ((0, 4, 8), (1, 1, 1), [(0, 1), (0, 1)]),  # of an odd number the second half is larger
        ((256, 4, 8), (1, 1, 1), [(2, 1), (0, 1)]),
    ],
)
def test_the_halves_of_a_warp_send_for_themselves(addresses, active, sent):
    lsu = mirror(zeros(1, Lsu))[0]
    lsu.line_shift, lsu.sector_shift, lsu.merge = 7, 5, 1
    lines, sectors = np.zeros(8, np.int64), np.zeros(8, np.uint64)
    count = half_warp(lsu, np.array(addresses, np.uint32), np.array(active, np.uint32), 4, len(addresses), lines, sectors)
    assert list(zip(lines[:count].tolist(), sectors[:count].tolist(), strict=True)) == sent
