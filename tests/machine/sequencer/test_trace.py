import pytest

from tests.machine.tiny_kernels import run

STORE = "CONST R1, #7\nSTR %threadIdx, R1\nRET"


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
