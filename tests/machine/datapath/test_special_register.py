"""Special registers: numbers by dimension, of lanes and of the warp."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.datapath.alu_model import executed, warp
from warploom.isa.uop import SPECIAL_NUMBER, Uop, scalar


@settings(deadline=None, max_examples=80)
@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 9), st.integers(0, 200), st.sampled_from([1, 4, 33, 64]))
def test_threads_count_x_first(x, y, z, first, lanes):
    registers = warp(lanes)
    special = registers["special"][0]
    special[SPECIAL_NUMBER["thread"]] = first
    special[[SPECIAL_NUMBER[f"block_dim_{axis}"] for axis in "xyz"]] = x, y, z
    numbers = np.arange(first, first + lanes)
    for axis, expected in zip("xyz", (numbers % x, numbers // x % y, numbers // (x * y)), strict=True):
        found = executed(registers, Uop("special", 4, imm=SPECIAL_NUMBER[f"thread_{axis}"]), lanes)
        assert found["lane"][0, 4, :lanes].tolist() == expected.tolist()
        found = executed(registers, Uop("special", scalar(3), imm=SPECIAL_NUMBER[f"thread_{axis}"]), lanes)
        assert found["scalar"][0, 3] == expected[0]
