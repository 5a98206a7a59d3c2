"""A garden made by formulas: a paved ground, a vase on it, a glass ball that one can see through. `warploom draw garden.py`"""

import numpy as np

from warploom.graphics import ALPHA_BLENDING, Camera, Depth, Light, Mesh, Pipeline, Scene, Shading, Texture


def surface(point, across, along, **more):
    """A grid of triangles. point: from u and v, 0 to 1, to x, y, z."""
    u, v = np.meshgrid(np.linspace(0, 1, across + 1), np.linspace(0, 1, along + 1))
    first = (np.arange(along)[:, None] * (across + 1) + np.arange(across)).ravel()
    cells = np.stack([first, first + across + 1, first + 1, first + 1, first + across + 1, first + across + 2], axis=1)
    return Mesh(np.stack(point(u.ravel(), v.ravel()), axis=1), cells.reshape(-1, 3), np.stack([u.ravel(), v.ravel()], axis=1), **more)


def turned(radius, height, across, along, centre=(0, 0), **more):
    """A surface of revolution: radius and height by v."""

    def point(u, v):
        angle = 2 * np.pi * u
        return centre[0] - radius(v) * np.cos(angle), height(v), centre[1] + radius(v) * np.sin(angle)

    return surface(point, across, along, **more)


def paving(size=64):
    y, x = np.mgrid[0:size, 0:size]
    joint = (x % 32 < 2) | ((y + 16 * (x // 32 % 2)) % 32 < 2)
    grain = (x * 7919 ^ y * 104729) % 23
    grey = np.where(joint, 70, 150 + grain)
    return Texture(np.stack([grey, grey - 6, grey - 18, np.full_like(grey, 255)], axis=-1).astype(np.uint8), name="paving")


def bands(size=64):
    y, x = np.mgrid[0:size, 0:size]
    wave = (y + 6 * np.sin(2 * np.pi * x / 16)) % 16 < 6
    red, green, blue = np.where(wave, 214, 32), np.where(wave, 190, 84), np.where(wave, 130, 110)
    return Texture(np.stack([red, green, blue, np.full_like(red, 255)], axis=-1).astype(np.uint8), name="bands")


solid = Pipeline(cull_mode="none")
ground = surface(
    lambda u, v: (14 * u - 7, 0 * u, 14 * v - 10),
    24,
    24,
    name="ground",
    pipeline=solid,
    shading=Shading(texture=paving(), lit=True, two_sided=True),
)
ground.uv = ground.uv * 10
vase = turned(
    lambda v: 0.45 + 0.4 * np.sin(0.4 + 4.4 * v) * (1 - 0.35 * v),
    lambda v: 2.3 * v,
    48,
    32,
    (-0.7, 0),
    name="vase",
    pipeline=solid,
    shading=Shading(texture=bands(), lit=True, two_sided=True),
)
vase.uv = vase.uv * [4, 3]
glass = Pipeline(Depth("less", write=False), blend=ALPHA_BLENDING, cull_mode="back")
ball = turned(
    lambda v: 0.62 * np.sin(np.pi * v),
    lambda v: 0.64 - 0.62 * np.cos(np.pi * v),
    32,
    20,
    (0.75, 0.9),
    name="ball",
    pipeline=glass,
    shading=Shading((0.35, 0.75, 1.0, 0.45), lit=True),
)
scene = Scene([ground, vase, ball], Camera(eye=(2.2, 2.6, 5.2), target=(0, 0.9, 0), fov=38), Light((0.5, 0.9, 0.6), 0.85, 0.25), srgb=True)
