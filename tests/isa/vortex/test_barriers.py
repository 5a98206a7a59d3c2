"""Barriers to which only some lanes of a warp come, while the rest is at its end, on a machine that parts the lanes itself."""

import numpy as np
import pytest

from tests.isa.vortex.programs import ALL_LANES
from warploom.gpu import GPU
from warploom.isa import load
from warploom.isa.frontend import Options
from warploom.isa.launching import read_buffer

LANES, WORDS = 4, 16
ENGINES = ("python", "native")
MECHANISMS = ["stack", "minpc", "its", "dwf"]


def run(text, mechanism, engine, **changes):
    options = Options(path="p.vx", buffers={"out@0x20000": np.zeros(WORDS, np.int32)})
    changes = {"core.divergence": mechanism, "core.lanes": LANES, "shared.banks": LANES, **changes}
    program = load(text.encode(), "vortex-2024", options=options)
    return GPU("vortex-2024", set=changes, engine=engine).run(program, max_cycles=20_000)


def stored(text, mechanism, engine, **changes):
    """The words that are not 0, by their places."""
    result = run(text, mechanism, engine, **changes)
    assert result.status == "done", (mechanism, engine, result.fault)
    return {place: word for place, word in enumerate(read_buffer(result.program, result.memory, "out").tolist()) if word}


# Registers: a0 the lane, a1 the warp, or the core; s0 the buffer, s1 the thread's own word of it.
START = (
    ALL_LANES
    + """
    lui s0, 0x20
    slli t0, a1, 4
    slli t1, a0, 2
    add s1, s0, t0
    add s1, s1, t1
"""
)

# The last warp waits for what lane 0 of the first stores after the barrier; nobody waits for that warp.
OF_ONE_CORE = """
    li t0, {last}
    beq a1, t0, other
    bnez a0, end
    li t0, 1
    li t1, {expected}
    vx_bar t0, t1
    li t2, 5
    sw t2, 0(s1)
end:
    vx_tmc zero
other:
    lw t2, 0(s0)
    beqz t2, other
    sw t2, 0(s1)
    vx_tmc zero
"""


@pytest.mark.every(3)
@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("expected", [0, 1, 2])
def test_it_opens_for_as_many_warps_as_they_say(mechanism, expected):
    """Two of three warps come; at one that expects fewer than two warps nobody waits."""
    last = max(expected, 1)
    code = START.format(warps=last + 1, of="warp_id") + OF_ONE_CORE.format(last=last, expected=expected)
    wanted = {LANES * warp: 5 for warp in range(last)} | {LANES * last + lane: 5 for lane in range(LANES)}
    for engine in ENGINES:
        assert stored(code, mechanism, engine) == wanted


# Core 0 stores late; what comes after the barrier adds 1 to it. The barrier is for 2 cores, and {elsewhere} is where the other lanes are.
ACROSS_CORES = """
    bnez a1, go
    li t0, 100
late:
    addi t0, t0, -1
    bnez t0, late
    li t0, 7
    sw t0, 60(s0)
go:
    li t2, {lane}
    bne a0, t2, end
    lui t0, 0x80000
    addi t0, t0, 1
    li t1, 2
    vx_bar t0, t1
    lw t2, 60(s0)
    addi t2, t2, 1
    sw t2, 0(s1)
    vx_tmc zero
end:
    {elsewhere}
    vx_tmc zero
"""


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_across_cores_it_is_for_the_other_cores_too(mechanism):
    code = START.format(warps=1, of="core_id") + ACROSS_CORES.format(lane=0, elsewhere="")
    for engine in ENGINES:
        assert stored(code, mechanism, engine, **{"gpu.cores": 2}) == {0: 8, LANES: 8, 15: 7}


# The other lanes come to barrier 1 of their core.
SAME_NUMBER = ACROSS_CORES.replace("{elsewhere}", "li t0, 1\n    vx_bar t0, t0")


@pytest.mark.parametrize("lane", [0, 2])
def test_one_across_cores_and_one_of_a_core_are_two_though_their_number_is_the_same(lane):
    code = START.format(warps=1, of="core_id") + SAME_NUMBER.format(lane=lane)
    for engine in ENGINES:
        for first in ("taken", "fall_through"):  # which of the two is reached first
            changes = {"gpu.cores": 2, "divergence.first": first}
            assert stored(code, "stack", engine, **changes) == {lane: 8, LANES + lane: 8, 15: 7}


@pytest.mark.parametrize("mechanism", ["minpc", "its", "dwf"])
def test_lanes_at_these_two_wait_for_ever_and_that_is_said(mechanism):
    result = run(START.format(warps=1, of="core_id") + SAME_NUMBER.format(lane=0), mechanism, "python", **{"gpu.cores": 2})
    said = str(result.fault)
    assert "lane 0 of it waits for the others at barrier 1 across cores, p.vx:" in said
    assert "lanes 1-3 of it wait for the others at barrier 1, p.vx:" in said


def test_a_core_that_waits_for_another_does_not_speak_of_its_block():
    alone = "bnez a1, end\nlui t0, 0x80000\naddi t0, t0, 1\nli t1, 2\nvx_bar t0, t1\nend:\nvx_tmc zero\n"  # core 1 does not come
    code = START.format(warps=1, of="core_id") + alone
    said = str(run(code, "masks", "python", **{"gpu.cores": 2}).fault)
    assert "waits at a barrier for warps of other blocks too; barrier 1 across cores expects more cores; there: core 0" in said
    assert "of its block" not in said


@pytest.mark.parametrize("engine", ENGINES)
def test_groups_of_one_warp_each_pass_the_barrier_of_their_number(engine):
    """On a machine of four warps, which has two barriers, as a kernel with groups of one warp asks for them."""
    text = START.format(warps=4, of="warp_id") + "    li t1, 1\n    vx_bar a1, t1\n    addi t2, a1, 1\n    sw t2, 0(s1)\n    vx_tmc zero\n"
    found = stored(text, "masks", engine, **{"core.warps": 4})
    assert found == {4 * warp + lane: warp + 1 for warp in range(4) for lane in range(LANES)}


@pytest.mark.parametrize("mechanism", ["masks", *MECHANISMS])
@pytest.mark.parametrize("expected", [0, 1])
def test_nobody_waits_at_one_across_fewer_than_two_cores(mechanism, expected):
    """Warp 1 spins for what warp 0 stores behind the barrier, whose number is beyond all that the core has."""
    body = f"""
    bnez a1, other
    lui t0, 0x80000
    addi t0, t0, 77
    li t1, {expected}
    vx_bar t0, t1
    li t2, 5
    sw t2, 0(s1)
    vx_tmc zero
other:
    lw t2, 0(s0)
    beqz t2, other
    sw t2, 0(s1)
    vx_tmc zero
    """
    for engine in ENGINES:
        assert stored(START.format(warps=2, of="warp_id") + body, mechanism, engine) == dict.fromkeys(range(8), 5)
