"""Masks, against Python's own integers."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.machine.two_engines import both
from warploom.machine.engine.bits import below, bit, has, lowest, ones, popcount, rest

MASKS = st.integers(0, 2**64 - 1)


@given(MASKS, st.integers(0, 63))
def test_they_are_what_integers_say(number, place):
    mask = np.uint64(number)
    assert both(popcount, mask)[0] == number.bit_count()
    assert both(has, mask, place)[0] == bool(number >> place & 1)
    assert int(both(rest, mask)[0]) == number & (number - 1)
    assert both(lowest, mask)[0] == ((number & -number).bit_length() - 1 if number else 64)
    assert int(both(bit, place)[0]) == 1 << place
    assert int(both(below, place)[0]) == (1 << place) - 1
    assert int(both(ones, place + 1)[0]) == (1 << (place + 1)) - 1
