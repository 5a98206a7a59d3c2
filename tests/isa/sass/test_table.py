import random

import pytest

from tests.isa.sass.places import ARCHITECTURES, GOLDEN, bytes_of
from warploom.isa.sass import cubin
from warploom.isa.sass.instruction import encode
from warploom.isa.sass.table import ROWS, decode, decoded


def _instructions(architecture):
    for name, kernel in cubin.read(bytes_of(architecture), "k.cubin").kernels.items():
        for one in decoded(kernel.code, architecture):
            yield name, one


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_every_line_is_that_of_nvidias_disassembler(architecture):
    """Recorded with nvdisasm 13.5.37, jumps to labels as addresses."""
    wanted, name = {}, ""
    for line in (GOLDEN / f"kernels_sm_{architecture}.txt").read_text().splitlines():
        if line.endswith(":"):
            name = line[:-1]
        else:
            address, _, text = line.partition(" ")
            wanted[name, int(address, 16)] = text
    found = {(name, one.address): one.text() for name, one in _instructions(architecture) if (name, one.address) in wanted}
    assert len(found) == len(wanted) > 700
    assert {place: (found[place], text) for place, text in wanted.items() if found[place] != text} == {}


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_encoding_gives_the_word_back(architecture):
    for _, one in _instructions(architecture):
        assert one.row is not None
        assert encode(one) == one.word


def test_a_field_is_patched_by_its_name():
    (one,) = (one for name, one in _instructions(80) if name == "saxpy" and one.name == "STG")
    patched = one.changed(data=77, stall=9, write=3)
    assert patched.text() == "STG.E [R4.64], R77"
    assert (patched.control.stall, patched.control.write) == (9, 3)
    assert encode(patched.changed(data=one.fields["data"], stall=one.control.stall, write=one.control.write)) == one.word
    with pytest.raises(ValueError, match="does not fit into 8 bits"):
        one.changed(data=256)


def test_no_two_rows_have_the_same_word():
    taken = [(form, row.code) for row in ROWS for form in row.forms]
    assert len(taken) == len(set(taken))


def test_words_with_random_bits_never_raise():
    chosen = random.Random(7)
    words = [one.word for _, one in _instructions(90)]
    known = 0
    for _ in range(3000):
        word = chosen.choice(words)
        for _ in range(chosen.choice((1, 3, 40))):
            word ^= 1 << chosen.randrange(128)
        one = decode(word, 16 * chosen.randrange(100), chosen.choice((75, 80, 90)))
        assert isinstance(one.text(), str)
        assert encode(one) == word
        known += one.row is not None
    for row in ROWS:
        for form in row.forms:
            for rest in (0, (1 << 128) - 1, chosen.getrandbits(128)):
                one = decode(rest >> 12 << 12 | form << 9 | row.code, 0, 90)
                assert one.text() and encode(one) == one.word
    assert 0 < known < 3000


def test_control_words_are_read():
    (load,) = (one for name, one in _instructions(80) if name == "saxpy" and one.text() == "LDG.E R2, [R2.64]")
    assert (load.control.write, load.control.read, load.control.runs_on) == (2, 7, False) or load.control.write < 6
    assert str(load.control).split()[0] == str(load.control.stall)
