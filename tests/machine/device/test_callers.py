"""Which instruction of the user's has called the run-time, by the addresses that it has left behind."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from tests.machine.programs import Assembly
from warploom.isa import uop as u
from warploom.isa.program import Source
from warploom.isa.regions import Region
from warploom.machine.device.callers import caller

BASE, STACK = 0x8000, 0x10000
RA, SP = 1, 2
FIRST, SECOND, LAST, END, SHARED, INNER, ALONE = range(7)
NAMES = tuple({RA: "ra", SP: "sp"}.get(number, f"r{number}") for number in range(32))


def after(instruction):
    return BASE + 4 * (instruction + 1)


def stopped(registers=(), stack=(), names=NAMES):
    """A machine at a program whose lines FIRST and SECOND call SHARED and INNER of the run-time; LAST jumps there."""
    code = Assembly()
    for _ in (FIRST, SECOND):
        code("call", dst=RA, target=SHARED)
    code("jump", target=SHARED)
    code("exit")
    code("nop")
    code("exit")
    code("exit")
    made = replace(code.program(regions=(Region("stacks", STACK, 64),)), register_names=names)
    table = made.code.copy()
    table[:, u.LINE] = range(1, 8)
    table[:, u.FILE] = [0, 0, 0, 0, 1, 1, 1]
    table[:, u.ADDRESS] = BASE + 4 * np.arange(7)
    program = replace(made, code=table, sources=(Source("", "a.c"), Source("", "warploom/b.c", of_runtime=True)))
    cores = np.zeros(1, [("registers", [("lane", "u4", (1, 32, 4))])])
    for number, value in dict(registers).items():
        cores["registers"]["lane"][0, 0, number, 0] = value
    memory = np.zeros(16, np.uint32)
    for place, value in dict(stack).items():
        memory[place] = value
    return SimpleNamespace(program=program, memory=memory, cores=cores)


def test_an_instruction_of_the_users_own_has_no_caller():
    assert caller(stopped(), 0, 0, 0, FIRST) == -1


def test_what_nobody_leads_to_has_none():
    assert caller(stopped(), 0, 0, 0, ALONE) == -1


@pytest.mark.parametrize("one", [FIRST, SECOND])
def test_the_return_address_says_which_it_was(one):
    assert caller(stopped({RA: after(one)}), 0, 0, 0, SHARED) == one
    other = after(FIRST + SECOND - one)
    assert caller(stopped({RA: BASE + 4 * INNER, SP: STACK + 8}, {1: other, 4: after(one), 5: other}), 0, 0, 0, INNER) == one


@pytest.mark.parametrize("back", [END, ALONE])
def test_an_address_that_no_call_has_left_is_of_a_jump(back):
    assert caller(stopped({RA: BASE + 4 * back, SP: STACK}, {2: after(FIRST)}), 0, 0, 0, SHARED) == LAST


def test_of_several_it_is_none_where_nothing_says_which():
    assert caller(stopped({SP: STACK}), 0, 0, 0, SHARED) == -1
    assert caller(stopped({SP: 0x70000000}), 0, 0, 0, SHARED) == -1
    assert caller(stopped(names=tuple(f"r{number}" for number in range(32))), 0, 0, 0, SHARED) == -1
