"""`warploom draw --gpu`: a scene on a machine."""

import json

import pytest

from tests.cli.drawing.test_draw import draw

SCENE = """
import numpy as np
from warploom.graphics import Camera, Mesh, Scene
corners = np.array([[-1, -1, 0], [1, -1, 0], [0, 1, 0]], float)
scene = Scene([Mesh(corners, np.array([[0, 1, 2]]), name="one")], camera=Camera((0, 0, 4)))
"""


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    path = tmp_path_factory.mktemp("scene") / "one.py"
    path.write_text(SCENE, encoding="utf-8")
    return path


def test_the_machine_says_what_a_picture_costs(scene, tmp_path):
    out, page = tmp_path / "one.png", tmp_path / "one.html"
    done = draw(scene, "-o", out, "--size", "8", "--gpu", "vortex-2024", "--profile", "--explore", page)
    assert done.exit_code == 0, done.output
    assert out.read_bytes()[:4] == b"\x89PNG"
    assert "quads" in done.output and "a fragment; " in done.output and "vx_om" in done.output
    assert "vx_rast" in page.read_text(encoding="utf-8")
    found = json.loads(draw(scene, "-o", out, "--size", "8", "--gpu", "vortex-2024", "--json").stdout)
    assert found["gpu"] == "vortex-2024" and found["cycles"] == sum(one["cycles"] for one in found["draws"]) > 0
    assert found["helper_lanes"] == 4 * found["quads"] - found["covered_pixels"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--profile",), "--profile is about a machine: add --gpu vortex-2024"),
        (("--gpu", "sm"), "drawing needs a raster engine, which sm does not have; use --gpu vortex-2024"),
        (("--gpu", "vortex-2024", "--overdraw"), "--overdraw is counted where no machine draws: leave --gpu out"),
        (("--gpu", "vortex-2024", "--mesh", "1"), "--mesh says which mesh --explore PAGE is about; add that"),
        (("--gpu", "vortex-2024", "--explore", "x.html", "--mesh", "1"), "--mesh 1: the scene has 1 mesh with triangles: 0"),
        (("--gpu", "vortex-2024", "--max-cycles", "50"), "one: the draw call has not ended after 50 cycles; give it more"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(words, said, scene, tmp_path):
    done = draw(scene, "-o", tmp_path / "one.png", "--size", "8", *words)
    assert done.exit_code == 2 and said in done.output
    assert not (tmp_path / "one.png").exists()
