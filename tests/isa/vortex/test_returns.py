"""Lanes that leave a function at different returns, on a machine that parts them itself: they meet at what is for the whole warp."""

import numpy as np
import pytest

from tests.isa.vortex.programs import ALL_LANES
from warploom.gpu import GPU
from warploom.isa import load
from warploom.isa.frontend import Options
from warploom.isa.launching import read_buffer

LANES = 8
ENGINES = ("python", "native")
MECHANISMS = ["stack", "minpc", "its"]

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


def ran(text, generation, mechanism, engine, lanes=LANES):
    """The words that a program has stored."""
    options = Options(path="p.vx", buffers={"out@0x20000": np.zeros(LANES + 1, np.int32)})
    program = load(text.encode(), f"vortex-{generation}", options=options)
    changes = {"core.divergence": mechanism, "core.lanes": lanes, "shared.banks": lanes}
    result = GPU(f"vortex-{generation}", set=changes, engine=engine).run(program, max_cycles=100_000)
    assert result.status == "done", result.fault
    return read_buffer(result.program, result.memory, "out").tolist()


@pytest.mark.parametrize("generation", [2022, 2024])
@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("meet", ["", "vx_bar zero, t0", "vx_wspawn t0, zero"])
def test_all_of_them_come_to_what_is_for_the_whole_warp_before_it_happens(generation, mechanism, meet):
    meet = f"li t0, 1\n    {meet}" if meet else ""
    wanted = [picked(lane) for lane in range(LANES)]
    for engine in ENGINES:
        assert ran(PROGRAM.format(meet=meet), generation, mechanism, engine) == [*wanted, sum(wanted)]


# Each lane stores; then it comes to `meet`, at one of three places, and after that lane 0 adds up what it finds.
PLACES = """
    li t0, -1
    vx_tmc t0
    csrr s0, thread_id
    lui s2, 0x20
    slli t2, s0, 2
    add t2, t2, s2
    li t4, 5
    li t0, 1
    bne s0, t0, not_one
    sw t4, 0(t2)
    {meet}
    {one}
    vx_tmc zero
not_one:
    bnez s0, late
    sw t4, 0(t2)
    {meet}
    li t3, 8
sum:
    lw t5, 0(s2)
    add t6, t6, t5
    addi s2, s2, 4
    addi t3, t3, -1
    bnez t3, sum
    sw t6, 0(s2)
    vx_tmc zero
late:
    sw t4, 0(t2)
    {meet}
    vx_tmc zero
"""


@pytest.mark.parametrize("generation", [2022, 2024])
@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("meet", ["vx_tmc t0", "vx_bar zero, t0", "vx_wspawn t0, zero"])
def test_they_wait_for_each_other_at_different_places_too(generation, mechanism, meet):
    for engine in ENGINES:
        assert ran(PLACES.format(meet=meet, one=""), generation, mechanism, engine) == [5] * LANES + [5 * LANES]


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_at_each_place_the_lanes_that_are_there_are_switched_off(mechanism):
    """Lane 1 leaves only itself out, and stores no more."""
    code = PLACES.format(meet="vx_tmc t0", one="sw zero, 0(t2)")
    for engine in ENGINES:
        assert ran(code, 2024, mechanism, engine) == [5] * LANES + [5 * LANES]


TWO_WARPS = ALL_LANES.format(warps=2, of="warp_id")

# Lane 0 of each of two warps comes to a barrier of its own, in a branch; then all come to one after it.
IN_A_BRANCH = (
    TWO_WARPS
    + """
    lui a2, 0x20
    slli t3, a1, 4
    add a2, a2, t3
    seqz a3, a0
    vx_split a4, a3
    beqz a3, skip
    li t0, 1
    li t1, 2
    vx_bar t0, t1
    li t3, 5
    sw t3, 0(a2)
skip:
    vx_join a4
    li t0, 0
    li t1, 2
    vx_bar t0, t1
    lw t4, 0(a2)
    slli t2, a0, 2
    add t2, t2, a2
    sw t4, 0(t2)
    vx_tmc zero
"""
)


@pytest.mark.parametrize("mechanism", ["masks", "stack"])
def test_a_barrier_in_a_branch_is_for_those_that_took_it(mechanism):
    for engine in ENGINES:
        assert ran(IN_A_BRANCH, 2024, mechanism, engine, lanes=4) == [5] * 8 + [0]


# Of two warps one comes to the barrier as a whole, lane 0 of the other in a branch and the rest after it. All add what all have stored.
ON_BOTH_SIDES = (
    TWO_WARPS
    + """
    slli t0, a1, 2
    add a2, a0, t0
    lui s0, 0x20
    slli t2, a2, 2
    add s1, s0, t2
    li t0, 0
    li t1, 2
    li t3, 1
    bnez a2, others
    sw t3, 0(s1)
    vx_bar t0, t1
    j after
others:
    sw t3, 0(s1)
    vx_bar t0, t1
after:
    li t3, 8
sum:
    lw t5, 0(s0)
    add t6, t6, t5
    addi s0, s0, 4
    addi t3, t3, -1
    bnez t3, sum
    bnez a2, end
    sw t6, 0(s0)
end:
    vx_tmc zero
"""
)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_the_sides_of_a_branch_come_to_a_barrier_as_one_warp(mechanism):
    for engine in ENGINES:
        assert ran(ON_BOTH_SIDES, 2024, mechanism, engine, lanes=4) == [1] * 8 + [8]


# Lane 0 comes to a barrier with lane 0 of the other warp; the others go to the end, where all are switched off.
SOME_GO_TO_THE_END = (
    TWO_WARPS
    + """
    slli t0, a1, 2
    add a2, a0, t0
    lui s0, 0x20
    slli t2, a2, 2
    add s1, s0, t2
    bnez a0, end
    li t0, 1
    li t1, 2
    vx_bar t0, t1
    sw t0, 0(s1)
end:
    vx_tmc zero
"""
)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_barrier_does_not_wait_for_lanes_that_wait_for_the_whole_warp(mechanism):
    for engine in ENGINES:
        assert ran(SOME_GO_TO_THE_END, 2024, mechanism, engine, lanes=4) == [1, 0, 0, 0, 1, 0, 0, 0, 0]


@pytest.mark.parametrize("mechanism", ["minpc", "its"])
def test_lanes_at_different_barriers_wait_for_ever_and_that_is_said(mechanism):
    """Though the second barrier is the last instruction: no lane has run off the program."""
    code = "li t0, -1\nvx_tmc t0\ncsrr a0, thread_id\nli t0, 1\nbnez a0, end\nvx_bar t0, t0\nvx_tmc zero\nend: vx_bar zero, t0\n"
    program = load(code.encode(), "vortex-2024", options=Options(path="p.vx"))
    result = GPU("vortex-2024", set={"core.divergence": mechanism}, engine="python").run(program, max_cycles=100_000)
    assert str(result.fault).startswith("no warp can ever continue: warp 0 of block 0 (core 0) waits for itself"), result.fault
    assert "at barrier 0" in str(result.fault) and "at barrier 1" in str(result.fault)
