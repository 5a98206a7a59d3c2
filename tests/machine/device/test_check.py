"""What a machine of cores with warps refuses to run, and what it says to change."""

import numpy as np
import pytest

from tests.machine.programs import FREE, LANE, Assembly, machine
from warploom.isa.views import F_RGBA8, F_RGBA32F, LINEAR, POINT, SAMPLER_FILTER, TRILINEAR, VIEW_COLUMNS, VIEW_FORMAT
from warploom.machine.accounting.status import LaunchError

A, B, C = range(FREE, FREE + 3)


def one(*uops, **fields):
    """A program of one bundle and an end."""
    code = Assembly()
    code.bundle(*(uops or ({"name": "nop"},)))
    code("exit")
    return code.program(**fields)


def refused(program, **changes):
    with pytest.raises(LaunchError) as error:
        machine(program, **changes)
    return str(error.value)


def test_a_program_without_instructions():
    assert refused(Assembly().program()) == "<program>: the program has no instructions"


def test_a_program_that_is_too_long():
    assert refused(one(), memory__program_words=1) == "the program has 2 instructions, memory.program_words = 1"


def test_too_many_registers():
    assert refused(one(registers=600)) == "the program uses 600 registers per thread, a thread can have 512"
    assert refused(one(registers=200), core__lock="lane") == (
        "core.lock = 'lane' has room for 128 registers, the program uses 200; add --set core.lock=register"
    )


def test_too_little_memory():
    program = one().with_data(np.zeros(5000, np.uint8))
    assert refused(program, memory__kind="channels") == "the program needs 5000 bytes of memory, memory.bytes = 4096"


def test_textures_without_a_texture_unit():
    views, samplers = np.zeros((1, VIEW_COLUMNS), np.int32), np.zeros((1, 4), np.int32)
    program = one({"name": "sample", "dst": A, "a": B, "b": C, "view": 0}, views=views, samplers=samplers)
    assert refused(program) == "the program samples textures, and this machine has no texture unit; add --set texture.count=1"


def test_a_split_block_cannot_synchronise():
    message = "a block whose warps lie on several cores has neither shared memory nor barriers; add --set gpu.dispatch=spread"
    assert refused(one({"name": "barrier"}), gpu__dispatch="split") == message
    assert refused(one(shared_bytes=4), gpu__dispatch="split") == message


def test_a_launch_that_begins_nowhere():
    assert refused(one(entry=2)) == "the launch begins at instruction 2, the program has 2"


def test_an_instruction_with_more_transactions_than_there_is_room_for():
    loads = [{"name": "load", "dst": A + number, "a": LANE, "imm": 256 * number} for number in range(9)]
    assert refused(one(*loads), core__lanes=64).endswith(
        "it may take 576 transactions, a load/store unit has room for 512; use longer lines (l1.line = 64) or fewer lanes (core.lanes = 64)"
    )
    assert "it may take 1024 transactions" in refused(one(*loads[:4]), core__lanes=64, l1__bytes=0, l1__line=1, lsu__sector=1)
    machine(one(*loads[:8]), core__lanes=64)

    views, samplers = np.zeros((1, VIEW_COLUMNS), np.int32), np.zeros((1, 4), np.int32)
    views[0, VIEW_FORMAT], samplers[0, SAMPLER_FILTER] = F_RGBA32F, TRILINEAR
    sample = one({"name": "sample", "dst": A, "a": B, "b": C, "view": 0}, views=views, samplers=samplers)
    assert "it may take 1024 transactions" in refused(sample, core__lanes=64, texture__count=1)
    machine(sample, core__lanes=32, texture__count=1)


@pytest.mark.parametrize(("filtering", "texels"), [(POINT, 1), (LINEAR, 4), (TRILINEAR, 8)])
@pytest.mark.parametrize(("format_", "lines"), [(F_RGBA8, 1), (F_RGBA32F, 2)])
def test_a_sample_may_take_a_transaction_for_each_texel_and_two_where_one_lies_across_lines(filtering, texels, format_, lines):
    views, samplers = np.zeros((1, VIEW_COLUMNS), np.int32), np.zeros((1, 4), np.int32)
    views[0, VIEW_FORMAT], samplers[0, SAMPLER_FILTER] = format_, filtering
    nine = [{"name": "sample", "dst": A, "a": B, "b": C, "view": 0}] * 9
    said = refused(one(*nine, views=views, samplers=samplers), core__lanes=64, texture__count=1)
    assert f"it may take {9 * 64 * texels * lines} transactions" in said
