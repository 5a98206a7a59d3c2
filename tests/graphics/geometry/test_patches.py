"""Patches with domain shaders: no hole under the top-left rule, whatever the factors of their edges; what a shader may give."""

import random

import numpy as np
import pytest

from tests.graphics.test_setup import SIZE, VIEW, clip_space, counted
from warploom.graphics import draw
from warploom.graphics.geometry import Patches, across
from warploom.graphics.scene import Camera, Scene
from warploom.graphics.setup import set_up
from warploom.graphics.state import GraphicsError
from warploom.machine.raster.edges import TOP_LEFT

SQUARE = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]


def grid(count):
    """Quads of a square from 0 to 1: [count * count, 4, 3]."""
    return np.array([np.add(SQUARE, [x, y, 0]) / [count, count, 1] for y in range(count) for x in range(count)])


def warped(u, v, corners):
    """A place in the picture and beyond, bent, and how far away it is."""
    x, y, _ = across(u, v, corners).T
    wave = 0.06 * np.sin(7 * x + 1) * np.cos(6 * y)
    return np.stack([(x + wave) * 2 * SIZE - SIZE / 2, (y - 0.7 * wave) * 2 * SIZE - SIZE / 2, 1 + x + y * y], axis=1)


def covered(mesh):
    """How often the mesh covers each pixel with its front, less how often with its back: [SIZE, SIZE]."""
    clip = np.concatenate([clip_space([place[:2]], w=place[2]) for place in mesh.positions])[mesh.triangles]
    return sum(
        sign * counted(set_up(clip, np.zeros((len(clip), 3, 1)), VIEW, cull, "cw"), TOP_LEFT) for sign, cull in ((1, "back"), (-1, "front"))
    )


def agreeing(numbers, count):
    """Factors of the edges of a grid, the same on both sides of each."""
    upright = [[numbers.uniform(0.5, 9) for _ in range(count)] for _ in range(count + 1)]
    level = [[numbers.uniform(0.5, 9) for _ in range(count)] for _ in range(count + 1)]
    return [[upright[x][y], level[y][x], upright[x + 1][y], level[y + 1][x]] for y in range(count) for x in range(count)]


@pytest.mark.parametrize("partitioning", ["integer", "fractional_odd", "fractional_even"])
def test_a_displaced_surface_covers_every_pixel_once(partitioning):
    """Once with its front; where it is folded, for a bent edge may have more points than the inside follows, with front and back alike."""
    numbers = random.Random(partitioning)
    for _ in range(12):
        inner = [[numbers.uniform(0.5, 9) for _ in range(2)] for _ in range(9)]
        mesh = Patches(grid(3), agreeing(numbers, 3), inner, warped, partitioning=partitioning).mesh()
        assert (covered(mesh) == 1).all()


def test_factors_that_disagree_leave_holes():
    """So that the test above can fail."""
    outer = np.full((9, 4), 5.0)
    outer[4] = 2
    assert (covered(Patches(grid(3), outer, 3, warped).mesh()) != 1).any()


def test_a_flat_triangle_and_a_flat_quad_turn_as_their_corners_do():
    for corners, domain in (([[0, 0, 0], [4, 0, 0], [0, 3, 0]], "triangle"), (SQUARE, "quad")):
        mesh = Patches([corners], 5, 4, domain=domain).mesh(name="flat")
        a, b, c = (mesh.positions[mesh.triangles[:, k]] for k in range(3))
        area = np.cross(b - a, c - a)[:, 2]
        assert (area > 0).all() and area.sum() == pytest.approx(12 if domain == "triangle" else 2)
        assert mesh.name == "flat"


def test_an_edge_has_the_same_places_from_both_sides():
    corners = np.random.default_rng(2).uniform(-9, 9, (6, 3))
    a, b, c, d, e, f = corners
    left, right = [a, b, c, d], [f, c, b, e]  # turned, so that the edge runs the other way
    for factor in (1, 3, 7.3, 64):
        first, second = Patches([left, right], [[1, 1, factor, 2], [3, 1, factor, 1]], 5, partitioning="fractional_odd").tessellated()
        places = [set(map(tuple, across(*(made.points / 65536).T, np.array(patch)).tolist()))
                  for made, patch in ((first, left), (second, right))]  # fmt: skip
        whole = int(np.ceil((factor - 1) / 2)) * 2 + 1 if factor < 64 else 63
        assert len(places[0] & places[1]) == whole + 1


def test_a_domain_shader_may_give_colours_and_patches_may_be_left_out():
    def shader(u, v, corners):
        return {"positions": across(u, v, corners), "colors": np.stack([u, v, 0 * u], axis=1)}

    patches = Patches(grid(2), [[1, 1, 1, 1], [0, 1, 1, 1], [2, 2, 2, 2], [1, 1, np.nan, 1]], 1, shader)
    assert [len(made.triangles) for made in patches.tessellated()] == [2, 0, 8, 0]
    mesh = patches.mesh()
    assert len(mesh.triangles) == 10 and mesh.colors.shape == (len(mesh.positions), 3)
    target = draw(Scene(mesh, Camera((0.5, 0.5, 1), (0.5, 0.5, 0), fov=90), background=(0, 0, 255, 0)), 8, 8, engine="python").target
    blue = target.pixels()[..., 2] == 255
    assert blue[2:6, 4:6].all() and not blue[2:6, 2:4].any()
    assert len(Patches(grid(1), 0).mesh().triangles) == 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (lambda: Patches(SQUARE), "corners of a flat quad are [patches, 4, 3], and these are [4, 3]"),
        (lambda: Patches([SQUARE], [1, 2, 3]), "outer factors are [1, 4] for these patches, or one number, and these are [3]"),
        (lambda: Patches([SQUARE], "fine"), "outer factors are not a table of numbers"),
        (lambda: Patches([SQUARE], 1, [[1, [2]]]), "inner factors are not a table of numbers"),
        (lambda: Patches([[0, 1], [2]]), "corners of patches are not a table of numbers"),
        (lambda: Patches([[[0, 0, 0]] * 5], shader=lambda u, v, c: 2 * across(u, v, c)).mesh(), "of a quad, and this patch has 5"),
        (lambda: Patches([SQUARE], domain="square"), "domain is 'square'"),
        (lambda: Patches([SQUARE], shader=lambda u, v, c: u).mesh(), "positions for patch 0 are [4]: it gives a row for each of 4 points"),
        (lambda: Patches([SQUARE], shader=lambda u, v, c: {"uv": u}).mesh(), "gives no positions for patch 0, but uv"),
        (lambda: Patches([SQUARE], shader=lambda u, v, c: {"positions": across(u, v, c), "color": u}).mesh(), "attribute is 'color'"),
        (lambda: Patches([SQUARE], shader=lambda u, v, c: "no").mesh(), "positions for patch 0 are not a table of numbers"),
        (lambda: Patches([SQUARE] * 1000, 64, 64).mesh(), "patches have 4005888 triangles: at most 4000000 can be drawn"),
    ],
)
def test_what_does_not_fit_is_a_sentence(given, said):
    with pytest.raises(GraphicsError) as raised:
        given()
    assert said in str(raised.value)
