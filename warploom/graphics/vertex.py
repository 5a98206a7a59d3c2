"""What a vertex shader in Python is given and gives, and functions that it may call. It is compiled as a kernel is, for the host
by Numba.

from warploom.graphics.vertex import Place, at, to_world

def vertex(v, u):
    world = to_world(u, v.position)
    return at(v, u, Place(world.x, world.y + u.own.height * world.x * world.x, world.z))
"""

from __future__ import annotations

from typing import Any, NamedTuple

from warploom.graphics.pixel import UV, Color, Place, dot


class Clip(NamedTuple):
    """A place in clip space: in the picture where -w <= x, y <= w and 0 <= z <= w. Four float32."""

    x: Any
    y: Any
    z: Any
    w: Any


class Row(NamedTuple):
    """A row of a matrix: what x, y and z are multiplied by, and what is added. Four float32."""

    x: Any
    y: Any
    z: Any
    w: Any


class Vertex(NamedTuple):
    """A vertex as the mesh has it, before its transform. normal: 0 where the mesh has none. color: white where it has none."""

    position: Place
    normal: Place
    uv: UV
    color: Color
    index: Any


class Shaded(NamedTuple):
    """What a vertex shader gives. position: in clip space. world, normal: in the world."""

    position: Clip
    world: Place
    normal: Place
    uv: UV
    color: Color


class Uniforms(NamedTuple):
    """What is the same for all vertices of a draw call. world, normals: three rows each, from the mesh to the world. clip: four rows, from
    the world to clip space. light: towards the lamp. own: what the pipeline's `uniforms` say, by name.
    """

    world: Any
    normals: Any
    clip: Any
    light: Place
    eye: Place
    strength: Any
    ambient: Any
    width: Any
    height: Any
    own: Any


def to_world(u: Any, a: Any) -> Any:
    """A place of the mesh, in the world."""
    m = u.world
    return Place(dot(m[0], a) + m[0].w, dot(m[1], a) + m[1].w, dot(m[2], a) + m[2].w)


def turned(u: Any, a: Any) -> Any:
    """A normal of the mesh, in the world; not of length 1."""
    m = u.normals
    return Place(dot(m[0], a), dot(m[1], a), dot(m[2], a))


def to_clip(u: Any, a: Any) -> Any:
    """A place of the world, in clip space."""
    m = u.clip
    return Clip(dot(m[0], a) + m[0].w, dot(m[1], a) + m[1].w, dot(m[2], a) + m[2].w, dot(m[3], a) + m[3].w)


def at(v: Any, u: Any, world: Any) -> Any:
    """The vertex at a place of the world, all else as the mesh has it."""
    return Shaded(to_clip(u, world), world, turned(u, v.normal), v.uv, v.color)
