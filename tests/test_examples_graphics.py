"""The scenes of examples/graphics are drawn, and show what their first lines say."""

import numpy as np

from tests.graphics.test_setup import counted
from tests.places import ROOT
from warploom.graphics.drawing import calls_of, draw
from warploom.graphics.script import scene_of
from warploom.graphics.setup import Viewport, set_up
from warploom.machine.raster.edges import TOP_LEFT


def test_the_garden_has_a_ground_a_vase_and_a_ball_in_front_of_both():
    scene = scene_of(str(ROOT / "examples" / "graphics" / "garden.py"))
    target = draw(scene, 40, 40, engine="python").target
    pixels, shaded = target.pixels().astype(int), target.shaded.reshape(40, 40)
    assert (pixels[0, :, :3] == scene.background[:3]).all()  # the sky
    ball, ground = pixels[27, 24, :3], pixels[27, 38, :3]
    assert ball[2] > ball[0] + 15  # bluish, seen through
    assert np.ptp(ground) < 40  # grey
    assert shaded[27, 24] >= 2
    assert target.counts["triangles"] > 1000


def test_the_hills_are_finer_where_they_are_near_and_have_no_holes():
    scene = scene_of(str(ROOT / "examples" / "graphics" / "hills.py"))
    ((_, call),) = calls_of(scene, scene.camera, 40, 40, {})
    covered = counted(set_up(call.corners, call.attributes, Viewport(40, 40, 0, 0, 40, 40), "back"), TOP_LEFT, 40) > 0
    skyline = covered.argmax(axis=0)
    assert (skyline < 18).all() and (skyline > 5).all()
    assert all(covered[row:, column].all() for column, row in enumerate(skyline))  # below the skyline
    mesh = scene.meshes[0]
    depth = mesh.positions[mesh.triangles].mean(axis=1)[:, 2]
    assert (depth > 0).sum() > 2 * (depth < 0).sum()
