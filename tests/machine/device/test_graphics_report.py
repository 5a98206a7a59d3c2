"""Counters and remarks of a draw: what a user is told of fragments that do not keep their order."""

import numpy as np

from tests.machine.core.units.test_merger_access import fragments
from tests.machine.device.drawing import draw, triangles_of

TWICE = """
    li t0, 2
    li t1, 0x11223344
    vx_om t0, t1, zero
    vx_om t0, t1, zero
    vx_tmc zero
"""
BLENDED = {14: 0, 15: 7 << 24 | 7 << 16 | 6 << 8 | 6}  # add; source alpha, one minus source alpha


def test_fragments_that_overtake_each_other_are_told_and_an_interlock_holds_them():
    made = fragments(TWICE, BLENDED)
    assert made.result.counters["fragments_overtaken"] > 0
    assert any("came to the output merger while an earlier one" in remark for remark in made.result.remarks)
    held = fragments(TWICE, BLENDED, merger__interlock=64)
    assert held.result.counters["fragments_overtaken"] == 0 < held.result.counters["merger_stalls"]
    assert (held.colors == made.colors).all()
    assert not held.result.remarks


def test_a_machine_without_the_units_counts_nothing_of_them():
    made = draw(triangles_of(np.random.default_rng(5), 1, 8), 8, text="vx_tmc zero\n", core__warps=1, raster__cores=0, merger__cores=0)
    assert "quads" not in made.result.counters and "fragments" not in made.result.counters
