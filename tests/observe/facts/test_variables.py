"""Which of the source's names a result is."""

from dataclasses import replace

import numpy as np
import pytest
from numba import float32

import warploom
from warploom import cuda
from warploom.isa import uop as u
from warploom.isa.program import Source
from warploom.observe.facts.variables import _assigned, shared_array, variables


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
    ("declared", "line", "name"),
    [
        ("tile = cuda.shared.array((32, 32), float32)", "t += tile[x, y] * a[i]", "tile"),
        ("s = shared.array(8, float32)", "out[i] = s [t]", "s"),
        ("__shared__ float part[256];", "sum += part[k];", "part"),
        ("__local volatile int *p, q[4];", "x = a[0];", ""),
        ("local float4 rows[8];", "rows[i] = v;", "rows"),
        ("tile = cuda.shared.array(8, float32)", "x = a[tile_size]", ""),
    ],
)
def test_an_array_of_shared_memory_is_named_by_its_line(declared, line, name):
    program = warploom.tiny.assemble(".threads 4\nNOP\nRET")
    code = program.code.copy()
    code[0, u.LINE] = 2
    assert shared_array(replace(program, code=code, sources=(Source(f"{declared}\n{line}", "k"),)), 0) == name


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
