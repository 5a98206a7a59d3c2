"""Launches: grids and blocks, arguments and buffers; one program started in different ways."""

import numpy as np
import pytest

from tests.machine.programs import FREE, SMALL, Assembly
from warploom import guppy, tiny
from warploom.gpu import GPU
from warploom.isa.launch import Launch, Parameter
from warploom.isa.launching import BufferError, buffer_names, launch_of, launched, read_buffer
from warploom.isa.program import Program
from warploom.machine.accounting.status import LaunchError
from warploom.machine.config.presets import load_config
from warploom.machine.config.schema import Config

COPY = ".threads 8\nLDR R0, %threadIdx\nADD R0, R0, R0\nSTR %threadIdx, R0\nRET"
TWO = ".threads 4\n.buffer t0 16 iota\n.buffer u0 16\nld r0.x, t0.x, r1.x\nst u0.x, r1.x, r0.x\nret"
A, B = FREE, FREE + 1


def adding() -> Program:
    """Every thread adds the argument `n` to its word of memory."""
    from dataclasses import replace

    code = Assembly()
    code("special", dst=A, a=-1, imm=18)
    code.load(A, A)
    code.op("shl", B, 4, imm=2)
    code("atomic_add", dst=-1, a=B, b=A)
    code("exit")
    return replace(code.program(argument=256), parameters=(Parameter("n", 0), Parameter("x", 4, "float32"), Parameter("p", 8, "pointer")))


def ran(program, launch=None, **options):
    return GPU(load_config(Config(), SMALL)).run(program, launch=launch, **options)


def test_a_grid_in_one_dimension_is_a_number_of_threads():
    assert Launch(block=32, grid=4) == Launch(128, 32) == Launch(block=(32,), grid=(4, 1, 1))
    assert Launch(128, 32).changed(threads=5) == Launch(5, 32)
    assert Launch(128, 32).changed(grid=2).threads == 64


def test_a_grid_in_more_dimensions_keeps_them():
    launch = Launch(block=(4, 2), grid=(3, 5))
    assert (launch.threads, launch.block_threads, launch.dimensions) == (120, 8, 2)
    assert launch.changed(threads=9) == Launch(9, 8)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"grid": 2}, "a grid is counted in blocks: say how many threads a block has"),
        ({"block": (4, 4)}, "block = (4, 4): a block of several dimensions needs a grid, as grid=(4, 4)"),
        ({"block": (4, 0), "grid": 1}, "block = (4, 0): no dimension is smaller than 1"),
        (
            {"block": (1, 2, 3, 4), "grid": 1},
            "block = (1, 2, 3, 4): write a number, or one for each of up to three dimensions, as (16, 16)",
        ),
    ],
)
def test_grids_that_cannot_be(fields, said):
    with pytest.raises(ValueError) as caught:
        Launch(**fields)
    assert str(caught.value) == said


@pytest.mark.parametrize("preset", ["tiny", "sm"])
def test_a_program_that_numbers_its_threads_in_one_dimension_is_launched_in_one(preset):
    program = tiny.assemble(COPY)
    with pytest.raises(LaunchError, match="numbers threads and blocks in one dimension; launch a number of threads"):
        GPU(preset).run(program, launch=program.launch.changed(block=(2, 2), grid=(2, 1)))


def test_one_program_launched_several_ways():
    program = tiny.assemble(COPY)
    registers = program.launch.registers
    first = GPU("tiny").run(program, launch=Launch(4, registers=registers, buffers={"memory": [1, 2, 3, 4]}))
    second = GPU("tiny").run(program, launch=program.launch.changed(buffers={"memory": range(10, 18)}))
    assert first.memory[:8].tolist() == [2, 4, 6, 8, 0, 0, 0, 0]
    assert second.memory[:8].tolist() == [20, 22, 24, 26, 20, 22, 24, 26][:4] + second.memory[4:8].tolist()
    assert program.data.size == 0


def test_all_launches_of_a_program_have_a_result_each():
    from dataclasses import replace

    program = adding()
    launches = tuple(
        program.launch.changed(name=name, threads=threads, arguments={"n": 7, "x": 0.5, "p": "memory"})
        for name, threads in (("few", 2), ("many", 4))
    )
    program = replace(program, launch=launches[0], launches=launches)
    results = GPU(load_config(Config(), SMALL)).run_all(program)
    assert [result.memory.view("<u4")[:4].tolist() for result in results] == [[7, 7, 0, 0], [7, 7, 7, 7]]
    assert ran(program, "many").memory.tobytes() == ran(program, 1).memory.tobytes() == results[1].memory.tobytes()
    with pytest.raises(BufferError) as caught:
        launch_of(program, "mny")
    assert str(caught.value).endswith("there is no launch 'mny', did you mean 'many'?; there are 0 to 1, or few, many")


def test_arguments_lie_where_the_argument_pointer_points():
    program = adding()
    placed = launched(program, program.launch.changed(arguments={"n": -1, "x": 1.5, "p": 64}))
    assert placed.data[256:268].view("<i4").tolist() == [-1, int(np.float32(1.5).view(np.int32)), 64]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"n": 1, "x": 2.0}, "the argument 'p' has no value"),
        ({"n": 1, "x": 2.0, "p": 0, "m": 1}, "there is no argument 'm', did you mean 'n'?; there are n, x, p"),
        ({"n": 1 << 40, "x": 2.0, "p": 0}, f"n = {1 << 40}: it is int32"),
        ({"n": 1.5, "x": 2.0, "p": 0}, "n = 1.5: it is int32"),
        ({"n": 1, "x": "two", "p": 0}, "x = 'two': it is float32"),
    ],
)
def test_arguments_that_cannot_be(arguments, said):
    with pytest.raises(BufferError) as caught:
        launched(adding(), adding().launch.changed(arguments=arguments))
    assert said.replace(", did you mean 'n'?", "") in str(caught.value).replace(", did you mean 'n'?", "")


def test_buffers_by_name():
    program = guppy.assemble(TWO)
    assert buffer_names(program) == ("t0", "u0")
    assert buffer_names(tiny.assemble(COPY)) == ("memory",)
    placed = launched(program, program.launch.changed(buffers={"t0": [5, 6, 7], "u0": np.float32([1.5])}))
    assert read_buffer(placed, placed.data, "t0")[:4].tolist() == [5, 6, 7, 3]
    assert read_buffer(placed, placed.data, "u0").view(np.float32)[0] == 1.5


@pytest.mark.parametrize(
    ("name", "contents", "said"),
    [
        ("t1", [1], "<text>: there is no buffer 't1'; there are t0, u0"),
        ("t0", range(17), "t0 holds 64 bytes, and is given 68"),
        ("t0", ["a"], "t0 holds <U1: a buffer takes whole numbers and floats"),
    ],
)
def test_buffers_that_cannot_be(name, contents, said):
    program = guppy.assemble(TWO)
    with pytest.raises(BufferError) as caught:
        launched(program, program.launch.changed(buffers={name: contents}))
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("launch", "block", "inside", "said"),
    [
        (Launch(threads=8), 2, 3, "thread 3 of block 2"),
        (Launch(threads=8, block=4), 1, 3, "thread 3 of block 1"),
        (Launch(grid=(3, 2), block=(8, 4)), 4, 11, "thread (3,1) of block (1,1)"),
        (Launch(grid=2, block=(4, 2, 3)), 1, 23, "thread (3,1,2) of block 1"),
        (Launch(grid=(2, 2), block=(64, 1)), 3, 40, "thread 40 of block (1,1)"),
    ],
)
def test_a_thread_in_words(launch, block, inside, said):
    assert launch.thread_text(block, inside) == said
