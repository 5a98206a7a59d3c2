"""Flags and rounding mode of a warp: every active lane's flags come together, and the highest active lane's value stays."""

import pytest

from tests.isa.vortex.programs import run

BOTH = pytest.mark.parametrize("number", [2022, 2024])
DIVIDES = """
    li t0, 5
    vx_tmc t0                 # lanes 0 and 2
    fsflags zero
    fcvt.s.w ft0, s2          # of the lane's number: 0 in lane 0
    li t1, 4
    fcvt.s.w ft1, t1
    fdiv.s ft2, ft1, ft0      # by zero in lane 0 alone
    li t0, 15
    vx_tmc t0
    frflags t2
    sw t2, 0(s1)
"""


@BOTH
@pytest.mark.parametrize("engine", ["python", "native"])
def test_flags_of_a_lane_are_those_of_its_warp(number, engine):
    out, result = run(DIVIDES, number, engine=engine)
    assert result.status == "done", result.fault
    assert out[:16].tolist() == [8] * 16


@BOTH
def test_the_highest_active_lane_writes_the_mode_of_all(number):
    """1 / 3 down and up, in a mode that only one lane has asked for."""
    body = """
    fsrm s2                   # the lane's number: 3, upwards, stays
    li t1, 1
    li t2, 3
    fcvt.s.w ft0, t1
    fcvt.s.w ft1, t2
    fdiv.s ft2, ft0, ft1
    fsw ft2, 0(s1)
    """
    out, _ = run(body, number)
    assert set(out[:16].tolist()) == {0x3EAAAAAB}
    out, _ = run(body.replace("fsrm s2", "li t0, 7\nvx_tmc t0\nfsrm s2\nli t0, 15\nvx_tmc t0"), number)
    assert set(out[:16].tolist()) == {0x3EAAAAAA}


@BOTH
@pytest.mark.parametrize("lanes", [4, 64])
def test_each_lane_is_given_what_the_one_before_has_left(number, lanes):
    body = """
    csrwi fflags, 21
    andi t1, s2, 31
    li t0, -10
    vx_tmc t0                 # not lanes 0, 3 and, of 4, 2 either
    csrrw t2, fflags, t1
    sw t2, 0(s1)
    frflags t3
    sw t3, 256(s1)
    """
    out, _ = run(body, number, words=256, core__lanes=lanes, core__warps=1)
    active = [lane for lane in range(lanes) if lane not in (0, 3)]
    assert out[active].tolist() == [21, *(lane & 31 for lane in active[:-1])]
    assert set(out[[64 + lane for lane in active]].tolist()) == {active[-1] & 31}


@BOTH
def test_bits_of_all_lanes_are_set_and_cleared(number):
    body = """
    csrwi fflags, 16
    li t1, 1
    sll t1, t1, s2            # bit l in lane l
    csrs fflags, t1
    frflags t2
    sw t2, 0(s1)
    csrc fflags, t1
    frcsr t3
    sw t3, 256(s1)
    """
    out, _ = run(body, number)
    assert set(out[:16].tolist()) == {31} and set(out[64:80].tolist()) == {16}


@BOTH
@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize("lanes", [4, 64])
@pytest.mark.parametrize(("mnemonic", "register", "bits"), [("csrrs", "fflags", 31), ("csrrc", "fflags", 31), ("csrrc", "fcsr", 255)])
def test_a_lane_finds_what_all_lanes_below_have_set_or_cleared(number, engine, lanes, mnemonic, register, bits):
    old = 0x25 & bits
    body = f"""
    li t0, {old}
    csrw {register}, t0
    li t1, 37
    mul t1, t1, s2            # each lane other bits
    srli t2, t1, 3
    xor t1, t1, t2
    andi t1, t1, {bits}
    li t0, -10
    vx_tmc t0                 # not lanes 0 and 3
    {mnemonic} t2, {register}, t1
    sw t2, 0(s1)
    csrr t3, {register}
    sw t3, 256(s1)
    """
    out, result = run(body, number, engine=engine, core__lanes=lanes, core__warps=1)
    assert result.status == "done", result.fault
    now = old
    for lane in (lane for lane in range(lanes) if lane not in (0, 3)):
        assert out[lane] == now, lane
        given = (37 * lane ^ 37 * lane >> 3) & bits
        now = now | given if mnemonic == "csrrs" else now & ~given
    assert out[64 + 1] == now
