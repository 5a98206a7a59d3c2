"""Scenes: cameras, warnings, and mistakes that end in sentences."""

import numpy as np
import pytest

from tests.graphics.scenes import garden
from warploom.graphics import Camera, GraphicsError, Light, Mesh, Scene, draw
from warploom.graphics.pictures import KINDS

TRIANGLE = [[0, 1, 0], [-1, -1, 0], [1, -1, 0]]


@pytest.mark.parametrize(("width", "height"), [(40, 40), (60, 24), (16, 50)])
def test_a_scene_without_a_camera_fills_the_picture(width, height):
    drawn = draw(Scene(garden(), background=(0, 0, 0, 0)), width, height, engine="python")
    rows, columns = np.nonzero(drawn.target.shaded.reshape(height, width))
    assert max((columns.max() - columns.min() + 2) / width, (rows.max() - rows.min() + 2) / height) > 0.85
    assert min(abs(columns.min() - (width - 1 - columns.max())), abs(rows.min() - (height - 1 - rows.max()))) <= 3


def test_a_flat_scene_is_seen_from_the_front():
    drawn = draw(Scene(Mesh(TRIANGLE, colors=[[1, 0, 0]] * 3)), 30, 30, engine="python")
    covered = drawn.target.shaded.reshape(30, 30)
    assert abs(int(covered.sum()) - 30 * 30 / 2 / 1.04**2) < 30
    assert drawn.target.pixels()[20, 15].tolist() == [255, 0, 0, 255]


def test_a_model_around_the_eye_is_cut_at_the_near_plane():
    drawn = draw(Scene(garden(), Camera((1.5, 1.2, 1.5), (3, 0.5, 3))), 24, 24, engine="python")
    assert drawn.target.counts["fragments"] > 100


def test_the_size_of_a_scene_changes_nothing():
    pictures = []
    for exponent in (-90, 0, 90):
        mesh = garden()
        mesh.positions = mesh.positions * 2.0**exponent
        pictures.append(draw(Scene(mesh), 16, 16, engine="python").target.color.tobytes())
    assert pictures[0] == pictures[1] == pictures[2]


def test_a_camera_in_the_middle_of_a_huge_scene_sees_it():
    """Corners at 1e30, an eye at 1e-9: what is cut at the near plane lies at the end of what floats can tell apart."""
    points = np.array([[1e30, -1e30, 1e30], [-1e30, 3e29, 1e30], [1e-9, 2e29, -1e30], [1e-9, -1, 0], [1, 1e-9, 1e-9], [-1, 0, 1]])
    mesh = Mesh(points, [[0, 1, 2], [3, 4, 5], [0, 3, 5]])
    for near in (None, 1e-20):
        draw(Scene(mesh, Camera((0, 0, 1e-9), (0, 0, -1), near=near)), 8, 8, engine="python")


def test_kinds_of_pictures_show_what_was_drawn():
    target = draw(Scene(garden()), 24, 20, engine="python").target
    for make in KINDS.values():
        assert make(target).shape == (20, 24, 4)
    depth, quads = KINDS["depth"](target), KINDS["quads"](target)
    seen = target.depth() < 1
    assert {tuple(color) for color in depth[~seen].tolist()} == {(16, 16, 20, 255)}
    assert {tuple(color) for color in quads[target.shaded.reshape(20, 24) > 0].tolist()} - {(16, 16, 20, 255)}


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Scene([]), "the scene has no triangles"),
        (lambda: Scene([3]), "meshes[0] is a int: a scene holds Mesh objects"),
        (lambda: Scene(Mesh([[0, 0, 0]] * 3)), "all vertices of the scene are at one point: there is nothing to see"),
        (lambda: Mesh([[0, 0, np.nan]] * 3), "positions of mesh: vertex 0 has [0.0, 0.0, nan], which is not finite"),
        (lambda: Mesh([[0, 0, 1e200]] * 3), "positions of mesh: vertex 0 has [0.0, 0.0, 1e+200], and at most 1e+30 can be drawn"),
        (lambda: Mesh([[0, 0]] * 3), "positions of mesh are [n, 3], and these are [3, 2]"),
        (lambda: Mesh([["a", 0, 0]] * 3), "positions of mesh are not a table of numbers"),
        (lambda: Mesh([[0, 0, 0]] * 4), "mesh has 4 positions and no triangles: without these, each three positions are one"),
        (lambda: Mesh(TRIANGLE, [[0, 1, 3]]), "triangle 0 of mesh is [0, 1, 3]: there are the vertices 0 to 2"),
        (lambda: Mesh(TRIANGLE, [[0, 1.5, 2]]), "triangles of mesh are whole numbers [m, 3], and these are float64[1, 3]"),
        (lambda: Mesh(TRIANGLE, uv=[[0, 0]]), "mesh has 3 positions and 1 uv: it needs one for each"),
        (
            lambda: Mesh(TRIANGLE, colors=[[0, 0, 255]] * 3),
            "colors of mesh are 0 to 1, and vertex 0 has [0.0, 0.0, 255.0]; divide bytes by 255",
        ),
        (lambda: Mesh(TRIANGLE, transform=np.eye(3)), "transform of mesh is a 4 x 4 matrix of finite numbers"),
        (lambda: Scene(Mesh(TRIANGLE), Camera((0, 0, 0))), "the camera's eye and target are the same point, so it looks nowhere"),
        (lambda: Scene(Mesh(TRIANGLE), Camera((0, 3, 0))), "the camera looks along its own `up`: turn one of them"),
        (lambda: Scene(Mesh(TRIANGLE), Camera((0, 0, 3), fov=180)), "the camera's fov is 180: it is more than 0 and less than 180 degrees"),
        (lambda: Scene(Mesh(TRIANGLE), Camera((0, 0, 3), near=2, far=1)), "near is 2 and far 1: 0 < near < far"),
        (
            lambda: Scene(Mesh(TRIANGLE), light=Light((0, 0, 0))),
            "the light's direction is (0, 0, 0): it is three finite numbers, not all 0",
        ),
    ],
)
def test_a_scene_that_cannot_be_drawn_is_a_sentence(make, said):
    with pytest.raises(GraphicsError) as found:
        made = make()
        draw(made, 8, 8, engine="python")
    assert str(found.value) == said
