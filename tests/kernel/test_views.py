"""Arrays that a kernel sees as arrays of other items, at any byte."""

import re

import numpy as np
import pytest

from warploom import cuda
from warploom.kernel.packed import ALIGNED


@cuda.jit
def fixed(b, n, out):
    out[0] = b[1:9].view(np.float64)[0]


@cuda.jit
def moving(b, n, out):
    out[0] = b[n : n + 8].view(np.float64)[0]


@cuda.jit
def whole(b, n, out):
    out[0] = b.view(np.float64)[0]


@cuda.jit
def halves(b, n, out):
    out[0] = b[n : n + 8].view(np.complex64)[0].imag


@cuda.jit
def stored(b, n, out):
    doubles = b[n : n + 8].view(np.float64)
    doubles[0] *= 2
    out[0] = doubles[0]


@pytest.mark.parametrize("place", [1, 2, 4, 8])
@pytest.mark.parametrize("kernel", [fixed, moving, whole, halves, stored])
@pytest.mark.parametrize("on_device", [False, True])
def test_bytes_are_numbers_wherever_they_lie(kernel, place, on_device):
    bytes_ = np.zeros(32, np.uint8)
    bytes_[place : place + 8] = np.frombuffer(np.float64(np.pi).tobytes(), np.uint8)
    given, n = (bytes_[place : place + 16], 0) if kernel is whole else (bytes_, place)
    wanted, out = np.zeros((2, 1))
    copy = bytes_.copy()
    kernel.py_func(copy[place : place + 16] if kernel is whole else copy, n, wanted)
    if on_device:
        there = cuda.to_device(bytes_)
        kernel[1, 1](there[place : place + 16] if kernel is whole else there, n, out)
        there.copy_to_host(bytes_)
    else:
        kernel[1, 1](given, n, out)
    assert np.array_equal(out, wanted, equal_nan=True) and bytes_.tolist() == copy.tolist()


def accesses(kernel, *arguments):
    """How many loads a kernel has."""
    kernel[1, 1](*arguments)
    return sum(len(re.findall(r"\bload\S* v", text)) for text in kernel.result.program.text)


def test_where_the_place_is_known_a_number_is_loaded_at_once():
    @cuda.jit
    def at_eight(b, out):
        out[0] = b[8:16].view(np.float64)[0]

    @cuda.jit
    def at_four(b, out):
        out[0] = b[4:12].view(np.float64)[0]

    @cuda.jit
    def seen_again(b, out):
        out[0] = b[1:].view(np.int64)[cuda.threadIdx.x, 2]

    @cuda.jit
    def of_a_block(b, out):
        room = cuda.shared.array(0, np.uint8)
        doubles = room[8:24].view(np.float64)
        cuda.atomic.add(doubles, 0, 3.0)
        out[0] = doubles[0]

    b, out = np.zeros(32, np.uint8), np.zeros(1)
    assert ALIGNED == 8
    assert (accesses(at_eight, b, out), accesses(at_four, b, out)) == (1, 2)
    assert accesses(seen_again, np.zeros((4, 4)), np.zeros(4, np.int64)) == 1
    of_a_block[1, 1, 0, 32](b, out)
    assert out[0] == 3
