"""Files of instruction words: $readmemh and JSON."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warploom.isa import tiny
from warploom.isa.diagnostics import SourceError


def message(text):
    with pytest.raises(SourceError) as caught:
        tiny.read_image(text, "words.hex")
    assert len(caught.value.diagnostics) == 1
    found = caught.value.diagnostics[0]
    return f"{found.position.line}:{found.position.column}", found.message


bytes_of_data = st.lists(st.integers(0, 255), max_size=256)


@given(st.lists(st.integers(0, 0xFFFF), min_size=1, max_size=256), st.integers(0, 255), bytes_of_data, st.integers(0, 255))
def test_what_is_written_is_read_back(words, threads, data, block):
    program = tiny.program(words, data, threads, block)
    for text in (tiny.to_hex(program), tiny.to_json(program)):
        image = tiny.read_image(text)
        assert (image.words, image.threads, list(image.data), image.block) == (words, threads, data, block)
        assert tiny.assemble(tiny.disassemble(image.words, image.threads, image.data, image.block)).launch.block == block


def test_hex_is_what_readmemh_takes():
    text = tiny.to_hex(tiny.assemble(".threads 8\n.data 1 2\nloop: CMP R1, R2\nBRn loop\nRET", "count.asm"))
    assert text.splitlines() == [
        "// count: 3 instructions of tiny-gpu",
        "// .isa tiny",
        "// .threads 8",
        "// .data 1 2",
        "2012  //   0: CMP R1, R2",
        "1800  //   1: BRn loop",
        "f000  //   2: RET",
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("50de F000", [0x50DE, 0xF000]),
        ("/* two\nlines */ 50de // end\r\nf0_00", [0x50DE, 0xF000]),
        ("1 @3 f000", [1, 0, 0, 0xF000]),
        ("[1, 61440]", [1, 0xF000]),
        (' {"program": [1]}', [1]),
    ],
)
def test_words_that_a_person_wrote(text, words):
    image = tiny.read_image(text)
    assert (image.words, image.threads, image.data) == (words, 1, ())


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("", "1:1", "there are no instruction words in this file"),
        ("50de\n  xyz", "2:3", "'xyz' is not a hexadecimal number"),
        ("12345", "1:1", "'12345' is larger than ffff, the largest value of an instruction word"),
        ("@100 1", "1:1", "'@100' is larger than ff, the largest value of an address of program memory"),
        ("// .threads 300\n1", "1:1", "'// .threads 300' takes one number from 0 to 255"),
        ("// .data 1 256\n1", "1:1", "'// .data 1 256' takes numbers from 0 to 255"),
        ("1\n" * 257, "0:1", "257 instruction words are too many: program memory holds 256"),
        ("[1,\n 2", "2:3", "this is not JSON: Expecting ',' delimiter"),
        ("[" * 100_000, "0:1", "this is not JSON that holds a program"),
        ("{}", "0:1", "there is no 'program' in this JSON object"),
        ('{"program": 5}', "0:1", "'program' must be a list of numbers from 0 to 65535"),
        ("[1, 70000]", "0:1", "program[1] is 70000: it must be a whole number from 0 to 65535"),
        ("[true]", "0:1", "program[0] is true: it must be a whole number from 0 to 65535"),
        ('["50de"]', "0:1", 'program[0] is "50de": it must be a whole number from 0 to 65535'),
        ('{"program": [1], "threads": 1.5}', "0:1", "threads is 1.5: it must be a whole number from 0 to 255"),
        ('{"program": [1], "data": [-1]}', "0:1", "data[0] is -1: it must be a whole number from 0 to 255"),
        (json.dumps({"program": [1], "data": [0] * 257}), "0:1", "257 bytes of data are too many: data memory holds 256"),
    ],
)
def test_files_that_are_wrong(text, place, said):
    assert message(text) == (place, said)
