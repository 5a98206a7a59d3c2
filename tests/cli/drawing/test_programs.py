"""A scene as a program: what runs, checks and debugs programs takes the file of a scene."""

import pytest
from click.testing import CliRunner

from warploom.cli import main

SCENE = """
from warploom.graphics import Mesh, Scene
corners = [[-1, -1, 0], [1, -1, 0], [0, 1, 0]]
scene = Scene([Mesh(corners, name="one"), Mesh([[x, y, 1] for x, y, z in corners], name="two")])
"""


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    path = tmp_path_factory.mktemp("scene") / "two.py"
    path.write_text(SCENE, encoding="utf-8")
    return str(path)


def said(*words):
    return CliRunner().invoke(main, [*words], catch_exceptions=False)


def test_the_debugger_stops_at_a_fragment_of_a_pixel(scene):
    words = [word for command in ("break pixel 4,4", "stops", "continue", "where") for word in ("-x", command)]
    done = said("debug", scene, "--arg", "size=8", "--engine", "python", *words)
    assert done.exit_code == 0, done.output
    assert "breakpoint 1: a fragment of pixel 4,4 came from warp 0:" in done.output
    assert "1 break pixel 4,4" in done.output


def test_a_mesh_is_drawn_onto_those_before_it(scene):
    done = said("run", scene, "--arg", "size=8", "--launch", "two", "--engine", "python")
    assert done.exit_code == 0, done.output
    assert "fragments" in done.output
    assert said("check", scene, "--arg", "size=4", "--engine", "python").exit_code == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("run", "--gpu", "sm"), "drawing needs a raster engine, which sm does not have; use --gpu vortex-2024"),
        (("run", "--launch", "three"), "--launch three: the scene has 2 meshes with triangles: 0 one, 1 two"),
        (("run", "--arg", "n=4"), "--arg n: a scene takes --arg size=WxH alone"),
        (("run", "--arg", "size=4x"), "--arg size=4x: pixels as 64x48"),
        (("run", "--grid", "4"), "--grid has no effect on"),
        (("debug", "-x", "break pixel 4"), "break pixel X,Y: the column and the row of a pixel"),
        (("debug", "-x", "break pixel 4,40000"), "there is no pixel 4,40000"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(words, sentence, scene):
    done = said(words[0], scene, *words[1:])
    assert done.exit_code == 2 and sentence in done.output


RAYS = """
from IMPORT import cuda
from warploom.graphics.rays import RayScene
import numpy as np

@cuda.jit
def depth(scene, out):
    out[0] = scene.walk((0.0, 0.0, -3.0), (0.0, 0.0, 1.0), 0.0, 100.0).t

scene, out = None, np.zeros(1, np.float32)
scene = RayScene([[[-1, -1, 0], [1, -1, 0], [0, 1, 0]]])
depth[1, 1](scene, out)
assert out.tolist() == [3]
"""


@pytest.mark.parametrize("package", ["numba", "warploom"])
def test_a_program_whose_kernels_trace_rays_through_a_scene_is_no_scene(package, tmp_path):
    path = tmp_path / "depth.py"
    path.write_text(RAYS.replace("IMPORT", package), encoding="utf-8")
    done = said("run", str(path), "--engine", "python")
    assert done.exit_code == 0 and "1 launch on sm" in done.output, done.output


def test_a_program_without_fragments_has_no_pixels(tmp_path):
    kernel = tmp_path / "one.asm"
    kernel.write_text(".threads 4\nRET\n", encoding="utf-8")
    done = said("debug", str(kernel), "--gpu", "tiny-simt", "-x", "break pixel 1,1")
    assert done.exit_code == 2 and "hands no fragments to an output merger" in done.output
