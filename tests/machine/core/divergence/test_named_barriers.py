"""Convergence barriers that a program names, in programs of micro-ops on a warp of four lanes."""

import pytest

from tests.machine.programs import FREE, LANE, Assembly, issues, run, words

IS_ODD, KEPT = FREE, FREE + 1
ALL, ODD, EVEN = 0b1111, 0b1010, 0b0101


def seen(code, mechanism="its"):
    """(instruction, lanes) of every issue."""
    result = run(code.program(threads=4), core__divergence=mechanism, tracing=True)
    assert result.status == "done", result.fault
    return [(pc, lanes) for _, _, pc, lanes in issues(result)], result


def parting(code):
    """Lanes that are odd go to "odd"."""
    code.op("and", IS_ODD, LANE, imm=1)
    code("converge", imm=3)
    code.branch(IS_ODD, "odd")


def two_sides(last, **more):
    """Odd lanes execute one instruction more than even ones, then both sides come to an instruction and end."""
    code = Assembly()
    parting(code)
    code("jump", target="end")
    code.label("odd")
    code("nop")
    code.label("end")
    code(last, **more)
    code("exit")
    return code


def test_lanes_wait_for_each_other_where_the_program_says_so():
    assert seen(two_sides("await_lanes", imm=3))[0] == [(0, ALL), (1, ALL), (2, ALL), (3, EVEN), (5, EVEN), (4, ODD), (5, ODD), (6, ALL)]


def test_they_come_together_nowhere_else():
    """Both sides come to instruction 5, one after the other."""
    assert seen(two_sides("nop"))[0][3:] == [(3, EVEN), (5, EVEN), (6, EVEN), (4, ODD), (5, ODD), (6, ODD)]


@pytest.mark.parametrize("mechanism", ["stack", "minpc"])
def test_other_mechanisms_find_out_themselves_where_lanes_come_together(mechanism):
    assert seen(two_sides("await_lanes", imm=3), mechanism)[0][-2:] == [(5, ALL), (6, ALL)]


def test_lanes_that_leave_a_barrier_or_end_are_not_waited_for():
    for last in ("leave_lanes", "exit"):
        code = Assembly()
        parting(code)
        code("await_lanes", imm=3)
        code.label("after")
        code("exit")
        code.label("odd")
        code(last, **({"imm": 3} if last == "leave_lanes" else {}))
        code("jump", target="after")
        issued = seen(code)[0]
        assert (4, EVEN) in issued and ((4, ODD) in issued) == (last == "leave_lanes")


def test_a_barrier_is_read_emptied_and_written():
    code = Assembly()
    code("converge", imm=3)
    code("read_converging", dst=KEPT, imm=3 + 16)
    code("await_lanes", imm=3)  # it has no lanes, so nobody waits
    code("write_converging", a=KEPT, imm=3)
    code("read_converging", dst=IS_ODD, imm=3)
    code.op("shl", KEPT, LANE, imm=2)
    code.store(KEPT, IS_ODD, 64)
    code("exit")
    _, result = seen(code)
    assert words(result)[16:20].tolist() == [ALL] * 4


def test_lanes_that_yield_let_those_go_on_that_wait_for_them():
    """Odd lanes wait at the barrier with something that even ones want to see."""
    code = Assembly()
    code.op("and", IS_ODD, LANE, imm=1)
    code("converge", imm=3)
    code.branch(IS_ODD, "odd")
    code.label("again")
    code("yield")
    code.load(KEPT, FREE + 2, 128)
    code.branch(KEPT, "seen")
    code("jump", target="again")
    code.label("odd")
    code("await_lanes", imm=3)
    code.mov(KEPT, 1)
    code.store(FREE + 2, KEPT, 128)
    code("exit")
    code.label("seen")
    code("await_lanes", imm=3)
    code("exit")
    issued, _ = seen(code)
    assert issued[-1][1] == EVEN and max(pc for pc, _ in issued) == issued[-1][0]


def test_the_side_that_was_put_aside_last_runs_next():
    """Lanes 2 and 3 part inside of their side, and come together again before the other side runs."""
    code = Assembly()
    code("converge", imm=0)
    code.op("shr", IS_ODD, LANE, imm=1)
    code.branch(IS_ODD, "high")
    code("jump", target="end")
    code.label("high")
    code("converge", imm=1)
    code.op("and", KEPT, LANE, imm=1)
    code.branch(KEPT, "third")
    code("jump", target="inner")
    code.label("third")
    code("nop")
    code.label("inner")
    code("await_lanes", imm=1)
    code.label("end")
    code("await_lanes", imm=0)
    code("exit")
    low, high, second, third = 0b0011, 0b1100, 0b0100, 0b1000
    assert seen(code)[0][3:] == [
        (3, low), (10, low), (4, high), (5, high), (6, high), (7, second), (9, second), (8, third), (9, third), (10, high), (11, ALL),
    ]  # fmt: skip
