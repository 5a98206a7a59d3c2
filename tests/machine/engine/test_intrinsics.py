"""The fused multiply-add against exact fractions, on both engines."""

import math

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.machine.datapath.alu_model import EDGES, WORD, multiply_add, value
from tests.machine.two_engines import both
from warploom.machine.engine.intrinsics import fused
from warploom.machine.engine.unit import unit

words = st.one_of(
    st.sampled_from(EDGES), st.integers(0, WORD), st.floats(0.5, 2, width=32).map(lambda x: int(np.float32(x).view(np.uint32)))
)


@unit
def run(row, out):
    """What both engines execute."""
    out[0] = fused(row[0], row[1], row[2])


def fused_bits(a, b, c):
    with np.errstate(all="ignore"):
        return int(both(run, np.array([a, b, c], np.uint32).view(np.float32), np.zeros(1, np.float32))[1][1].view(np.uint32)[0])


@settings(deadline=None, max_examples=1000)
@given(words, words, words)
@example(0x3F800001, 0x3F800001, 0xBF800002)  # the product's last bit alone
@example(0x00000001, 0x3F000000, 0x00000001)  # a tie among subnormal numbers
@example(0x7F7FFFFF, 0x3F800000, 0x73000000)  # a tie at the largest float
@example(0x39800001, 0x397FFFFE, 0x3F800001)  # a tie in 64 bits that is none
def test_the_result_is_the_exact_one_rounded_once(a, b, c):
    exact = multiply_add(a, b, c)
    if not math.isnan(value(exact)):
        assert fused_bits(a, b, c) == exact


def test_a_sum_just_below_a_tie_is_not_rounded_up_though_64_bits_cannot_tell():
    """(1 + e) (1 - e) 2^-24 + (1 + e), e = 2^-23, lies 2^-70 below the middle of two floats."""
    a, b, c = 0x39800001, 0x397FFFFE, 0x3F800001
    assert np.float32(value(a) * value(b) + value(c)).view(np.uint32) == 0x3F800002
    assert fused_bits(a, b, c) == 0x3F800001
