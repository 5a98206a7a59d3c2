"""Pipes by role: when operands are read, of two banks that give a register each a cycle."""

import numpy as np

from tests.machine.two_engines import both
from warploom.machine.core.operand_banks import OperandBanks
from warploom.machine.core.role_pipes import read_banks, values_among
from warploom.machine.engine.unit import unit

EVEN, ODD = 1, 1 << 4  # a register of each bank


@unit
def drive(banks, steps, late):
    """Rows of `steps`: what an instruction reads, and the cycle of its issue."""
    for k in range(steps.shape[0]):
        late[k] = read_banks(banks[0], np.int64(0), np.int64(steps[k, 0]), np.int64(steps[k, 1]))


def late(*steps):
    """By how many cycles each instruction comes late."""
    return both(drive, np.zeros(1, OperandBanks), np.array(steps, np.int64), np.zeros(len(steps), np.int64))[1][2].tolist()


def test_operands_are_read_when_their_bank_has_read_those_before():
    assert late((3 * EVEN, 10), (3 * EVEN, 11), (3 * EVEN, 14)) == [0, 2, 2]
    assert late((2 * EVEN + ODD, 10), (2 * EVEN + ODD, 12)) == [0, 0]


def test_the_other_bank_and_instructions_without_registers_do_not_wait():
    assert late((3 * EVEN, 10), (2 * ODD, 11), (0, 12), (EVEN, 12)) == [0, 0, 0, 1]


def test_values_are_counted_among_the_lanes_that_take_part():
    same = np.array([0b0101, 0b1010, 0b0101, 0b1010] + [0] * 28, np.uint32)
    assert values_among(same, np.uint64(0b1111)) == 2
    assert values_among(same, np.uint64(0b0101)) == 1
    assert values_among(same, np.uint64(0)) == 1
    assert values_among(np.uint32(1) << np.arange(32, dtype=np.uint32), np.uint64(0xFFFFFFFF)) == 32
