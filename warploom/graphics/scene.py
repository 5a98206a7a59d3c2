"""Scenes: meshes with materials, a camera, a lamp. Coordinates are those of glTF: x to the right, y up, z towards the viewer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from warploom.graphics.draw_call import Light, Shading
from warploom.graphics.shading import ALPHA, ATTRIBUTES, NORMAL, RED, U
from warploom.graphics.state import GraphicsError, Pipeline

MOST_TRIANGLES = 4_000_000
MOST_NUMBER = 1e30  # of a coordinate: squares and products of it are finite
IDENTITY = np.eye(4)


@dataclass(eq=False)
class Mesh:
    """Triangles with one material.

    positions: [n, 3]. triangles: [m, 3], numbers of vertices; None: each three vertices are one. uv: [n, 2], v = 0 is a picture's upper
    edge. colors: [n, 3] or [n, 4], 0 to 1. normals: [n, 3]; None: each triangle is flat. transform: 4 x 4, from the mesh to the world.
    """

    positions: Any
    triangles: Any = None
    uv: Any = None
    colors: Any = None
    normals: Any = None
    shading: Shading = field(default_factory=Shading)
    pipeline: Pipeline = field(default_factory=Pipeline)
    transform: Any = None
    name: str = "mesh"

    def __post_init__(self) -> None:
        self.positions = self._table("positions", self.positions, (3,))
        count = len(self.positions)
        found = np.arange(count, dtype=np.int64).reshape(-1, 3) if self.triangles is None and count % 3 == 0 else self.triangles
        if found is None:
            raise GraphicsError(f"{self.name} has {count} positions and no triangles: without these, each three positions are one")
        self.triangles = np.asarray(found)
        if self.triangles.size and (self.triangles.ndim != 2 or self.triangles.shape[1] != 3 or self.triangles.dtype.kind not in "iu"):
            raise GraphicsError(f"triangles of {self.name} are whole numbers [m, 3], and these are {self.triangles.dtype}"
                                f"{list(self.triangles.shape)}")  # fmt: skip
        self.triangles = self.triangles.reshape(-1, 3).astype(np.int64)
        wrong = (self.triangles < 0) | (self.triangles >= count)
        if wrong.any():
            row = int(np.argwhere(wrong)[0][0])
            raise GraphicsError(f"triangle {row} of {self.name} is {self.triangles[row].tolist()}: there are the vertices 0 to {count - 1}")
        for what, widths in (("uv", (2,)), ("colors", (3, 4)), ("normals", (3,))):
            if getattr(self, what) is not None:
                table = self._table(what, getattr(self, what), widths)
                if len(table) != count:
                    raise GraphicsError(f"{self.name} has {count} positions and {len(table)} {what}: it needs one for each")
                setattr(self, what, table)
        if self.colors is not None and self.colors.size and (self.colors.min() < 0 or self.colors.max() > 1):
            row = int(np.argwhere((self.colors < 0) | (self.colors > 1))[0][0])
            raise GraphicsError(f"colors of {self.name} are 0 to 1, and vertex {row} has {self.colors[row].tolist()}; divide bytes by 255")
        if self.transform is not None:
            self.transform = np.asarray(self.transform, np.float64)
            if self.transform.shape != (4, 4) or not np.isfinite(self.transform).all():
                raise GraphicsError(f"transform of {self.name} is a 4 x 4 matrix of finite numbers")

    def _table(self, what: str, given: Any, widths: tuple[int, ...]) -> np.ndarray:
        try:
            table = np.asarray(given, np.float64)
        except (TypeError, ValueError):
            raise GraphicsError(f"{what} of {self.name} are not a table of numbers") from None
        if table.size == 0:
            return table.reshape(0, widths[0])
        if table.ndim != 2 or table.shape[1] not in widths:
            raise GraphicsError(f"{what} of {self.name} are [n, {' or '.join(map(str, widths))}], and these are {list(table.shape)}")
        if not np.isfinite(table).all():
            row = int(np.argwhere(~np.isfinite(table))[0][0])
            raise GraphicsError(f"{what} of {self.name}: vertex {row} has {table[row].tolist()}, which is not finite")
        if (np.abs(table) > MOST_NUMBER).any():
            row = int(np.argwhere(np.abs(table) > MOST_NUMBER)[0][0])
            raise GraphicsError(f"{what} of {self.name}: vertex {row} has {table[row].tolist()}, and at most {MOST_NUMBER:g} can be drawn")
        return table

    def world(self) -> np.ndarray:
        """Positions in the world: float64[n, 3]."""
        if self.transform is None:
            return np.asarray(self.positions)
        return np.asarray(self.positions @ self.transform[:3, :3].T + self.transform[:3, 3])

    def corner_attributes(self) -> np.ndarray:
        """The shader's attributes of each triangle's corners: float32[m, 3, ATTRIBUTES]."""
        world, corners = self.world(), self.triangles
        made = np.zeros((len(corners), 3, ATTRIBUTES), np.float32)
        made[..., RED : ALPHA + 1] = 1
        if self.uv is not None:
            made[..., U : U + 2] = self.uv[corners]
        if self.colors is not None:
            made[..., RED : RED + self.colors.shape[1]] = self.colors[corners]
        if self.normals is not None:
            normals = (self.normals @ normal_matrix(IDENTITY if self.transform is None else self.transform).T)[corners]
        else:
            normals = flat_normals(world, corners)
        length = np.sqrt((normals**2).sum(axis=-1, keepdims=True))
        made[..., NORMAL:] = np.divide(normals, length, out=np.zeros_like(normals), where=length > 0)
        return made


def normal_matrix(transform: np.ndarray) -> np.ndarray:
    """What turns the normals of a mesh with a transform, of 4 x 4: float64[3, 3]."""
    matrix = transform[:3, :3]
    return np.stack([np.cross(matrix[1], matrix[2]), np.cross(matrix[2], matrix[0]), np.cross(matrix[0], matrix[1])])


def flat_normals(world: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Normals of flat triangles, one for each corner, of any length: float64[m, 3, 3]. world: float64[n, 3]; corners: int64[m, 3]."""
    a, b, c = (world[corners[:, k]] for k in range(3))
    return np.repeat(np.cross(b - a, c - a)[:, None], 3, axis=1)


def is_mirror(transform: np.ndarray) -> bool:
    """Whether a transform turns left into right, and so the winding of every triangle round. transform: 4 x 4."""
    with np.errstate(all="ignore"):
        return bool(np.linalg.det(transform[:3, :3]) < 0)


@dataclass(frozen=True)
class Camera:
    """Where the picture is taken from. fov: degrees from its lower to its upper edge. near, far: None: as the scene needs."""

    eye: tuple[float, float, float]
    target: tuple[float, float, float] = (0.0, 0.0, 0.0)
    up: tuple[float, float, float] = (0.0, 1.0, 0.0)
    fov: float = 40.0
    near: float | None = None
    far: float | None = None


@dataclass(eq=False)
class Scene:
    """What `warploom draw` draws. camera: None: one from which the whole scene fills the picture.

    background: red, green, blue, alpha, 0 to 255. srgb: colours are amounts of light, and become sRGB bytes; else they are bytes / 255.
    """

    meshes: Sequence[Mesh]
    camera: Camera | None = None
    light: Light = field(default_factory=Light)
    background: tuple[int, int, int, int] = (24, 26, 32, 255)
    srgb: bool = False
    warnings: Sequence[str] = ()

    def __post_init__(self) -> None:
        self.meshes = [self.meshes] if isinstance(self.meshes, Mesh) else list(self.meshes)
        for number, mesh in enumerate(self.meshes):
            if not isinstance(mesh, Mesh):
                raise GraphicsError(f"meshes[{number}] is a {type(mesh).__name__}: a scene holds Mesh objects")
        count = sum(len(mesh.triangles) for mesh in self.meshes)
        if count == 0:
            raise GraphicsError("the scene has no triangles")
        if count > MOST_TRIANGLES:
            raise GraphicsError(f"the scene has {count} triangles: at most {MOST_TRIANGLES} can be drawn; simplify it first")
