import numpy as np
import pytest

import warploom
from warploom.observe.text.styled import plain
from warploom.observe.text.views import view_tables, word_text

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


def test_many_changes_are_cut():
    program = warploom.guppy.assemble(".threads 8\n.buffer u0 64\nret\n")
    lines = [plain(line) for line in view_tables(program, program.data, np.full_like(program.data, 1), width=80, most_rows=2)]
    assert len(lines) == 1 + 2 * 2 + 1
    assert lines[-1] == "  ... and 14 more rows with changes"
    wide = [plain(line) for line in view_tables(program, program.data, np.full_like(program.data, 1), width=120, most_rows=2)]
    assert wide[-1] == "  ... and 6 more rows with changes"
