"""Bank conflicts against the sets of words that each bank is asked for."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.two_engines import both
from warploom.isa.uop import NONE, Uop
from warploom.machine.core.load_store.shared_memory import bank_of, conflicts, served_together

ALL = 0xFFFFFFFF


def passes(addresses, active=None, size=4, banks=32, bank_bytes=4, atomic=0):
    """As both engines count them."""
    row, on = np.zeros(64, np.uint32), np.zeros(64, np.uint32)
    row[: len(addresses)] = addresses
    on[: len(addresses)] = ALL if active is None else active
    return both(conflicts, row, on, size, len(addresses), banks, bank_bytes, atomic)[0]


def naive(addresses, active, size, banks, bank_bytes, atomic):
    """Byte by byte: which words, of which lane where it is atomic, every bank is asked for; the longest list counts."""
    parts = max(1, size // bank_bytes)
    group = math.ceil(len(addresses) / parts)
    total = 0
    for begin in range(0, len(addresses), group):
        asked = {bank: set() for bank in range(banks)}
        for lane in range(begin, min(begin + group, len(addresses))):
            if active[lane]:
                for byte in range(addresses[lane], addresses[lane] + size):
                    asked[byte // bank_bytes % banks].add((byte // bank_bytes, lane if atomic else None))
        total += max(len(words) for words in asked.values())
    return total


@pytest.mark.parametrize("stride", [*range(1, 67), 128, 1000])
@pytest.mark.parametrize("atomic", [0, 1])
def test_a_stride_of_words_costs_its_greatest_common_divisor_with_the_banks(stride, atomic):
    assert passes([4 * stride * lane for lane in range(32)], atomic=atomic) == math.gcd(stride, 32)
    assert passes([4 * stride * (31 - lane) for lane in range(32)], atomic=atomic) == math.gcd(stride, 32)


@pytest.mark.parametrize(("size", "bank_bytes"), [(1, 4), (2, 4), (1, 8), (4, 8), (2, 16), (8, 16)])
@pytest.mark.parametrize("atomic", [0, 1])
def test_a_stride_that_is_no_number_of_words_is_counted_word_by_word(size, bank_bytes, atomic):
    """Wherever it begins, upwards and downwards: between two lanes lie now so many words, now one more."""
    for stride in range(-3 * bank_bytes + size, 5 * bank_bytes, size):
        for start, lanes in ((0, 4), (size, 8), (bank_bytes - size, 3), (bank_bytes // 2, 5)):
            addresses = [640 + start + stride * lane for lane in range(lanes)]
            expected = naive(addresses, [1] * lanes, size, 4, bank_bytes, atomic)
            assert passes(addresses, size=size, banks=4, bank_bytes=bank_bytes, atomic=atomic) == expected, (stride, start, lanes)


def test_a_word_that_all_lanes_read_is_broadcast():
    assert passes([64] * 32) == 1


def test_bytes_of_one_word_are_one_access():
    assert passes(list(range(32)), size=1) == 1


def test_two_words_of_one_bank_take_two_passes_however_many_lanes_want_them():
    assert passes([128 * (lane % 2) for lane in range(32)]) == 2


def test_a_column_of_a_tile_conflicts_and_padding_mends_it():
    assert passes([4 * 32 * row for row in range(32)]) == 32
    assert passes([4 * 33 * row for row in range(32)]) == 1


@pytest.mark.parametrize(("size", "expected"), [(4, 1), (8, 2), (16, 4)])
def test_wide_accesses_go_by_half_and_quarter_warps(size, expected):
    assert passes([size * lane for lane in range(32)], size=size) == expected


@pytest.mark.parametrize(("lanes", "size", "expected"), [(1, 8, 1), (2, 8, 2), (3, 8, 2), (1, 16, 1), (2, 16, 2), (4, 16, 4), (5, 16, 3)])
def test_a_group_of_a_wide_access_has_at_least_one_lane(lanes, size, expected):
    assert passes([size * lane for lane in range(lanes)], size=size) == expected


def test_a_half_warp_without_active_lanes_takes_no_pass():
    assert passes([8 * lane for lane in range(32)], active=[1] * 16 + [0] * 16, size=8) == 1


def test_no_active_lane_takes_no_pass():
    assert passes([0, 4, 8], active=[0, 0, 0]) == 0


def test_atomics_on_one_word_take_a_pass_a_lane():
    assert passes([64] * 32, atomic=1) == 32
    assert passes([4 * (lane // 4) for lane in range(32)], atomic=1) == 4


def test_a_number_of_banks_that_shares_no_factor_with_the_stride_never_conflicts():
    assert passes([4 * 16 * lane for lane in range(31)], banks=31) == 1
    assert passes([4 * 11 * lane for lane in range(32)], banks=33) == 11


def test_sixty_four_lanes_on_thirty_two_banks_need_two_passes():
    assert passes([4 * lane for lane in range(64)]) == 2


def test_addresses_that_wrap_around_are_no_stride():
    addresses = [4 * 10 - 4 * 20 * lane & ALL for lane in range(8)]
    assert passes(addresses, banks=33) == naive(addresses, [1] * 8, 4, 33, 4, 0)


def test_banks_of_addresses_for_pictures():
    assert bank_of(np.array([0, 3, 4, 124, 128, 132]), 32, 4).tolist() == [0, 0, 1, 31, 0, 1]


@st.composite
def accesses(draw):
    """Addresses of a warp: a stride, or anywhere in a window, aligned or not."""
    lanes = draw(st.integers(1, 64))
    size = draw(st.sampled_from([1, 2, 4, 8, 16]))
    unit = draw(st.sampled_from([1, size]))
    start = draw(st.integers(0, 500))
    if draw(st.booleans()):
        step = draw(st.integers(-20, 70))
        addresses = [unit * abs(start + step * lane) for lane in range(lanes)]
    else:
        span = draw(st.sampled_from([4, 100, 5000]))
        addresses = [unit * (start + offset) for offset in draw(st.lists(st.integers(0, span), min_size=lanes, max_size=lanes))]
    active = draw(st.just([ALL] * lanes) | st.lists(st.sampled_from([0, 1, ALL]), min_size=lanes, max_size=lanes))
    banks = draw(st.sampled_from([1, 2, 16, 31, 32, 33, 64]))
    return addresses, active, size, banks, draw(st.sampled_from([1, 2, 4, 8])), draw(st.sampled_from([0, 1]))


@settings(max_examples=400, deadline=None)
@given(accesses())
def test_agrees_with_the_words_that_every_bank_is_asked_for(access):
    assert passes(*access) == naive(*access)


def loads(*places, size=4, **fields):
    """Micro-ops of one instruction, which load from so many bytes after an address."""
    return [Uop("load", dst=8 + n, a=4, imm=place, size=size, **fields) for n, place in enumerate(places)]


@pytest.mark.parametrize(
    ("bundle", "served"),
    [
        (loads(0, 4), [8, 0]),
        (loads(16, 20, 24, 28), [16, 0, 0, 0]),
        (loads(0, 8, size=8), [16, 0]),
        (loads(0, 4, 8), [4, 4, 4]),  # neither 8 bytes nor 16
        (loads(0, 4, 8, 12, 16, 20, 24, 28), [4] * 8),
        (loads(0, 8), [4, 4]),
        (loads(0, 4, 64, 68), [8, 0, 8, 0]),
        (loads(4, 0), [4, 4]),
        ([*loads(0), *loads(4, predicate=3)], [4, 4]),
        ([*loads(0), Uop("load", dst=9, a=5, imm=4)], [4, 4]),
        ([*loads(0), Uop("store", a=4, b=9, imm=4)], [4, 4]),
        ([*loads(0), *loads(4, size=2)], [4, 2]),
        ([Uop("mov", dst=4, a=NONE), *loads(0, 4)], [None, 8, 0]),
    ],
)
def test_words_of_an_instruction_that_follow_one_another_are_one_access_of_8_or_16_bytes(bundle, served):
    uops = np.array([Uop("nop").row(), *(uop.row() for uop in bundle), Uop("nop").row()], np.int32)
    for number, expected in enumerate(served):
        if expected is not None:
            assert both(served_together, uops, 1, 1 + len(bundle), 1 + number)[0] == expected
