import pickle
from dataclasses import replace

import numpy as np
import pytest

from tests.machine.tiny_kernels import assemble, run
from warploom import GPU
from warploom.machine.run.result import Detail

STORE = "CONST R1, #7\nSTR %threadIdx, R1\nRET"


def test_it_prints_how_the_run_ended_and_what_changed():
    lines = str(run(STORE)).splitlines()
    assert lines[0] == "kernel on tiny: done in 45 cycles"
    assert "  instructions              3" in [line.rstrip() for line in lines]
    assert "  memory: 4 of 256 bytes changed" in lines
    assert lines[-1] == "       0:   7*   7*   7*   7*   0    0    0    0    0    0    0    0    0    0    0    0"


def test_it_prints_a_fault_with_its_place():
    result = run("NOP\nNOP")
    assert str(result).splitlines()[:2] == ["kernel on tiny: stopped with an error after 25 cycles", f"  {result.fault}"]


def test_it_prints_where_an_endless_run_was():
    result = run("LOOP: CMP R0, R0\nBRz LOOP\nRET", max_cycles=1234)
    assert str(result).splitlines()[:2] == ["kernel on tiny: still running after 1 234 cycles", f"  {result.running[0]}"]


def test_a_long_change_of_memory_is_cut():
    text = "MUL R1, %blockIdx, %blockDim\nADD R1, R1, %threadIdx\nCONST R2, #1\nSTR R1, R2\nRET"
    result = run(text, threads=255, memory__bytes=1024)
    assert len(result.changed) == 255
    assert str(result).splitlines()[-1].startswith("     240:")


def test_initial_memory_is_kept():
    result = GPU("tiny", engine="python").run(assemble(STORE), data=[1, 2, 3])
    assert result.initial_memory[:5].tolist() == [1, 2, 3, 0, 0]
    assert result.memory[:5].tolist() == [7, 7, 7, 7, 0]
    assert result.changed.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("first", "last", "cycles"), [(0, None, range(46)), (0, 0, range(1)), (3, 7, range(3, 8)), (40, 99, range(40, 46)), (99, None, [45])]
)
def test_a_trace_has_a_line_a_cycle_from_the_first_to_the_last(first, last, cycles):
    result = run(STORE)
    whole = [*result.trace()]
    assert len(whole) in (result.cycles, result.cycles + 1)
    found = [*result.trace(first, last)]
    assert found == [whole[cycle] for cycle in cycles if cycle < len(whole)] or first >= len(whole)


def test_shares_of_thread_cycles_add_up():
    rows = [row for row in run(STORE)._rows() if row[2]]
    assert len(rows) > 3
    assert sum(float(share.rstrip(" %")) for _, _, share in rows) == pytest.approx(100, abs=0.5)


def test_divisions_by_zero_are_shown_where_there_were_some():
    rows = run("CONST R1, #7\nDIV R2, R1, R0\nSTR %threadIdx, R2\nRET")._rows()
    assert rows[-1] == ("divisions by zero", "4", "")
    assert "divisions by zero" not in str(run(STORE))


def test_a_pickle_holds_what_is_not_zero_and_what_the_run_changed():
    result = replace(run(STORE), initial_memory=np.zeros(1 << 26, np.uint8), memory=np.zeros(1 << 26, np.uint8))
    result.initial_memory[[5, 70_000]] = 3
    result.memory[[70_000, 80_000, (1 << 26) - 1]] = 3
    data = pickle.dumps(result)
    assert len(data) < 40_000
    copy = pickle.loads(data)
    assert copy.changed.tolist() == result.changed.tolist() == [5, 80_000, (1 << 26) - 1]
    assert np.array_equal(copy.memory, result.memory) and np.array_equal(copy.initial_memory, result.initial_memory)


def test_a_pickle_holds_registers_that_are_not_zero():
    registers = np.zeros((108, 64, 6, 32), np.uint32)
    registers[7, 3, 5, 31] = 9
    result = replace(run(STORE), detail=Detail(registers=registers))
    data = pickle.dumps(result)
    assert len(data) < 40_000
    assert np.array_equal(pickle.loads(data).detail.registers, registers)


def test_events_of_a_kind_have_the_names_of_its_fields():
    traced = GPU("tiny-simt", engine="python").run(assemble(STORE), tracing=True)
    stalls = traced.detail.of_kind("stall")
    assert int((stalls["time"] - stalls["since"]).sum()) > 0
    assert len(traced.detail.of_kind("issue")) == traced.instructions
    with pytest.raises(ValueError, match="'isue' is not a kind of event: the kinds are issue, stall, launch"):
        traced.detail.of_kind("isue")
    with pytest.raises(ValueError, match="one instruction at a time writes down no events"):
        run(STORE).detail.of_kind("issue")
