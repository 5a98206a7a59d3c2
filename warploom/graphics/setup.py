"""Setup: from vertices in clip space to triangles that the raster engine takes.

Positions are snapped to a grid of 1/256 pixel *after* clipping. Everything that follows is exact in whole numbers of 64 bits, so two
triangles that share an edge share exactly this edge: under the top-left rule a mesh covers each pixel once, with neither gap nor
overlap. Source: Direct3D 11.3 Functional Specification, 3.4 (8 sub-pixel bits).

The edge opposite of corner k runs from corner k + 1 to corner k + 2. Its value at a pixel, divided by the sum of all three (twice the
triangle's area), is the weight of corner k there. That is why coverage and interpolation work with the same numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from warploom.graphics.clip import clipped, distances

SUBPIXEL_BITS = 8
STEPS = 1 << SUBPIXEL_BITS  # of the grid, in a pixel
CENTRE = STEPS // 2
REACH = 1 << 14  # pixels: no position lies further from the picture's upper left corner, which keeps edges in 64 bits


class Triangles(NamedTuple):
    """What the raster engine draws, in the order of submission; n triangles.

    edges: int64[n, 9]. boxes: int64[n, 4], first and last column, first and last row. area: float64[n], the sum of the edge values.
    depth: float64[n, 3], z / w of the corners. inverse_w: float64[n, 3]. attributes: float32[n, 3, K]. back: int64[n], 1 for a back
    face. origin: int64[n], which triangle of the draw call each is a part of.
    """

    edges: np.ndarray
    boxes: np.ndarray
    area: np.ndarray
    depth: np.ndarray
    inverse_w: np.ndarray
    attributes: np.ndarray
    back: np.ndarray
    origin: np.ndarray


class Viewport(NamedTuple):
    """Where a picture's pixels are: left, top, right, bottom of the scissor, and the size that -1 to 1 is spread over. Pixels."""

    width: int
    height: int
    left: int
    top: int
    right: int
    bottom: int


def set_up(corners: np.ndarray, attributes: np.ndarray, viewport: Viewport, cull: str = "none", front: str = "ccw") -> Triangles:
    """Clip, project, snap, cull and set up triangles. corners: float64[n, 3, 4], clip space, y up; attributes: float[n, 3, K]."""
    guard = max(2 * REACH / max(viewport.width, viewport.height) - 1, 1.0)
    far = distances(corners, guard)
    outside = np.any(np.all(far < 0, axis=1), axis=1)
    whole = (far >= 0).all(axis=(1, 2))
    parts = [(corners[whole], attributes[whole].astype(np.float64), np.flatnonzero(whole))]
    for number in np.flatnonzero(~whole & ~outside):
        polygon = clipped(corners[number], attributes[number].astype(np.float64), guard)
        if polygon is not None:
            fan = _fan(snapped(polygon.corners, viewport))
            parts.append((polygon.corners[fan], polygon.attributes[fan], np.full(len(fan), number, np.int64)))
    places, values, origin = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(origin, kind="stable")
    return _triangles(places[order], values[order], origin[order], viewport, cull, front)


def snapped(corners: np.ndarray, viewport: Viewport) -> np.ndarray:
    """Positions on the grid: int64[..., 2], in 1/256 pixel from the picture's upper left corner, y down."""
    with np.errstate(all="ignore"):
        x = (corners[..., 0] / corners[..., 3] + 1) * (viewport.width / 2)
        y = (1 - corners[..., 1] / corners[..., 3]) * (viewport.height / 2)
        places = np.clip(
            np.nan_to_num(np.stack([x, y], axis=-1)), -2 * REACH, 2 * REACH
        )  # further out only by rounding, where w is about 0
    return np.rint(places * STEPS).astype(np.int64)


def twice_area(points: np.ndarray) -> np.ndarray:
    """Twice the area of triangles, int64[...]; positive where they turn clockwise as one sees them. points: int64[..., 3, 2]."""
    x, y = points[..., 0], points[..., 1]
    return (x[..., 1] - x[..., 0]) * (y[..., 2] - y[..., 0]) - (x[..., 2] - x[..., 0]) * (y[..., 1] - y[..., 0])


def _fan(points: np.ndarray) -> np.ndarray:
    """A polygon's triangles, int64[n - 2, 3]: from a corner of which all turn the same way.

    Snapping may bend a thin polygon a little inwards; from a corner opposite of the bend no triangle turns over.
    """
    count = len(points)
    fans = [[(first, (first + k) % count, (first + k + 1) % count) for k in range(1, count - 1)] for first in range(count)]
    for fan in fans:
        areas = twice_area(points[np.array(fan)])
        if (areas >= 0).all() or (areas <= 0).all():
            return np.array(fan)
    return np.array(fans[0])


def _triangles(corners: np.ndarray, attributes: np.ndarray, origin: np.ndarray, viewport: Viewport, cull: str, front: str) -> Triangles:
    points = snapped(corners, viewport)
    area = twice_area(points)
    back = (area > 0) == (front == "ccw")
    boxes = _boxes(points, viewport)
    drawn = (area != 0) & (boxes[:, 0] <= boxes[:, 1]) & (boxes[:, 2] <= boxes[:, 3])
    if cull != "none":
        drawn &= back != (cull == "back")
    points, area, corners = points[drawn], area[drawn], corners[drawn]
    sign = np.where(area < 0, -1, 1)
    rows = np.zeros((len(points), 9), np.int64)
    for k, (a, b) in enumerate(((1, 2), (2, 0), (0, 1))):
        dx, dy = (sign * (points[:, b, axis] - points[:, a, axis]) for axis in range(2))
        rows[:, 3 * k] = -dy * STEPS
        rows[:, 3 * k + 1] = dx * STEPS
        rows[:, 3 * k + 2] = dx * (CENTRE - points[:, a, 1]) - dy * (CENTRE - points[:, a, 0])
    w = corners[..., 3]
    return Triangles(
        rows, boxes[drawn], np.abs(area).astype(np.float64), corners[..., 2] / w, 1 / w,
        np.ascontiguousarray(attributes[drawn], np.float32), back[drawn].astype(np.int64), origin[drawn].astype(np.int64),
    )  # fmt: skip


def _boxes(points: np.ndarray, viewport: Viewport) -> np.ndarray:
    """The pixels whose centres lie in the triangles' bounding boxes and in the scissor: first and last column, first and last row."""
    least, most = points.min(axis=1), points.max(axis=1)
    first = -((CENTRE - least) // STEPS)
    last = (most - CENTRE) // STEPS
    low = np.maximum(first, np.array([viewport.left, viewport.top], np.int64))
    high = np.minimum(last, np.array([viewport.right, viewport.bottom], np.int64) - 1)
    return np.stack([low[:, 0], high[:, 0], low[:, 1], high[:, 1]], axis=1).astype(np.int64)
