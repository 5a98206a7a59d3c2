"""A lane's quad in its control registers: place, covered pixels and edges, as the walk has them."""

import numpy as np

from tests.isa.vortex.programs import START
from tests.machine.device.drawing import draw, triangles_of
from warploom.graphics.original.shader import stamps_of
from warploom.isa.launching import read_buffer

SIZE = 8
READ = """
    li s4, -1
    vx_rast t0
    sw t0, 0(s1)
    csrr t1, raster_pos_mask
    csrr t2, raster_bcoord_x3
    csrr t3, raster_bcoord_z1
    sw t1, 16(s1)
    sw t2, 32(s1)
    sw t3, 48(s1)
    vx_tmc zero
"""


def test_lanes_take_quads_in_their_order_and_read_them_back():
    primitives = triangles_of(np.random.default_rng(5), 2, SIZE)
    made = draw(primitives, SIZE, text=START[2024] + READ, core__warps=1)
    out = read_buffer(made.result.program, made.result.memory, "out").view(np.uint32).reshape(4, 4)
    stamps = stamps_of(primitives, SIZE, SIZE)
    for lane in range(4):
        triangle, x, y, mask = (int(part[lane]) for part in stamps)
        edges = primitives.edges[triangle].astype(np.int64).reshape(3, 3)
        value = {p: (edges @ [x + (p & 1), y + (p >> 1), 1]) & 0xFFFFFFFF for p in (1, 3)}
        assert out[:, lane].tolist() == [triangle << 1 | 1, y >> 1 << 18 | x >> 1 << 4 | mask, value[3][0], value[1][2]]


def test_lanes_without_a_quad_find_zeros():
    made = draw(triangles_of(np.random.default_rng(5), 2, SIZE), SIZE, text=START[2024] + READ, core__warps=1, scissor=(0, 0, 0, 0))
    assert not read_buffer(made.result.program, made.result.memory, "out").any()
    assert made.result.status == "done"
