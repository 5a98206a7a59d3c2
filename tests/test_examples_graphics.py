"""The scenes of examples/graphics are drawn, and show what their first lines say."""

import numpy as np

from tests.places import ROOT
from warploom.graphics.drawing import draw
from warploom.graphics.script import scene_of


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
