"""Machines of cores that run one instruction at a time from the outside: what they refuse, and what a run leaves."""

from dataclasses import replace

import numpy as np
import pytest

from tests.machine.programs import Assembly
from tests.machine.tiny_kernels import assemble, nops, run
from warploom import GPU, LaunchError
from warploom.isa import uop as u
from warploom.machine.run.driver import drive


def refused(program, **changes):
    with pytest.raises(LaunchError) as caught:
        GPU("tiny", set={name.replace("__", "."): value for name, value in changes.items()}).machine(program)
    return str(caught.value)


def launched(**changes):
    program = assemble(nops(3))
    return replace(program, launch=replace(program.launch, **changes))


def test_a_program_that_is_too_long():
    assert refused(assemble(nops(5)), memory__program_words=4) == (
        "kernel.asm: the program has 6 instructions, program memory holds 4; add --set memory.program_words=6"
    )


def test_a_block_of_another_size():
    assert refused(launched(block=8)) == (
        "kernel.asm: the program wants blocks of 8 threads, a core runs blocks of 4; add --set core.threads_per_block=8"
    )


def test_a_launch_that_does_not_begin_at_the_first_instruction():
    assert refused(launched(entry=1)) == "kernel.asm: the program starts at instruction 1, and this kind of core always starts at 0"


def test_more_threads_than_the_device_control_register_takes():
    assert refused(launched(threads=256)) == "kernel.asm: threads = 256: the device control register takes 0 to 255"


def test_more_registers_than_a_thread_has():
    assert "a thread can have" in refused(replace(assemble(nops(1)), registers=600))


def test_a_machine_that_is_stepped_is_the_one_that_runs():
    whole, stepped = (GPU("tiny", engine="python").machine(assemble("CONST R1, #7\nSTR R0, R1\nRET")) for _ in range(2))
    drive(whole, engine="python")
    assert [edge.cycle for edge in stepped.steps(10_000)] == list(range(1, whole.cycle + 1))
    assert stepped.state() == whole.state()


def test_steps_may_begin_later():
    machine = GPU("tiny", engine="python").machine(assemble(nops(4)))
    assert [edge.cycle for edge in machine.steps(24, first=20)] == [21, 22, 23, 24]


@pytest.mark.parametrize(("size", "words"), [(4, 1), (5, 2), (6, 2), (7, 2), (8, 2), (256, 64)])
def test_memory_is_of_whole_words(size, words):
    """The program's data lie at its beginning."""
    program = replace(assemble(nops(1)), data=np.array([1, 2, 3], np.uint8))
    machine = GPU("tiny", set={"memory.bytes": size}, engine="python").machine(program)
    assert machine.memory.tolist() == [0x030201, *[0] * (words - 1)]


def test_a_result_repeats_its_run():
    result = run("CONST R1, #7\nSTR R0, R1\nRET")
    machine = result.replay()
    assert machine.cycle == 0
    drive(machine, engine="python")
    assert machine.cycle == result.cycles


@pytest.mark.parametrize(
    ("uop", "fields", "said"),
    [
        ({"name": "note", "a": 0}, {}, "writes notes, and this machine has no log for them"),
        ({"name": "special", "dst": 5, "imm": u.SPECIAL_NUMBER["thread_y"]}, {}, "numbers its threads by dimension"),
        ({"name": "nop"}, {"scalars": (1,)}, "is launched with scalar registers, which this machine does not write"),
    ],
)
def test_what_compiled_kernels_need_is_refused(uop, fields, said):
    code = Assembly()
    code(**uop)
    code("exit")
    with pytest.raises(LaunchError, match=f"the program {said}.*; run it on --gpu sm$"):
        GPU("tiny").run(code.program(scalars=1).with_launch(**fields))


def test_a_read_port_that_is_given_a_scalar_register_reads_register_0():
    program = assemble("CONST R1, #1\nRET")
    code = program.code.copy()
    code[0, u.READ_A] = code[0, u.READ_B] = u.scalar(0)
    assert GPU("tiny", engine="python").run(replace(program, code=code)).status == "done"
