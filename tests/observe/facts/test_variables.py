"""Which of the source's names a result is."""

import numpy as np
import pytest
from numba import float32

from warploom import cuda
from warploom.observe.facts.variables import _assigned, variables


def test_the_result_that_nothing_else_of_the_line_reads_is_the_variable():
    @cuda.jit
    def kernel(a, out):
        i = cuda.grid(1)
        x = a[i] * float32(2) + a[i + 1]
        x += float32(1)
        out[i] = x

    kernel[1, 32](np.ones(64, np.float32), np.zeros(32, np.float32))
    program = kernel.result.program
    named = {(program.source.lines[program.position(number).line - 1].strip(), name) for number, name in variables(program).items()}
    assert named == {("i = cuda.grid(1)", "i"), ("x = a[i] * float32(2) + a[i + 1]", "x"), ("x += float32(1)", "x")}


@pytest.mark.parametrize(
    ("text", "python", "name"),
    [
        ("    x = y", True, "x"),
        ("x += 1", True, "x"),
        ("a[i] = x", True, ""),
        ("a, b = b, a", True, ""),
        ("for i in r:", True, ""),
        ("  float acc = 0.0f;", False, "acc"),
        ("i += 4;", False, "i"),
        ("if (a == b) {", False, ""),
        ("out[i] = x;", False, ""),
    ],
)
def test_what_a_line_assigns(text, python, name):
    assert _assigned(text, python) == name
