"""Variables that two paths make a float: the message names the lines; a literal that widens a loop's variable is warned of."""

import numpy as np
import pytest

from warploom import SourceError, cuda
from warploom.kernel.launch.launch import KernelWarning


def shifted(a, out):
    i = cuda.grid(1)
    x = a[i]
    for _ in range(4):
        x <<= 1
        if x >= 8:
            x ^= np.int32(11)
    out[i] = x


def index(a, out):
    x = a[0]
    for _ in range(out.size):
        x += np.int64(1)
    out[x] = 1


def plain(a, out):
    x = a[0] / 2
    out[x] = 1


def scaled(a, out):
    i = cuda.grid(1)
    x = a[i]
    for _ in range(50):
        x = x * 1.5
    out[i] = x


def lines(kernel, *offsets):
    return [kernel.__code__.co_firstlineno + one for one in offsets]


@pytest.mark.parametrize(
    ("kernel", "kind", "offsets", "wanted"), [(shifted, np.uint32, (2, 6), "uint32"), (index, np.uint64, (1, 3), "uint64")]
)
def test_the_message_names_the_lines_that_made_it_a_float(kernel, kind, offsets, wanted):
    with pytest.raises(SourceError) as caught:
        cuda.jit(kernel)[1, 8](np.zeros(8, kind), np.zeros(8, kind))
    (found,) = caught.value.diagnostics
    first, second = lines(kernel, *offsets)
    assert f": x is a {wanted} at line {first} and " in found.message and f" at line {second}, so a float64" in found.message
    assert found.fix == f"np.{wanted}(...) around what line {second} gives it"


def test_a_quotient_is_no_such_float():
    with pytest.raises(SourceError) as caught:
        cuda.jit(plain)[1, 1](np.zeros(8, np.uint32), np.zeros(8, np.uint32))
    assert "at line" not in caught.value.diagnostics[0].message


def test_a_literal_that_widens_a_variable_of_a_loop_is_warned_of():
    with pytest.warns(KernelWarning, match="1.5 is a float64"):
        cuda.jit(scaled)[1, 4](np.zeros(4, np.float32), np.zeros(4, np.float32))
