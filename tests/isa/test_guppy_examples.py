"""The examples compute what they say, by the meaning of the language alone."""

import math

import numpy as np
import pytest

from tests.guppy_reference import Warp, run_all
from tests.places import EXAMPLES
from warploom.isa import guppy
from warploom.isa import uop as u

FOLDER = EXAMPLES / "guppy"
NAMES = sorted(path.stem for path in FOLDER.glob("*.guppy"))


def load(name):
    path = FOLDER / f"{name}.guppy"
    return guppy.assemble(path.read_text(encoding="utf-8"), str(path))


def result(name):
    program = load(name)
    memory, warps = run_all(program)
    return (guppy.read_view(program, memory, "u0") if "u0" in program.view_names else None), warps


@pytest.mark.parametrize("name", NAMES)
def test_an_example_has_no_warnings_and_fits_the_machine(name):
    path = FOLDER / f"{name}.guppy"
    program, warnings = guppy.assemble_with_warnings(path.read_text(encoding="utf-8"), str(path))
    assert warnings == []
    assert program.code[:, u.COUNT].max() <= 64
    assert program.uops[:, u.DST].max() < u.REGISTERS


def test_if():
    _, warps = result("if")
    assert warps[0, 0].registers[3, 0].tolist() == [5 + 3 * lane if lane % 2 else 5 for lane in range(32)]


def test_while():
    _, warps = result("while")
    assert warps[0, 0].registers[2, 0].tolist() == [lane * (lane + 1) // 2 for lane in range(32)]


def test_if_else():
    _, warps = result("if_else")
    expected = np.array([0.25 * lane + 1 if lane < 20 else 60 / lane for lane in range(32)], np.float32)
    assert warps[0, 0].registers[2, 0].view(np.float32).tolist() == expected.tolist()


def test_break_and_continue():
    values, _ = result("break_continue")
    assert values.tolist() == [sum(i for i in range(16) if i <= lane and i % 2) for lane in range(32)]


def test_nested_loop():
    values, _ = result("nested_loop")
    assert values.tolist() == [sum(0 < a < b and a + b == n for a in range(n) for b in range(n)) for n in range(32)]


def test_call():
    values, _ = result("call")
    assert values.tolist() == [lane ** (8 if lane < 8 else 4) % (1 << 32) for lane in range(32)]


@pytest.mark.parametrize(("order", "cost"), [("random", 1.926), ("sorted", 1.122)])
def test_divergence_costs_what_the_articles_figures_show(order, cost):
    """Relative to warps of one lane, at 32 lanes a warp: the counts behind the article's figures 8 and 9."""
    program = load(f"iterations_{order}")
    turns = guppy.read_view(program, program.data, "t0")
    memory, _ = run_all(program)
    assert guppy.read_view(program, memory, "u0").tolist() == turns.tolist()
    assert sorted(turns.tolist()) == sorted(guppy.read_view(load("iterations_random"), load("iterations_random").data, "t0").tolist())
    longest = turns.reshape(-1, 32).max(axis=1)
    assert 32 * longest.sum() / turns.sum() == pytest.approx(cost, abs=0.001)


def test_coalesced_and_strided_loads():
    assert result("load_coalesced")[0].tolist() == [thread + 7 for thread in range(256)]
    assert result("load_strided")[0].tolist() == [16 * thread + 7 for thread in range(256)]


def test_saxpy():
    values, _ = result("saxpy")
    program = load("saxpy")
    x, y = (guppy.read_view(program, program.data, name).view(np.float32) for name in ("t0", "t1"))
    assert values.view(np.float32).tolist() == (x * np.float32(2.5) + y).tolist()


def test_texture():
    pixels, _ = result("texture")
    board = np.zeros((64, 64))
    for row in range(64):
        for column in range(64):
            x, y = (column - 31.5) / 64, (row - 31.5) / 64
            across, down = 0.866 * x - 0.5 * y, 0.866 * y + 0.5 * x
            board[row, column] = (math.floor(across * 4) + math.floor(down * 4)) % 2 == 0
    sharp = (pixels[..., 1] < 10) | (pixels[..., 1] > 170)
    assert sharp.mean() > 0.6
    assert ((pixels[..., 1] > 170) == board)[sharp].mean() > 0.99
    assert pixels[:, 0, 0].max() > 240 and pixels[:, 0, 2].max() < 140
    assert (pixels[..., 3] == 255).all()


def test_raymarch_shows_the_sky_a_planet_and_a_plain():
    """Twelve of the 2,048 warps: pieces of three rows of the picture."""
    program = load("raymarch")
    memory = program.data.copy()
    for row in (5, 115, 240):
        for piece in (0, 3, 4, 7):
            warp = Warp(program, memory, 32, block=row * 8 + piece).run()
            assert warp.stack == []
    picture = guppy.read_view(program, memory, "u0").astype(int)
    sky, planet = picture[5, [0, 100, 255]], picture[115, 120]
    assert (sky[:, 2] > sky[:, 0]).all()
    assert planet[0] > planet[1] > planet[2]
    dark_square, light_square = picture[240, 16, :3], picture[240, 100, :3]
    assert light_square.sum() > 1.5 * dark_square.sum()
    assert picture[128].tolist() == [[0, 0, 0, 255]] * 256
