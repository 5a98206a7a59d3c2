"""Points on an edge in hardware against the model's function: all whole factors, and random ones between them."""

import random

import pytest
from amaranth.sim import Simulator

from warploom.graphics.geometry.partitioning import ONE, PARTITIONINGS, cuts, placed
from warploom.rtl.geometry.edge_points import EdgePoints


def factors(kind):
    chance = random.Random(kind)
    yield from range(1, 65, 1 if kind == "integer" else 7)
    if kind != "integer":
        for whole in (1, 2, 3, 4, 7, 8, 31, 32, 62, 63, 64):
            yield from (whole - 2.0**-16, whole + 2.0**-16)
        for _ in range(25):
            yield chance.uniform(1, 64)


@pytest.mark.parametrize("kind", PARTITIONINGS)
def test_each_point_lies_where_the_model_has_it(kind):
    hardware = EdgePoints()

    async def play(ctx):
        ctx.set(hardware.enable, 1)
        for factor in factors(kind):
            (cut,), _ = cuts([factor], [1], kind)
            ctx.set(hardware.factor, cut.factor)
            ctx.set(hardware.odd, int(cut.odd))
            wanted = placed(cut).tolist()
            assert ctx.get(hardware.count) == len(wanted)
            for number, place in enumerate(wanted):
                ctx.set(hardware.number, number)
                await ctx.tick()
                assert ctx.get(hardware.place) == place, (factor, number)
        ctx.set(hardware.enable, 0)
        ctx.set(hardware.number, 0)
        await ctx.tick()
        assert ctx.get(hardware.place) == ONE  # the last point of the last edge is still there

    simulator = Simulator(hardware)
    simulator.add_clock(1e-6)
    simulator.add_testbench(play)
    simulator.run()


def test_an_inside_of_one_segment_has_two():
    """The inside of a patch, whose only segment is cut in the middle; see `cuts`."""
    hardware, found = EdgePoints(), []

    async def play(ctx):
        ctx.set(hardware.enable, 1)
        ctx.set(hardware.factor, ONE)
        ctx.set(hardware.odd, 0)
        for number in range(ctx.get(hardware.count)):
            ctx.set(hardware.number, number)
            await ctx.tick()
            found.append(ctx.get(hardware.place))

    simulator = Simulator(hardware)
    simulator.add_clock(1e-6)
    simulator.add_testbench(play)
    simulator.run()
    assert found == [0, ONE // 2, ONE]
