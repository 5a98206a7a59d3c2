"""The tables: each row encodes, decodes and is written so that it comes back; and a foreign disassembler reads the same."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.places import GOLDEN
from warploom.isa.avx512.decoder import memory_bits
from warploom.isa.avx512.disassembler import disassemble
from warploom.isa.avx512.instruction import place_of
from warploom.isa.avx512.operands import Immediate, Memory, Register, Written
from warploom.isa.avx512.table import DECODER, INSTRUCTIONS
from warploom.isa.avx512.text.encoder import encode
from warploom.isa.avx512.text.forms import fitting, rows_of
from warploom.isa.avx512.text.parser import statement, written

RECORDED = [one for path in sorted((GOLDEN / "avx512").glob("*.json")) for one in json.loads(path.read_text())["instructions"]]
RANGES = {"ib": (0, 255), "ibs": (-128, 127), "rel8": (-128, 127), "id": (-(1 << 31), (1 << 31) - 1), "rel32": (-(1 << 31), (1 << 31) - 1)}


@st.composite
def instructions(draw):
    """A row with operands that it takes."""
    row = draw(st.sampled_from(INSTRUCTIONS))
    encoding = row.encoding
    old = encoding.kind == "VEX"
    length = encoding.length if encoding.length >= 0 else draw(st.sampled_from([0, 1] if old else [0, 1, 2]))
    kind = ("xmm", "ymm", "zmm")[length]
    vectors = st.integers(0, 15 if old else 31)
    wide = draw(st.booleans()) if encoding.w < 0 else bool(encoding.w)
    general = f"r{64 if wide else 32}"
    operands = []
    for word in row.places:
        place = place_of(word)
        if word in RANGES:
            operands.append(Immediate(draw(st.integers(*RANGES[word]))))
        elif word == "iq":
            operands.append(Immediate(draw(st.integers(-(1 << 63), (1 << 63) - 1))))
        elif place == "fixed":
            operands.append({"1": Immediate(1), "cl": Register("r8", 1), "al": Register("r8", 0), "eax": Register(general, 0)}[word])
        elif word in ("m", "m0", "m32", "gather") or (
            place == "rm" and word not in ("km", "g", "g32", "g64", "vg") and draw(st.booleans())
        ):
            broadcast = word == "vmb" and draw(st.booleans())
            index = draw(st.one_of(st.just(-1), st.integers(0, 15).filter(lambda n: n != 4)))
            vector = kind if word == "gather" else ""
            index = draw(vectors) if vector else index
            size = memory_bits(row, word, 128 << length, int(wide))
            scale = draw(st.sampled_from([1, 2, 4, 8])) if index >= 0 else 1
            operands.append(Memory(draw(st.integers(0, 15)), index, scale, draw(st.integers(-5000, 5000)), False, vector, size, broadcast))
        elif word[0] == "k":
            operands.append(Register("k", draw(st.integers(0, 7))))
        elif word in ("xr", "xm", "xv", "x32", "ym", "yr", "vr", "vv", "vm", "vmb", "vg"):
            operands.append(Register({"x": "xmm", "y": "ymm", "v": kind}[word[0]], draw(vectors)))
        else:
            bits = word.lstrip("abcdefghijklmnopqrstuvwxyz")
            operands.append(Register(f"r{bits}" if bits else general, draw(st.integers(0, 15))))
    mask = draw(st.integers(1 if row.masks == "K" else 0, 7)) if row.masks else 0
    zeroing = bool(mask) and row.masks == "kz" and not isinstance(operands[0], Memory) and draw(st.booleans())
    return row, Written(tuple(operands), mask, zeroing)


def same(one, other):
    """Mnemonics that stand for each other where an immediate says which one it is."""
    return one == other or other.startswith(one) or one.startswith(other[:5])


@given(instructions())
@settings(max_examples=400, deadline=None)
def test_what_is_encoded_is_decoded(found):
    row, operands = found
    data = encode(row, operands, 0x1000)
    back = DECODER.decode(data, 0, 0x1000)
    assert back.size == len(data) and back.row is not None, (row.syntax, operands, data.hex())
    if any(word.startswith("rel") for word in row.places):
        assert back.row.mnemonic == row.mnemonic
    else:
        assert encode(back.row, back.written, 0x1000) == data
        assert (back.written.mask, back.written.zeroing) == (operands.mask, operands.zeroing)


@given(instructions())
@settings(max_examples=300, deadline=None)
def test_what_is_written_out_is_read_back(found):
    row, operands = found
    one = DECODER.decode(encode(row, operands, 0), 0, 0)
    text = disassemble(one)
    head, pieces = statement(text, 0)
    again = written(pieces)
    rows = fitting(rows_of(head.text), again)
    assert rows, text
    back = DECODER.decode(encode(rows[0], again, 0), 0, 0)
    assert disassemble(back) == text or any(word.startswith("rel") for word in row.places)


@pytest.mark.parametrize("one", RECORDED, ids=lambda one: one["text"])
def test_a_recorded_instruction_comes_back_byte_by_byte(one):
    data = bytes.fromhex(one["bytes"])
    found = DECODER.decode(data, 0, one["offset"])
    assert found.size == len(data) and encode(found.row, found.written, one["offset"]) == data
    assert same(found.row.mnemonic, one["text"].split()[0])


def test_capstone_reads_the_recorded_instructions_as_we_do():
    capstone = pytest.importorskip("capstone")
    reader = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    for one in RECORDED:
        data = bytes.fromhex(one["bytes"])
        theirs = next(reader.disasm(data, one["offset"]))
        ours = disassemble(DECODER.decode(data, 0, one["offset"]))
        assert _plain(f"{theirs.mnemonic} {theirs.op_str}") == _plain(ours)


def _plain(text):
    """Without spaces, sizes of memory, and the order of a sum; numbers as numbers."""
    text = re.sub(r"\b\w+ ptr ", "", text.lower())
    text = re.sub(r"0x[0-9a-f]+", lambda match: str(int(match[0], 16)), text).replace(" ", "")
    return re.sub(
        r"\[([^]]*)\]", lambda match: "[" + "+".join(sorted("*".join(sorted(term.split("*"))) for term in match[1].split("+"))) + "]", text
    )


def test_bytes_that_are_no_instruction_are_one_byte_that_stops():
    for data in (b"\x06", b"\x62\xf1", b"\x0f\xff\xff", b"\xc5\xf8", b"\x62\x00\x00\x00\x00\x00", b"\x66" * 20):
        found = DECODER.decode(data, 0, 0)
        assert (found.row, found.size) == (None, 1)


@given(st.binary(min_size=1, max_size=16))
@settings(max_examples=500, deadline=None)
def test_any_bytes_are_decoded_and_written_out(data):
    found = DECODER.decode(data, 0, 0)
    assert 1 <= found.size <= len(data)
    assert disassemble(found)


def test_every_row_says_what_it_does_and_how_it_is_written():
    for row in INSTRUCTIONS:
        assert row.meaning and row.syntax.startswith(row.mnemonic)
    assert len({row.mnemonic for row in INSTRUCTIONS}) > 250


def test_signs_of_lanes_come_from_a_register_alone():
    assert disassemble(DECODER.decode(bytes.fromhex("62f27e4839c1"), 0, 0)) == "vpmovd2m k0, zmm1"
    assert DECODER.decode(bytes.fromhex("62f27e483900"), 0, 0).row is None  # a processor refuses it with memory
