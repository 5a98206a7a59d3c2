"""The control unit: what each control instruction does to a warp, and how a fault names what it found."""

import numpy as np
import pytest

from tests.machine.programs import FREE, GLOBAL, LANE, WARP, Assembly, run, words
from warploom.isa import uop as u
from warploom.isa.uop import IMMEDIATE
from warploom.machine.accounting import reasons as r

A, B, C, D = range(FREE, FREE + 4)


def stored(code, *, threads=4, **changes):
    """Each thread's register A at the end of a program, or 0 for a thread that has ended before."""
    code.op("shl", D, GLOBAL, imm=2)
    code.store(D, A)
    code("exit")
    result = run(code.program(threads=threads, block=threads), core__lanes=max(threads, 4), **changes)
    assert result.status == "done", result.fault
    return words(result)[:threads].tolist()


def fault(code, *, threads=4, **changes):
    result = run(code.program(threads=threads, block=threads), core__lanes=4, **changes)
    assert result.status == "error"
    return result.fault


def test_a_branch_looks_at_the_bits_that_its_immediate_names():
    for imm, negate, expected in ((1, 0, [0, 9, 0, 9]), (2, 0, [0, 0, 9, 9]), (2, u.NEGATE, [9, 9, 0, 0]), (0xFFFFFFFF, 0, [0, 9, 9, 9])):
        code = Assembly()
        code("branch", a=LANE, imm=imm, target="there", flags=negate)
        code("jump", target="end")
        code.label("there")
        code.mov(A, 9)
        code.label("end")
        assert stored(code) == expected


def test_a_call_leaves_the_way_back_and_a_jump_through_a_register_takes_it():
    code = Assembly()
    code("call", dst=C, target="function")
    code.op("add", A, A, imm=100)
    code.op("shl", D, GLOBAL, imm=2)
    code.store(D, A)
    code("exit")
    code.label("function")
    code.op("add", A, A, imm=1)
    code("jump_register", a=C)
    program = code.program()
    program.code[:, u.ADDRESS] = 0x100 + 4 * np.arange(len(program))  # as of an instruction set with words of four bytes
    result = run(program)
    assert result.status == "done", result.fault
    assert words(result)[:4].tolist() == [101] * 4


def test_a_jump_through_a_register_to_nowhere_is_a_fault_of_the_jump():
    code = Assembly()
    code.mov(A, 400)
    code("jump_register", a=A)
    code("exit")
    said = fault(code, core__divergence="uniform")
    assert "(jump_register" in said and "lanes 0-3 jump to address 0x190, where there is no instruction" in said


def test_lanes_that_jump_to_different_places_are_named():
    code = Assembly()
    code.op("slt", A, LANE, imm=2)
    code.op("shl", A, A, imm=1)
    code("jump_register", a=A)
    code("exit")
    assert "lanes 0-1 go to one, lanes 2-3 do not" in fault(code, core__divergence="uniform")


@pytest.mark.parametrize("branch_latency", [1, 3])
@pytest.mark.parametrize("last", ["nop", "barrier", "yield"])
def test_running_off_the_end_is_a_fault_whatever_stands_there(last, branch_latency):
    code = Assembly()
    code("nop")
    code(last)
    message = fault(code, core__branch_latency=branch_latency)
    assert "the program counter ran off the program, to instruction 2 of 2; does every path end in a return?" in message


def test_lanes_end_one_after_the_other():
    code = Assembly()
    code.mov(A, 1)
    code.op("slt", B, LANE, imm=2)
    code.branch(B, "end")
    code("exit")
    code.label("end")
    assert stored(code) == [1, 1, 0, 0]


def test_lanes_that_end_under_masks_leave_the_others_to_go_on():
    code = Assembly()
    code.mov(A, 1)
    code("push_mask", target="behind")
    code.op("slt", B, LANE, imm=2)
    code("mask_nonzero", a=B)
    code("exit")
    code.label("behind")
    assert stored(code, core__divergence="masks") == [0, 0, 1, 1]


def test_exit_warp_ends_all_lanes_and_waits_for_pending_registers_only():
    code = Assembly()
    code.op("slt", B, LANE, imm=2)
    code("push_mask", target="behind")
    code("mask_nonzero", a=B)
    code.op("mul", A, LANE, imm=3)
    code("exit_warp")
    code.label("behind")
    code("exit")
    result = run(code.program(), core__divergence="masks", latency__multiply=9)
    assert (result.status, result.cycles) == ("done", 3 + 9 + 1)
    assert result.detail.profile[4, r.DRAIN] == 8


def test_masks_are_read_and_written():
    code = Assembly()
    code("read_mask", dst=u.scalar(0))
    code("mov", dst=A, a=u.scalar(0))
    code("mov", dst=u.scalar(2), a=IMMEDIATE, imm=0b0110)
    code("mov", dst=u.scalar(3), a=IMMEDIATE, imm=0)
    code("write_mask", a=u.scalar(2))
    code.mov(A, 7)
    code("write_mask", a=u.scalar(0))
    assert stored(code, core__divergence="masks") == [15, 7, 7, 15]


def test_a_mask_of_more_than_32_lanes_is_read_and_written_in_two_words():
    code = Assembly()
    code("read_mask", dst=u.scalar(2))
    code("mov", dst=A, a=u.scalar(3))
    code("mov", dst=u.scalar(4), a=IMMEDIATE, imm=1)
    code("mov", dst=u.scalar(5), a=IMMEDIATE, imm=2)
    code("write_mask", a=u.scalar(4))
    code("mov", dst=A, a=u.scalar(2))
    code("write_mask", a=u.scalar(2))
    ones = 0xFFFFFFFF
    assert stored(code, threads=40, core__divergence="masks", core__threads_per_block=40) == [
        ones if lane in (0, 33) else 0xFF for lane in range(40)
    ]


def test_set_mask_and_predicate():
    code = Assembly()
    code.mov(B, 0b1111)
    code.mov(C, 0b0101)
    code("set_mask", a=C)
    code.mov(A, 1)
    code("set_mask", a=B)
    code.op("and", C, LANE, imm=1)
    code("predicate", a=C, b=B)
    code.op("add", A, A, imm=10)
    code.op("and", C, C, imm=0)
    code("predicate", a=C, b=B)  # no lane is left: the mask that B names
    assert stored(code, core__divergence="masks") == [1, 10, 1, 10]


def test_an_empty_mask_ends_the_warp():
    code = Assembly()
    code("set_mask", a=A)
    code.mov(A, 1)
    code("exit")
    result = run(code.program(), core__divergence="masks")
    assert (result.status, result.instructions) == ("done", 1)


def test_several_barriers_of_a_block():
    """Warp 0 waits at barrier 3, warps 1 and 2 at barrier 5, by number in a register and by the count of warps that must come."""
    code = Assembly()
    code.op("slt", A, WARP, imm=1)
    code.branch(A, "first")
    code.mov(B, 2)
    code("barrier", a=A, b=B, imm=5)
    code("jump", target="both")
    code.label("first")
    code("nop")
    code.label("both")
    code("barrier", imm=3)
    code.op("shl", D, GLOBAL, imm=2)
    code.store(D, B)
    code("exit")
    result = run(code.program(threads=12, block=12))
    assert result.status == "done", result.fault
    assert words(result)[:12].tolist() == [0] * 4 + [2] * 8


def test_a_warp_may_arrive_and_go_on():
    code = Assembly()
    code.branch(WARP, "consumer")
    code("barrier_arrive", imm=0)
    code("exit")
    code.label("consumer")
    code("barrier", imm=0)
    code("exit")
    assert run(code.program(threads=8, block=8)).status == "done"


def test_a_warp_that_has_ended_is_not_waited_for():
    code = Assembly()
    code.branch(WARP, "others")
    code("exit")
    code.label("others")
    code("barrier")
    code.mov(A, 5)
    assert stored(code, threads=4) == [0] * 4  # the only warp ends before
    code = Assembly()
    code.branch(WARP, "others")
    code("exit")
    code.label("others")
    code("barrier")
    code("exit")
    assert run(code.program(threads=12, block=12)).status == "done"


@pytest.mark.parametrize("branch_latency", [1, 2, 7])
def test_a_control_instruction_holds_its_warp_until_it_is_resolved(branch_latency):
    code = Assembly()
    code("nop")
    code("jump", target=2)
    code("exit")
    result = run(code.program(), core__branch_latency=branch_latency)
    assert result.cycles == 2 * branch_latency + 1
    assert result.counters["branch_resolving_warp_cycles"] == 2 * (branch_latency - 1)


# ---------------------------------------------------------------------------------------------------------
# Faults


def test_a_full_mask_stack_says_how_many_entries_there_are():
    code = Assembly()
    code("push_mask", target=0)
    code("jump", target=0)
    message = fault(code, core__divergence="masks", core__stack_depth=3)
    assert "the mask stack is full (3 entries); raise core.stack_depth or nest less" in message
    assert "instruction 0 (push_mask)" in message


def test_a_full_reconvergence_stack_says_so_too():
    code = Assembly()
    for number, bit in enumerate((1, 2)):
        code("branch", a=LANE, imm=bit, target=f"else{number}")
    code("nop")
    code.label("else1")
    code("nop")
    code.label("else0")
    code("exit")
    assert "the mask stack is full (1 entries)" in fault(code, core__stack_depth=1)


def test_a_pop_of_an_empty_stack_is_a_fault():
    code = Assembly()
    code("pop_mask")
    code("exit")
    assert "a mask is popped from an empty mask stack" in fault(code, core__divergence="masks")


def test_a_trap_says_its_number():
    code = Assembly()
    code("trap", imm=42)
    code("exit")
    assert "the program stopped itself with number 42" in fault(code)


def test_a_barrier_that_does_not_exist():
    code = Assembly()
    code("barrier", imm=4)
    code("exit")
    assert "barrier 4 does not exist: a block has 4, numbered from 0; raise core.barriers" in fault(code, core__barriers=4)


def test_a_fault_names_warp_lanes_and_instruction():
    code = Assembly()
    code.branch(WARP, "bad")
    code("exit")
    code.label("bad")
    code.op("slt", A, LANE, imm=2)
    code.branch(A, "end", negate=True)
    code("trap", imm=1)
    code.label("end")
    code("exit")
    said = "instruction 4 (trap): the program stopped itself with number 1 (block 0, warp 1, lanes 0-1, core 0, cycle 5)"
    assert fault(code, threads=8) == said


def test_what_no_lane_can_ever_pass_is_a_deadlock_that_says_who_waits_where():
    code = Assembly()
    code.branch(WARP, "other")
    code("barrier", imm=0)
    code("exit")
    code.label("other")
    code("barrier", imm=1)
    code("exit")
    message = fault(code, threads=8)
    assert "no warp can ever continue" in message
    assert "waits at a barrier for other warps of its block" in message


def test_memory_is_as_it_was_at_the_fault():
    code = Assembly()
    code.mov(A, 3)
    code.store(B, A)
    code("trap", imm=1)
    result = run(code.program())
    assert np.array_equal(words(result)[:2], [3, 0])
