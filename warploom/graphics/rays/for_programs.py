"""Scenes of CUDA programs (`warploom/rays.h`): the library `ray-tree` of `cuda_cpp/libraries.py`."""

from __future__ import annotations

import numpy as np

from warploom.graphics.rays.scene import RayScene
from warploom.graphics.state import GraphicsError

FLOATS = 9  # of a triangle


def tree(data: bytes, triangles: int, width: int) -> np.ndarray:
    """The words of a scene of triangles. data: their corners, nine floats each. Raises GraphicsError, a ValueError."""
    if len(data) != 4 * FLOATS * triangles:
        raise GraphicsError(f"{len(data)} bytes are not {triangles} triangles: they have {FLOATS} numbers each, of 4 bytes")
    return RayScene(np.frombuffer(data, np.float32).reshape(-1, 3, 3), width).words
