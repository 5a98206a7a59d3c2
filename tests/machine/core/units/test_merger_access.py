"""Fragments that a core hands over: what becomes of pixels without memory, and which order is noted."""

import numpy as np
import pytest

from tests.isa.vortex.programs import START
from tests.machine.device.drawing import draw, triangles_of

SIZE = 8
NOTHING = triangles_of(np.random.default_rng(5), 1, SIZE)
ONE = """
    slli t0, s2, 1
    li t1, 0x11223344
    vx_om t0, t1, zero
    vx_tmc zero
"""


def fragments(text=ONE, merger=None, **settings):
    return draw(NOTHING, SIZE, text=START[2024] + text, merger=merger, core__warps=1, **settings)


def test_a_fragment_of_each_lane_goes_to_its_pixel():
    made = fragments()
    assert made.colors[0, :4].tolist() == [0x11223344] * 4
    assert set(made.colors.ravel()[4:].tolist()) == {0xFF000000}
    assert made.result.counters["fragments"] == 4 == made.result.counters["merger_writes"]


def test_bytes_that_may_not_be_written_stay():
    made = fragments(merger={2: 0b0101})
    assert made.colors[0, 0] == 0xFF220044
    assert made.result.counters["merger_cache_misses"] + made.result.counters["merger_cache_hits"] == 4


@pytest.mark.parametrize(
    ("merger", "said"), [({0: 0x3FFFFFF}, "address 0xffffffc0"), ({1: 2}, "address 0x20002, which is not a multiple of 4")]
)
def test_a_pixel_without_memory_is_a_fault_that_names_the_instruction(merger, said):
    text = ONE if 0 in merger else ONE.replace("slli t0, s2, 1", "slli t0, s2, 16")
    made = fragments(text, merger)
    assert made.result.status == "error"
    assert "vx_om t0, t1, zero" in made.result.messages[0] and said in made.result.messages[0]
