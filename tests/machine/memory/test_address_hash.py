"""Address hashes: every group of lines uses every place once, and which strides camp in a few of them."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.two_engines import both
from warploom.machine.engine.unit import mirror, unit, zeros
from warploom.machine.memory.address_hash import HASHES, POLYNOMIALS, AddressHash, _folded, configure, group_of, place_of


@unit
def drive(hashes, lines, answers):
    for k in range(lines.shape[0]):
        answers[k, 0] = place_of(hashes[0], lines[k])
        answers[k, 1] = group_of(hashes[0], lines[k])


def placed(count, kind, lines):
    """(place, group) of each line, as both engines say."""
    hashes = zeros(1, AddressHash)
    configure(mirror(hashes)[0], count, kind)
    _, after = both(drive, hashes, np.array(lines, np.int64), np.zeros((len(lines), 2), np.int64))
    return [tuple(row) for row in after[2].tolist()]


def fullest(count, kind, stride):
    """How many times its share the fullest place has of lines that lie `stride` apart."""
    found = Counter(place for place, _ in placed(count, kind, [stride * k for k in range(64 * count)]))
    return max(found.values()) / 64


@pytest.mark.parametrize("kind", HASHES)
@settings(max_examples=30, deadline=None)
@given(count=st.integers(1, 100), group=st.integers(0, 1 << 24))
def test_a_group_of_lines_has_one_in_each_place(kind, count, group):
    found = placed(count, kind, range(group * count, (group + 1) * count))
    assert sorted(place for place, _ in found) == list(range(count))
    assert {number for _, number in found} == {group}


def test_modulo_is_the_line_modulo_the_places():
    assert placed(24, "modulo", range(100)) == [(line % 24, line // 24) for line in range(100)]


def fold_xor(number, bits):
    """Exclusive or of all pieces of so many bits."""
    found = 0
    for shift in range(0, 32, bits):
        found ^= number >> shift & ((1 << bits) - 1)
    return found


def fold_ipoly(number, bits):
    """The rest of the polynomial in a division by the irreducible one of that degree, term by term."""
    divisor = POLYNOMIALS[bits]
    for power in range(31, bits - 1, -1):
        if number >> power & 1:
            number ^= divisor << (power - bits)
    return number


@pytest.mark.parametrize(("kind", "fold"), [("xor", fold_xor), ("ipoly", fold_ipoly)])
@settings(max_examples=30, deadline=None)
@given(count=st.integers(2, 100), group=st.integers(0, 1 << 24), within=st.integers(0, 99))
def test_a_hash_adds_its_groups_number_folded_and_without_carries_where_it_can(kind, fold, count, group, within):
    offset, folded = within % count, fold(group, (count - 1).bit_length())
    expected = (offset + folded) % count if count & (count - 1) else offset ^ folded
    assert placed(count, kind, [group * count + offset]) == [(expected, group)]


@pytest.mark.parametrize(("kind", "fold"), [("xor", fold_xor), ("ipoly", fold_ipoly)])
@pytest.mark.parametrize("bits", range(1, len(POLYNOMIALS)))
def test_a_number_is_folded_to_the_bits_of_a_place(kind, fold, bits):
    numbers = [*range(1 << bits + 2 if bits < 6 else 1), *(1 << power for power in range(32)), 0x89ABCDEF, 0xFFFFFFFF]
    assert [_folded(number, bits, kind) for number in numbers] == [fold(number, bits) for number in numbers]


def test_lines_a_power_of_two_apart_camp_in_one_place_of_modulo_and_spread_under_a_hash():
    assert fullest(32, "modulo", 32) == 32
    assert fullest(48, "modulo", 1024) == 16
    for kind in ("xor", "ipoly"):
        assert all(fullest(count, kind, 1 << power) < 3 for count in (24, 32, 48, 64, 80) for power in range(11))


def test_a_hash_is_linear_so_two_arrays_a_power_of_two_apart_never_meet_line_by_line():
    one, other = (placed(64, "ipoly", [base + line for line in range(4096)]) for base in (0, 1 << 16))
    assert all(a[0] != b[0] for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("degree", range(1, len(POLYNOMIALS)))
def test_the_polynomials_are_irreducible(degree):
    def remainder(number, divisor):
        while number.bit_length() >= divisor.bit_length():
            number ^= divisor << (number.bit_length() - divisor.bit_length())
        return number

    assert POLYNOMIALS[degree].bit_length() == degree + 1
    assert all(remainder(POLYNOMIALS[degree], divisor) for divisor in range(2, 1 << (degree // 2 + 1)))
