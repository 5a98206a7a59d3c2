"""Raster engine and output merger in the machine: a draw against the same quads merged one after the other."""

import numpy as np
import pytest

from tests.machine.device.drawing import draw, triangles_of
from warploom.graphics.original.shader import stamps_of
from warploom.machine.device.merger_unit import Target, write_registers
from warploom.machine.engine.unit import mirror, zeros
from warploom.machine.merger.fragment import merge
from warploom.machine.merger.registers import Merger

ENGINES = pytest.mark.parametrize("engine", ["python", pytest.param("native", marks=pytest.mark.slow)])
SIZE = 24
BLENDED = {14: 0, 15: 7 << 24 | 7 << 16 | 6 << 8 | 6}  # add; source alpha, one minus source alpha
TESTED = {5: 2, 6: 1}  # depth: less, written


def wanted(primitives, size, registers, log_tile=5, **options):
    """The picture by a loop over the stamps."""
    merging, target = zeros(1, Merger), zeros(1, Target)
    write_registers(mirror(merging)[0], mirror(target)[0], [registers.get(k, 0) for k in range(18)])
    colors, depths = np.full(size * size, 0xFF000000, np.uint32), np.full(size * size, 0xFFFFFFFF, np.uint32)
    stamps = stamps_of(primitives, size, size, log_tile=log_tile, **options)
    for triangle, x, y, mask in zip(*(part.tolist() for part in stamps), strict=True):
        for p in range(4):
            if mask >> p & 1:
                place = (y + (p >> 1)) * size + x + (p & 1)
                merge(mirror(merging)[0], colors, depths, place, 0, 0x80000040 | triangle << 8, 1000 * triangle)
    return colors.reshape(size, size), depths.reshape(size, size)


@ENGINES
@pytest.mark.parametrize("state", [{}, TESTED, BLENDED | TESTED], ids=["overwrite", "depth", "blend"])
def test_one_warp_draws_what_a_loop_over_the_quads_draws(state, engine):
    primitives = triangles_of(np.random.default_rng(3), 4, SIZE)
    made = draw(primitives, SIZE, merger=state, engine=engine, core__warps=1)
    registers = {2: 15, 15: 0x0101} | state
    colors, depths = wanted(primitives, SIZE, registers)
    assert (made.colors == colors).all()
    assert (made.depths == depths).all()
    assert made.result.status == "done"
