"""A draw on the machine, for the tests: buffers in memory, registers, and a program for Vortex in assembly that shades quads."""

from typing import NamedTuple

import numpy as np

from tests.isa.vortex.programs import START
from warploom.gpu import GPU
from warploom.graphics.original.setup import STRIDE, primitive_buffer, set_up_original, tile_buffer
from warploom.isa import load
from warploom.isa.frontend import Options
from warploom.isa.launching import read_buffer

COLORS, DEPTHS, TILES, PRIMITIVES = 0x20000, 0x30000, 0x40000, 0x50000
FIRST_RASTER, FIRST_MERGER = 0x1C, 0x22
PIXEL = """
    andi t2, t1, {bit}
    snez t2, t2
    vx_split t3, t2
    beqz t2, skip{p}
    add t4, a0, {dx}
    add t5, a1, {dy}
    slli t4, t4, 1
    slli t5, t5, 16
    or t4, t4, t5
    vx_om t4, s5, s6
skip{p}:
    vx_join t3
"""
# Every lane takes quads until there are none. A fragment's colour is half transparent and says which triangle it is of; its depth too.
SHADER = """
    li s4, -1
loop:
    vx_rast t0
    vx_pred t0, s4
    beqz t0, done
    csrr t1, raster_pos_mask
    srli a0, t1, 4
    slli a0, a0, 18
    srli a0, a0, 17         # the column of its left pixels: 14 bits, times two
    srli a1, t1, 18
    slli a1, a1, 1
    srli s5, t0, 1
    li s7, 1000
    mul s6, s5, s7
    li s7, 0x80000040
    slli s5, s5, 8
    or s5, s5, s7
{pixels}
    j loop
done:
    vx_tmc zero
"""


class Drawn(NamedTuple):
    """colors, depths: uint32[height, width]. result: the run's."""

    colors: np.ndarray
    depths: np.ndarray
    result: object


def shader():
    pixels = "".join(PIXEL.format(bit=1 << p, p=p, dx=("zero", "s8")[p & 1], dy=("zero", "s8")[p >> 1]) for p in range(4))
    return START[2024] + "li s8, 1\n" + SHADER.format(pixels=pixels)


def triangles_of(rng, count, size):
    """So many random triangles in clip space: float32[count, 3, 4]."""
    corners = np.ones((count, 3, 4), np.float32)
    corners[..., :2] = rng.uniform(-1.3, 1.3, (count, 3, 2))
    corners[..., 2] = 0.5
    return set_up_original(corners, np.ones((count, 3, 4)), np.zeros((count, 3, 2)), size, size, 0.0, 1.0)


def registers_of(primitives, size, merger=None, scissor=None, log_tile=5):
    """dcr: numbers and values. merger: by number from the first of the merger's on, other values than the usual ones."""
    _, count = tile_buffer(primitives.boxes, log_tile)
    left, right, top, bottom = scissor or (0, size, 0, size)
    raster = [TILES >> 6, count, PRIMITIVES >> 6, STRIDE, right << 16 | left, bottom << 16 | top]
    usual = {0: COLORS >> 6, 1: 4 * size, 2: 15, 3: DEPTHS >> 6, 4: 4 * size, 14: 0, 15: 0x00_00_01_01}
    values = dict(enumerate(raster, FIRST_RASTER)) | {FIRST_MERGER + k: v for k, v in (usual | (merger or {})).items()}
    return [word for pair in values.items() for word in pair]


def draw(
    primitives, size, *, merger=None, scissor=None, log_tile=5, engine="python", text=None, max_cycles=2_000_000, dcr=None, **settings
):
    tiles, _ = tile_buffer(primitives.boxes, log_tile)
    buffers = {
        "out": np.zeros(16, np.uint32),
        f"colors@{COLORS:#x}": np.full(size * size, 0xFF000000, np.uint32),
        f"depths@{DEPTHS:#x}": np.full(size * size, 0xFFFFFFFF, np.uint32),
        f"tiles@{TILES:#x}": tiles if len(tiles) else np.zeros(1, np.uint32),
        f"primitives@{PRIMITIVES:#x}": primitive_buffer(primitives).astype(np.int64).astype(np.uint32),
        "dcr": registers_of(primitives, size, merger, scissor, log_tile) if dcr is None else dcr,
    }
    loaded = load((text or shader()).encode(), "vortex-2024", options=Options(path="a.vx", buffers=buffers, arguments={"out": "out"}))
    changes = {name.replace("__", "."): value for name, value in settings.items()}
    result = GPU("vortex-2024", set=changes, engine=engine).run(loaded, max_cycles=max_cycles)
    colors, depths = (read_buffer(result.program, result.memory, name).view(np.uint32).reshape(size, size) for name in ("colors", "depths"))
    return Drawn(colors, depths, result)
