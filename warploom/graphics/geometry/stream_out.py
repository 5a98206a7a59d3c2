"""Stream-out: triangles after the vertex shader, written to a buffer in place of, or beside, being drawn.

In hardware: a unit after primitive assembly that writes each triangle's three vertices, so strips and fans come out as lists. A buffer that
becomes full keeps whole triangles only; how many there would have been is counted, so a host can make a larger one. Source: Direct3D 11.3
Functional Specification, Microsoft, chapter 14, Stream Output; Vulkan's VK_EXT_transform_feedback.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from warploom.graphics.state import GraphicsError


class StreamedOut(NamedTuple):
    """data: uint8[n], the bytes of the triangles that had room. written, needed: triangles."""

    data: np.ndarray
    written: int
    needed: int


def streamed_out(vertices: np.ndarray, triangles: np.ndarray, size: int) -> StreamedOut:
    """Write triangles into a buffer of `size` bytes. vertices: a row a vertex, of any dtype; triangles: whole numbers [m, 3].

    Raises GraphicsError where a triangle has a vertex that there is not.
    """
    rows, corners = np.ascontiguousarray(vertices), np.asarray(triangles, np.int64).reshape(-1, 3)
    if size < 0:
        raise GraphicsError(f"a buffer to stream out to has {size} bytes: it has 0 or more")
    wrong = ((corners < 0) | (corners >= len(rows))).any(axis=1)
    if wrong.any():
        row = int(np.argwhere(wrong)[0][0])
        raise GraphicsError(f"triangle {row} is {corners[row].tolist()}: there are the vertices 0 to {len(rows) - 1}")
    each = 3 * rows[:1].nbytes
    room = min(size // each, len(corners)) if each else 0
    return StreamedOut(np.frombuffer(rows[corners[:room].ravel()].tobytes(), np.uint8), room, len(corners))
