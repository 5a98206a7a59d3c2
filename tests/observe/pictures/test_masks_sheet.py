"""The drawing, read back as pixels."""

import io

import numpy as np
import pytest

from tests.observe.pictures.runs import run
from warploom.observe.pictures import picture
from warploom.observe.pictures.raster import blended, coloured, painted, rgb
from warploom.observe.text.palette import CROSSED, LANES, REASONS, RISING

pytest.importorskip("matplotlib")
Image = pytest.importorskip("PIL.Image")


def pixels(found):
    return np.array(Image.open(io.BytesIO(found.png())).convert("RGB"))


def share(points, colour):
    return (np.abs(points.astype(int) - rgb(colour).astype(int)).max(axis=2) <= 2).mean()


@pytest.mark.parametrize("dark", [False, True])
def test_the_areas_of_the_colours_are_those_of_the_states(dark):
    found = picture(run("guppy/if.guppy", "guppy"), "masks", dark=dark)
    points = pixels(found)[150:-260]
    active, black = (share(points, getattr(LANES[name], "dark" if dark else "light")) for name in ("active", "diverged"))
    assert black > 0
    assert active / black == pytest.approx(272 / 64, rel=0.25)


def test_a_kernel_s_lines_are_not_taken_for_formulas():
    result = run("guppy/if.guppy", "guppy")
    object.__setattr__(result.program, "name", "$x_1$")
    try:
        assert "$x_1$ on guppy" in picture(result, "masks").svg()
    finally:
        object.__setattr__(result.program, "name", "if")


def test_the_same_picture_has_the_same_bytes():
    first, second = (picture(run("guppy/if.guppy", "guppy"), "masks") for _ in range(2))
    assert first.svg() == second.svg()
    assert first.png() == second.png()


def test_every_cell_is_a_rectangle_in_its_colour():
    looks = [LANES["active"], LANES["diverged"]]
    points = painted(np.array([[0, 1], [1, 0]]), looks, 3, 2)
    assert points.shape == (4, 6, 3)
    assert (points[:2, :3] == rgb(looks[0].light)).all()
    assert (points[:2, 3:] == rgb(looks[1].light)).all()


def test_states_of_one_colour_differ_in_their_patterns():
    """Plain, ruled, crossed."""
    numbers = np.repeat(np.arange(3), 32)[None, :].repeat(32, axis=0)
    red = REASONS["not_selected"]
    points = coloured(numbers, [red, red._replace(pattern=RISING), red._replace(pattern=CROSSED)])
    plain = [float((points[:, 32 * k : 32 * k + 32] == rgb(red.light)).all(axis=2).mean()) for k in range(3)]
    assert plain[0] == 1
    assert 1 > plain[1] > plain[2] > 0


def test_it_is_no_wider_than_asked():
    for width in (500, 1200):
        points = pixels(picture(run("guppy/while.guppy", "guppy"), "masks", width=width))
        assert points.shape[1] <= 2 * width


def test_a_long_run_has_no_rhythm_of_its_own():
    """A loop whose columns hold 13 of its turns and a bit: columns that stand for nearly the same look nearly the same.

    Dots of single cycles would turn the beat of loop and columns into stripes.
    """
    shares = np.zeros((1, 2, 300))
    turn = np.arange(300 * 40) % 3 == 0  # every third cycle is black
    shares[0, 1] = turn.reshape(300, 40).mean(axis=1)
    shares[0, 0] = 1 - shares[0, 1]
    points = blended(shares, [LANES["active"], LANES["diverged"]], 2, 2).astype(int)
    assert points.shape == (2, 600, 3)
    assert np.ptp(points, axis=1).max() <= 8
    # A third black is as bright as two thirds of the light.
    assert points[0, 0, 0] == pytest.approx(255 * ((251 / 255) ** 2.2 * 2 / 3) ** (1 / 2.2), abs=6)
