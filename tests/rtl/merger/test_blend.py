"""The blend stage in hardware against the model, every function and factor, a fragment a cycle."""

import random
from collections import deque

import numpy as np
from amaranth.sim import Simulator

from warploom.machine.engine.unit import mirror
from warploom.machine.merger.blend import blended
from warploom.machine.merger.fragment import WORD
from warploom.machine.merger.registers import BLEND_MODES, FACTORS, LOGIC_OPERATIONS, Merger
from warploom.rtl.merger.blend import STAGES, BlendStage

CASES = 600
EXTREMES = (0, 0xFFFFFFFF, 0x80808080, 0x7F7F7F7F, 0x01FE01FE)


def test_every_function_of_blending_is_the_models():
    hardware, chance = BlendStage(), random.Random(1)
    (merger,) = mirror(np.zeros(1, Merger))
    seen = {"modes": set(), "factors": set(), "logic": set()}

    def word():
        return chance.choice(EXTREMES) if chance.random() < 0.3 else chance.getrandbits(32)

    async def play(ctx):
        for case in range(CASES // 20):  # settings stay while fragments go through
            modes = [chance.randrange(len(BLEND_MODES)) for _ in range(2)]
            factors = [chance.randrange(len(FACTORS)) for _ in range(4)]
            merger.blend_color[:] = modes
            merger.source_factor[:], merger.destination_factor[:] = factors[:2], factors[2:]
            merger.logic_operation, write = case % 16, chance.randrange(16)
            seen["modes"] |= set(modes)
            seen["factors"] |= set(factors)
            seen["logic"].add(merger.logic_operation)
            ports = (hardware.mode_color, hardware.mode_alpha, hardware.source_color, hardware.source_alpha, hardware.destination_color,
                     hardware.destination_alpha, hardware.logic, hardware.write)  # fmt: skip
            for port, value in zip(ports, (*modes, *factors, merger.logic_operation, write), strict=True):
                ctx.set(port, int(value))
            mask = sum(0xFF << 8 * byte for byte in range(4) if write >> byte & 1)
            merger.blend_constant = word()
            ctx.set(hardware.constant, int(merger.blend_constant))
            waiting = deque()
            for fragment in range(20 + STAGES):
                source, destination = word(), word()
                ctx.set(hardware.source, source)
                ctx.set(hardware.destination, destination)
                wanted = int(blended(merger, source, destination)) & WORD
                waiting.append(wanted & mask | destination & ~mask & WORD)
                await ctx.tick()
                if fragment >= STAGES - 1:
                    assert ctx.get(hardware.out) == waiting.popleft()

    simulator = Simulator(hardware)
    simulator.add_clock(1e-6)
    simulator.add_testbench(play)
    simulator.run()
    assert len(seen["modes"]) == len(BLEND_MODES) and len(seen["factors"]) == len(FACTORS)
    assert len(seen["logic"]) == len(LOGIC_OPERATIONS)
