"""What tN, uN and sN are: lines, arrays and pictures, and where they lie in memory."""

import numpy as np
import pytest

from warploom.isa import guppy
from warploom.isa.diagnostics import SourceError
from warploom.isa.guppy.bindings import lay_out
from warploom.isa.pictures import pack, pattern, random_numbers, unpack
from warploom.isa.views import (
    FORMAT_NUMBER,
    FORMATS,
    VIEW_BASE,
    VIEW_BYTES,
    VIEW_FORMAT,
    VIEW_HEIGHT,
    VIEW_PITCH,
    VIEW_WIDTH,
    VIEW_WRITABLE,
)


def words(line):
    return guppy.binding(line).data.view("<u4").tolist()


def floats(line):
    return guppy.binding(line).data.view("<f4").tolist()


def test_buffers_are_filled_as_their_lines_say():
    assert words("buffer t0 3") == [0, 0, 0]
    assert words("buffer u7 2 zero") == [0, 0]
    assert words("buffer t0 3 fill 0xff") == [255, 255, 255]
    assert floats("buffer t0 2 fill 1.5") == [1.5, 1.5]
    assert words("buffer t0 4 iota") == [0, 1, 2, 3]
    assert words("buffer t0 3 iota 10 -5") == [10, 5, 0]
    assert floats("buffer t0 3 iota 1.0 0.5") == [1.0, 1.5, 2.0]
    assert words("buffer t0 values 1 0x10 -1") == [1, 16, 0xFFFFFFFF]
    assert floats("buffer t0 values 1.0 -.5 1e3") == [1.0, -0.5, 1000.0]


def test_random_numbers_are_those_of_the_recorded_runs():
    """x' = (1103515245 x + 12345) mod 2^31 from 1, count = (x >> 16) & 255."""
    state, expected = 1, []
    for _ in range(300):
        state = (1103515245 * state + 12345) & 0x7FFFFFFF
        expected.append(state >> 16 & 255)
    assert words("buffer t0 300 random 0 255") == expected
    assert words("buffer t0 300 sorted 0 255") == sorted(expected)
    assert random_numbers(300, 1).tolist()[:2] == [16838, 5758]


def test_random_numbers_stay_in_their_range():
    values = np.array(words("buffer t0 2000 random 3 9 5"))
    assert set(values.tolist()) == set(range(3, 10))
    assert words("buffer t0 2000 random 3 9 6") != values.tolist()
    wide = np.array(words("buffer t0 2000 random 0 1000000"))
    assert wide.max() <= 1_000_000 and wide.max() > 900_000
    real = np.array(floats("buffer t0 500 random -1.0 1.0"))
    assert real.min() >= -1 and real.max() < 1 and len(set(real)) > 400


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("bufer t0 4", "there is no binding 'bufer', did you mean 'buffer'?"),
        ("", "there is no binding ''; there are buffer, texture, image, sampler"),
        ("buffer", "buffer needs a name, as in buffer t0 64 iota"),
        ("buffer x0 4", "'x0' cannot name a buffer: it is called tN (read only) or uN (writable)"),
        ("buffer t0 four", "buffer t0: the number of words is 'four'; it must be a whole number, 1 or more"),
        ("buffer t0 0", "buffer t0: the number of words is '0'; it must be a whole number, 1 or more"),
        ("buffer t0 99999999999", "t0 would have 399999999996 bytes; a binding has 1 to 268435456"),
        ("buffer t0 values", "buffer t0 is empty"),
        ("buffer t0 values 1 two", "'two' is not a number; write 12, 0xff, -3 or 0.5"),
        ("buffer t0 values 4294967296", "4294967296 does not fit in 32 bits"),
        ("buffer t0 4 random 3", "buffer t0: the fill random is written 'random LOW HIGH [SEED]', 1 values given"),
        ("buffer t0 4 random 9 3", "buffer t0: random numbers from 9 to 3: the first must not be above the second"),
        ("buffer t0 4 random 0 1 0.5", "buffer t0: the seed is 0.5; it must be a whole number"),
        ("texture u0 4 4 noise", "'u0' cannot name a texture: it is called tN"),
        ("texture t0 4 4 nose", "texture t0: there is no pattern 'nose'; there are solid, checkerboard, gradient, noise"),
        ("texture t0 4 4 noise as rgb9", "texture t0: there is no format 'rgb9'; there are rgba8, r8, rg8, r32f, rgba32f, r5g6b5, rgba4"),
        ('texture t0 "no such file.png"', "texture t0: there is no file 'no such file.png'"),
        ("image t0 4 4", "'t0' cannot name an image: it is called uN"),
        ("image u0 4 x", "image u0: its height is 'x'; it must be a whole number, 1 or more"),
        ("sampler s0 cubic", "sampler s0: 'cubic' is not one of point, linear, trilinear"),
        ("sampler s0 linear wrap", "sampler s0: 'wrap' is not one of repeat, clamp, mirror"),
        ("sampler t0", "'t0' cannot name a sampler: it is called sN"),
    ],
)
def test_a_line_that_cannot_be_says_why(line, message):
    with pytest.raises(guppy.BindingError) as caught:
        guppy.binding(line)
    assert str(caught.value) == message


def test_every_format_keeps_a_picture_as_well_as_its_bits_allow():
    pixels = pattern("noise", 8, 4, 3)
    pixels[0, 0], pixels[0, 1] = 0, 255
    for number, form in enumerate(FORMATS):
        if form.name == "word":
            continue
        data = pack(pixels, number)
        assert len(data) == 8 * 4 * form.bytes
        again = unpack(data, 8, 4, number)
        for channel, (bits, _) in enumerate(form.fields):
            expected = pixels[..., channel] if bits else np.full((4, 8), 255 if channel == 3 else 0)
            step = 255 / ((1 << min(bits, 8)) - 1) if bits else 0
            assert np.abs(again[..., channel].astype(int) - expected).max() <= (step / 2 if bits not in (8, 32) else 0), form.name


def test_red_lies_in_the_highest_byte_of_a_texel():
    assert pack(np.array([[[1, 2, 3, 4]]], np.uint8), FORMAT_NUMBER["rgba8"]).view("<u4").tolist() == [0x01020304]
    assert pack(np.array([[[255, 0, 255, 4]]], np.uint8), FORMAT_NUMBER["r5g6b5"]).view("<u2").tolist() == [0xF81F]


def test_patterns_show_what_they_say():
    board = pattern("checkerboard", 4, 4, 2)
    assert board[0, 0].tolist() == board[2, 2].tolist() == [255, 255, 255, 255]
    assert board[0, 2].tolist() == [0, 0, 0, 255]
    assert pattern("gradient", 16, 16, 16)[3, 5].tolist() == [80, 48, 96, 255]
    assert pattern("solid", 2, 1, 0x11223344)[0, 1].tolist() == [0x11, 0x22, 0x33, 0x44]


def test_views_follow_each_other_at_cache_lines_behind_padding():
    layout = lay_out([guppy.image("u0", 4, 4), guppy.buffer("t0", [1, 2, 3]), guppy.texture("t1", pattern("noise", 5, 3), "r8")])
    assert layout.view_names == ("u0", "t0", "t1")
    assert layout.views[:, VIEW_BASE].tolist() == [256, 512, 768]
    assert layout.views[:, VIEW_BYTES].tolist() == [64, 12, 15]
    assert layout.views[:, VIEW_WRITABLE].tolist() == [1, 0, 0]
    assert layout.views[2, [VIEW_FORMAT, VIEW_WIDTH, VIEW_HEIGHT, VIEW_PITCH]].tolist() == [FORMAT_NUMBER["r8"], 5, 3, 5]
    assert len(layout.data) == 1024
    assert layout.data[:256].tolist() == [0] * 256
    assert layout.data[256:320].view("<u4").tolist() == [0x000000FF] * 16


def test_bindings_given_by_the_user_replace_those_of_the_text():
    text = ".buffer t0 4 iota\n.buffer u0 1\nld r0.x, t0.x, u(0)\nret"
    program = guppy.assemble(text, bindings=[guppy.buffer("t0", [7, 8]), guppy.binding("sampler s0 point")])
    assert program.view_names == ("t0", "u0")
    assert guppy.read_view(program, program.data, "t0").tolist() == [7, 8]
    assert program.samplers.tolist() == [[0, 0, 0, 0]]
    with pytest.raises(KeyError, match="there is no view 't1'; there are t0, u0"):
        guppy.read_view(program, program.data, "t1")


def test_a_buffer_takes_words_floats_and_arrays():
    assert guppy.buffer("t0", [1, -1, 0.5]).data.view("<u4").tolist() == [1, 0xFFFFFFFF, 0x3F000000]
    assert guppy.buffer("t0", np.array([1.5, 2.5])).data.view("<f4").tolist() == [1.5, 2.5]
    assert guppy.buffer("t0", np.array([[1, 2], [3, 4]])).data.view("<u4").tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (".buffer t0 4\nsample r0.x, t0.x, s0, r0.x", 2, "t0 is a buffer, and sample reads textures"),
        (".texture t0 4 4 noise\nld r0.x, t0.x, r0.x", 2, "t0 is a texture, and ld reads buffers"),
        (".buffer t0 4\n.buffer t0 5", 2, "t0 is bound twice, first in line 1"),
        (".group 4\n.group 5", 2, ".group is written twice, first in line 1"),
    ],
)
def test_bindings_that_do_not_fit_are_told_at_their_line(text, line, message):
    with pytest.raises(SourceError) as caught:
        guppy.assemble(text + "\nret")
    assert [(item.position.line, item.message) for item in caught.value.diagnostics if item.severity == "error"] == [(line, message)]


@pytest.mark.parametrize(
    ("text", "arguments", "threads", "block"),
    [
        ("ret", {}, 32, 32),
        (".threads 8\nret", {}, 8, 8),
        (".threads 100\nret", {}, 100, 32),
        (".threads 100\n.group 64\nret", {}, 100, 64),
        (".group 64\nret", {}, 64, 64),
        (".threads 100\n.group 64\nret", {"groups": 3}, 192, 64),
        (".threads 100\nret", {"group_size": 16}, 100, 16),
        ("ret", {"group_size": 8, "groups": 4}, 32, 8),
    ],
)
def test_a_launch_comes_from_directives_or_the_caller(text, arguments, threads, block):
    launch = guppy.assemble(text, **arguments).launch
    assert (launch.threads, launch.block) == (threads, block)


@pytest.mark.parametrize("sizes", [{"group_size": 0}, {"groups": -1}])
def test_a_launch_without_threads_is_refused(sizes):
    with pytest.raises(guppy.BindingError, match="it must be from 1 to 2147483647"):
        guppy.assemble("ret", **sizes)


def test_pictures_come_from_files_beside_the_program_and_go_to_files(tmp_path):
    pixels = pattern("gradient", 6, 5, 30)
    guppy.write_picture(tmp_path / "small one.png", pixels)
    program = guppy.assemble('.texture t0 "small one.png"\nsample r0.x, t0.x, s0, r0.x\nret', str(tmp_path / "k.guppy"))
    assert guppy.read_view(program, program.data, "t0").tolist() == pixels.tolist()
    (tmp_path / "text.png").write_text("no picture")
    with pytest.raises(guppy.PictureError, match="cannot be read as a picture"):
        guppy.read_picture(tmp_path / "text.png")


def test_the_documentations_table_has_a_row_for_every_instruction():
    rows = guppy.markdown().splitlines()
    assert len(rows) == 2 + len(guppy.INSTRUCTIONS)
    assert rows[2 + [row.mnemonic for row in guppy.INSTRUCTIONS].index("mad.f32")].startswith("| `mad.f32 d, a, b, c` | d = a * b + c")
    assert "| `br_push r.c, ELSE, JOIN` |" in guppy.markdown()
