from dataclasses import replace

import numpy as np
import pytest

import warploom
from warploom.isa.c.contents import shape_of
from warploom.isa.views import VIEW_BYTES, VIEW_COLUMNS, VIEW_WRITABLE
from warploom.observe.text.styled import plain
from warploom.observe.text.views import region_table, view_tables, word_text

KERNEL = ".threads 8\n.buffer t0 8 iota 0.5 1.0\n.buffer u0 8\n.image u1 4 2\n.texture t1 2 2 solid\nret\n"


def float_word(value):
    return int(np.float32(value).view(np.uint32))


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        (0, "0"),
        (123456, "123456"),
        (float_word(0.5), "0.5"),
        (float_word(-3), "-3.0"),
        (float_word(1e9), "1e+09"),
        (0xFF8000FF, "0xff8000ff"),
        (0xFFFFFFFF, "-1"),
        (float_word(float("inf")), "0x7f800000"),
    ],
)
def test_a_word_is_shown_as_what_it_most_likely_is(word, shown):
    assert word_text(word) == shown


def test_every_view_has_a_heading_and_a_buffer_its_changed_rows():
    program = warploom.guppy.assemble(KERNEL)
    before = np.array(program.data)
    after = before.copy()
    buffer, image = (int(program.views[program.view_names.index(name), 0]) for name in ("u0", "u1"))
    after[buffer + 20 : buffer + 24] = [7, 0, 0, 0]
    after[image] ^= 255
    assert [plain(line) for line in view_tables(program, before, after)] == [
        "t0  buffer of 8 words, read only",
        "u0  buffer of 8 words: 1 changed, marked *",
        "  4 before          0           0           0           0",
        "    after           0           7*          0           0",
        "u1  image of 4 x 2 texels, rgba8: 1 changed",
        "t1  texture of 2 x 2 texels, rgba8, read only",
    ]


@pytest.mark.parametrize(
    ("dtype", "numbers", "shown"),
    [
        ("int32", [-70000, 1 << 23], "-70000* 8388608*"),
        ("float32", [1e-30, np.nan], "1e-30* nan*"),
        ("uint32", [0xFFFFFFFF, 5], "4294967295* 5*"),
        ("int8", [-1, 7], "-1* 7*"),
        ("float64", [0.1, 1e300], "0.1* 1e+300*"),
    ],
)
def test_a_buffer_of_a_known_type_is_shown_as_that(dtype, numbers, shown):
    """Bits alone would be taken for the most likely number."""
    contents = np.array(numbers, dtype)
    size = -(-contents.nbytes // 4) * 4
    views, shape = np.zeros((1, VIEW_COLUMNS), np.int32), shape_of(contents, dtype)
    views[0, [VIEW_BYTES, VIEW_WRITABLE]] = size, 1
    program = replace(warploom.guppy.assemble("ret\n"), views=views, view_names=("x",), view_shapes=(shape,), memory_bytes=size)
    after = np.zeros(size, np.uint8)
    after[: contents.nbytes] = contents.view(np.uint8)
    said = [plain(line) for line in view_tables(program, 0 * after, after)]
    assert said[0] == f"x  buffer of 2 x {dtype}: 2 changed, marked *"
    assert said[2].split() == ["after", *shown.split()]


def test_a_region_shows_its_changed_words_at_their_addresses():
    before = np.zeros(64, np.uint8)
    after = before.copy()
    after[36:40] = [255, 255, 255, 255]
    assert [plain(line) for line in region_table("memory", 0x10000, before, after)] == [
        "memory  1 of 16 words changed, marked *",
        "  0x10020 before          0           0           0           0",
        "          after           0          -1*          0           0",
    ]
    assert [plain(line) for line in region_table("stacks", 0x10000, before, after, most_rows=0)] == ["stacks  1 of 16 words changed"]


def test_many_changes_are_cut():
    program = warploom.guppy.assemble(".threads 8\n.buffer u0 64\nret\n")
    lines = [plain(line) for line in view_tables(program, program.data, np.full_like(program.data, 1), width=80, most_rows=2)]
    assert len(lines) == 1 + 2 * 2 + 1
    assert lines[-1] == "  ... and 14 more rows with changes"
    wide = [plain(line) for line in view_tables(program, program.data, np.full_like(program.data, 1), width=120, most_rows=2)]
    assert wide[-1] == "  ... and 6 more rows with changes"
