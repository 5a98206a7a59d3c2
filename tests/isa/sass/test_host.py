"""Calls: through pointers, recursive ones, and those of functions that the host supplies."""

import numpy as np
import pytest

from tests.isa.sass.places import GOLDEN
from warploom import GPU
from warploom.isa.frontend import Options
from warploom.isa.frontends import open_source
from warploom.isa.launching import BufferError, read_buffer

LANES = np.arange(32, dtype=np.int32)
BOTH = pytest.mark.parametrize("architecture", [80, 90])


def _run(architecture, kernel, arguments=None, **buffers):
    path = str(GOLDEN / f"calls_sm_{architecture}.cubin")
    buffers = {"o": np.zeros(32, np.int32)} | buffers
    options = Options(path, grid=1, block=32, arguments=arguments or {}, buffers=buffers, more={"kernel": kernel})
    program, warnings = open_source(path, None, options)
    assert list(warnings) == []
    return GPU("sm").run(program)


def _out(result):
    return read_buffer(result.program, result.memory, "o").tolist()


@BOTH
def test_a_call_through_a_pointer(architecture):
    result = _run(architecture, "pointers", {"n": 32})
    assert _out(result) == np.where(LANES & 1, LANES * 3, LANES + 3).tolist()


@BOTH
def test_a_function_that_calls_itself_has_a_stack(architecture):
    result = _run(architecture, "recursion")
    fibonacci = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34]
    assert _out(result) == [fibonacci[lane % 10] for lane in range(32)]


@BOTH
def test_a_jump_by_a_table(architecture):
    choice = LANES % 10
    result = _run(architecture, "choose", k=choice)
    ways = [LANES * 3, LANES + 9, LANES ^ 5, -LANES, LANES * LANES, LANES << 3, LANES * 0 + 17, LANES % 7, LANES * 0 - 1, LANES * 0 - 1]
    assert _out(result) == [int(ways[k][lane]) for lane, k in enumerate(choice)]


@BOTH
def test_printf_gives_its_lines(architecture):
    result = _run(architecture, "say", {"x": 1.5})
    lines = [f"thread {lane} of block: {1.5 * lane:f} {lane << 40}" for lane in range(3)]
    assert (result.status, list(result.console)) == ("done", [*lines, "plain"])
    assert _out(result) == [7] * 32


@BOTH
def test_a_failed_assertion_is_said_and_stops_the_run(architecture):
    result = _run(architecture, "check", {"n": 30})
    assert result.status == "error"
    assert "block: [0,0,0], thread: [30,0,0] Assertion `threadIdx.x<n` failed." in result.console[0]
    assert len(result.console) == 2


def test_a_trap_stops_the_run():
    result = _run(90, "traps", {"n": 30})
    assert result.status == "error" and "stopped itself" in str(result.fault)


def test_the_stack_has_the_size_that_is_asked_for():
    assert _run(90, "recursion", {"stack": 4096}).program.launch.local_bytes == 4096
    with pytest.raises(BufferError, match="stack = -1: it is how many bytes of stack a thread has"):
        _run(90, "recursion", {"stack": -1})


def test_a_function_that_nobody_has_is_a_warning():
    path = str(GOLDEN / "heap_sm_90.cubin")
    _, warnings = open_source(path, None, Options(path, block=32, buffers={"p0": np.zeros(64, np.int32)}))
    assert [one.message for one in warnings] == [
        "malloc is a function that neither the file nor this machine has; a call of it stops the run"
    ]
