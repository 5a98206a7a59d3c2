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


@cuda.jit
def at_a_limit_of_another(x, y, out):
    n = cuda.threadIdx.x + 1
    tail = x[n * 24 :]
    place = min(n * 24, x.size)
    out[0] = y[place : place + 8].view(np.float64)[0]
    out[1] = tail.size


@cuda.jit
def at_the_address_of_a_slice(y, out):
    n = cuda.threadIdx.x + 1
    tail = y[:5][n * 24 :]
    out[0] = y[min(n * 24, 5) :].view(np.float64)[0]
    out[1] = tail.size


@cuda.jit
def on_two_paths(y, n, out):
    tail = y[n * 24 :]
    if n == 0:
        tail = y[n + 5 :]
    out[0] = tail.view(np.float64)[0]
    out[1] = tail.size


@cuda.jit
def in_rounds(y, n, out):
    tail = y[n * 24 :]
    for _ in range(2):
        out[0] = tail.view(np.float64)[0]
        tail = tail[n + 5 :]
    out[1] = tail.size


def test_a_place_is_no_multiple_because_a_slice_that_ends_there_would_begin_at_one():
    """A slice that is empty begins at the end of its array, wherever that is; where it is not, it begins at the multiple that it names."""
    x, y, out = np.arange(5, dtype=np.uint8), np.arange(101, dtype=np.uint8), np.zeros(2)
    at_five = y[5:13].view(np.float64)[0]
    at_a_limit_of_another[1, 1](x, y, out)
    assert out.tolist() == [at_five, 0]
    at_the_address_of_a_slice[1, 1](np.arange(45, dtype=np.uint8), out)
    assert out.tolist() == [at_five, 0]
    on_two_paths[1, 1](y, 0, out)
    assert out.tolist() == [at_five, 96]
    in_rounds[1, 1](y, 0, out)
    assert out.tolist() == [at_five, 91]


@cuda.jit
def from_a_multiple(b, n, out):
    out[0] = b[n * 8 : n * 8 + 8].view(np.float64)[0]


@cuda.jit
def from_a_multiple_of_a_row(b, n, out):
    s = cuda.shared.array((9, 8), np.uint8)
    s[n + 1, 0] = 7
    out[0] = s[n * 24 :][1].view(np.float64)[0]


def test_a_slice_that_begins_at_a_multiple_is_read_at_once():
    b = np.arange(64, dtype=np.uint8)
    assert accesses(from_a_multiple, b, 1, np.zeros(1)) == 1
    assert accesses(from_a_multiple, b, -1, np.zeros(1)) > 1
    assert accesses(from_a_multiple_of_a_row, b, 0, np.zeros(1)) == 1
