"""Small scenes for tests, made by formulas."""

import random

import numpy as np

from warploom.graphics import ALPHA_BLENDING, Depth, DrawCall, Mesh, Pipeline, Shading, Texture
from warploom.graphics.shading import ALPHA, ATTRIBUTES, RED, U


def checkers(size=8, step=1):
    y, x = np.mgrid[0:size, 0:size] // step
    grey = ((x + y) % 2 * 255).astype(np.uint8)
    return Texture(np.dstack([grey, grey, grey, np.full_like(grey, 255)]), name="checkers")


def clip(points, size, depth=0.5, w=1.0):
    """Positions in pixels (x, y), (x, y, z) or (x, y, z, w) as clip coordinates."""
    rows = []
    for point in points:
        x, y, z, own = (*point, depth, w)[:4] if len(point) == 2 else (*point, w)[:4]
        rows.append([(2 * x / size - 1) * own, (1 - 2 * y / size) * own, z * own, own])
    return np.array(rows, np.float64)


def corner_values(colors=None, uv=None, count=1):
    made = np.zeros((count, 3, ATTRIBUTES), np.float32)
    made[..., RED : ALPHA + 1] = 1
    if colors is not None:
        made[..., RED : ALPHA + 1] = colors
    if uv is not None:
        made[..., U : U + 2] = uv
    return made


def random_call(numbers, size, count=12, **state):
    """Overlapping translucent triangles with random corners, depths, w, and colours."""
    corners, colors = [], []
    for _ in range(count):
        points = [(numbers.uniform(-4, size + 4), numbers.uniform(-4, size + 4), numbers.uniform(0.1, 0.9), numbers.uniform(0.5, 3))
                  for _ in range(3)]  # fmt: skip
        corners.append(clip(points, size))
        colors.append([[numbers.random() for _ in range(4)] for _ in range(3)])
    pipeline = Pipeline(**({"depth": Depth("less-equal"), "blend": ALPHA_BLENDING} | state))
    uv = np.array([[[numbers.uniform(-1, 2), numbers.uniform(-1, 2)] for _ in range(3)] for _ in range(count)])
    return DrawCall(np.array(corners), corner_values(np.array(colors), uv, count), pipeline, Shading(texture=checkers()))


def garden(size=4):
    """A hilly ground with a texture and normals, as a mesh."""
    numbers = random.Random(1)
    x, z = np.meshgrid(np.arange(size, dtype=np.float64), np.arange(size, dtype=np.float64))
    y = np.array([numbers.uniform(0, 1) for _ in range(size * size)])
    cells = [(r * size + c, (r + 1) * size + c, r * size + c + 1) for r in range(size - 1) for c in range(size - 1)]
    cells += [(r * size + c + 1, (r + 1) * size + c, (r + 1) * size + c + 1) for r in range(size - 1) for c in range(size - 1)]
    points = np.stack([x.ravel(), y, z.ravel()], axis=1)
    return Mesh(points, cells, points[:, [0, 2]] / 2, shading=Shading(texture=checkers(16, 4), lit=True, two_sided=True), name="hills")
