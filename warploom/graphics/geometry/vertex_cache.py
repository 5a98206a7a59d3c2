"""The cache of transformed vertices: a vertex that was shaded a moment ago is not shaded again.

In hardware: a few entries, each the number of a vertex and its shaded attributes, replaced in the order in which they came (first in, first
out): a hit does not make an entry younger. A mesh of a grid has about two triangles a vertex, each vertex is used six times, and the
order of the triangles decides how many of these uses find it. Source: Hoppe, "Optimization of Mesh Locality for Transparent Vertex
Caching", SIGGRAPH 1999.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from warploom.graphics.state import GraphicsError

ENTRIES = 32


class Transformed(NamedTuple):
    """fetched: indices that were looked up. shaded: vertices that the shader ran for. used: vertices that there are in the stream."""

    fetched: int
    shaded: int
    used: int

    @property
    def hit_rate(self) -> float:
        """Hits of all look-ups, 0 to 1."""
        return (self.fetched - self.shaded) / self.fetched if self.fetched else 0.0

    @property
    def per_triangle(self) -> float:
        """Vertices shaded for a triangle of a list: 3 without a cache, about 0.5 at best in a large grid."""
        return 3 * self.shaded / self.fetched if self.fetched else 0.0


def transformed(triangles: np.ndarray, entries: int = ENTRIES) -> Transformed:
    """What a cache makes of a stream of indices. triangles: whole numbers, in the order of the draw call. entries: 0 for none.

    Raises GraphicsError for fewer than 0 entries.
    """
    if entries < 0:
        raise GraphicsError(f"a cache of transformed vertices has {entries} entries: it has 0 or more")
    stream = np.asarray(triangles).ravel()
    vertices, numbers = np.unique(stream, return_inverse=True)
    came = [-entries] * len(vertices)  # how many had been shaded when a vertex was
    shaded = 0
    for vertex in numbers.ravel().tolist():
        if shaded - came[vertex] >= entries:
            shaded += 1
            came[vertex] = shaded
    return Transformed(len(stream), shaded, len(vertices))
