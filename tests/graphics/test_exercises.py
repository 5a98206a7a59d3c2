"""The answers of the exercises in the chapter "From triangle to pixel", run."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from warploom.graphics import Camera, Depth, Mesh, Scene, draw
from warploom.graphics.script import scene_of

GARDEN = str(Path(__file__).parents[2] / "examples" / "graphics" / "garden.py")


def garden(*order):
    """The garden with meshes in an order, by their numbers: ground, vase, ball."""
    scene = scene_of(GARDEN)
    scene.camera = scene.camera or draw(scene, 8, 8, engine="python").camera
    scene.meshes = [scene.meshes[number] for number in order or (0, 1, 2)]
    return scene


@pytest.mark.slow
def test_1_the_early_depth_test_and_the_order_of_meshes():
    first, without, vase_first = (
        draw(scene, **more).target for scene, more in ((garden(), {}), (garden(), {"early_depth": False}), (garden(1, 0, 2), {}))
    )
    assert (first.counts["early"], first.counts["quads"], without.counts["quads"]) == (2044, 91764, 92750)
    assert (vase_first.counts["early"], vase_first.counts["quads"]) == (36790, 81029)
    assert (first.color == without.color).all() and (first.color == vase_first.color).all()


@pytest.mark.slow
def test_2_helper_lanes_of_pictures_of_three_sizes():
    counts = [draw(garden(), size, size).target.counts for size in (128, 256, 512)]
    assert [round(one["helpers"] / one["fragments"], 2) for one in counts] == [1.08, 0.60, 0.32]


@pytest.mark.slow
def test_3_the_back_of_the_ball():
    scene = garden()
    plain = draw(scene).target.counts["fragments"]
    scene.meshes[2].pipeline = replace(scene.meshes[2].pipeline, cull_mode="none")
    assert (draw(scene).target.counts["fragments"], plain) == (308004, 279644)


def test_4_mirrored_triangles_with_an_edge_through_pixel_centres():
    def owner(mirrored):
        """Which of two triangles draws each pixel of the column on their common edge, and which the row on another one."""
        sign = -1 if mirrored else 1
        corners = np.array([[0.125, 1.5, 0], [0.125, -1.5, 0], [-1.5, 0, 0], [1.5, 0, 0]]) * [sign, 1, 1]
        found = []
        for triangle in ([0, 1, 2], [0, 3, 1]):
            drawn = draw(Scene(Mesh(corners, [triangle]), Camera((0, 0, 1), fov=90)), 8, 8, engine="python", depth=None)
            found.append(drawn.target.shaded.reshape(8, 8)[2:6, 3 if mirrored else 4])
        return np.array(found).tolist()

    assert owner(False) == [[0] * 4, [1] * 4]
    assert owner(True) == [[1] * 4, [0] * 4]


@pytest.mark.slow
def test_5_the_same_mesh_twice():
    less = draw(garden(0, 1, 1, 2)).target
    scene = garden(0, 1, 1, 2)
    for mesh in scene.meshes:
        mesh.pipeline = replace(mesh.pipeline, depth=replace(mesh.pipeline.depth or Depth(), compare="less-equal"))
    again = draw(scene).target
    assert (less.counts["quads"], again.counts["quads"]) == (91764, 107318)
    assert (less.counts["written"], again.counts["written"]) == (277600, 316648)
    assert (less.color != again.color).sum() == 1
