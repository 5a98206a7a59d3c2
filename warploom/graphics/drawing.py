"""Drawing a scene: a draw call a mesh, in their order, into a new target."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from warploom.graphics.camera import clip_matrix, clip_planes, fitting_camera, view_matrix
from warploom.graphics.draw_call import DrawCall, Light, Progress, draw_call
from warploom.graphics.host.vertices import GIVEN, Runs, Work, checked, on_host
from warploom.graphics.own_shader import Shader, vertex_shader
from warploom.graphics.scene import IDENTITY, Camera, Mesh, Scene, flat_normals, normal_matrix
from warploom.graphics.shading import ALPHA, ATTRIBUTES, NORMAL, RED, U
from warploom.graphics.state import GraphicsError, Pipeline
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


def calls_of(
    scene: Scene, camera: Camera, width: int, height: int, pipeline: Mapping[str, object], vertices: Runs = on_host
) -> Iterator[tuple[Mesh, DrawCall]]:
    """The draw calls of a scene, and the mesh of each. vertices: what runs vertex shaders. Raises GraphicsError."""
    shaders: dict[Any, Shader] = {}
    matrix, light = clip_matrix(scene, camera, width, height), placed_light(scene.light, camera)
    planes = clip_planes(scene, camera)
    for mesh in scene.meshes:
        if len(mesh.triangles) == 0:
            continue
        try:
            state = replace(mesh.pipeline, **pipeline)  # type: ignore[arg-type]
        except TypeError as error:
            raise GraphicsError(f"a pipeline has no such field: {error}") from None
        if state.vertex is not None:
            state = replace(state, vertex=_once(shaders, state.vertex))
            work = work_of(mesh, state, matrix, light, camera.eye, (width, height))
            made = checked(work, vertices(work))
            clip, world, attributes = made[:, :4], made[:, 4:7], _attributes_made(mesh, made)
        else:
            clip, world, attributes = _clip(mesh, matrix), mesh.world(), mesh.corner_attributes()
        more = {"positions": world[mesh.triangles], "eye": camera.eye, "planes": planes}
        yield mesh, DrawCall(clip[mesh.triangles], attributes, state, mesh.shading, light, **more)


def _clip(mesh: Mesh, matrix: np.ndarray) -> np.ndarray:
    """The vertices of a mesh in clip space: float64[n, 4]. Raises GraphicsError."""
    world = mesh.world()
    with np.errstate(over="ignore", invalid="ignore"):
        clip = np.concatenate([world, np.ones((len(world), 1))], axis=1) @ matrix.T
    if not np.isfinite(clip).all():
        raise GraphicsError(f"{mesh.name}: vertex {int(np.argwhere(~np.isfinite(clip))[0][0])} is too far away for floats")
    return np.asarray(clip)


def _once(shaders: dict[Any, Shader], given: Any) -> Shader:
    """A vertex shader, read once however many meshes have it. Raises GraphicsError."""
    name = str(given) if isinstance(given, str | Path) else id(given)
    if name not in shaders:
        shaders[name] = vertex_shader(given)
    return shaders[name]


def work_of(mesh: Mesh, state: Pipeline, clip: np.ndarray, light: Light, eye: tuple[float, float, float], size: tuple[int, int]) -> Work:
    """What a vertex shader is given of a mesh. clip: from the world to clip space."""
    given = np.zeros((len(mesh.positions), GIVEN), np.float32)
    given[:, :3], given[:, 8:] = mesh.positions, 1
    if mesh.normals is not None:
        given[:, 3:6] = mesh.normals
    if mesh.uv is not None:
        given[:, 6:8] = mesh.uv
    if mesh.colors is not None:
        given[:, 8 : 8 + mesh.colors.shape[1]] = mesh.colors
    world = IDENTITY if mesh.transform is None else mesh.transform
    strength = (light.strength, light.ambient)
    return Work(mesh.name, state.vertex, given, world[:3], normal_matrix(world), clip, light.towards, eye, strength, size, state.uniforms)


def _attributes_made(mesh: Mesh, made: np.ndarray) -> np.ndarray:
    """The attributes of corners, of what a vertex shader has made; flat where the mesh has no normals."""
    world, corners = made[:, 4:7], mesh.triangles
    attributes = np.zeros((len(corners), 3, ATTRIBUTES), np.float32)
    attributes[..., U : U + 2] = made[corners, 10:12]
    attributes[..., RED : ALPHA + 1] = made[corners, 12:16]
    attributes[..., NORMAL:] = made[corners, 7:10] if mesh.normals is not None else flat_normals(world, corners)
    return attributes


def placed_light(light: Light, camera: Camera) -> Light:
    """The lamp where it is, or over the camera's shoulder."""
    if light.direction is not None:
        return light
    x, y, z = (np.array(OVER_THE_SHOULDER) @ view_matrix(camera)[:3, :3]).tolist()
    return replace(light, direction=(x, y, z))
