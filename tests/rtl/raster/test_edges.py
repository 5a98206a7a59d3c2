"""The quad evaluator in hardware against the model's functions, on random triangles, cycle by cycle."""

import random

import numpy as np
import pytest
from amaranth.sim import Simulator

from warploom.machine.engine.unit import mirror
from warploom.machine.raster.edges import EDGES, INCLUSIVE, TOP_LEFT, Raster, edge_value, quad_mask
from warploom.rtl.raster.edges import PIXELS, WIDTH, QuadEvaluator

CASES = 400


def number(chance):
    """Coefficients of all sizes; 0 and values on an edge are frequent."""
    return chance.choice((0, 1, -1, chance.randint(-9, 9), chance.randint(-(1 << 16), 1 << 16), chance.randint(-(1 << 31), (1 << 31) - 1)))


@pytest.mark.parametrize("rule", [INCLUSIVE, TOP_LEFT])
def test_a_quad_is_covered_as_the_model_says(rule):
    hardware, chance = QuadEvaluator(), random.Random(rule)
    (raster,) = mirror(np.zeros(1, Raster))
    raster.narrow, raster.rule, raster.log_tile = 1, rule, 5
    masks = set()

    async def play(ctx):
        ctx.set(hardware.top_left, int(rule == TOP_LEFT))
        for _ in range(CASES):
            edges = np.array([[number(chance) for _ in range(3 * EDGES)]], np.int64)
            x, y = 2 * chance.randrange(40), 2 * chance.randrange(40)
            if chance.random() < 0.5:  # an edge through the quad
                edges[0, 2] = -(edges[0, 0] * x + edges[0, 1] * y)
            edges[0] = (edges[0] + (1 << 31)) % (1 << 32) - (1 << 31)
            raster.left, raster.top, raster.right, raster.bottom = (chance.choice((0, 3)), 0, chance.choice((50, 80)), 80)
            for edge in range(EDGES):
                a, b = int(edges[0, 3 * edge]), int(edges[0, 3 * edge + 1])
                start = int(edge_value(raster, edges, 0, edge, x, y))
                for port, value in ((hardware.step_right, a), (hardware.step_down, b), (hardware.start, start)):
                    ctx.set(port[edge], value % (1 << WIDTH))
            for name in ("left", "top", "right", "bottom"):
                ctx.set(getattr(hardware, name), int(getattr(raster, name)))
            ctx.set(hardware.x, x)
            ctx.set(hardware.y, y)
            ctx.set(hardware.enable, 1)
            await ctx.tick()
            wanted = int(quad_mask(raster, edges, 0, x, y))
            assert ctx.get(hardware.mask) == wanted
            masks.add(wanted)
            for edge in range(EDGES):
                for pixel in range(PIXELS):
                    value = int(edge_value(raster, edges, 0, edge, x + (pixel & 1), y + (pixel >> 1)))
                    assert ctx.get(hardware.values[PIXELS * edge + pixel]) == value % (1 << WIDTH)
        before = ctx.get(hardware.mask)
        ctx.set(hardware.enable, 0)
        ctx.set(hardware.right, 0)
        await ctx.tick()
        assert ctx.get(hardware.mask) == before

    simulator = Simulator(hardware)
    simulator.add_clock(1e-6)
    simulator.add_testbench(play)
    simulator.run()
    assert len(masks) > 8
