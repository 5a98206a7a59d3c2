"""Arrays that a kernel sees as arrays of other items: in pieces where it is known that these do not lie as they must, whole elsewhere."""

import re

import numpy as np
import pytest

from warploom import cuda
from warploom.isa.diagnostics import SourceError
from warploom.kernel.launch.launch import KernelError
from warploom.kernel.syntax.packed import ALIGNED


@cuda.jit
def fixed(b, n, out):
    out[0] = b[1:9].view(np.float64)[0]


@cuda.jit
def moved_again(b, n, out):
    out[0] = b[2:][1:][:8].view(np.float64)[0]


@cuda.jit
def always_odd(b, n, out):
    start = (2 * n + 1) & 15
    out[0] = b[2 * n + 1 : 2 * n + 9].view(np.float64)[0] + b[start]


@cuda.jit
def halves(b, n, out):
    out[0] = b[5:13].view(np.complex64)[0].imag


@cuda.jit
def stored(b, n, out):
    doubles = b[3:11].view(np.float64)
    doubles[0] *= 2
    out[0] = doubles[0]


@pytest.mark.parametrize("kernel", [fixed, moved_again, always_odd, halves, stored])
@pytest.mark.parametrize("begin", [None, 0, 1, 4])
def test_what_begins_at_an_odd_constant_is_read_in_pieces(kernel, begin):
    """begin: of the slice of an array on the GPU that the kernel is handed."""
    bytes_ = np.frombuffer(np.arange(1, 7).astype(np.float64).tobytes(), np.uint8).copy()
    wanted, out = np.zeros((2, 1))
    copy = bytes_.copy()
    kernel.py_func(copy[begin or 0 :], 1, wanted)
    if begin is None:
        kernel[1, 1](bytes_, 1, out)
    else:
        there = cuda.to_device(bytes_)
        kernel[1, 1](there[begin:], 1, out)
        there.copy_to_host(bytes_)
    assert np.array_equal(out, wanted, equal_nan=True) and bytes_.tolist() == copy.tolist()


@cuda.jit
def moving(b, n, out):
    out[0] = b[n : n + 8].view(np.float64)[0]


def test_where_the_place_is_not_known_a_number_is_loaded_whole_and_must_lie_as_it_does_on_a_gpu():
    b, out = np.frombuffer(np.arange(4.0).tobytes(), np.uint8), np.zeros(1)
    assert accesses(moving, b, 16, out) == 1
    assert out[0] == 2
    with pytest.raises(KernelError, match="which is not a multiple of 8"):
        moving[1, 1](b, 9, out)


def test_an_atomic_goes_where_the_place_is_not_known():
    @cuda.jit
    def added(b, n, out):
        room = cuda.shared.array(0, np.uint8)
        counter = room[n:].view(np.int32)
        counter[0] = 0
        cuda.syncthreads()
        cuda.atomic.add(counter, 0, 1)
        cuda.atomic.add(b[n:].view(np.int32), 0, 1)
        cuda.syncthreads()
        out[0] = counter[0]

    b, out = np.zeros(32, np.uint8), np.zeros(1)
    added[1, 8, 0, 64](b, 16, out)
    assert out[0] == b[16] == 8
    with pytest.raises(KernelError, match="which is not a multiple of 4"):
        added[1, 8, 0, 64](b, 18, out)


def test_an_atomic_on_a_view_is_told_where_it_lies_and_one_on_a_packed_record_how_to_make_it():
    @cuda.jit
    def odd(b):
        cuda.atomic.add(b[3:7].view(np.int32), 0, 1)

    @cuda.jit
    def packed(b):
        cuda.atomic.add(b["x"], 0, 1)

    with pytest.raises(KernelError, match="which is not a multiple of 4"):
        odd[1, 1](np.zeros(16, np.uint8))
    there = cuda.to_device(np.zeros(16, np.uint8))
    odd[1, 1](there[1:])
    assert there.copy_to_host()[4] == 1
    with pytest.raises(SourceError, match="align=True"):
        packed[1, 1](np.zeros(2, [("c", np.uint8), ("x", np.int32)]))


def test_what_a_slice_was_limited_to_says_nothing_of_the_next_one():
    """Of a short array the size of b[:9] is not 9, so that what begins there is not known to be odd."""

    @cuda.jit
    def read(b, c, n, out):
        s = b[:9]
        later = b[9:]
        out[0] = c[s.size : s.size + 8].view(np.float64)[0] + b[:12][-8:].view(np.float64)[0] + later.size

    c = np.frombuffer(np.arange(4.0).tobytes(), np.uint8)
    wanted, out = np.zeros((2, 1))
    assert accesses(read, c[8:16], c, 0, out) == 2
    read.py_func(c[8:16], c, 0, wanted)
    assert out == wanted == 2


def test_slices_on_the_gpu_share_a_program():
    @cuda.jit
    def counted(x):
        x[cuda.threadIdx.x] += 1

    for kind in (np.uint8, np.float32):
        there = cuda.to_device(np.zeros(64, kind))
        for begin in range(8):
            counted[1, 8](there[begin:])
    assert len(counted.programs) == 2


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
