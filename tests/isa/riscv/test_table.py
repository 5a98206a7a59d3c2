"""The instruction table of RISC-V: encodings, decoding, disassembly and assembly."""

import re
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warploom.isa.diagnostics import Diagnostics, SourceError
from warploom.isa.program import Source
from warploom.isa.riscv.assembler import assemble
from warploom.isa.riscv.csr import CSRS
from warploom.isa.riscv.disassembler import disassemble
from warploom.isa.riscv.fields import Encoding
from warploom.isa.riscv.instruction import field_of
from warploom.isa.riscv.table import BY_MNEMONIC, INSTRUCTIONS, TABLE, base_of

ROWS = pytest.mark.parametrize("row", INSTRUCTIONS, ids=lambda row: row.mnemonic)


@st.composite
def words(draw, row):
    """A word of a row, as its operands can be written."""
    values = {}
    for field in row.encoding.fields:
        least, most, step = row.encoding.range_of(field)
        choice = st.integers(least // step, most // step).map(lambda number, step=step: number * step)
        if field == "rm":
            choice = st.sampled_from([0, 1, 2, 3, 4, 7])
        if field == "csr":
            choice = st.sampled_from([csr.number for csr in CSRS])
        if field in ("pred", "succ"):
            choice = st.integers(1, 15)
        values[field] = draw(choice.filter(lambda value, field=field: value not in row.excluded.get(field, ())))
    return row.encoding.encode(values)


def overlap(one, other):
    """Whether some word is both, as far as fixed bits say."""
    common = one.encoding.mask & other.encoding.mask
    return one.size == other.size and (one.encoding.match ^ other.encoding.match) & common == 0


def test_no_two_encodings_overlap():
    """Where the fixed bits of two rows leave room for both, a word of the narrower one is excluded from the other."""
    for one, other in combinations(INSTRUCTIONS, 2):
        if overlap(one, other):
            narrow, wide = sorted((one, other), key=lambda row: -row.encoding.mask.bit_count())
            free = narrow.encoding.fields
            for bits in range(16):
                values = {field: narrow.encoding.range_of(field)[bits >> number & 1] // narrow.encoding.range_of(field)[2]
                          * narrow.encoding.range_of(field)[2] for number, field in enumerate(free)}  # fmt: skip
                word = narrow.encode(values)
                assert not (narrow.matches(word) and wide.matches(word)), (narrow.mnemonic, wide.mnemonic, hex(word))


@settings(max_examples=2000, deadline=None)
@given(st.integers(0, (1 << 32) - 1), st.sampled_from(INSTRUCTIONS))
def test_a_word_is_at_most_one_instruction(word, row):
    """Any word with the fixed bits of some row."""
    word = (word & ~row.encoding.mask | row.encoding.match) & (1 << row.encoding.bits) - 1
    assert sum(other.matches(word) for other in INSTRUCTIONS if other.size == row.size) <= 1


def test_short_and_long_words_are_told_apart_by_their_lowest_two_bits():
    assert all((row.encoding.match & 3 == 3) == (row.size == 4) for row in INSTRUCTIONS)


def test_every_operand_is_a_field_of_its_row():
    for row in INSTRUCTIONS:
        written = {field_of(name) for name in row.names} - {"sp"}
        assert written <= set(row.encoding.fields), row.mnemonic
        assert set(row.encoding.fields) - written <= {"aq", "rl", "rm"}, row.mnemonic


def test_an_encoding_that_is_not_a_whole_word_is_refused():
    with pytest.raises(ValueError, match="it has 12 bits, not 32"):
        Encoding("rd 0110011").mask  # noqa: B018


@pytest.mark.every(3)
@ROWS
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_encoding_and_decoding_are_inverse(row, data):
    word = data.draw(words(row))
    assert TABLE.row_of(word) is row
    assert row.encoding.encode(row.encoding.decode(word)) == word


@pytest.mark.every(3)
@ROWS
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_what_is_disassembled_assembles_to_the_same_word(row, data):
    word = data.draw(words(row))
    decoded = TABLE.decode(word.to_bytes(row.size, "little"), 0, 0x80000000)
    text = disassemble(decoded)
    assert assembled(text) == word.to_bytes(row.size, "little"), text


LOADED = r"^addi (\w+), zero, "


@pytest.mark.every(3)
@ROWS
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_the_disassembly_is_capstones(row, data):
    capstone = pytest.importorskip("capstone")
    engine = capstone.Cs(capstone.CS_ARCH_RISCV, capstone.CS_MODE_RISCV32 | capstone.CS_MODE_RISCVC)
    word = data.draw(words(row))
    found = list(engine.disasm(word.to_bytes(row.size, "little"), 0x80000000))
    ours = disassemble(TABLE.decode(word.to_bytes(row.size, "little"), 0, 0x80000000))
    if found and row.extension != "Zicond":  # capstone 5 does not know those
        # Capstone spells some loads of a constant as the addition that they are.
        theirs = f"{found[0].mnemonic} {found[0].op_str}".strip()
        assert re.sub(LOADED, r"li \1, ", ours) == re.sub(LOADED, r"li \1, ", theirs)


@pytest.mark.parametrize("row", [row for row in INSTRUCTIONS if row.size == 2], ids=lambda row: row.mnemonic)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_a_short_instruction_stands_for_a_long_one(row, data):
    base, values = base_of(row, row.encoding.decode(data.draw(words(row))))
    assert base.size == 4
    word = base.encode(values)
    assert base.encoding.decode(word) == {name: values.get(name, base.defaults.get(name, 0)) for name in base.encoding.fields}


def test_words_that_are_nothing():
    assert TABLE.row_of(0) is None  # all zeros are not an instruction, by intent
    assert TABLE.row_of(0xFFFFFFFF) is None
    assert BY_MNEMONIC["c.lui"].matches(0x6101) is False  # c.addi16sp
    decoded = TABLE.decode(b"\xff\xff\xff\xff", 0, 0)
    assert disassemble(decoded) == ".word 0xffffffff"


def assembled(text):
    source = Source(text, "test.rv")
    return assemble(source, Diagnostics(source)).image.segments[0].data[: 2 if text.startswith("c.") else None]


def errors(text):
    with pytest.raises(SourceError) as caught:
        assembled(text)
    return [item.message for item in caught.value.diagnostics]


def test_constants_of_any_size():
    assert assembled("li a0, -1") == assembled("addi a0, zero, -1")
    assert assembled("li a0, 0x12345678") == assembled("lui a0, 0x12345\naddi a0, a0, 0x678")
    assert assembled("li a0, 0xfffff800") == assembled("lui a0, 0x0\naddi a0, a0, -2048")
    assert assembled("li a0, 0x12345fff") == assembled("lui a0, 0x12346\naddi a0, a0, -1")
    assert assembled("x: la a0, x") == assembled("lui a0, 0x80000\naddi a0, a0, 0")


def test_everything_wrong_is_said_at_once():
    text = (
        "addd a0, a1\nadd a0, a1\nadd a0, a1, q1\naddi a0, a0, 5000\nj nowhere\nx:\nx: ret\nfadd.s fa0, fa1, fa2, abc\n.word\nc.sub a0, t0"
    )
    assert errors(text) == [
        "there is no instruction 'addd', did you mean 'add'?",
        "the operands are not those of add",
        "'q1' is not a register",
        "5000 is 5000: it must be -2048 to 2047",
        "there is no label 'nowhere'",
        "the label 'x' is there already",
        "there is no rounding mode 'abc'",
        ".word has no values",
        "'t0' is not a register among the eight that short instructions can name",
    ]
    assert errors("# nothing\n") == ["there is no instruction in this file"]


@settings(max_examples=200, deadline=None)
@given(st.binary(min_size=1, max_size=80), st.sets(st.integers(0, 40).map(lambda half: 2 * half)), st.booleans())
def test_many_words_at_once_are_what_they_are_one_by_one(data, starts, short):
    """A span decoded as a whole, by a table with short instructions and by one without."""
    from warploom.isa.vortex.table import table

    own, base, place, wanted = TABLE if short else table(2024), 0x80000000, 0, []
    while place < len(data):
        one = own.decode(data, place, base + place)
        if one.size > 2 and place + 2 in starts:
            one = one._replace(word=one.word & 0xFFFF, size=2, row=None, values={})
        wanted.append(one)
        place += one.size
    assert own.decode_span(data, base, {base + start for start in starts}) == wanted


def test_every_row_is_found_among_many_words():
    words = [row.encoding.match | 0x01F51F80 & ~row.encoding.mask & ((1 << 8 * row.size) - 1) for row in INSTRUCTIONS]
    found = TABLE.meanings_of(np.array(words, np.uint32))
    assert [row for row, _ in found] == [TABLE.row_of(word) for word in words]
    assert [values for row, values in found if row] == [row.encoding.decode(word) for word in words if (row := TABLE.row_of(word))]
