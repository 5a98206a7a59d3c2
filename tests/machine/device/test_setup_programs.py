"""What a device and its cores hold of a program before the first cycle: its grid, and what none of its instructions asks for left off."""

from dataclasses import replace

import numpy as np
import pytest

from tests.machine.device.test_setup import found, one, refused
from tests.machine.programs import FREE, Assembly, machine
from warploom.isa import uop as u
from warploom.isa.launch import Launch


def laid_out(*uops, words=1):
    """A program of these micro-ops, an instruction each, whose words of code lie so many addresses apart."""
    code = Assembly()
    for uop in uops:
        code(**uop)
    code("exit")
    program = code.program()
    program.code[:, u.ADDRESS] = np.arange(len(program)) * words
    return program


LOAD, NOP = {"name": "load", "dst": FREE, "a": FREE}, {"name": "nop"}
# What a program says of the machine that runs it: what no instruction asks for is left off.
OF_PROGRAMS = [
    (laid_out(NOP, words=4), {"code_rows": 2, "code_step": 4, "counts": 0, "has_predicates": 0, "has_wide": 0, "clear_registers": 32}),
    (laid_out(NOP, NOP, words=1), {"code_rows": 3, "code_step": 1}),
    (laid_out({"name": "mov", "dst": FREE, "a": FREE, "predicate": u.scalar(0)}), {"has_predicates": 1, "thread_pool.forms": 0}),
    (laid_out({"name": "mov", "dst": FREE, "a": u.scalar(0)}), {"has_predicates": 0, "thread_pool.forms": 0}),
    (laid_out({"name": "mov", "dst": FREE, "a": u.scalar(1)}), {"thread_pool.forms": 0}),
    (laid_out({"name": "read_counter", "dst": FREE, "imm": 0}), {"counts": 2}),
    (laid_out({"name": "await", "a": FREE, "imm": 3}), {"access_order.kept": 1}),
    (laid_out({"name": "await", "a": FREE, "imm": 1}), {"access_order.kept": 1}),
    (laid_out({"name": "await", "a": FREE, "imm": 0}), {"access_order.kept": 0}),
    (laid_out({"name": "add", "dst": FREE, "a": FREE, "b": u.IMMEDIATE, "imm": 3}), {"access_order.kept": 0}),
    (laid_out(), {"code_rows": 1, "code_step": 1}),
    (laid_out({"name": "load_scalar", "dst": u.scalar(1), "a": u.scalar(0)}), {"has_predicates": 1, "has_wide": 1}),
    (laid_out({**LOAD, "size": 8}), {"has_wide": 1, "has_predicates": 0}),
    (laid_out({"name": "special", "dst": FREE, "imm": u.SPECIAL_NUMBER["core_warps"]}), {"counts": 1}),
    (laid_out({"name": "special", "dst": FREE, "imm": u.SPECIAL_NUMBER["core_thread_instructions"]}), {"counts": 1}),
    (laid_out({"name": "barrier_count", "dst": FREE, "a": FREE}), {"barriers.reduces": 1}),
    (laid_out(NOP), {"thread_pool.forms": 1, "thread_pool.fences": 0, "thread_pool.any_block": 1, "thread_pool.majority": -1,
                     "thread_pool.registers": 37, "barriers.reduces": 0}),
    (laid_out({"name": "fence"}), {"thread_pool.fences": 1}),
    (laid_out({"name": "barrier"}), {"thread_pool.any_block": 0, "thread_pool.forms": 1}),
    (laid_out({"name": "grid_barrier"}), {"thread_pool.any_block": 0}),
    (laid_out({"name": "load", "dst": FREE, "a": FREE, "space": u.SHARED_SPACE}), {"thread_pool.any_block": 0}),
    (laid_out({"name": "note", "a": FREE}), {"thread_pool.forms": 0}),
]  # fmt: skip


@pytest.mark.parametrize(("program", "fields"), OF_PROGRAMS)
def test_what_a_program_asks_for_is_switched_on(program, fields):
    core = machine(program).cores[0]
    assert {path: int(found(core, path)) for path in fields} == fields


def test_code_of_uneven_lengths_has_no_step():
    program = laid_out(NOP, NOP, NOP)
    program.code[:, u.ADDRESS] = 0, 4, 6, 10
    assert machine(program).cores["code_step"].tolist() == [0]


@pytest.mark.parametrize(("block", "warps"), [(1, 1), (4, 1), (5, 2), (8, 2), (9, 3), (10, 3), (12, 3), (13, 4)])
def test_a_block_has_a_warp_for_its_last_threads(block, warps):
    assert int(machine(one(threads=40, block=block)).gpu["grid"]["warps"]) == warps


def test_what_blocks_leave_of_the_memory_that_shared_memory_and_level_1_are_is_level_1():
    """2048 bytes; blocks of 200 take 256 each, in units of 128, and four are resident; a set has 128."""
    shape = {"shared__unified": 2048, "shared__unit": 128, "shared__carveouts": "any"}
    shape |= {"l1__bytes": 2048, "l1__line": 64, "l1__ways": 2, "l1__sets": 0}
    for blocks, bytes_, left in ((4, 200, 2048 - 4 * 256), (2, 200, 2048 - 2 * 256), (4, 128, 2048 - 4 * 128), (1, 129, 2048 - 256)):
        core = machine(one(threads=32, block=4, shared_bytes=bytes_), core__blocks=blocks, shared__bytes=2048, **shape).cores[0]
        assert int(core["blocks"]["slots"]) == blocks
        assert int(core["lsu"]["cache"]["sets"]) * 2 * 64 == left


def test_a_program_that_starts_its_threads_itself_is_given_as_many_warps_as_fit():
    program = one()
    program = replace(program, launch=replace(program.launch, whole_device=True))
    for threads, warps in ((4, 1), (7, 1), (8, 2), (12, 3), (15, 3)):
        assert f", or add --set core.warps={warps}" in refused(program, core__block_threads=threads)
    assert "--set" not in refused(program, core__block_threads=3)


def test_a_launch_in_three_dimensions_and_one_that_fills_the_device():
    code = Assembly()
    code("special", dst=FREE, imm=u.SPECIAL_NUMBER["thread_y"])
    code("exit")
    program = replace(
        code.program(scalars=2), launch=Launch(grid=(3, 2), block=(2, 3), argument=64, scalars=(7, 9), registers=((2, "lane"),))
    )
    grid = machine(program).gpu["grid"]
    assert {name: int(grid[name]) for name in ("threads", "blocks", "block_threads", "warps", "low", "high", "dormant", "dimensions")} == {
        "threads": 36, "blocks": 6, "block_threads": 6, "warps": 2, "low": 0, "high": 6, "dormant": 0, "dimensions": 1,
    }  # fmt: skip
    assert (grid["grid_dim"].tolist(), grid["block_dim"].tolist()) == ([3, 2, 1], [2, 3, 1])
    assert (int(grid["argument"]), int(grid["scalars"]), grid["scalar"][:3].tolist()) == (64, 2, [7, 9, 0])
    assert (int(grid["registers"]), int(grid["register"][0]), int(grid["special"][0])) == (1, 2, u.SPECIAL_NUMBER["lane"])

    whole = machine(replace(one(), launch=Launch(whole_device=True)), gpu__cores=3).gpu["grid"]
    assert {name: int(whole[name]) for name in ("threads", "blocks", "block_threads", "warps", "dormant", "dimensions")} == {
        "threads": 3 * 4 * 4, "blocks": 3, "block_threads": 16, "warps": 4, "dormant": 1, "dimensions": 0,
    }  # fmt: skip
    assert machine(one(threads=0)).gpu["grid"]["grid_dim"].tolist() == [1, 1, 1]
    assert machine(one(threads=9)).gpu["grid"]["block_dim"].tolist() == [4, 1, 1]  # without a block of its own: the machine's
