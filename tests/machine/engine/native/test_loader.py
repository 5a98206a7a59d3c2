import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import warploom
from warploom.machine.engine.native.cache import cache_directory
from warploom.machine.engine.native.loader import Native, native
from warploom.machine.engine.native.piece import Array, Hook, Piece, kind_of
from warploom.machine.engine.swaps import Socket
from warploom.machine.engine.unit import record, unit
from warploom.machine.run.tables import Tables, Units

PACKAGE = Path(warploom.__file__).parent
NUMBER = np.dtype(np.int64)
Pair = record(low="u4", high="i8")


@unit
def weighted(pair, row, factor, limit):
    """Something of everything: a record, an array, a float, an integer."""
    total = np.int64(0)
    for k in range(row.shape[0]):
        total += np.int64(row[k] * factor)
    pair.high = min(total, np.int64(limit))
    return pair.high + np.int64(pair.low)


@unit
def half(value):
    return np.float32(value) / np.float32(2)


@unit
def nothing(row):
    row[0] = 1


@unit
def is_even(value):
    return value & 1 == 0


@pytest.fixture
def empty(tmp_path, monkeypatch):
    """A new process, so to speak, with nothing in its cache."""
    monkeypatch.setenv("WARPLOOM_CACHE", str(tmp_path))
    return Native()


def pieces():
    return sorted(cache_directory().glob("*.piece"))


def test_arguments_and_results_of_every_kind_go_through():
    pair = np.zeros(1, Pair)
    pair["low"] = 5
    row = np.array([1.5, 2.5, 4.0])
    run = native().entry(weighted, (pair[0], row, 2.0, 9))
    assert run(pair[0], row, 2.0, 9) == 14
    assert int(pair["high"][0]) == 9
    assert run(pair[0], row[:1], 2.0, 9) == 8
    assert native().entry(half, (3,))(3) == 1.5
    assert native().entry(half, (np.float32(5),))(np.float32(5)) == 2.5
    assert native().entry(is_even, (3,))(3) is False
    assert native().entry(nothing, (np.zeros(1, np.int64),))(np.zeros(1, np.int64)) is None


def test_what_is_placed_once_is_taken_as_it_is():
    row = np.zeros(3, np.int64)
    run = native().entry(nothing, (row,))
    placed = native().place(row)
    assert native().place(placed) is placed
    run(placed)
    assert row.tolist() == [1, 0, 0]


def test_a_piece_is_compiled_once_and_then_loaded(empty, monkeypatch):
    assert empty.entry(half, (3,))(3) == 1.5
    assert len(pieces()) == 1
    monkeypatch.setattr(Native, "_compile", lambda *_: pytest.fail("compiled again"))
    assert Native().entry(half, (5,))(5) == 2.5


def test_each_kind_of_argument_has_a_piece_of_its_own(empty):
    empty.entry(half, (3,))
    empty.entry(half, (3.0,))
    assert len(pieces()) == 2


def test_code_for_another_processor_is_not_taken(empty, monkeypatch):
    empty.entry(half, (3,))
    other = Native()
    other._processor += ",another"
    other.entry(half, (3,))
    assert len(pieces()) == 2


@pytest.mark.parametrize("spoilt", [lambda whole: b"", lambda whole: whole[: len(whole) // 2], lambda whole: whole[:-1] + b"x"])
def test_a_file_that_is_not_whole_is_made_anew(empty, spoilt):
    empty.entry(half, (3,))
    (path,) = pieces()
    path.write_bytes(spoilt(path.read_bytes()))
    assert Native().entry(half, (3,))(3) == 1.5
    assert Piece.read(path.read_bytes()).returns == "<f4"


def test_a_piece_reads_back_as_it_was_written():
    piece = Piece("_Z4unit", "<i8", b"\x7fELF\n\x00 \n")
    assert Piece.read(piece.written()) == piece


def test_functions_of_the_users_with_one_name_are_told_apart(empty):
    def first():
        def choose(value):
            return value + 1

        return choose

    def second():
        def choose(value):
            return value + 2

        return choose

    kinds = ((NUMBER, (NUMBER,)),)
    one, two = (Hook(Socket("a place", make(), kinds), NUMBER, (NUMBER,)) for make in (first, second))
    assert empty.pointer(one) != empty.pointer(two)
    assert pieces() == []  # nobody knows what they depend on


def test_the_kind_of_an_argument():
    assert kind_of(Tables()) is Tables
    assert kind_of(Units()) is Units
    assert kind_of(1) == np.int64
    assert kind_of(np.uint64(1)) == np.uint64
    assert kind_of(np.zeros(1, Pair)[0]) == Pair
    assert kind_of(np.zeros((2, 3), np.int32)) == Array(np.dtype(np.int32), 2)
    assert kind_of(np.zeros((2, 3), np.int32).T) == Array(np.dtype(np.int32), 2, "F")
    assert kind_of(np.zeros((4, 3), np.int32)[::2]) == Array(np.dtype(np.int32), 2, "A")


WARM = """
import sys
import warploom
program = warploom.load("examples/tiny/matmul.asm")
print(warploom.GPU("tiny", engine="native").run(program).engine, "numba" in sys.modules)
"""


def test_a_table_of_another_width_than_its_layout_is_refused(empty):
    with pytest.raises(TypeError, match=r"^Tables\.uops has 3 columns, and its layout says"):
        Native().place(Tables(uops=np.zeros((2, 3), np.int32)))


def test_what_is_compiled_starts_without_numba():
    run = [sys.executable, "-c", WARM]
    subprocess.run(run, check=True, capture_output=True, cwd=PACKAGE.parent)
    assert subprocess.run(run, check=True, capture_output=True, text=True, cwd=PACKAGE.parent).stdout.split() == ["native", "False"]
