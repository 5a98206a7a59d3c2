"""The raster engine as programs see it: from a tile buffer and a primitive buffer in memory to stamps, a quad at a time.

In hardware (Vortex of 2024): the host has sorted triangles into tiles. The engine reads a tile's header, then the numbers of its triangles
one after the other, then the edges of each, and walks the tile (`walk.py`). What comes out is a *stamp*: the place of a quad, which of
its four pixels are covered, and the number of the triangle. An instruction of the shader takes stamps, one a lane.

    header, 8 bytes      tile x (16 bits), tile y, offset, count: `offset` words after the header lie `count` numbers of triangles
    number, 4 bytes      of a triangle
    triangle             at its number times the stride: A, B, C of edge 0, of edge 1, of edge 2, Q15.16; what follows is the shader's

Source: github.com/vortexgpgpu/skybox d06a998 (2024-08), its registers and buffers as its host library writes them.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.engine.unit import inlined, record, unit
from warploom.machine.raster.edges import COEFFICIENTS, wrapped
from warploom.machine.raster.walk import END, column_of, next_quad, row_of

HEADER_BYTES = 8
BLOCK_SHIFT = 6  # addresses of buffers are in units of 64 bytes
REGISTERS = 6
R_TILES, R_TILE_COUNT, R_PRIMITIVES, R_STRIDE, R_SCISSOR_X, R_SCISSOR_Y = range(REGISTERS)
WHOLE_REGISTER = 0xFFFF
ADDRESSES = 0xFFFFFFFF

Engine = record(
    launch=dict(
        tiles="i8",            # address of the tile buffer
        tile_count="i8",       # headers in it
        primitives="i8",       # address of the primitive buffer
        stride="i8",           # bytes from one triangle to the next
        first="i8",            # the tile that the engine begins with; of several engines each has its own
        step="i8",             # tiles from one of its own to the next
        tile_move="i8",        # what is added to an address in the tile buffer for its place in the host's memory
        tile_begin="i8",       # the first address of the memory that it lies in
        tile_end="i8",         # ... and the first one beyond
        primitive_move="i8",   # the same of the primitive buffer
        primitive_begin="i8",
        primitive_end="i8",
    ),
    state=dict(
        tile="i8",             # header that is worked on
        place="i8",            # triangle of that tile
        number="i8",           # quad of the tile that the walk is at; -1: the triangle's edges are not there yet
        triangle="i8",         # its number
        tile_x="i8",           # upper left pixel of the tile
        tile_y="i8",
        x="i8",                # of the stamp that was found last: its upper left pixel
        y="i8",
        mask="i8",             # and its covered pixels
        fault="i8",            # 1: a buffer leads to where no memory is
        fault_address="i8",
    ),
    counters=dict(
        headers="i8",          # headers read
        triangles="i8",        # numbers, and edges, read
        stamps="i8",
    ),
)  # fmt: skip


@unit
def configure(engine, raster, registers, memory_bytes):
    """Take the values of the device's configuration registers, and begin anew. registers: uint32[REGISTERS].

    memory_bytes: where memory ends, which begins at address 0.
    """
    engine.tiles = np.int64(registers[R_TILES]) << BLOCK_SHIFT
    engine.tile_count = np.int64(registers[R_TILE_COUNT])
    engine.primitives = np.int64(registers[R_PRIMITIVES]) << BLOCK_SHIFT
    engine.stride = np.int64(registers[R_STRIDE])
    raster.left = np.int64(registers[R_SCISSOR_X]) & WHOLE_REGISTER
    raster.right = np.int64(registers[R_SCISSOR_X]) >> 16
    raster.top = np.int64(registers[R_SCISSOR_Y]) & WHOLE_REGISTER
    raster.bottom = np.int64(registers[R_SCISSOR_Y]) >> 16
    engine.first, engine.step = 0, 1
    engine.tile_move, engine.primitive_move = 0, 0
    engine.tile_begin, engine.primitive_begin = 0, 0
    engine.tile_end, engine.primitive_end = memory_bytes, memory_bytes
    begin(engine)


@unit
def begin(engine):
    """The engine stands before its first tile."""
    engine.tile = engine.first
    engine.place = 0
    engine.number = END
    engine.fault = 0


@inlined
def header_address(engine, tile):
    """Where the header of a tile lies."""
    return (engine.tiles + tile * HEADER_BYTES) & ADDRESSES


@inlined
def id_address(header, offset, place):
    """Where a tile's list has the number of one of its triangles. header: its address; offset: as it says."""
    return (header + HEADER_BYTES + 4 * (offset + place)) & ADDRESSES


@inlined
def edge_address(engine, triangle):
    """Where the edges of a triangle begin; sums and products of 32 bits."""
    upper = triangle * (engine.stride >> 16) & 0xFFFF
    return (engine.primitives + triangle * (engine.stride & 0xFFFF) + (upper << 16)) & ADDRESSES


@unit
def tile_word(engine, memory, address):
    """A word of the tile buffer."""
    return _word(engine, memory, address, engine.tile_move, engine.tile_begin, engine.tile_end)


@unit
def primitive_word(engine, memory, address):
    """A word of the primitive buffer."""
    return _word(engine, memory, address, engine.primitive_move, engine.primitive_begin, engine.primitive_end)


@unit
def _word(engine, memory, address, move, begin, end):
    """A word of a buffer; 0, and the engine's fault, where there is no memory."""
    if address < begin or address + 4 > end:
        engine.fault = 1
        engine.fault_address = address
        return np.int64(0)
    return np.int64(memory[(address + move) >> 2])


@unit
def next_stamp(engine, raster, memory, edges):
    """Find the next stamp; false when there is none any more. It stands in engine.triangle, x, y, mask.

    memory: uint32, the device's. edges: int64[1, 9], the engine's room for a triangle.
    """
    while engine.tile < engine.tile_count:
        header = header_address(engine, engine.tile)
        ids = tile_word(engine, memory, header + 4)
        if engine.place >= ids >> 16:
            engine.tile = engine.tile + engine.step
            engine.place = 0
            if engine.fault != 0:
                return False
            continue
        if engine.number == END:
            _read_triangle(engine, raster, memory, edges, header, ids & WHOLE_REGISTER)
            if engine.fault != 0:
                return False
        found = next_quad(raster, edges, 0, engine.tile_x, engine.tile_y, engine.number)
        if found != END:
            number = found >> 4
            engine.x = column_of(engine.tile_x, number)
            engine.y = row_of(engine.tile_y, number)
            engine.mask = found & 15
            engine.number = number + 1
            engine.stamps = engine.stamps + 1
            return True
        engine.place = engine.place + 1
        engine.number = END
    return False


@unit
def _read_triangle(engine, raster, memory, edges, header, offset):
    """Read the number and the edges of the triangle that engine.place says; the walk of its tile begins."""
    if engine.place == 0:
        place = tile_word(engine, memory, header)
        engine.tile_x = (place & WHOLE_REGISTER) << raster.log_tile
        engine.tile_y = (place >> 16) << raster.log_tile
        engine.headers = engine.headers + 1
    engine.triangle = tile_word(engine, memory, id_address(header, offset, engine.place))
    start = edge_address(engine, engine.triangle)
    for k in range(COEFFICIENTS):
        edges[0, k] = wrapped(primitive_word(engine, memory, start + 4 * k))
    engine.number = 0
    engine.triangles = engine.triangles + 1
