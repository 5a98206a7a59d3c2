"""Setup and binning as the host library of Vortex of 2024 does them: floats, then fixed point, a tile buffer and a primitive buffer.

All in float32, each operation rounded. Edges are those of the triangle before the division by w (Olano and Greer, "Triangle Scan
Conversion using 2D Homogeneous Coordinates", 1997), so nothing has to be clipped. Each triangle is scaled and cut off to Q15.16 by
itself. Two that share an edge therefore have edges that differ in the last bits, and may leave a pixel out between them, which those of
`warploom/graphics/setup.py` never do. Source of the formulas: github.com/vortexgpgpu/skybox d06a998, 2024-08.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

EDGE_FRACTION, ATTRIBUTE_FRACTION = 16, 24  # Q15.16 and Q7.24
LOG_TILE = 5
ATTRIBUTES = ("z", "r", "g", "b", "a", "u", "v")
WORDS = 9 + 3 * len(ATTRIBUTES)  # of a triangle in the primitive buffer
STRIDE = 4 * WORDS
INT32 = 1 << 31
F = np.float32


class Primitives(NamedTuple):
    """n triangles that are left. edges: int32[n, 9]; planes: int32[n, 7, 3], of z, r, g, b, a, u, v: difference of corner 0 and 2, of 1
    and 2, corner 2. boxes: int64[n, 4], left, right, top, bottom in pixels; the right and the bottom are not in it. kept: int64[n], their
    numbers among the triangles that were given."""

    edges: np.ndarray
    planes: np.ndarray
    boxes: np.ndarray
    kept: np.ndarray


def fixed(values: np.ndarray, fraction: int) -> np.ndarray:
    """float32 as fixed point of 32 bits, cut off towards zero; what is too large is the least number, as x86 converts it."""
    scaled = np.trunc(values.astype(np.float64) * (1 << fraction))
    fits = (scaled >= -INT32) & (scaled < INT32)
    return np.where(fits, np.where(fits, scaled, 0), -INT32).astype(np.int32)


def set_up_original(
    corners: np.ndarray, colors: np.ndarray, uv: np.ndarray, width: int, height: int, near: float, far: float
) -> Primitives:
    """corners: float32[n, 3, 4], clip space; colors: float32[n, 3, 4]; uv: float32[n, 3, 2]. The viewport is the whole target, y up."""
    x, y, z, w = np.moveaxis(corners.astype(F), -1, 0)
    half_width, half_height = F(width) / F(2), F(height) / F(2)
    half_depth, middle = (F(far) - F(near)) / F(2), (F(near) + F(far)) / F(2)
    with np.errstate(all="ignore"):
        edges, keeps = _edges(x * half_width + w * half_width, y * half_height + w * half_height, w)
        inverse = np.where(w != 0, F(1) / w, F(0)).astype(F)
        screen_z = z * inverse * half_depth + middle
        boxes = _boxes(x * inverse * half_width + half_width, y * inverse * half_height + half_height, width, height)
        keeps &= (boxes[:, 0] < boxes[:, 1]) & (boxes[:, 2] < boxes[:, 3])
        edges[..., 2] += edges[..., 0] * F(0.5) + edges[..., 1] * F(0.5)
        scale = F(1) / np.abs(edges[..., :2]).max(axis=(1, 2))
        rows = fixed((edges * scale[:, None, None]).reshape(-1, 9), EDGE_FRACTION)
        values = np.concatenate([screen_z[..., None], colors.astype(F), uv.astype(F)], axis=-1)
        planes = np.stack([values[:, 0] - values[:, 2], values[:, 1] - values[:, 2], values[:, 2]], axis=-1)
        return Primitives(rows[keeps], fixed(planes, ATTRIBUTE_FRACTION)[keeps], boxes[keeps], np.flatnonzero(keeps))


def _edges(x: np.ndarray, y: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """float32[n, 3, 3], and which triangles have an area. Those that turn the other way are turned round: both faces are drawn."""
    made = np.zeros((len(x), 3, 3), F)
    for k, (a, b) in enumerate(((1, 2), (2, 0), (0, 1))):
        made[:, k, 0] = y[:, a] * w[:, b] - y[:, b] * w[:, a]
        made[:, k, 1] = x[:, b] * w[:, a] - x[:, a] * w[:, b]
        made[:, k, 2] = x[:, a] * y[:, b] - x[:, b] * y[:, a]
    area = made[:, 0, 2] * w[:, 0] + made[:, 1, 2] * w[:, 1] + made[:, 2, 2] * w[:, 2]
    made[area < 0] *= F(-1)
    return made, area != 0


def _boxes(x: np.ndarray, y: np.ndarray, width: int, height: int) -> np.ndarray:
    parts = [np.floor(x.min(axis=1)), np.ceil(x.max(axis=1)), np.floor(y.min(axis=1)), np.ceil(y.max(axis=1))]
    left, right, top, bottom = (np.clip(np.nan_to_num(part), -INT32, INT32 - 1).astype(np.int64) for part in parts)
    return np.stack([np.maximum(left, 0), np.minimum(right, width), np.maximum(top, 0), np.minimum(bottom, height)], axis=1)


def primitive_buffer(primitives: Primitives) -> np.ndarray:
    """The triangles as words: int32[n, WORDS], edges, then planes."""
    return np.concatenate([primitives.edges, primitives.planes.reshape(len(primitives.planes), -1)], axis=1)


def tile_buffer(boxes: np.ndarray, log_tile: int = LOG_TILE) -> tuple[np.ndarray, int]:
    """The tile buffer as words (uint32), and the number of its headers. A triangle is in each tile that its bounding box touches."""
    tiles: dict[tuple[int, int], list[int]] = {}
    for number, (left, right, top, bottom) in enumerate(boxes.tolist()):
        for tile_y in range(top >> log_tile, ((bottom - 1) >> log_tile) + 1):
            for tile_x in range(left >> log_tile, ((right - 1) >> log_tile) + 1):
                tiles.setdefault((tile_x, tile_y), []).append(number)
    headers: list[int] = []
    ids: list[int] = []
    for place, ((tile_x, tile_y), numbers) in enumerate(sorted(tiles.items())):
        headers += [tile_x | tile_y << 16, 2 * (len(tiles) - place - 1) + len(ids) | len(numbers) << 16]
        ids += numbers
    return np.array(headers + ids, np.uint32), len(tiles)
