"""Masks, against Python's own integers."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.machine.two_engines import both
from warploom.machine.engine.bits import after, below, bit, has, highest, lowest, ones, popcount, rest

pytestmark = pytest.mark.filterwarnings("ignore:overflow")  # products wrap
MASKS = st.integers(0, 2**64 - 1)


@given(MASKS, st.integers(0, 63))
@example(1, 63)  # a shift by 64 differs from host to host
def test_they_are_what_integers_say(number, place):
    mask = np.uint64(number)
    assert both(popcount, mask)[0] == number.bit_count()
    assert both(has, mask, place)[0] == bool(number >> place & 1)
    assert int(both(rest, mask)[0]) == number & (number - 1)
    assert both(lowest, mask)[0] == ((number & -number).bit_length() - 1 if number else 64)
    assert int(both(bit, place)[0]) == 1 << place
    assert int(both(below, place)[0]) == (1 << place) - 1
    assert int(both(ones, place + 1)[0]) == (1 << (place + 1)) - 1


def test_the_highest_one():
    for place in range(64):
        for number in (1 << place, (2 << place) - 1, 1 << place | (1 << place) // 5):
            assert both(highest, np.uint64(number))[0] == place


@given(MASKS, st.integers(1, 64), st.integers(0, 63))
def test_the_first_after_one_goes_round(number, warps, last):
    held, last = [warp for warp in range(warps) if number >> warp & 1], last % warps
    expected = next((warp for warp in held if warp > last), held[0]) if held else -1
    assert after(np.uint64(number % (1 << warps)), last, warps) == expected


@pytest.mark.parametrize("ask", [popcount, lowest, highest])
def test_a_number_with_a_sign_is_no_mask(ask):
    with pytest.raises(OverflowError, match="Python integer -6 out of bounds for uint64"):
        ask(~5)


@pytest.mark.parametrize("number", [-1, 64])
def test_a_mask_has_64_bits(number):
    with pytest.raises(IndexError, match=f"there is no bit {number} in a mask"):
        bit(number)
