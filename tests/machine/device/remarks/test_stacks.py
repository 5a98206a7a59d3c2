"""Stacks that are full: what a fault and a run say of them."""

from dataclasses import replace

import pytest

import warploom
from tests.machine.programs import LANE, Assembly, run
from warploom.isa.regions import Region

STACK, END = 256, 0x10000
STACKS = Region("stacks", END - STACK, STACK, thread_bytes=STACK)
SP = 8


def stored(words, *, lanes=4, faults=False, spare_pages=0, of_core=False):
    """Lanes below `lanes` store so many words below the ends of their stacks, and leave their stack pointers there."""
    code = Assembly()
    code.op("mul", SP, LANE, imm=-STACK)
    code.op("add", SP, SP, imm=END)
    code.op("slt", SP + 1, LANE, imm=lanes)
    code.branch(SP + 1, "end", negate=True)
    for _ in range(words):
        code.op("add", SP, SP, imm=-4)
        code.store(SP, SP)
    if faults:
        code.store(SP, SP, offset=1)
    code.label("end")
    code("exit")
    names = tuple("sp" if number == SP else f"r{number}" for number in range(32))
    program = code.program(regions=(replace(STACKS, of_core=of_core),))
    return run(replace(program, register_names=names, spare_pages=spare_pages))


@pytest.mark.parametrize("of_core", [False, True])
def test_a_run_says_whose_stack_was_used_to_its_end(of_core):
    def said(**changes):
        return [one for one in stored(**changes, of_core=of_core).remarks if "stack" in one]

    assert said(words=60) == []  # 16 bytes are left
    assert said(words=61, lanes=1)[0].startswith(
        "most likely a stack overflow: the stack of thread 0 is used to its end (256 bytes), and what goes beyond lies in the next"
    )
    assert said(words=61, lanes=3)[0].startswith(
        "most likely a stack overflow: the stack of thread 0, and of 2 more, is used to its end (256 bytes)"
    )
    assert said(words=61, spare_pages=1) == []  # a program with a start of its own may use the room as it likes


def recursion(depth):
    """Each thread calls itself so many times more than its number is above 4, with 16 bytes a call."""
    return f"""
.threads 8
main:
    addi a3, a0, {depth - 4}
    slti a4, a0, 4
    beqz a4, deep
    li   a3, 0
deep:
    addi sp, sp, -16
    sw   ra, 0(sp)
    blez a3, back
    addi a3, a3, -1
    jal  deep
back:
    lw   ra, 0(sp)
    addi sp, sp, 16
    ret
"""


@pytest.mark.parametrize("divergence", ["stack", "dwf"])
def test_so_do_threads_of_risc_v_whose_number_in_the_launch_says_which_stack_is_theirs(divergence):
    """Warps of 4: the second one's threads go deep, the last of them first beyond all stacks."""
    gpu = warploom.GPU("sm", set={"core.lanes": 4, "core.divergence": divergence}, engine="python")
    fault = gpu.run(warploom.load(recursion(300).encode(), "riscv")).fault
    assert "; stack overflow: the stack pointer of thread 7 is 16 bytes below its stack of 4096 bytes; call functions less deep" in fault
    held = gpu.run(warploom.load(recursion(250).encode(), "riscv"))
    assert held.status == "done"
    assert not held.remarks
    full = gpu.run(warploom.load(recursion(252).encode(), "riscv"))  # 256 calls of the last thread
    assert full.remarks[0].startswith("most likely a stack overflow: the stack of thread 7 is used to its end (4096 bytes)")


def test_a_fault_names_the_thread_whose_stack_pointer_has_left_its_stack():
    assert "stack pointer" not in stored(words=64, faults=True).fault
    result = stored(words=70, lanes=2, faults=True)
    assert (
        "; stack overflow: the stack pointer of thread 0 is 24 bytes below its stack of 256 bytes; call functions less deep" in result.fault
    )
    assert not [one for one in result.remarks if "used to its end" in one]  # which is said once
