"""Words of GCN, AVX-512 and RISC-V become text that assembles to the same words, whatever they are."""

from dataclasses import replace

import numpy as np
import pytest

from tests.places import EXAMPLES, GOLDEN
from warploom.isa.diagnostics import SourceError
from warploom.isa.frontends import FRONT_ENDS, front_end, machine_code
from warploom.isa.machine_code import from_words, lines, source, to_hex, to_json

CODES = {row.name: machine_code(row) for row in FRONT_ENDS if row.has_code}
OBJECTS = sorted(GOLDEN.glob("gcn/*.co"))
TEXTS = sorted([*EXAMPLES.glob("gcn/*.gcn"), *EXAMPLES.glob("avx512/*.avx512")])
ELF_FILES = sorted([*EXAMPLES.glob("vortex/*.elf"), *EXAMPLES.glob("riscv/*.elf")])
SHORT = {"gcn": ".kernel k\nv_mov_b32 v0, 0x12345678\ns_endpgm\n", "avx512": "vpaddd zmm0, zmm8, zmm1\nret\n"}
OF_RISCV = "li a0, 5\nbeqz a0, out\nadd a0, a0, a0\nout: ret\n"


def bytes_of(code, image):
    return b"".join(line.data for line in lines(code, image))


def assembled(code, text):
    return bytes_of(code, code.read(text.encode(), "text"))


def test_every_instruction_set_of_compilers_has_some():
    assert set(CODES) == {"gcn", "avx512", "riscv", "vortex", *(f"vortex-{number}" for number in (2021, 2022, 2024, 2026))}


@pytest.mark.parametrize("path", [*OBJECTS, *TEXTS], ids=lambda path: path.name)
def test_text_of_a_file_assembles_to_the_same_bytes(path):
    code = CODES["avx512" if path.suffix == ".avx512" else "gcn"]
    image = code.read(path.read_bytes(), str(path))
    text = source(code, image)
    assert assembled(code, text) == bytes_of(code, image)
    as_words = [line for line in text.splitlines() if code.directive in line]
    assert all("[rip +" in line for line in as_words)  # data, which is not part of it, has no labels; all else is written as text


@pytest.mark.parametrize("path", ELF_FILES, ids=lambda path: path.name)
def test_text_of_an_elf_file_assembles_to_the_same_bytes(path):
    """Of the generation that the file is found to be of; a word that is written as a word was one before."""
    data = path.read_bytes()
    code = machine_code(front_end(path), data, str(path))
    image = code.read(data, str(path))
    text = source(code, image)
    assert assembled(code, text) == bytes_of(code, image)
    assert not [line for line in text.splitlines() if code.directive in line]


@pytest.mark.parametrize("isa", CODES)
def test_any_bytes_become_text_that_assembles_to_them(isa):
    code = CODES[isa]
    for seed in range(20):
        data = np.random.default_rng(seed).integers(0, 256, 160, dtype=np.uint8).tobytes()
        text = source(code, code.raw(data, "noise"))
        assert assembled(code, text + ("s_endpgm\n" if isa == "gcn" else "ret\n")).startswith(data)  # an assembler wants an instruction


@pytest.mark.parametrize("isa", CODES)
@pytest.mark.parametrize("form", ["hex", "json"])
def test_words_go_out_and_come_back(isa, form):
    code = CODES[isa]
    text = SHORT.get(isa, OF_RISCV)
    found = lines(code, code.read(text.encode(), "text"))
    words = to_hex(code, isa, "k", found) if form == "hex" else to_json(isa, "k", found)
    assert from_words(code, words, "words") == b"".join(line.data for line in found)


@pytest.mark.parametrize("isa", CODES)
def test_a_main_that_is_not_the_entry_keeps_its_name(isa):
    code = CODES[isa]
    text = {"gcn": ".kernel k\ns_nop 0\nmain:\ns_endpgm\n"}.get(isa, "nop\nmain:\nret\n")
    image = code.read(text.encode(), "text")
    first = code.decoded(image)[0].address
    image = replace(image, symbols={"main": image.symbols["main"]}, entry=first)
    again = source(code, image)
    assert again.count("main:") == 1
    assert code.directive not in again
    assert assembled(code, again) == bytes_of(code, image)


def test_an_encoding_that_is_not_the_usual_one_is_written_as_words():
    code = CODES["gcn"]
    data = bytes.fromhex("ff02007e 00000000".replace(" ", "")) + bytes.fromhex("000081bf")  # v_mov_b32 v0, literal 0
    assert source(code, code.raw(data, "x")) == ".kernel main\n    .long 0x7e0002ff, 0x00000000  // v_mov_b32_e32 v0, 0x0\n    s_endpgm\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there are no instruction words in this file"),
        ("// nothing", "there are no instruction words in this file"),
        ("7e000280 hello", "'hello' is not a word of 8 hexadecimal digits"),
        ("17e000280", "'17e000280' is not a word of 8 hexadecimal digits"),
        ("[", "this is not JSON that holds a program"),
        ("{}", "there is no list of words in this JSON"),
        ("[1, -1]", "-1 is not a word: a whole number from 0 to 4294967295"),
        ("[1, 4294967296]", "4294967296 is not a word"),
    ],
)
def test_what_are_no_words_is_one_sentence(text, message):
    with pytest.raises(SourceError) as found:
        from_words(CODES["gcn"], text, "words.hex")
    assert len(found.value.diagnostics) == 1
    assert found.value.diagnostics[0].message.startswith(message)
