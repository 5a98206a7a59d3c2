"""Buffers, topologies and patches that nobody means well with, made from a seed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from warploom.graphics.drawing import draw
from warploom.graphics.geometry import TOPOLOGIES, IndexBuffer, Patches, VertexBuffer, across, mesh_of, transformed
from warploom.graphics.geometry.formats import EXAMPLES
from warploom.graphics.geometry.partitioning import PARTITIONINGS
from warploom.graphics.geometry.patches import DomainShader
from warploom.graphics.geometry.tessellator import DOMAINS
from warploom.graphics.scene import Scene

SIZE = 6
NUMBERS = (0, 1, 2, 3, 4, 7, 12, 16, 255, 65535, -1, 1 << 40)
FACTORS: tuple[Any, ...] = (
    0, -0.0, 1, 1.00001, 2, 3, 4.5, 63, 63.5, 64, 65, 1e39, -3, float("nan"), float("inf"), float("-inf"), 1e-45,
)  # fmt: skip
SHADERS: tuple[DomainShader, ...] = (
    across, lambda u, v, c: across(u, v, c) * 1e300, lambda u, v, c: across(u, v, c) / (u[:, None] - 0.5), lambda u, _v, _c: u,
    lambda u, v, c: {"positions": across(u, v, c), "colors": 2 * across(u, v, c)}, lambda *_: {}, lambda *_: None,
)  # fmt: skip


def take(data: bytes, _path: Path) -> None:
    """Make a mesh of buffers or of patches, and draw it."""
    chance = random.Random(data)
    with np.errstate(all="ignore"):
        mesh = _of_buffers(chance) if chance.random() < 0.5 else _of_patches(chance)
        transformed(mesh.triangles, chance.choice((0, 1, 32)))
        if len(mesh.triangles) < 200:
            draw(Scene(mesh), SIZE, SIZE, engine="python")


def _mostly(chance: random.Random, usual: Sequence[Any], odd: Sequence[Any]) -> Any:
    return chance.choice(odd if chance.random() < 0.1 else usual)


def _of_buffers(chance: random.Random) -> Any:
    form = _mostly(chance, EXAMPLES, ["sint8x3", "sscaled8x2", "R8G8_SSCALED", "float3", "\0"])
    stride, first, count = (_mostly(chance, usual, NUMBERS) for usual in ((4, 12, 16), (0, 3), (None, 6)))
    attributes = {_mostly(chance, ["positions"], ["uv", "x"]): (form, _mostly(chance, (0, 4), NUMBERS))}
    rows = VertexBuffer(chance.randbytes(_mostly(chance, (200,), (0, 7))), stride, attributes, first)
    data = bytes(chance.choice((0, 1, 2, 3, 4, 255)) for _ in range(chance.randrange(30)))
    order = IndexBuffer(data, _mostly(chance, ["uint8"], ["uint16", "uint32", "int8"]), first, count)
    topology, base = _mostly(chance, TOPOLOGIES, ["points"]), _mostly(chance, (0,), (1, -1))
    return mesh_of([rows] * _mostly(chance, (1,), (0, 2)), chance.choice([None, order, order]), topology, base)


def _of_patches(chance: random.Random) -> Any:
    domain = _mostly(chance, list(DOMAINS), ["isoline"])
    edges, inside = DOMAINS.get(domain, (2, 1))
    count = _mostly(chance, (edges,), (0, 3, 4, 5))
    corners = [[[_mostly(chance, (0, 1, -1, 0.3), (float("nan"), 1e308)) for _ in range(3)] for _ in range(count)] for _ in range(2)]
    outer, inner = ([_mostly(chance, FACTORS, ("x", None, [1, 2])) for _ in range(n)] for n in (edges, inside))
    kind = _mostly(chance, list(PARTITIONINGS), ["pow2"])
    return Patches(
        corners,
        _mostly(chance, [outer, 3], [inner]),
        _mostly(chance, [inner, 2], [outer]),
        _mostly(chance, [across], SHADERS),
        domain,
        kind,
    ).mesh()
