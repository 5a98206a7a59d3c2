"""Order of fragments from where quads are handed out: a picture by fast and slow warps, and the same quads one after the other."""

import numpy as np
import pytest

from tests.machine.device.drawing import draw, shader, triangles_of
from tests.machine.device.test_merger_unit import BLENDED, wanted
from warploom.machine.accounting.status import LaunchError
from warploom.machine.core.divergence import MECHANISMS
from warploom.machine.core.scheduling.policies import POLICIES

SIZE = 12
PRIMITIVES = triangles_of(np.random.default_rng(3), 6, SIZE)
DELAY = """
    csrr t2, warp_id
    csrr t3, core_id
    add t2, t2, t3
    andi t2, t2, 1          # every second warp is slow
    slli t2, t2, 6
wait:
    beqz t2, go
    addi t2, t2, -1
    j wait
go:
    csrr t1, raster_pos_mask
"""
UNEVEN = shader().replace("    csrr t1, raster_pos_mask\n", DELAY)


def drawn(**settings):
    return draw(PRIMITIVES, SIZE, merger=BLENDED, text=UNEVEN, max_cycles=100_000, **settings)


RIGHT = wanted(PRIMITIVES, SIZE, {2: 15} | BLENDED)[0]


def test_without_an_interlock_a_fast_warp_draws_a_later_triangle_first_and_the_run_says_so():
    made = drawn()
    assert (made.colors != RIGHT).any()
    assert made.result.counters["fragments_out_of_order"] > 0
    assert any(remark.endswith("--set raster.interlock=64 keeps it") for remark in made.result.remarks)


@pytest.mark.parametrize("number", range(len(POLICIES)))
def test_with_it_the_picture_is_the_serial_one_whoever_draws(number):
    mechanism = ("masks", *(name for name in MECHANISMS if name not in ("masks", "uniform")))[number % 5]
    made = drawn(
        raster__interlock=(64, 64, 5)[number % 3], raster__quads=(16, 1, 4, 64)[number % 4], gpu__cores=(1, 2, 3)[number % 3],
        raster__cores=(16, 1)[number % 2], core__scheduler=list(POLICIES)[number], core__divergence=mechanism,
        core__lanes=(4, 2)[number // 2 % 2], divergence__heuristic="pc",
    )  # fmt: skip
    assert made.result.status == "done", made.result.messages
    assert (made.colors == RIGHT).all(), mechanism
    assert made.result.counters["fragments_out_of_order"] == 0
    assert not any("later triangle" in remark for remark in made.result.remarks)


def test_a_longer_queue_finds_more_that_need_not_wait():
    cycles = [drawn(raster__interlock=64, raster__quads=quads).result.cycles for quads in (1, 4, 16)]
    assert cycles[0] > cycles[1] > cycles[2] > drawn().result.cycles


def test_lanes_that_starve_others_are_refused():
    with pytest.raises(LaunchError, match="would starve those that hold it; add --set divergence"):
        drawn(raster__interlock=64, core__divergence="dwf")
