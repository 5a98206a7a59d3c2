"""A run says where threads have not come to a barrier, and nothing of barriers to which all came."""

import numpy as np
import pytest

import warploom
from warploom import cuda


def in_two_branches(out):
    t = cuda.threadIdx.x
    if t % 2:
        cuda.syncthreads()
        out[t] = 1
    else:
        out[t] = 2
        cuda.syncthreads()


def half_a_warp(out):
    t = cuda.threadIdx.x
    if t < 16:
        cuda.syncthreads()
    out[t] = 1


def one_warp(out):
    if cuda.threadIdx.x < 32:
        cuda.syncthreads()
        out[cuda.threadIdx.x] = 1


def returned(out):
    if cuda.threadIdx.x >= 50:
        return
    out[cuda.threadIdx.x] = 1
    cuda.syncthreads()


def half_the_grid(out):
    if cuda.blockIdx.x == 0:
        cuda.cg.this_grid().sync()
    out[cuda.threadIdx.x] = 1


def right(out):
    grid = cuda.cg.this_grid()
    t = cuda.threadIdx.x
    for _ in range(3):
        out[t] += 1
        cuda.syncthreads()
        if cuda.syncthreads_count(t > 3) > 100:
            return
    grid.sync()
    if t > 5:
        return
    out[t] = 1


def by_blocks(out):
    if cuda.blockIdx.x == 1:
        cuda.syncthreads()
    out[cuda.threadIdx.x] = 1


def remarks(kernel, threads=64, **settings):
    changed = {key.replace("__", "."): value for key, value in settings.items()}
    kernel = cuda.jit(kernel).on(warploom.GPU("sm", engine="python", set=changed))
    kernel[2, threads](np.zeros(threads, np.int32))
    return [one for one in kernel.result.remarks if "barrier" in one]


@pytest.mark.parametrize("kernel", [in_two_branches, half_a_warp, one_warp, returned, half_the_grid])
def test_a_run_says_who_was_missing(kernel):
    (said,) = remarks(kernel) if kernel is not one_warp else remarks(kernel, 128)
    who = "the grid" if kernel is half_the_grid else "a block"
    assert said.startswith(f"not all threads of {who} came to the barrier at ") and "`warploom check`" in said


@pytest.mark.parametrize("kernel", [right, by_blocks])
@pytest.mark.parametrize("threads", [64, 50])
@pytest.mark.parametrize("mechanism", ["stack", "its"])
def test_barriers_to_which_all_came(kernel, threads, mechanism):
    assert remarks(kernel, threads, core__divergence=mechanism) == []
