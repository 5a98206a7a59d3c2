"""A picture by rays from a kernel in Python.

`warploom run ray_kernel.py --gpu sm --set rays.cores=1 picture.png`, and after that pixels of a side and `walk`, where wanted.

Each thread has a pixel. It sends a ray into the scene, and from where that ends a second ray towards the lamp. With `walk` the rays are
traced by a program in place of the ray unit: the same picture, on any GPU.
"""

import sys
from pathlib import Path

import numpy as np
from numba import cuda

from warploom.graphics.rays import RayScene
from warploom.isa.pictures import png

FAR, SMALL = np.float32(1e9), np.float32(2e-3)
ZERO, AMBIENT = np.float32(0), np.float32(0.15)
FIRST = 4  # flag of a ray: the first hit will do


def net(x, y, z):
    """Two triangles for each square of a net of points: float[n, 3, 3]."""
    points = np.stack([x, y, z], axis=-1)
    a, b, c, d = points[:-1, :-1], points[1:, :-1], points[:-1, 1:], points[1:, 1:]
    return np.concatenate([np.stack([a, c, b], axis=2).reshape(-1, 3, 3), np.stack([c, d, b], axis=2).reshape(-1, 3, 3)])


@cuda.jit
def draw(scene, normals, lamp, how, picture):
    x, y = cuda.grid(2)
    height, width = picture.shape
    if x < width and y < height:
        dx = np.float32(2 * x + 1 - width) / np.float32(width)
        dy = np.float32(height - 2 * y - 1) / np.float32(height) - np.float32(0.25)
        eye, towards = (0.0, 0.7, -3.0), (dx, dy, 2.0)
        hit = scene.trace(eye, towards, ZERO, FAR) if how == "unit" else scene.walk(eye, towards, ZERO, FAR)
        light = ZERO
        if hit.hit:
            t, n = hit.t, normals[hit.triangle]
            cosine = n[0] * lamp[0] + n[1] * lamp[1] + n[2] * lamp[2]
            if n[0] * dx + n[1] * dy + n[2] * np.float32(2) > ZERO:  # its back is seen
                cosine = -cosine
            light = AMBIENT
            if cosine > ZERO:
                place = dx * t, np.float32(0.7) + dy * t, np.float32(2) * t - np.float32(3)
                lit = lamp[0], lamp[1], lamp[2]
                shadow = scene.trace(place, lit, SMALL, FAR, FIRST) if how == "unit" else scene.walk(place, lit, SMALL, FAR, FIRST)
                light += ZERO if shadow.hit else np.float32(0.85) * cosine
        picture[y, x] = light


file, side, how = sys.argv[1], int((sys.argv[2:] or ["64"])[0]), (sys.argv[3:] or ["unit"])[0]
x, z = np.meshgrid(np.linspace(-2, 2, 17), np.linspace(-2, 2, 17))
u, v = np.meshgrid(np.linspace(0, 2 * np.pi, 17), np.linspace(0, np.pi, 17))
waves = net(x, 0.15 * np.sin(4 * x) * np.cos(3 * z) - 1, z)
corners = np.concatenate([waves, 0.8 * net(np.sin(v) * np.cos(u), np.cos(v), np.sin(v) * np.sin(u))])
normals = np.cross(corners[:, 2] - corners[:, 0], corners[:, 1] - corners[:, 0])
normals = (normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-9)).astype(np.float32)
lamp = np.array([-0.5, 0.7, -0.5], np.float32) / np.float32(np.sqrt(0.99))
picture = np.zeros((side, side), np.float32)
draw[(-(-side // 8), -(-side // 4)), (8, 4)](RayScene(corners), normals, lamp, how, picture)
levels = (255 * np.clip(picture, 0, 1) ** (1 / 2.2)).astype(np.uint8)
Path(file).write_bytes(png(np.dstack([levels, levels, levels, np.full_like(levels, 255)])))
print(f"{file} is written")
