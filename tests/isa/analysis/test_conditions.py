"""Branches that always go the same way: known before the program runs."""

import numpy as np
import pytest

import warploom
from tests.machine.programs import FREE, Assembly
from warploom import tiny
from warploom.isa import uop as u
from warploom.isa.analysis.control_flow import Flow, with_reconvergence
from warploom.isa.analysis.successors import ways

TWO_JUMPS_BACK = """
.threads 64
CONST R1, #1
CONST R5, #2
ADD R0, %threadIdx, R1
CONST R2, #60
LOOP:
CMP R0, R2
BRzp END
ADD R0, R0, R1
DIV R3, R0, R5
MUL R3, R3, R5
CMP R3, R0
BRz EVEN
ADD R4, R4, R1
BRnzp LOOP
EVEN:
ADD R4, R4, R5
BRnzp LOOP
END:
STR %threadIdx, R4
RET
"""


def following(text):
    return ways(tiny.assemble(text)).successors


def test_a_branch_on_any_condition_behind_a_compare_is_a_jump():
    assert following(".threads 1\nCMP R0, R1\nBRnzp 3\nNOP\nRET")[1] == (3,)


def test_before_any_compare_no_branch_is_taken():
    assert following(".threads 1\nBRnzp 2\nCMP R1, R2\nRET")[0] == (1,)


def test_where_a_compare_ran_on_one_way_only_both_ways_stay_open():
    text = ".threads 1\nCMP %threadIdx, R1\nBRz 4\nADD R1, R1, R1\nCMP R1, R1\nBRnzp 6\nRET\nRET"
    assert following(text)[4] == (6,)  # both ways come with a compare
    code = Assembly()
    code.branch(0, "over")
    code("compare", dst=FREE, a=0, b=1)
    code.label("over")
    code("branch", a=FREE, imm=7, target=4)
    code("nop")
    code("exit")
    assert ways(code.program()).successors[2] == (3, 4)


def test_what_else_writes_the_register_or_starts_it_is_unknown():
    for other in ({"name": "mov", "dst": FREE, "a": 0}, {"name": "load", "dst": FREE, "a": 0}):
        code = Assembly()
        code("compare", dst=FREE, a=0, b=1)
        code.bundle(other)
        code("branch", a=FREE, imm=7, target=0)
        code("exit")
        assert ways(code.program()).successors[2] == (3, 0)
    code = Assembly()
    code("branch", a=0, imm=7, target=2)  # register 0 is the thread's number
    code("compare", dst=0, a=1, b=1)
    code("exit")
    assert ways(code.program()).successors[0] == (1, 2)


def test_a_predicated_compare_leaves_other_lanes_as_they_were():
    code = Assembly()
    code("compare", dst=FREE, a=0, b=1, predicate=u.scalar(0))
    code("branch", a=FREE, imm=7, target=3)
    code("nop")
    code("exit")
    assert ways(code.program(scalars=2)).successors[1] == (2, 3)


def test_a_negated_branch_behind_a_compare_is_never_taken():
    code = Assembly()
    code("compare", dst=FREE, a=0, b=1)
    code("branch", a=FREE, imm=7, target=3, flags=u.NEGATE)
    code("nop")
    code("exit")
    assert ways(code.program()).successors[1] == (2,)


def test_a_program_that_calls_is_left_alone():
    code = Assembly()
    code("compare", dst=FREE, a=0, b=1)
    code("call", dst=FREE + 1, target=4)
    code("branch", a=FREE, imm=7, target=0)
    code("exit")
    code("jump_register", a=FREE + 1)
    assert ways(code.program()).successors[2] == (3, 0)


def test_paths_of_a_loop_with_two_jumps_back_meet_at_its_head():
    program = with_reconvergence(tiny.assemble(TWO_JUMPS_BACK))
    head = program.labels["LOOP"]
    branches = {
        program.text[number]: int(program.uops[number, u.RECONVERGE])
        for number in range(len(program))
        if program.text[number].startswith("BRz ")
    }
    assert branches == {"BRz EVEN": head}
    assert not Flow(program).irreducible


def test_such_a_loop_costs_what_it_costs_where_warps_part_and_meet_otherwise():
    program = tiny.assemble(TWO_JUMPS_BACK)
    runs = [warploom.GPU("sm", set={"core.divergence": name}, engine="python").run(program) for name in ("stack", "minpc")]
    assert np.array_equal(runs[0].memory, runs[1].memory)
    assert runs[0].cycles < 1.5 * runs[1].cycles


@pytest.mark.parametrize("operation", u.OPERATIONS, ids=lambda operation: operation.name)
def test_the_column_agrees_with_the_operands(operation):
    """What names a target has somewhere to put it, and every operation leads somewhere."""
    assert operation.flow and set(operation.flow) <= set("netpmrcx")
    goes = {u.TO_TARGET, u.PUSHES_TARGET, u.CALLS} & set(operation.flow)
    assert bool(goes) == ("t" in operation.operands)
    assert u.PUSHES_RECONVERGENCE not in operation.flow or "r" in operation.operands
    assert operation.flow == u.NEXT or operation.unit == u.CONTROL
