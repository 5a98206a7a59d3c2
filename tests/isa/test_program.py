"""A program's texts as one listing, and the line of it that an instruction came from."""

import pickle
from dataclasses import replace

from tests.machine.tiny_kernels import assemble
from warploom.isa import uop as u
from warploom.isa.program import Source


def of(sources, *positions):
    """A program with an instruction at each (file, line)."""
    program = assemble("NOP\n" * (len(positions) - 1) + "RET")
    code = program.code.copy()
    code[:, [u.FILE, u.LINE]] = positions
    return replace(program, code=code, sources=tuple(Source(text, path) for path, text in sources))


def test_of_one_text_the_listing_is_the_text():
    program = of([("a.c", "one\ntwo")], (0, 2), (0, 0))
    assert program.listing[0] == ["one", "two"]
    assert [program.row(number) for number in range(2)] == [2, 0]


def test_of_several_texts_each_stands_below_its_path():
    program = of([("a.c", "one\ntwo"), ("b.c", "three")], (0, 2), (1, 1), (1, 2))
    assert program.listing[0] == ["a.c:", "one", "two", "b.c:", "three"]
    assert [program.row(number) for number in range(3)] == [3, 5, 0]


def test_a_file_that_is_not_there_has_no_line():
    program = of([("start.S", ""), ("a.c", "one\ntwo"), ("spawn.c", "\n")], (0, 45), (1, 2), (2, 498))
    assert program.listing[0] == ["one", "two"]
    assert [program.row(number) for number in range(3)] == [0, 2, 0]


def test_another_process_gets_no_listing_and_makes_its_own():
    program = of([("a.c", "one\ntwo")], (0, 2))
    assert program.listing
    copy = pickle.loads(pickle.dumps(program))
    assert "listing" not in vars(copy) and copy.listing == program.listing
