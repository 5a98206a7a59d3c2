"""Address patterns: the plain loops and their native forms against lists."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.two_engines import both
from warploom.machine.core.load_store.address_pattern import address_range, extent, is_run
from warploom.machine.engine.unit import unit

ALL, WRAP = 0xFFFFFFFF, 1 << 32


@unit
def drive(addresses, active, stride, lanes, found):
    found[0] = is_run(addresses, active, stride, lanes)
    found[1], found[2] = address_range(addresses, active, lanes)


def said(addresses, active, stride):
    """(is it a run, lowest, highest) as both engines say."""
    rows = [np.array(row, np.uint64).astype(np.uint32) for row in (addresses, active)]
    _, after = both(drive, *rows, stride, len(addresses), np.zeros(3, np.int64))
    return bool(after[-1][0]), int(after[-1][1]), int(after[-1][2])


@st.composite
def warps(draw):
    """Addresses with a stride, of which some lanes may be elsewhere or inactive."""
    lanes, stride = draw(st.integers(1, 64)), draw(st.integers(-70, 70))
    start = draw(st.integers(0, ALL) | st.integers(WRAP - 100, ALL))
    addresses = [(start + stride * lane) % WRAP for lane in range(lanes)]
    for lane in draw(st.lists(st.integers(0, lanes - 1), max_size=2)):
        addresses[lane] = draw(st.integers(0, ALL))
    active = draw(st.just([ALL] * lanes) | st.lists(st.sampled_from([0, 1, ALL]), min_size=lanes, max_size=lanes))
    return addresses, active, stride


@settings(max_examples=200, deadline=None)
@given(warps())
def test_they_are_what_lists_say(warp):
    addresses, active, stride = warp
    run = all(active) and all(b == (a + stride) % WRAP for a, b in pairwise(addresses))
    there = [address for address, on in zip(addresses, active, strict=True) if on]
    found = said(*warp)
    assert found[0] == run
    if there:
        assert found[1:] == (min(there), max(there))
    else:
        assert found[1] > found[2]


@unit
def drive_extent(bases, offset, active, lanes, found):
    found[0], found[1], found[2] = extent(bases, offset[0], active, lanes)


@settings(max_examples=200, deadline=None)
@given(warps(), st.integers(0, ALL), st.integers(0, ALL))
def test_the_extent_of_a_warp_is_that_of_its_active_lanes(warp, beyond, offset):
    """In rows of 64, of which what lies beyond the warp's lanes says nothing."""
    addresses, active, _ = warp
    lanes = len(addresses)
    rows = np.full(64, beyond, np.uint32), np.zeros(64, np.uint32)
    rows[0][:lanes] = [(address - offset) % WRAP for address in addresses]
    rows[1][:lanes] = [ALL if on else 0 for on in active]
    _, after = both(drive_extent, rows[0], np.array([offset], np.uint32), rows[1], lanes, np.zeros(3, np.int64))
    there = [address for address, on in zip(addresses, active, strict=True) if on]
    assert after[-1].tolist() == [min(there, default=ALL), max(there, default=-1), int(np.bitwise_or.reduce(there)) if there else 0]
