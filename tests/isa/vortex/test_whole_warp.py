"""What is for the whole warp, where its lanes part in functions and in branches: nobody is left behind, and nothing happens twice."""

import pytest

from tests.isa.vortex.test_returns import ENGINES, LANES, MECHANISMS, TWO_WARPS, ran

# The lanes of warp 0 leave `f` at two returns, so its halves meet nowhere; each half then comes to two barriers, on two sides of branches.
IN_HALVES = (
    TWO_WARPS
    + """
    slli t0, a1, 2
    add t0, t0, a0
    slli t0, t0, 2
    lui s0, 0x20
    add s1, s0, t0
    li s5, 1
    li s7, 2
    andi a2, a0, 2
    bnez a1, parted
    jal ra, f
parted:
    li t3, 3
    sw t3, 0(s1)
    beqz a2, low
    vx_bar s5, s7
    j again
low:
    vx_bar s5, s7
again:
    xori t0, s1, 16         # the same lane of the other warp
    lw t3, 0(t0)
    beqz a2, low_again
    vx_bar s5, s7
    j end
low_again:
    vx_bar s5, s7
end:
    sw t3, 0(s1)
    vx_tmc zero
f:
    andi t0, a0, 1
    beqz t0, even
    ret
even:
    ret
"""
)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_lanes_that_met_again_are_waited_for_before_a_barrier(mechanism):
    for engine in ENGINES:
        assert ran(IN_HALVES, 2024, mechanism, engine, lanes=4) == [3] * 8 + [0]


# One warp of all lanes; s0: the buffer, s1: the lane's own word of it.
OWN_WORD = """
    li t0, -1
    vx_tmc t0
    csrr a0, thread_id
    lui s0, 0x20
    slli s1, a0, 2
    add s1, s1, s0
"""

# Lanes 0 and 1 run; lane 0 alone comes to a function that switches others on. They store 5 with it, and all that run 6 after the branch.
SWITCHED_ON = (
    OWN_WORD
    + """
    li t0, 3
    vx_tmc t0
    bnez a0, skip
    {inner}
    li t0, {mask}
    jal ra, f
back:
    li t3, 5
    sw t3, 0(s1)
skip:
    li t3, 6
    sw t3, 16(s1)
    vx_tmc zero
f:
    vx_tmc t0
    la ra, back             # those that it switches on have called nothing
    ret
"""
)


@pytest.mark.parametrize("inner", ["", "bnez a0, skip"])
@pytest.mark.parametrize("mask", [-1, 13])
@pytest.mark.parametrize("mechanism", ["stack", "minpc"])
def test_lanes_that_are_switched_on_within_a_branch_come_to_its_end(mechanism, mask, inner):
    for engine in ENGINES:
        assert ran(SWITCHED_ON.format(mask=mask, inner=inner), 2024, mechanism, engine, lanes=4) == [5, 0, 5, 5, 6, 6, 6, 6, 0]


# Lane 1 is switched off in a branch within lane 0's side of one, and on again by lane 2 on the other side: it belongs to that side now.
OFF_AND_ON = (
    OWN_WORD
    + """
    sltiu t0, a0, 2
    bnez t0, low
    addi t0, a0, -2
    bnez t0, met
    li t0, 6
    jal ra, set
back:
    lw t3, 0(s1)
    addi t3, t3, 1
    sw t3, 0(s1)
    j met
low:
    bnez a0, one
    li t0, 1
    jal t6, still           # goes on as it is; before it does so again the others are as far as this
    jal t6, still
    j within
one:
    li t0, 0
    jal ra, set
within:
    lw t3, 16(s1)
    addi t3, t3, 1
    sw t3, 16(s1)
met:
    vx_tmc zero
set:                        # in a function: after a `vx_tmc` within a branch no paths are known to meet
    vx_tmc t0
    la ra, back
    ret
still:
    vx_tmc t0
    jr t6
"""
)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_lane_that_is_switched_off_and_on_goes_one_way(mechanism):
    for engine in ENGINES:
        assert ran(OFF_AND_ON, 2024, mechanism, engine, lanes=4) == [0, 1, 1, 0, 1, 0, 0, 0, 0]


# Lane 0 comes to the function from a branch within a branch, lane 2 from the outer one, and lane 3 not at all, or at a call of its own
# there, or to a `vx_tmc` instead. The warp that is started counts how often it is.
STARTS_ONCE = """
    li t0, -1
    vx_tmc t0
    csrr a0, thread_id
    li s2, 2
    sltiu t0, a0, 2
    beqz t0, outer
    bnez a0, one
    jal ra, f
one:
    nop
    j both
outer:
    addi t1, a0, -3
    beqz t1, three
    jal ra, f
    j both
three:
    {three}
both:
    vx_tmc zero
f:
    la t1, counts
    vx_wspawn s2, t1
    ret
own:
    li t1, 8
    vx_tmc t1
    ret
counts:
    lui s0, 0x20
    lw t3, 0(s0)
    addi t3, t3, 1
    sw t3, 0(s0)
    vx_tmc zero
"""


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("three", ["nop", "jal ra, f", "jal ra, own"])
def test_one_wspawn_that_several_paths_come_to_starts_its_warps_once(mechanism, three):
    for engine in ENGINES:
        assert ran(STARTS_ONCE.format(three=three), 2024, mechanism, engine, lanes=4) == [1] + [0] * LANES
