"""Columns: what comes out is what went in, and small steps take a byte."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.observe.explorer import reader
from warploom.observe.explorer.columns import MOST, planes, steps

slow_machines = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def test_the_bytes_of_a_column_as_they_are_described():
    # 5 -> 10; 5 -> 0; 4 is one less -> 1; 204 is 200 more -> 400 = 0b11_0010000
    assert steps(np.array([5, 5, 4, 204])) == bytes([10, 0, 1, 0b1_0010000, 0b0_0000011])


def test_the_bytes_of_words_as_they_are_described():
    assert planes(np.array([0x04030201, 0xD4C3B2A1], np.uint32)) == bytes([0x01, 0xA1, 0x02, 0xB2, 0x03, 0xC3, 0x04, 0xD4])


@slow_machines
@given(st.lists(st.integers(-MOST, MOST), max_size=50))
def test_numbers_come_back(values):
    assert reader.numbers(steps(np.array(values, np.int64))) == values


@slow_machines
@given(st.lists(st.integers(0, 2**32 - 1), max_size=50))
def test_words_come_back(values):
    assert reader.words(planes(np.array(values, np.uint32))) == values


def test_what_a_page_cannot_count_is_refused():
    with pytest.raises(ValueError, match="a page counts up to 9007199254740992"):
        steps(np.array([MOST + 1]))
