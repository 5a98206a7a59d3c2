"""Decoding: the port of every instruction, on a machine whose schedulers share their ALUs and on one where each has its own."""

import numpy as np
import pytest

from tests.machine.programs import Assembly
from warploom.isa import uop as u
from warploom.machine.config.presets import load_config
from warploom.machine.device.decode import decode

NAMES = ("add", "mul", "fma", "fsqrt", "i2f", "popc", "branch")
PROGRAM = Assembly()
for name in NAMES:
    PROGRAM(name, dst=5, a=6, b=7, c=8, target=0)
PROGRAM.load(5, 6, space=u.SHARED_SPACE)


def ports(**settings):
    config = load_config("sm", {name.replace("__", "."): value for name, value in settings.items()})
    return decode(config, PROGRAM.program())[:, u.PORT].tolist()


def test_shared_alus_take_all_arithmetic_but_special_functions():
    assert ports(pipes__owner="core") == [u.ALU, u.ALU, u.ALU, u.SPECIAL, u.ALU, u.ALU, u.CONTROL, u.SHARED]


def test_pipes_take_what_the_configuration_says():
    assert ports() == [u.ALU, u.FLOAT, u.FLOAT, u.SPECIAL, u.SPECIAL, u.SPECIAL, u.CONTROL, u.SHARED]
    assert ports(pipes__multiply="integer", pipes__convert="float", pipes__bits="integer")[1:6] == [
        u.ALU, u.FLOAT, u.SPECIAL, u.FLOAT, u.ALU,
    ]  # fmt: skip


def test_the_program_is_left_as_it_is():
    program = PROGRAM.program()
    before = program.code.copy()
    decode(load_config("sm"), program)
    assert (program.code == before).all()


@pytest.mark.parametrize("banks", [1, 2, 8])
@pytest.mark.parametrize("often", [1, 7, 8, 15, 16, 17, 31])
def test_reads_of_a_bank_are_counted_up_to_fifteen_in_four_bits_each(banks, often):
    """An instruction of many micro-ops, each of which reads register 23, which is in the last bank, and every other one register 8, too."""
    code = Assembly()
    code.bundle(*({"name": "add", "dst": 5, "a": 23, "b": 8 if number % 2 else u.IMMEDIATE, "imm": 1} for number in range(often)))
    counts = [0] * banks
    counts[23 % banks] += often
    counts[8 % banks] += often // 2
    (row,) = decode(load_config("sm", {"operands.banks": banks}), code.program())[:, u.BANK_READS].astype(np.int64)
    assert row & 0xFFFFFFFF == sum(min(count, 15) << 4 * bank for bank, count in enumerate(counts))
