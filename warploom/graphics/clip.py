"""Clipping: what of a triangle lies in front of the eye, and near enough to the picture for whole numbers.

A vertex comes from the vertex shader as (x, y, z, w). It is seen if -w <= x, y <= w and 0 <= z <= w; then x / w and y / w are its
place. A triangle that reaches beyond the eye has vertices with w <= 0, which have no place; it is cut along the near plane z = 0, and
along the far plane. To the sides it is cut only along a wide guard band: what hangs over the picture's edge costs the raster engine
nothing.

Both triangles at a shared edge cut it at the same place: a cut goes from the vertex inside to the one outside, never the other
way round. Source: Sutherland and Hodgman, "Reentrant Polygon Clipping", CACM 1974.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

LEAST_W = 1e-12
PLANES = 7


class Polygon(NamedTuple):
    """A clipped triangle: corners float64[n, 4], attributes float64[n, K], n >= 3."""

    corners: np.ndarray
    attributes: np.ndarray


def distances(corners: np.ndarray, guard: float) -> np.ndarray:
    """How far inside of each plane corners are: float64[..., 7], negative outside. corners: [..., 4]; guard: the band's half width / w."""
    x, y, z, w = np.moveaxis(corners, -1, 0)
    wide = guard * w
    return np.stack([z, w - z, wide - x, wide + x, wide - y, wide + y, w - LEAST_W], axis=-1)


def clipped(corners: np.ndarray, attributes: np.ndarray, guard: float) -> Polygon | None:
    """What of one triangle is inside of all planes, or None. corners: float64[3, 4]; attributes: float64[3, K]."""
    places, values = list(corners), list(attributes)
    for plane in range(PLANES):
        far = distances(np.array(places), guard)[:, plane]
        if (far >= 0).all():
            continue
        kept_places, kept_values = [], []
        for here, after in zip(range(len(places)), [*range(1, len(places)), 0], strict=True):
            if far[here] >= 0:
                kept_places.append(places[here])
                kept_values.append(values[here])
            if (far[here] >= 0) != (far[after] >= 0):
                inner, outer = (here, after) if far[here] >= 0 else (after, here)
                share = far[inner] / (far[inner] - far[outer])
                kept_places.append(places[inner] + share * (places[outer] - places[inner]))
                kept_values.append(values[inner] + share * (values[outer] - values[inner]))
        places, values = kept_places, kept_values
        if len(places) < 3:
            return None
    return Polygon(np.array(places), np.array(values))
