"""Labels: which mark a name or a number means, and where it lies."""

from collections import namedtuple

import pytest

from warploom.isa.labels import address_of, mark_of

Piece = namedtuple("Piece", "section address size")
PIECES = [Piece(0, 0x100, 4), Piece(1, 0x800, 8), Piece(0, 0x104, 8)]
BASES = (0x100, 0x800, 0x900)


@pytest.mark.parametrize(
    ("mark", "address"), [((0, 0), 0x100), ((0, 1), 0x104), ((0, 3), 0x10C), ((1, 0), 0x800), ((1, 2), 0x808), ((2, 1), 0x900)]
)
def test_a_mark_is_before_the_next_piece_of_its_section_or_behind_the_last(mark, address):
    assert address_of(mark, PIECES, BASES) == address


def test_a_number_is_the_nearest_before_or_after():
    numbered = [("1", 0, 0), ("2", 0, 1), ("1", 0, 2), ("1", 0, 5)]
    assert [mark_of(label, 3, {}, numbered) for label in ("1b", "1f", "2b", "2f", "3b")] == [(0, 2), (0, 5), (0, 1), None, None]


def test_a_name_is_its_mark():
    assert mark_of("loop", 0, {"loop": (1, 2)}, []) == (1, 2)
    assert mark_of("end", 0, {"loop": (1, 2)}, []) is None
