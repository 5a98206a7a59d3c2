"""Ballot, shuffles and match: the operations in which lanes see each other."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.datapath.alu_model import WORD, executed, warp
from warploom.isa.uop import HIDDEN, IMMEDIATE, NEGATE_PREDICATE, NONE, REGISTERS, SCALARS, Uop, scalar


@settings(deadline=None, max_examples=60)
@given(st.sampled_from([1, 4, 32, 33, 64]), st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_a_ballot_has_a_one_for_every_lane_that_takes_part_and_is_not_zero(lanes, active, nonzero, predicate):
    registers = warp(lanes, [lane for lane in range(lanes) if active >> lane & 1])
    registers["lane"][0, 1] = [lane + 1 if nonzero >> lane & 1 else 0 for lane in range(64)]
    registers["scalar"][0, 4:6] = predicate & WORD, predicate >> 32
    registers["scalar"][0, 8:10] = 0xDEADBEEF
    inside = (1 << lanes) - 1
    for uop, chosen in (
        (Uop("ballot", scalar(8), 1), inside),
        (Uop("ballot", scalar(8), 1, predicate=scalar(4)), predicate),
        (Uop("ballot", scalar(8), 1, predicate=scalar(4), flags=NEGATE_PREDICATE, size=1), ~predicate),
    ):
        low, high = executed(registers, uop, lanes)["scalar"][0, 8:10].tolist()
        assert low | high << 32 == active & nonzero & chosen & inside


def test_a_ballot_over_a_scalar_source_gives_the_mask():
    registers = warp(64, [0, 5, 40])
    assert executed(registers, Uop("ballot", scalar(0), IMMEDIATE, imm=1))["scalar"][0, :2].tolist() == [33, 1 << 8]


@settings(deadline=None, max_examples=60)
@given(st.sampled_from([1, 4, 32, 33, 64]), st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1), st.integers(0, WORD))
def test_an_or_over_lanes_has_what_those_that_take_part_hold(lanes, active, predicate, old):
    registers = warp(lanes, [lane for lane in range(lanes) if active >> lane & 1])
    registers["lane"][0, 1] = [(lane * 0x9E3779B1) & WORD & ~0x00FF0000 for lane in range(64)]
    registers["scalar"][0, 4:6] = predicate & WORD, predicate >> 32
    registers["scalar"][0, 8] = old
    for uop, chosen in (
        (Uop("or_lanes", scalar(8), 1, scalar(8)), WORD << 32 | WORD),
        (Uop("or_lanes", scalar(8), 1, scalar(8), predicate=scalar(4), size=1), predicate),
    ):
        wanted = old
        for lane in range(lanes):
            wanted |= int(registers["lane"][0, 1, lane]) if active & chosen & 1 << lane else 0
        assert executed(registers, uop, lanes)["scalar"][0, 8] == wanted


@pytest.mark.parametrize("lanes", [1, 3, 12, 32, 64])
@pytest.mark.parametrize("destination", [1, 2, 3])
def test_a_shuffle_reads_the_lane_that_is_named_even_into_a_source(lanes, destination):
    random = np.random.default_rng(lanes)
    values = random.integers(0, 1 << 32, 64, dtype=np.uint64).tolist()
    numbers = random.integers(0, 1 << 32, 64, dtype=np.uint64).tolist()
    active = [lane for lane in range(lanes) if lane % 3 != 1]
    registers = warp(lanes, active)
    registers["lane"][0, 1], registers["lane"][0, 2] = values, numbers
    expected = registers["lane"][0, destination].tolist()
    for lane in active:
        expected[lane] = values[numbers[lane] % lanes]
    assert executed(registers, Uop("shuffle", destination, 1, 2), lanes)["lane"][0, destination].tolist() == expected


def test_a_shuffle_into_a_scalar_register_reads_one_lane_active_or_not():
    registers = warp(32, [0])
    registers["lane"][0, 1, :32] = range(100, 132)
    assert executed(registers, Uop("shuffle", scalar(3), 1, IMMEDIATE, imm=7), 32)["scalar"][0, 3] == 107


def read_from(name, lane, number, segment, lanes):
    """Which lane a lane reads, from the sentences of the table."""
    number %= lanes
    own = [other for other in range(lanes) if other // segment == lane // segment]
    if name == "shuffle":
        return own[number % len(own)]
    wanted = {"shuffle_up": lane - number, "shuffle_down": lane + number, "shuffle_xor": lane ^ number}[name]
    if name == "shuffle_xor":
        return wanted if wanted <= own[-1] else lane
    return wanted if wanted in own else lane


@pytest.mark.parametrize("name", ["shuffle", "shuffle_up", "shuffle_down", "shuffle_xor"])
@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from([1, 4, 12, 32, 33, 64]),
    st.sampled_from([None, 1, 2, 4, 8, 16, 32, 64]),
    st.lists(st.integers(0, 70), min_size=64, max_size=64),
)
def test_a_shuffle_in_segments_reads_as_ptx_says(name, lanes, segment, numbers):
    registers = warp(lanes, [lane for lane in range(lanes) if lane != 2])
    registers["lane"][0, 1], registers["lane"][0, 2] = range(1000, 1064), numbers
    registers["lane"][0, 4] = 7
    uop = Uop(name, 4, 1, 2, NONE if segment is None else IMMEDIATE, imm=segment or 0)
    width = min(segment or lanes, lanes)
    expected = [1000 + read_from(name, lane, numbers[lane], width, lanes) if lane != 2 else 7 for lane in range(lanes)]
    assert executed(registers, uop, lanes)["lane"][0, 4, :lanes].tolist() == expected


def test_a_lane_register_is_found_by_a_number_that_is_known_only_now():
    registers = warp(64, [1, 2, 40])
    registers["lane"][0, 7], registers["lane"][0, 3] = range(64), range(100, 164)
    registers["scalar"][0, 9] = 5
    after = executed(registers, Uop("get_register", 4, scalar(9), imm=2))["lane"][0, 4].tolist()
    assert after == [lane if lane in (1, 2, 40) else int(registers["lane"][0, 4, lane]) for lane in range(64)]
    after = executed(registers, Uop("put_register", a=scalar(9), b=3, imm=2))["lane"][0, 7].tolist()
    assert after == [100 + lane if lane in (1, 2, 40) else lane for lane in range(64)]


@pytest.mark.parametrize("number", [HIDDEN, HIDDEN + 1, 1 << 31, WORD])
def test_a_lane_register_that_there_is_not_reads_as_the_first_and_takes_nothing(number):
    registers = warp(64, list(range(64)))
    registers["lane"][0, 0], registers["scalar"][0, 9] = range(64), number
    assert executed(registers, Uop("get_register", 4, scalar(9)))["lane"][0, 4].tolist() == list(range(64))
    after = executed(registers, Uop("put_register", a=scalar(9), b=0))
    assert after["lane"][0, :REGISTERS].tolist() == registers["lane"][0, :REGISTERS].tolist()


@settings(deadline=None, max_examples=60)
@given(st.sampled_from([1, 4, 32, 33, 64]), st.integers(0, 2**64 - 1), st.lists(st.integers(0, 3), min_size=64, max_size=64))
def test_a_match_names_the_lanes_that_hold_the_same(lanes, active, values):
    taking_part = [lane for lane in range(lanes) if active >> lane & 1]
    registers = warp(lanes, taking_part)
    registers["lane"][0, 1] = values
    for half in (0, 1):
        found = executed(registers, Uop("match_any", 4, 1, imm=half), lanes)["lane"][0, 4]
        for lane in taking_part:
            same = sum(1 << other for other in taking_part if values[other] == values[lane])
            assert found[lane] == (same >> 32 * half) & WORD


@pytest.mark.parametrize("lanes", [1, 31, 32, 33, 63, 64])
def test_a_match_of_all_lanes_counts_the_last_one_of_each_half_too(lanes):
    registers = warp(lanes, range(lanes))
    registers["lane"][0, 1, :lanes] = [lane % 3 for lane in range(lanes)]
    for half in (0, 1):
        found = executed(registers, Uop("match_any", 4, 1, imm=half), lanes)["lane"][0, 4, :lanes].tolist()
        alike = [sum(1 << other for other in range(lanes) if other % 3 == lane % 3) for lane in range(lanes)]
        assert found == [mask >> 32 * half & WORD for mask in alike]


@pytest.mark.parametrize("lanes", [4, 32, 64])
def test_a_lanes_bit_of_a_mask_is_its_own(lanes):
    mask = 0x9E3779B97F4A7C15
    registers = warp(lanes, [lane for lane in range(lanes) if lane != 3])
    registers["scalar"][0, 6:8] = mask & WORD, mask >> 32
    registers["lane"][0, 4] = 7
    found = executed(registers, Uop("lane_bit", 4, scalar(6)), lanes)["lane"][0, 4, :lanes].tolist()
    assert found == [mask >> lane & 1 if lane != 3 else 7 for lane in range(lanes)]


@pytest.mark.parametrize(("number", "lane"), [(0, 0), (5, 5), (63, 63), (64, 0), (WORD, 63)])
def test_a_word_goes_into_one_lane_whatever_mask_and_predicate_say(number, lane):
    registers = warp(64, [1, 2])
    registers["lane"][0, 4] = range(64)
    registers["scalar"][0, 3] = number
    registers["scalar"][0, 4:6] = 0
    found = executed(registers, Uop("insert_lane", 4, IMMEDIATE, scalar(3), imm=1000, predicate=scalar(4)))["lane"][0, 4].tolist()
    assert found == [1000 if one == lane else one for one in range(64)]


def test_a_scalar_register_is_found_by_a_number_that_is_known_only_now():
    registers = warp(64, [])
    registers["scalar"][0] = range(100, 100 + SCALARS)
    registers["scalar"][0, 9] = 4
    after = executed(registers, Uop("get_scalar", scalar(1), scalar(9), imm=2))["scalar"][0]
    assert after[1] == 106
    after = executed(registers, Uop("put_scalar", a=scalar(9), b=scalar(3), imm=7))["scalar"][0]
    assert after[11] == 103 and [n for n in range(SCALARS) if after[n] != registers["scalar"][0, n]] == [11]


@pytest.mark.parametrize("number", [SCALARS, SCALARS + 5, 1 << 31, WORD])
def test_a_scalar_register_that_there_is_not_reads_as_0_and_takes_nothing(number):
    registers = warp(64, [])
    registers["scalar"][0] = 50
    registers["scalar"][0, 9] = number
    assert executed(registers, Uop("get_scalar", scalar(1), scalar(9)))["scalar"][0, 1] == 0
    after = executed(registers, Uop("put_scalar", a=scalar(9), b=scalar(3)))
    assert after["scalar"].tolist() == registers["scalar"].tolist() and not after["lane"][0, :REGISTERS].any()


@settings(deadline=None, max_examples=60)
@given(st.sampled_from([1, 4, 32, 33, 64]), st.integers(0, 2**64 - 1), st.lists(st.integers(0, WORD), min_size=64, max_size=64))
def test_permute_sends_to_the_lane_that_is_named_and_the_highest_sender_wins(lanes, active, there):
    taking_part = [lane for lane in range(lanes) if active >> lane & 1]
    registers = warp(lanes, taking_part)
    registers["lane"][0, 1], registers["lane"][0, 2] = range(100, 164), there
    wanted = {there[lane] % lanes: 100 + lane for lane in taking_part}
    found = executed(registers, Uop("permute", 1, 1, 2), lanes)["lane"][0, 1]
    for lane in range(lanes):
        assert found[lane] == (wanted.get(lane, 0) if lane in taking_part else 100 + lane)
