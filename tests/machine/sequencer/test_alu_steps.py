"""The ALU's closing edge of EXECUTE, micro-op by micro-op."""

from types import SimpleNamespace

import numpy as np
import pytest

from warploom.isa.uop import Uop
from warploom.machine.sequencer import alu
from warploom.machine.sequencer.decoder import ACCESS, ACCESS_UOP, COLUMNS, FIRST_UOP, LATCHED, LOAD, NO_ACCESS, UOPS


@pytest.mark.parametrize("latched", [0, 1])
@pytest.mark.parametrize("access", [NO_ACCESS, LOAD])
@pytest.mark.parametrize("names", [[], ["add"], ["nop"], ["add", "nop", "mul"], ["nop", "sub"]])
def test_an_instruction_does_its_micro_ops_in_their_order_and_its_nops_not_at_all(latched, access, names):
    """Unless the output register takes the result itself, it takes the sum of what was read, as wide as the data path."""
    lane = np.zeros((alu.ALU_OUT + 1, 4), np.uint32)
    asked = []
    uops = np.array([Uop("load", dst=9, a=1).row(), *(Uop(name, dst=5, a=1, b=2).row() for name in names)], np.int32)
    signals = np.zeros((3, COLUMNS), np.int64)
    signals[2, [LATCHED, UOPS, FIRST_UOP, ACCESS, ACCESS_UOP]] = latched, len(names), 1, access, 0
    core = SimpleNamespace(registers=SimpleNamespace(lane=lane), rs=[200, 1, 7], rt=[100, 2, 9], threads=3, row=2)
    core.lsu = SimpleNamespace(out=[11, 12, 13])
    gpu = SimpleNamespace(value_mask=255, compare_flags=0, divide_zero=0)
    units = SimpleNamespace(execute=lambda registers, tables, k, threads: asked.append((k, int(threads))))
    alu.execute(gpu, core, SimpleNamespace(uops=uops, signals=signals), units)
    assert asked == [(number, 3) for number, name in enumerate(names, 1) if name != "nop"]
    assert lane[alu.ALU_OUT].tolist() == ([0] * 4 if latched else [300 % 256, 3, 16, 0])
    assert lane[9].tolist() == ([11, 12, 13, 0] if access == LOAD and names else [0] * 4)
