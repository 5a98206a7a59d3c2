"""The ring of alarms: which masks ring when, plainly."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warploom.machine.core.warps.alarms import SLOTS, Alarms, next_ringing, ring_in, ringing_in
from warploom.machine.engine.unit import FOREVER, mirror


def fresh():
    (alarms,) = mirror(np.zeros(1, Alarms))
    return alarms


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 1000), st.lists(st.tuples(st.integers(0, 63), st.integers(0, SLOTS - 1)), max_size=12))
def test_each_warp_rings_in_its_cycle_and_in_no_other(now, asked):
    alarms = fresh()
    for warp, ahead in asked:
        ring_in(alarms, warp, now + ahead, now)
    expected = {}
    for warp, ahead in asked:
        expected[now + ahead] = expected.get(now + ahead, 0) | 1 << warp
    for cycle in range(now, now + SLOTS):
        assert int(ringing_in(alarms, cycle)) == expected.get(cycle, 0)
        assert next_ringing(alarms.ringing, cycle) == min((time for time in expected if time > cycle), default=FOREVER)
    assert alarms.ringing == 0 and not alarms.warps.any()


@pytest.mark.parametrize("ahead", [SLOTS, SLOTS + 1, 10 * SLOTS])
def test_what_is_farther_ahead_than_the_ring_reaches_rings_early(ahead):
    alarms = fresh()
    ring_in(alarms, 5, 7 + ahead, 7)
    assert next_ringing(alarms.ringing, 7) == 7 + SLOTS - 1
    assert int(ringing_in(alarms, 7 + SLOTS - 1)) == 1 << 5


def test_it_rings_once():
    alarms = fresh()
    ring_in(alarms, 5, 9, 7)
    assert int(ringing_in(alarms, 9)) == 1 << 5
    assert int(ringing_in(alarms, 9)) == 0 and int(ringing_in(alarms, 9 + SLOTS)) == 0
