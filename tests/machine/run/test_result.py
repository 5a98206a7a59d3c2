import pytest

from tests.machine.tiny_kernels import assemble, run
from warploom import GPU
from warploom.machine.accounting.counters import COUNTER, COUNTERS

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


def test_its_notebook_form_is_escaped():
    program = assemble("NOP\nRET")
    named = type(program)(**{**program.__dict__, "name": "<script>"})
    shown = GPU("tiny", engine="python").run(named)._repr_html_()
    assert "&lt;script&gt; on tiny: done in 27 cycles" in shown
    assert "<script>" not in shown


def test_its_notebook_form_marks_what_changed():
    assert run(STORE)._repr_html_().count("<b>7</b>") == 4


def test_a_long_change_of_memory_is_cut():
    text = "MUL R1, %blockIdx, %blockDim\nADD R1, R1, %threadIdx\nCONST R2, #1\nSTR R1, R2\nRET"
    result = run(text, threads=255, memory__bytes=1024)
    assert len(result.changed) == 255
    assert str(result).splitlines()[-1].startswith("     240:")


def test_the_trace_has_a_line_a_cycle_and_can_be_read_again():
    result = run(STORE)
    lines = list(result.trace())
    assert [line["cycle"] for line in lines] == list(range(result.cycles))
    assert [line["done"] for line in lines] == [0] * (result.cycles - 1) + [1]
    assert list(result.trace()) == lines


@pytest.mark.parametrize("text", ["NOP\nNOP", "LOOP: CMP R0, R0\nBRz LOOP\nRET"])
def test_the_trace_of_a_run_that_failed_ends_where_it_was_stopped(text):
    result = run(text, max_cycles=300)
    assert len(list(result.trace())) == result.cycles


def test_every_counter_has_one_name_a_unit_and_a_meaning():
    assert len(COUNTER) == len(COUNTERS)
    assert all(counter.unit and counter.meaning for counter in COUNTERS)
    assert run(STORE).counters.keys() <= COUNTER.keys()


def test_initial_memory_is_kept():
    result = GPU("tiny", engine="python").run(assemble(STORE), data=[1, 2, 3])
    assert result.initial_memory[:5].tolist() == [1, 2, 3, 0, 0]
    assert result.memory[:5].tolist() == [7, 7, 7, 7, 0]
    assert result.changed.tolist() == [0, 1, 2, 3]
