"""What is said of a run on cores with warps: its counters, where its warps are, and its fault."""

import numpy as np
import pytest

from tests.machine.programs import FREE, GLOBAL, LANE, Assembly, run
from warploom.machine.accounting.counters import COUNTER
from warploom.machine.device.report import MOST_WARPS
from warploom.machine.run import livelock

A, B = FREE, FREE + 1


def test_a_limit_in_the_middle_of_a_wait_is_kept_to_the_cycle():
    code = Assembly()
    code.load(A, B)
    code.op("add", A, A, imm=1)
    code("exit")
    assert run(code.program(), max_cycles=7).cycles == 7
    assert run(code.program(), max_cycles=7).counters["warp_cycles"] == 7


def waiting(threads):
    """Every thread loads a word and adds to it."""
    code = Assembly()
    code.load(A, B)
    code.op("add", A, A, imm=1)
    code("exit")
    return code.program(threads=threads)


def test_every_counter_is_one_of_the_list():
    assert run(waiting(4)).counters.keys() <= COUNTER.keys()


def test_warps_that_were_stopped_are_listed_and_the_rest_is_counted():
    shape = {"core__warps": 16, "core__blocks": 16, "dram__latency": 500}
    few, many = (run(waiting(threads), max_cycles=60, **shape).running for threads in (8, 4 * (MOST_WARPS + 3)))
    assert [line.partition(") at ")[0] for line in few] == [f"warp 0 of block {block} (core 0, lanes 0-3" for block in range(2)]
    for line in few:
        assert ") at instruction 1 (add " in line
        assert line.endswith(": waits for a register that a load from global memory or a texture writes")
    assert len(many) == MOST_WARPS + 1
    assert many[-1] == "and 3 more warps"


def test_a_fault_names_the_place_the_warp_and_the_lane():
    code = Assembly()
    code.op("shl", A, GLOBAL, imm=12)
    code.load(B, A)
    code("exit")
    result = run(code.program(threads=8))
    assert result.status == "error"
    assert result.fault.startswith("instruction 1 (")
    assert "(block 0, warp 0, lane 1, core 0, cycle " in result.fault


def test_without_a_fault_there_is_no_sentence():
    assert run(waiting(4)).fault == ""


@pytest.mark.parametrize(("mechanism", "advised"), [("stack", True), ("its", False)])
def test_a_way_out_is_named_where_lanes_wait_for_lanes_of_their_own_warp(mechanism, advised, monkeypatch):
    monkeypatch.setattr(livelock, "QUIET", 400)
    code = Assembly()
    code.branch(LANE, "wait")
    code("exit")
    code.label("wait")
    code.load(B, A)
    code.branch(B, "wait", negate=True)
    code("exit")
    result = run(code.program(), core__divergence=mechanism)
    assert result.status == "error"
    assert "spins at instruction 2 (load" in result.fault
    assert "with core.divergence=its" not in result.fault or advised


def test_final_registers_are_those_of_each_slot_and_lane():
    code = Assembly()
    code.op("add", A, GLOBAL, imm=100)
    code("exit")
    found = run(code.program(threads=8)).detail.registers
    assert found.shape == (1, 4, 32, 4)
    assert np.array_equal(found[0, :2, A], [[100, 101, 102, 103], [104, 105, 106, 107]])
