"""Pieces of native code, and the kinds of their arguments."""

import numpy as np
import pytest

from warploom.machine.engine.native.piece import Array, Piece, kind_name, kind_of
from warploom.machine.engine.unit import record
from warploom.machine.run.tables import Tables, Units

Pair = record(low="u4", high="i8")


def test_a_piece_reads_back_as_it_was_written():
    piece = Piece("_Z4unit", "<i8", b"\x7fELF\n\x00 \n")
    assert Piece.read(piece.written()) == piece


def test_the_kind_of_an_argument():
    assert kind_of(Tables()) is Tables
    assert kind_of(Units()) is Units
    assert kind_of(1) == np.int64
    assert kind_of(np.uint64(1)) == np.uint64
    assert kind_of(np.zeros(1, Pair)[0]) == Pair
    assert kind_of(np.zeros((2, 3), np.int32)) == Array(np.dtype(np.int32), 2)
    assert kind_of(np.zeros((2, 3), np.int32).T) == Array(np.dtype(np.int32), 2, "F")
    assert kind_of(np.zeros((4, 3), np.int32)[::2]) == Array(np.dtype(np.int32), 2, "A")


def test_half_a_piece_is_refused():
    whole = Piece("_Z4unit", "<i8", b"code").written()
    with pytest.raises(ValueError, match=r"^the piece is not whole$"):
        Piece.read(whole[:-1])


def test_records_that_differ_in_a_title_alone_have_names_of_their_own():
    """A room's title tells how large it is; code for one is not code for the other."""
    few, many = (np.dtype([("held", [(("groups " + rows, "rows"), "<i8")]), ("used", "<i8")]) for rows in ("64", "2064"))
    assert kind_name(few) != kind_name(many)
    assert kind_name(few) == kind_name(np.dtype([("held", [(("groups 64", "rows"), "<i8")]), ("used", "<i8")]))
