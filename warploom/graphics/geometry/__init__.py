"""What comes before setup: vertex fetch, primitive assembly, a cache of transformed vertices, the tessellator, patches.

In hardware these are fixed units around the vertex shader; NVIDIA calls them together the PolyMorph engine. Here they run on the host, as
in a system whose device begins with the raster engine.
"""

from warploom.graphics.geometry.assembly import TOPOLOGIES, assembled
from warploom.graphics.geometry.buffers import IndexBuffer, VertexBuffer, mesh_of
from warploom.graphics.geometry.patches import Patches, across
from warploom.graphics.geometry.stream_out import StreamedOut, streamed_out
from warploom.graphics.geometry.tessellator import Tessellated, tessellated
from warploom.graphics.geometry.vertex_cache import Transformed, transformed

__all__ = [
    "TOPOLOGIES", "IndexBuffer", "Patches", "StreamedOut", "Tessellated", "Transformed", "VertexBuffer", "across", "assembled", "mesh_of",
    "streamed_out", "tessellated", "transformed",
]  # fmt: skip
