"""Policies in hardware against the model's functions, on random masks."""

import random
from types import SimpleNamespace

import numpy as np
import pytest
from amaranth.sim import Simulator

from warploom.machine.core.scheduling.policies import round_robin
from warploom.rtl.core.scheduling.policies import RoundRobin


@pytest.mark.parametrize("warps", [1, 2, 5, 8, 32])
def test_round_robin_picks_what_the_model_picks(warps):
    hardware, chance = RoundRobin(warps), random.Random(warps)
    model = SimpleNamespace(eligible=np.uint64(0), last=-1, warps=warps)
    picks = set()

    async def play(ctx):
        for _ in range(200):
            eligible = chance.getrandbits(warps) & chance.getrandbits(warps)
            issue = chance.random() < 0.7
            ctx.set(hardware.eligible, eligible)
            ctx.set(hardware.issue, issue)
            model.eligible = np.uint64(eligible)
            with np.errstate(over="ignore"):
                wanted = int(round_robin(model, 0))
            assert (ctx.get(hardware.valid), ctx.get(hardware.pick)) == (int(wanted >= 0), max(wanted, 0))
            await ctx.tick()
            if issue and wanted >= 0:
                model.last = wanted
                picks.add(wanted)
            assert ctx.get(hardware.last) == model.last % warps

    simulator = Simulator(hardware)
    simulator.add_clock(1e-6)
    simulator.add_testbench(play)
    simulator.run()
    assert picks == set(range(warps))
