"""The register file: which row an operand is read from, and what is in it."""

import numpy as np
import pytest

from warploom.isa.uop import IMM, IMMEDIATE, NONE, REGISTERS, UOP_COLUMNS, A, B, C, scalar
from warploom.machine.datapath.register_file import WarpRegisters, expand, source
from warploom.machine.engine.unit import mirror, zeros

LANES = 8


@pytest.mark.parametrize(("column", "port"), [(A, 0), (B, 1), (C, 2)])
def test_an_operand_is_a_register_of_every_lane_or_one_number_for_all(column, port):
    array = zeros(1, WarpRegisters)
    array["lane"][0, :32] = np.arange(32)[:, None] * 100 + np.arange(array["lane"].shape[2])
    array["scalar"][0, 0], array["scalar"][0, 3] = 88, 99
    before = array["lane"].copy()
    (registers,) = mirror(array)
    uops = np.zeros((2, UOP_COLUMNS), np.int64)
    uops[1, IMM] = -2
    for code, expected in ((0, 0), (7, 7), (NONE, 0)):  # a row of its own, and nothing is written
        uops[1, column] = code
        assert source(registers, uops, 1, column, port, LANES) == expected
        assert (array["lane"] == before).all()
    for code, value in ((IMMEDIATE, 0xFFFFFFFE), (scalar(0), 88), (scalar(3), 99)):
        uops[1, column] = code
        row = source(registers, uops, 1, column, port, LANES)
        assert row == REGISTERS + port
        changed = before.copy()
        changed[0, row, :LANES] = value
        assert (array["lane"] == changed).all()
        array["lane"][...] = before


@pytest.mark.filterwarnings("ignore:overflow")  # 0 - 1 is all ones
def test_a_mask_becomes_a_word_for_each_lane():
    words = np.full(10, 7, np.uint32)
    expand(np.uint64(0b1010_0101_1001), words, LANES)
    assert words.tolist() == [0xFFFFFFFF if 0b0101_1001 >> lane & 1 else 0 for lane in range(LANES)] + [7, 7]
