"""Hills made of 8 x 8 patches, finer where they are near: `warploom draw hills.py`

The tessellator cuts each patch by the factors of its edges; the domain shader gives each point its height. An edge's factor depends on that
edge alone, so the two patches that share it agree, and nothing cracks.
"""

import numpy as np

from warploom.graphics import Camera, Light, Pipeline, Scene, Shading
from warploom.graphics.geometry import Patches, across

PATCHES, SIDE = 8, 12.0  # along each side; length of the whole
EYE = (0.0, 2.6, 7.2)
FINEST = 16.0  # segments of an edge at the eye's feet
WAVES = ((0.55, 0.42, 0.9, 0.3), (0.34, -1.1, 0.62, 1.7), (0.16, 2.3, 1.9, 4.0), (0.05, 5.1, -4.3, 0.8))  # height, x and z frequency, phase


def height(x, z):
    return sum(a * np.sin(fx * x + fz * z + phase) for a, fx, fz, phase in WAVES)


def corners():
    """The ground's patches: [p, 4, 3], counterclockwise seen from above."""
    places = np.linspace(-SIDE / 2, SIDE / 2, PATCHES + 1)
    x, z = np.meshgrid(places, places)
    grid = np.stack([x, np.zeros_like(x), z], axis=-1)
    return np.stack([grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:], grid[:-1, :-1]], axis=2).reshape(-1, 4, 3)


def factors(patches):
    """Of the edges u = 0, v = 0, u = 1, v = 1: [p, 4], less the further an edge's middle is away; and of the inside: [p, 2]."""
    ends = [(0, 3), (0, 1), (1, 2), (3, 2)]
    middles = np.stack([(patches[:, a] + patches[:, b]) / 2 for a, b in ends], axis=1)
    outer = FINEST * 3 / np.linalg.norm(middles - np.array(EYE), axis=-1)
    return outer, np.stack([outer[:, [1, 3]].mean(axis=1), outer[:, [0, 2]].mean(axis=1)], axis=1)


def shader(u, v, patch):
    x, _, z = across(u, v, patch).T
    y = height(x, z)
    share = np.clip((y + 0.9) / 1.8, 0, 1)[:, None]
    colors = (1 - share) * np.array([0.10, 0.30, 0.09]) + share * np.array([0.62, 0.52, 0.33])
    return {"positions": np.stack([x, y, z], axis=1), "colors": colors}


ground = corners()
outer, inner = factors(ground)
hills = Patches(ground, outer, inner, shader, partitioning="fractional_odd")
mesh = hills.mesh(name="hills", shading=Shading(lit=True), pipeline=Pipeline(cull_mode="back"))
scene = Scene(mesh, Camera(EYE, (0, -0.4, 0), fov=48), Light((0.7, 0.5, 0.25), 1.0, 0.15), (168, 196, 220, 255), srgb=True)
