"""Shadows by rays over a picture by the raster engine.

`warploom run shadows.py garden.py shadows.png`, and after that pixels of a side and x,y,z of the lamp, where wanted.

The scene is drawn twice, with its lamp and with what comes from everywhere alone. From each pixel's place in the scene, which its depth
tells, a ray goes towards the lamp: where it meets something that one cannot see through, the pixel is that of the second picture.
"""

import sys
from dataclasses import replace

import numpy as np

from warploom.graphics import OPAQUE, Scene, draw
from warploom.graphics.camera import clip_matrix
from warploom.graphics.drawing import placed_light
from warploom.graphics.rays import RayScene
from warploom.graphics.script import scene_of
from warploom.isa.pictures import png

FIRST_HIT = 4  # flag of a ray: any hit will do


def places_of(scene: Scene, camera, depth: np.ndarray) -> np.ndarray:
    """Where in the scene the pixels lie. depth: float64[height, width]. float64[height, width, 3]."""
    height, width = depth.shape
    y, x = np.mgrid[0:height, 0:width]
    seen = np.stack([(2 * x + 1) / width - 1, 1 - (2 * y + 1) / height, depth, np.ones_like(depth)], axis=-1)
    places = seen @ np.linalg.inv(clip_matrix(scene, camera, width, height)).T
    return places[..., :3] / places[..., 3:]


def with_shadows(scene: Scene, width: int, height: int) -> tuple[np.ndarray, int]:
    """The picture, uint8[height, width, 4], and how many pixels lie in shadow."""
    lit = draw(scene, width, height)
    lamp = placed_light(scene.light, lit.camera)
    dark = draw(replace(scene, camera=lit.camera, light=replace(lamp, strength=0.0)), width, height)
    solid = [mesh.world()[mesh.triangles] for mesh in scene.meshes if mesh.pipeline.blend == OPAQUE and len(mesh.triangles)]
    tree = RayScene(np.concatenate(solid))
    depth = lit.target.depth()
    rows, columns = np.nonzero(depth < 1)
    origins = places_of(scene, lit.camera, depth)[rows, columns]
    towards = np.array(lamp.direction) / np.linalg.norm(lamp.direction)
    near = 2e-3 * np.linalg.norm(origins - np.array(lit.camera.eye), axis=1)  # so that no triangle shades itself
    hidden = tree.trace(origins, towards, near, flags=FIRST_HIT).hit
    pixels = lit.target.pixels().copy()
    pixels[rows[hidden], columns[hidden]] = dark.target.pixels()[rows[hidden], columns[hidden]]
    return pixels, int(hidden.sum())


if __name__ == "__main__":
    file, output, size = sys.argv[1], sys.argv[2], int((sys.argv[3:] or ["512"])[0])
    scene = scene_of(file)
    if len(sys.argv) > 4:
        x, y, z = map(float, sys.argv[4].split(","))
        scene.light = replace(scene.light, direction=(x, y, z))
    picture, count = with_shadows(scene, size, size)
    with open(output, "wb") as stream:
        stream.write(png(picture))
    print(f"{count} of {size * size} pixels lie in shadow")
