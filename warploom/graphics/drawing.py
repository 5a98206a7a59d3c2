"""Drawing a scene: a draw call a mesh, in their order, into a new target."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from warploom.graphics.camera import clip_matrix, clip_planes, fitting_camera, view_matrix
from warploom.graphics.draw_call import DrawCall, Light, Progress, draw_call
from warploom.graphics.scene import Camera, Mesh, Scene
from warploom.graphics.state import GraphicsError
from warploom.graphics.target import Target

OVER_THE_SHOULDER = (0.35, 0.55, 1.0)  # where the lamp is that nobody has placed, as the camera sees it


class Drawn(NamedTuple):
    """A picture with what it took. camera: the one that it was taken with. submitted, set_up: triangles."""

    target: Target
    camera: Camera
    submitted: int
    set_up: int


def draw(
    scene: Scene,
    width: int = 512,
    height: int = 512,
    *,
    engine: str = "auto",
    progress: Progress | None = None,
    **pipeline: object,
) -> Drawn:
    """Draw a scene. progress: told how many triangles are done, and of how many.

    pipeline: fields that all pipelines are to have, in place of their own, as fill_rule="inclusive". Raises GraphicsError.
    """
    target = Target(width, height, srgb=scene.srgb)
    target.clear(scene.background)
    camera = scene.camera or fitting_camera(scene, width, height)
    total = sum(len(mesh.triangles) for mesh in scene.meshes)
    done = set_up = 0
    for mesh, call in calls_of(scene, camera, width, height, pipeline):
        before, count = done, len(mesh.triangles)

        def told(now: int, of: int, before: int = before, count: int = count) -> None:
            if progress is not None:
                progress(before + count * now // max(of, 1), total)

        set_up += len(draw_call(target, call, engine, told).edges)
        done += count
    return Drawn(target, camera, total, set_up)


def calls_of(scene: Scene, camera: Camera, width: int, height: int, pipeline: Mapping[str, object]) -> Iterator[tuple[Mesh, DrawCall]]:
    """The draw calls of a scene, and the mesh of each. Raises GraphicsError."""
    matrix, light = clip_matrix(scene, camera, width, height), placed_light(scene.light, camera)
    planes = clip_planes(scene, camera)
    for mesh in scene.meshes:
        if len(mesh.triangles) == 0:
            continue
        world = mesh.world()
        with np.errstate(over="ignore", invalid="ignore"):
            clip = np.concatenate([world, np.ones((len(world), 1))], axis=1) @ matrix.T
        if not np.isfinite(clip).all():
            raise GraphicsError(f"{mesh.name}: vertex {int(np.argwhere(~np.isfinite(clip))[0][0])} is too far away for floats")
        try:
            state = replace(mesh.pipeline, **pipeline)  # type: ignore[arg-type]
        except TypeError as error:
            raise GraphicsError(f"a pipeline has no such field: {error}") from None
        more = {"positions": world[mesh.triangles], "eye": camera.eye, "planes": planes}
        yield mesh, DrawCall(clip[mesh.triangles], mesh.corner_attributes(), state, mesh.shading, light, **more)


def placed_light(light: Light, camera: Camera) -> Light:
    """The lamp where it is, or over the camera's shoulder."""
    if light.direction is not None:
        return light
    x, y, z = (np.array(OVER_THE_SHOULDER) @ view_matrix(camera)[:3, :3]).tolist()
    return replace(light, direction=(x, y, z))
