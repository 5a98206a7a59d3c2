"""The coalescer slot: ours through the door is ours, others change the transactions and never the memory."""

from __future__ import annotations

import pytest

from tests.machine.slots.running import ran, same_in_both
from warploom.machine.core.load_store.coalescer import coalesce
from warploom.machine.slots.coalescer import half_warp
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
