"""If-conversion: the same memory, and no branch where it was short."""

import numpy as np
import pytest
from hypothesis import given, settings

from tests.machine.programs import FREE, GLOBAL, LANE, Assembly, run, words
from tests.machine.random_programs import expected, launches, seeds, statements, table, written
from warploom.gpu import GPU
from warploom.isa import uop as u
from warploom.isa.analysis.if_conversion import if_convert
from warploom.isa.frontends import load
from warploom.machine.accounting import reasons as r

A, B, C, D = range(FREE, FREE + 4)


def names(program):
    return [u.OPERATIONS[int(program.uops[row[u.FIRST_UOP], u.OP])].name for row in program.code]


def one_sided(length, *, negate=False, imm=0xFFFFFFFF):
    """Lanes with an odd number (negate: an even one) leave out `length` additions; then all of them store."""
    code = Assembly()
    code.op("and", A, LANE, imm=3)
    code("branch", a=A, imm=imm, target="behind", flags=u.NEGATE if negate else 0)
    for _ in range(length):
        code.op("add", B, B, imm=1)
    code.label("behind")
    code.op("shl", C, GLOBAL, imm=2)
    code.store(C, B)
    code("exit")
    return code


def two_sided():
    code = Assembly()
    code.op("and", A, LANE, imm=1)
    code.branch(A, "odd")
    code.mov(B, 10)
    code.op("add", B, B, LANE)
    code("jump", target="behind")
    code.label("odd")
    code.mov(B, 20)
    code.label("behind")
    code.op("shl", C, GLOBAL, imm=2)
    code.store(C, B)
    code("exit")
    return code


@pytest.mark.parametrize("lanes", [8, 64])
@pytest.mark.parametrize(
    ("negate", "imm", "who"),
    [
        (False, 0xFFFFFFFF, [0, 4]),
        (True, 0xFFFFFFFF, [1, 2, 3, 5, 6, 7]),
        (False, 1, [0, 2, 4, 6]),
        (True, 2, [2, 3, 6, 7]),
    ],
)
def test_only_the_lanes_that_do_not_take_the_branch_write(lanes, negate, imm, who):
    program = one_sided(3, negate=negate, imm=imm).program(threads=lanes, block=lanes)
    converted = if_convert(program)
    assert "branch" not in names(converted)
    for one in (program, converted):
        result = run(one, core__lanes=lanes, core__divergence="stack")
        assert words(result)[:8].tolist() == [3 if lane in who else 0 for lane in range(8)]
    result = run(converted, core__lanes=lanes, core__divergence="uniform")  # nobody disagrees any more
    assert (result.status, result.counters["diverged_branches"]) == ("done", 0)
    assert words(result)[lanes - 8 : lanes].tolist() == [3 if lane in who else 0 for lane in range(8)]


def test_an_else_is_converted_too_and_its_jump_becomes_a_nop():
    program = two_sided().program(threads=4)
    converted = if_convert(program)
    assert names(converted) == ["and", "ballot", "mov", "add", "nop", "mov", "shl", "store", "exit"]
    assert words(run(converted, core__divergence="uniform"))[:4].tolist() == [10, 20, 12, 20]
    assert converted.text[3].startswith("@!s0 add")
    assert converted.text[5].startswith("@s0 mov")


def test_all_lanes_stay_together():
    result = run(if_convert(two_sided().program(threads=4)), core__divergence="stack")
    assert set(result.detail.profile[:, r.SELECTED]) == {1}  # no instruction is issued for each side apart
    assert result.counters["diverged_branches"] == 0
    assert set(result.detail.profile[:, r.LANES]) == {2, 4}  # those of each side are left out in two lanes


@pytest.mark.parametrize(("length", "longest", "converts"), [(4, 4, True), (5, 4, False), (5, 5, True), (1, 0, False)])
def test_longer_branches_stay(length, longest, converts):
    program = one_sided(length).program()
    converted = if_convert(program, longest)
    assert ("ballot" in names(converted)) == converts
    assert converts or converted is program


def test_what_does_more_than_compute_in_lanes_stays():
    for extra in (
        {"name": "load", "dst": B, "a": C},
        {"name": "ballot", "dst": u.scalar(0), "a": B},
        {"name": "shuffle", "dst": B, "a": B, "b": A},
        {"name": "shuffle_xor", "dst": B, "a": B, "b": A},
        {"name": "permute", "dst": B, "a": B, "b": A},
        {"name": "match_any", "dst": B, "a": A},
        {"name": "insert_lane", "dst": B, "a": A, "b": u.IMMEDIATE},
        {"name": "put_scalar", "a": A, "b": B},
        {"name": "put_register", "a": A, "b": B},
    ):
        code = one_sided(1)
        code.instructions[2] = [extra]
        program = code.program(scalars=2)
        assert if_convert(program) is program


def test_a_branch_into_the_middle_keeps_both():
    code = Assembly()
    code.branch(LANE, "middle")
    code.branch(A, "behind")
    code.op("add", B, B, imm=1)
    code.label("middle")
    code.op("add", B, B, imm=1)
    code.label("behind")
    code("exit")
    assert names(if_convert(code.program())) == ["branch", "branch", "add", "add", "exit"]


def test_a_branch_to_the_jump_over_an_else_keeps_both():
    code = Assembly()
    code.op("slt", A, LANE, imm=1)
    code.branch(A, "over")
    code("nop")
    code.branch(B, "else")
    code.op("add", C, C, imm=1)
    code.label("over")
    code("jump", target="behind")
    code.label("else")
    code.op("add", C, C, imm=2)
    code.label("behind")
    code("exit")
    assert "ballot" not in names(if_convert(code.program()))


def test_a_negative_length_is_refused():
    with pytest.raises(ValueError) as caught:
        if_convert(two_sided().program(), -1)
    assert str(caught.value) == "longest = -1: write a whole number, 0 or more"


@settings(max_examples=60, deadline=None)
@given(statements(), launches, seeds)
def test_random_programs_leave_the_same_memory(body, launch, seed):
    program = if_convert(written(body, *launch, table(seed)), 6)
    result = run(
        program, engine="native", max_cycles=3_000_000, core__warps=24, core__lanes=8, core__divergence="stack", memory__bytes=2048
    )
    assert result.status == "done", result.fault
    assert np.array_equal(words(result), expected(body, *launch, table(seed)))


def test_a_program_of_a_front_end_converts(tmp_path):
    """The larger of two neighbours, with a branch: memory 4 .. 7."""
    path = tmp_path / "larger.asm"
    path.write_text(
        ".threads 4\n.data 5 1 7 7\nLDR R1, %threadIdx\nCONST R2, #3\nSUB R2, R2, %threadIdx\nLDR R2, R2\nCMP R1, R2\nBRzp keep\n"
        "ADD R1, R2, R9\nkeep: CONST R3, #4\nADD R3, R3, %threadIdx\nSTR R3, R1\nRET\n"
    )
    program = load(path)
    converted = if_convert(program)
    assert names(program).count("branch") - names(converted).count("branch") == 1
    for one, mechanism in ((program, "stack"), (converted, "uniform")):
        result = GPU("sm", set={"core.divergence": mechanism}, engine="python").run(one)
        assert result.memory[4:8].tolist() == [7, 7, 7, 7]
