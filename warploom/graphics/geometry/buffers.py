"""Vertex fetch: from bytes in buffers to vertices and indices.

    rows = VertexBuffer(data, 16, {"positions": ("float32x3", 0), "colors": ("unorm8x4", 12)})
    mesh = mesh_of([rows], IndexBuffer(order, "uint16"), "triangle-strip")

Words and rules are those of WebGPU; what reads beyond a buffer is an error here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from warploom.graphics.geometry.assembly import TOPOLOGIES, assembled
from warploom.graphics.geometry.formats import decoded, format_of, widened
from warploom.graphics.scene import Mesh
from warploom.graphics.state import GraphicsError, chosen

INDEX_FORMATS = {"uint8": "<u1", "uint16": "<u2", "uint32": "<u4"}
COMPONENTS = {"positions": 3, "uv": 2, "colors": 4, "normals": 3}  # that a Mesh takes


@dataclass(frozen=True, eq=False)
class VertexBuffer:
    """data: bytes, or an array. stride: bytes from a vertex to the next. attributes: by name, (format, bytes from the vertex's first on).

    offset: bytes before vertex 0. Names are fields of Mesh where a mesh is made of it.
    """

    data: Any
    stride: int
    attributes: Mapping[str, tuple[str, int]]
    offset: int = 0

    def count(self) -> int:
        """Vertices that lie in it whole."""
        size = len(self._bytes()) - self.offset
        ends = [offset + format_of(name).size for name, offset in self.attributes.values()]
        return max((size - max(ends, default=0)) // self._stride() + 1, 0)

    def fetched(self, name: str, count: int) -> np.ndarray:
        """An attribute of the first vertices: [count, components], floats of 32 bits or whole numbers. Raises GraphicsError."""
        if name not in self.attributes:
            raise GraphicsError(f"there is no attribute {name!r} in the vertex buffer; it has {', '.join(self.attributes) or 'none'}")
        kind, offset = self.attributes[name]
        form, data, first, stride = format_of(kind), self._bytes(), self.offset + offset, self._stride()
        if first < 0:
            raise GraphicsError(f"attribute {name!r} begins at byte {first} of its vertex buffer: an offset is 0 or more")
        end = first + (count - 1) * stride + form.size
        if count > 0 and end > len(data):
            raise GraphicsError(f"attribute {name!r} of vertex {count - 1} ends at byte {end} of a vertex buffer that has {len(data)}")
        if count <= 0:
            return decoded(np.zeros((0, form.size), np.uint8), form)
        return decoded(np.lib.stride_tricks.as_strided(data[first:], (count, form.size), (stride, 1)), form)

    def _stride(self) -> int:
        if self.stride < 1:
            raise GraphicsError(f"the stride of a vertex buffer is {self.stride}: bytes from a vertex to the next, 1 or more")
        return self.stride

    def _bytes(self) -> np.ndarray:
        return _bytes(self.data)


@dataclass(frozen=True, eq=False)
class IndexBuffer:
    """data: bytes, or an array. format: uint8, uint16 or uint32. offset: bytes before the first. count: None for all that there are."""

    data: Any
    format: str = "uint32"
    offset: int = 0
    count: int | None = None

    @property
    def restart(self) -> int:
        """The index that begins a strip anew: all bits are 1."""
        chosen("index format", self.format, list(INDEX_FORMATS))
        return (1 << 8 * np.dtype(INDEX_FORMATS[self.format]).itemsize) - 1

    def fetched(self) -> np.ndarray:
        """The indices: int64[n]. Raises GraphicsError."""
        chosen("index format", self.format, list(INDEX_FORMATS))
        kind, data = np.dtype(INDEX_FORMATS[self.format]), _bytes(self.data)
        count = max(len(data) - self.offset, 0) // kind.itemsize if self.count is None else self.count
        end = self.offset + count * kind.itemsize
        if self.offset < 0 or count < 0 or end > len(data):
            raise GraphicsError(f"{count} indices from byte {self.offset} on end at byte {end} of an index buffer that has {len(data)}")
        return np.frombuffer(data[self.offset : end].tobytes(), kind).astype(np.int64)


def _bytes(data: Any) -> np.ndarray:
    if isinstance(data, np.ndarray):
        return np.ascontiguousarray(data).reshape(-1).view(np.uint8)
    try:
        return np.frombuffer(data, np.uint8)
    except TypeError:
        raise GraphicsError(f"the data of a buffer are bytes or an array of NumPy's, and here a {type(data).__name__} is given") from None


def mesh_of(
    buffers: Sequence[VertexBuffer], indices: IndexBuffer | None = None, topology: str = "triangle-list", base_vertex: int = 0, **more: Any
) -> Mesh:
    """The Mesh that lies in buffers. indices: None takes the vertices in their order; base_vertex: added to each index.

    Strips and fans are restarted by the index whose bits are all 1, lists are not. more: fields of Mesh that are no attributes. Raises
    GraphicsError.
    """
    chosen("topology", topology, TOPOLOGIES)
    count = min((buffer.count() for buffer in buffers), default=0)
    found: dict[str, Any] = {}
    for buffer in buffers:
        for name in buffer.attributes:
            chosen("attribute", name, list(COMPONENTS))
            if name in found:
                raise GraphicsError(f"attribute {name!r} is in two vertex buffers")
            found[name] = widened(buffer.fetched(name, count), COMPONENTS[name])
    if "positions" not in found:
        raise GraphicsError(f"no vertex buffer has positions; there are {', '.join(found) or 'no attributes'}")
    if indices is None:
        triangles = assembled(np.arange(count, dtype=np.int64), topology)
    else:
        triangles = assembled(indices.fetched(), topology, None if topology == TOPOLOGIES[0] else indices.restart)
    return Mesh(found.pop("positions"), triangles + base_vertex, **found, **more)
