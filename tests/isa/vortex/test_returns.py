"""Lanes that leave a function at different returns, on a machine that parts them itself: they meet at what is for the whole warp."""

import numpy as np
import pytest

from warploom.gpu import GPU
from warploom.isa import load
from warploom.isa.frontend import Options
from warploom.isa.launching import read_buffer

LANES = 8

# Each lane stores what `pick` returns; then lane 0 alone adds up what it finds. `meet` is what all lanes have to come to before.
PROGRAM = """
    li t0, -1
    vx_tmc t0
    csrr a0, thread_id
    lui t1, 0x20
    slli t2, a0, 2
    add t1, t1, t2
    li s0, 3               # from different turns of a loop, too
again:
    jal ra, pick
    addi s0, s0, -1
    bnez s0, again
    sw a0, 0(t1)
    {meet}
    li t0, 1
    vx_tmc t0
    lui t1, 0x20
    li t3, 8
sum:
    lw t4, 0(t1)
    add t5, t5, t4
    addi t1, t1, 4
    addi t3, t3, -1
    bnez t3, sum
    sw t5, 0(t1)
    vx_tmc zero
pick:
    andi t4, a0, 1
    bnez t4, odd           # a stack runs the others first, among them lane 0
    slli a0, a0, 1
    addi a0, a0, 3
    ret
odd:
    addi a0, a0, 101
    ret
"""


def picked(x):
    for _ in range(3):
        x = x + 101 if x & 1 else 2 * x + 3
    return x


@pytest.mark.parametrize("generation", [2022, 2024])
@pytest.mark.parametrize("mechanism", ["stack", "minpc", "its"])
@pytest.mark.parametrize("meet", ["", "vx_bar zero, t0", "vx_wspawn t0, zero"])
def test_all_of_them_come_to_what_is_for_the_whole_warp_before_it_happens(generation, mechanism, meet):
    options = Options(path="p.vx", buffers={"out@0x20000": np.zeros(LANES + 1, np.int32)})
    meet = f"li t0, 1\n    {meet}" if meet else ""
    program = load(PROGRAM.format(meet=meet).encode(), f"vortex-{generation}", options=options)
    changes = {"core.divergence": mechanism, "core.lanes": LANES, "shared.banks": LANES}
    result = GPU(f"vortex-{generation}", set=changes, engine="python").run(program, max_cycles=100_000)
    assert result.status == "done", result.fault
    wanted = [picked(lane) for lane in range(LANES)]
    assert read_buffer(result.program, result.memory, "out").tolist() == [*wanted, sum(wanted)]
