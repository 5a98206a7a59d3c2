"""Primitive assembly: from a stream of indices to triangles.

In hardware: a register of the last two vertices, which a third one completes; a strip moves on by one vertex, a fan keeps its first. Every
second triangle of a strip turns the other way, so two of its corners change places, and all triangles keep the winding of the first.
A *restart*, the index whose bits are all 1, ends a strip or a fan; what is incomplete is dropped.

Which corner a flat attribute comes from, the *provoking vertex*, is the one that a triangle begins with ("first": Vulkan, Direct3D, WebGPU)
or ends with ("last": OpenGL). Corners are rotated so that it is always the first, or the last, of the three:

    triangle n of       first                                            last
    triangle-list       3n, 3n + 1, 3n + 2                               the same
    triangle-strip      n, n + 1, n + 2; n, n + 2, n + 1 where n is odd  n, n + 1, n + 2; n + 1, n, n + 2 where n is odd
    triangle-fan        n + 1, n + 2, 0                                  0, n + 1, n + 2

Source: Vulkan 1.3, Khronos, chapter 21.1, Primitive Topologies; glTF 2.0 has the order of "first" in its chapter on meshes.
"""

from __future__ import annotations

import numpy as np

from warploom.graphics.state import GraphicsError, chosen

LIST, STRIP, FAN = range(3)
TOPOLOGIES = ("triangle-list", "triangle-strip", "triangle-fan")
PROVOKING = ("first", "last")


def assembled(indices: np.ndarray, topology: str = "triangle-list", restart: int | None = None, provoking: str = "first") -> np.ndarray:
    """The corners of each triangle, int64[m, 3], in the order of the stream. indices: whole numbers [n]; restart: None for none.

    A restart begins a list anew, too. Raises GraphicsError for a topology or a rule that there is not, and for indices
    that are none.
    """
    kind, last = chosen("topology", topology, TOPOLOGIES), chosen("provoking", provoking, PROVOKING) == 1
    given = np.asarray(indices)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise GraphicsError(f"indices are a row of whole numbers, and these are {given.dtype}{list(given.shape)}")
    stream = given.astype(np.int64)
    if len(stream) < 3:
        return np.zeros((0, 3), np.int64)
    here, number, first = _pieces(stream, restart)
    if kind == FAN:
        whole = (number[:-1] > 0) & (first[:-1] == first[1:])
        at, hub = here[:-1][whole], first[:-1][whole]
        return stream[np.stack([hub, at, at + 1] if last else [at, at + 1, hub], axis=1)]
    whole = first[:-2] == first[2:]
    if kind == LIST:
        whole = whole & (number[:-2] % 3 == 0)
    at, odd = here[:-2][whole], number[:-2][whole] % 2 if kind == STRIP else np.zeros(int(whole.sum()), np.int64)
    corners = [at + odd, at + 1 - odd, at + 2] if last else [at, at + 1 + odd, at + 2 - odd]
    return stream[np.stack(corners, axis=1)]


def _pieces(stream: np.ndarray, restart: int | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each index that is none of the restarts: its place in the stream, its number in its piece, the place at which that begins."""
    places = np.arange(len(stream), dtype=np.int64)
    if restart is None:
        return places, places, np.zeros_like(places)
    cut = stream == restart
    begins = np.maximum.accumulate(np.where(cut, places + 1, 0))
    return places[~cut], (places - begins)[~cut], begins[~cut]


def degenerate(triangles: np.ndarray) -> np.ndarray:
    """Which triangles have two corners that are one vertex, as those have that join two strips: bool[m]. They cover nothing."""
    a, b, c = triangles.T
    return np.asarray((a == b) | (b == c) | (c == a))
