"""Scenes of CUDA programs."""

import numpy as np
import pytest

from warploom.graphics import GraphicsError
from warploom.graphics.rays import RayScene
from warploom.graphics.rays.for_programs import tree

CORNERS = np.arange(27, dtype=np.float32).reshape(3, 3, 3) ** 2


@pytest.mark.parametrize("width", [2, 4, 6])
def test_the_words_are_those_of_a_scene(width):
    assert np.array_equal(tree(CORNERS.tobytes(), 3, width), RayScene(CORNERS, width).words)


def test_bytes_that_are_no_triangles_are_a_sentence():
    with pytest.raises(GraphicsError, match="9 numbers each"):
        tree(CORNERS.tobytes()[:-4], 3, 4)
