"""Vertex shaders: what they are given and give, in tables of floats, and a run of one on the host."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from warploom.graphics.host.functions import call, compiled
from warploom.graphics.host.libraries import library
from warploom.graphics.own_shader import Shader
from warploom.graphics.own_values import own_values, own_words
from warploom.graphics.state import GraphicsError
from warploom.graphics.vertex import UV, Color, Place, Row, Uniforms, Vertex

GIVEN, MADE = 12, 16  # floats of a vertex: position, normal, uv, color; position in clip space, world, normal, uv, color
F = np.float32


class Work(NamedTuple):
    """Vertices of a mesh to be shaded. given: float32[n, GIVEN]. world, normals, clip: matrices, of 3 x 4, 3 x 3 and 4 x 4. light: towards
    the lamp, strength: its own, and of light from everywhere. size: of the picture. own: the pipeline's uniforms."""

    name: str
    shader: Shader
    given: np.ndarray
    world: np.ndarray
    normals: np.ndarray
    clip: np.ndarray
    light: np.ndarray
    eye: tuple[float, float, float]
    strength: tuple[float, float]
    size: tuple[int, int]
    own: Mapping[str, Any]


Runs = Callable[[Work], np.ndarray]  # the tables of Work as float32[n, MADE]


def on_host(work: Work) -> np.ndarray:
    """Shade vertices: float32[n, MADE]. Raises GraphicsError, SourceError."""
    made = np.zeros((len(work.given), MADE), F)
    if work.shader.function is None:
        run = library(work.shader).warploom_vertices
        words = uniform_words(work)
        places = [array.ctypes.data_as(ctypes.c_void_p) for array in (work.given, made)]
        run(*places, ctypes.c_int(len(work.given)), words.ctypes.data_as(ctypes.c_void_p))
        return made
    key = "host"
    if key not in work.shader.built:
        work.shader.built[key] = compiled(around(work.shader.function))
    call(work.shader.built[key], work.shader.function, work.given, made, uniforms(work))
    return made


def around(vertex: Callable[..., Any]) -> Callable[..., None]:
    """A function that shades all vertices with a shader."""
    one = shading(vertex)

    def shade(given: Any, made: Any, u: Any) -> None:
        for i in range(len(given)):
            one(given, made, u, np.int32(i))

    return shade


def shading(vertex: Callable[..., Any]) -> Callable[..., None]:
    """A function that shades one vertex: of tables, uniforms, and its number."""

    def one(given: Any, made: Any, u: Any, i: Any) -> None:
        v = Vertex(
            Place(given[i, 0], given[i, 1], given[i, 2]), Place(given[i, 3], given[i, 4], given[i, 5]), UV(given[i, 6], given[i, 7]),
            Color(given[i, 8], given[i, 9], given[i, 10], given[i, 11]), i,
        )  # fmt: skip
        s = vertex(v, u)
        made[i, 0], made[i, 1], made[i, 2], made[i, 3] = s.position.x, s.position.y, s.position.z, s.position.w
        made[i, 4], made[i, 5], made[i, 6] = s.world.x, s.world.y, s.world.z
        made[i, 7], made[i, 8], made[i, 9] = s.normal.x, s.normal.y, s.normal.z
        made[i, 10], made[i, 11] = s.uv.u, s.uv.v
        made[i, 12], made[i, 13], made[i, 14], made[i, 15] = s.color.red, s.color.green, s.color.blue, s.color.alpha

    return one


def uniforms(work: Work) -> Uniforms:
    """What a shader in Python is given for all vertices."""
    world, normals, clip = (
        tuple(Row(*map(F, row), *(F(0),) * (4 - len(row))) for row in matrix) for matrix in (work.world, work.normals, work.clip)
    )
    strength, ambient = map(F, work.strength)
    width, height = map(np.int32, work.size)
    light, eye = Place(*map(F, work.light)), Place(*map(F, work.eye))
    return Uniforms(world, normals, clip, light, eye, strength, ambient, width, height, own_values(work.own))


def uniform_words(work: Work) -> np.ndarray:
    """`uniforms_t` of warploom_vertex.h: uint32[63]."""
    parts = [work.world, work.normals, work.clip, work.light, work.eye, work.strength]
    floats = np.concatenate([np.asarray(part, np.float64).ravel() for part in parts]).astype(F)
    return np.concatenate([floats.view(np.uint32), np.array(work.size, np.uint32), own_words(work.own)])


def checked(work: Work, made: np.ndarray) -> np.ndarray:
    """float64[n, MADE] of what a shader has made. Raises GraphicsError for what cannot be drawn."""
    wrong = ~np.isfinite(made)
    if wrong.any():
        row = int(np.argwhere(wrong)[0][0])
        raise GraphicsError(f"{work.name}: the vertex shader makes {made[row].tolist()} of vertex {row}, which is not finite")
    return made.astype(np.float64)
