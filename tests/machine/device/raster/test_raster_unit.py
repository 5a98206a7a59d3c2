"""The raster engine in the machine: what fetching costs, several engines, registers that lead nowhere."""

import numpy as np
import pytest

from tests.isa.vortex.programs import START
from tests.machine.device.drawing import draw, registers_of, triangles_of
from warploom.graphics.original.shader import stamps_of
from warploom.isa.launching import read_buffer

SIZE = 8
TRIANGLES = triangles_of(np.random.default_rng(5), 3, SIZE)
SMALL = {"core__warps": 1, "core__lanes": 2, "log_tile": 2, "raster__tile": 4}
WALK = """
    li s4, -1
    li a3, 0
loop:
    vx_rast t0
    vx_pred t0, s4
    beqz t0, done
    addi a3, a3, 1
    j loop
done:
    li t0, -1
    vx_tmc t0
    sw a3, 0(s1)
    vx_tmc zero
"""


def walk(**settings):
    return draw(TRIANGLES, SIZE, text=START[2024] + WALK, **settings).result


def taken(result):
    """What each thread has counted."""
    return read_buffer(result.program, result.memory, "out").view(np.uint32)


def test_each_quad_is_handed_out_once_whoever_takes_it():
    quads = len(stamps_of(TRIANGLES, SIZE, SIZE, log_tile=2).mask)
    for cores, share in ((1, 1), (2, 1), (2, 2)):
        result = walk(**SMALL, gpu__cores=cores, raster__cores=share)
        assert result.status == "done"
        assert result.counters["quads"] == quads == int(taken(result).sum())
        assert result.counters["helper_lanes"] == 4 * quads - result.counters["covered_pixels"]


def test_words_are_read_through_a_cache_of_its_own():
    cached, plain = walk(**SMALL), walk(**SMALL, raster__bytes=0)
    hits, misses = ([result.counters[f"raster_cache_{name}"] for result in (cached, plain)] for name in ("hits", "misses"))
    assert hits[0] + misses[0] == hits[1] + misses[1] > 0
    assert hits[0] > hits[1] == 0
    assert cached.cycles < plain.cycles


@pytest.mark.parametrize(
    ("place", "value"),
    [(0x1C, 0x00FFFFFF), (0x1E, 0x00FFFFFF), (0x1F, 0xFFFFFF00), (0x1D, 0x7FFFFFFF)],
    ids=["tiles", "primitives", "stride", "count"],
)
def test_registers_that_lead_where_no_memory_is_end_in_a_sentence(place, value):
    dcr = registers_of(TRIANGLES, SIZE, log_tile=2)
    dcr[dcr.index(place) + 1] = value
    result = walk(**SMALL, dcr=dcr)
    assert result.status == "error" and "vx_rast" in result.messages[0], result.messages[0]
