"""What a kernel cannot call: debuggers, launches, functions of the host; and names of functions without brackets."""

import pdb

import numpy as np
import pytest

from warploom import SourceError, cuda
from warploom.kernel.launch import compile
from warploom.kernel.launch.launch import KernelWarning
from warploom.kernel.launch.signature import kind_of


@cuda.jit
def inner(x):
    x[0] = 1


def debugger(x):
    pdb.set_trace()


def stop(x):
    breakpoint()


def nested(x):
    inner[1, 4](x)


def of_the_host(x):
    cuda.synchronize()


def sum_of_all(x):
    x[0] = np.sum(x)


def largest(x):
    x[0] = x.max()


def in_order(x):
    np.sort(x)


@pytest.mark.parametrize(
    ("kernel", "message", "fix"),
    [
        (debugger, "a kernel cannot stop for a debugger: pdb.set_trace", "warploom debug FILE"),
        (stop, "a kernel cannot stop for a debugger: breakpoint", "warploom debug FILE"),
        (nested, "a kernel cannot launch a kernel: inner[...]", "launch inner from the host"),
        (of_the_host, "cuda.synchronize is for the host", "cuda.syncthreads()"),
        (sum_of_all, "a kernel cannot call np.sum", "cuda.atomic.add(result, 0, x[i]); or cuda.reduce, from the host"),
        (largest, "an array in a kernel has no 'max'", "cuda.atomic.max(result, 0, x[i])"),
        (in_order, "a kernel cannot call np.sort", "in a kernel write the loop over the items"),
    ],
)
def test_what_is_written_in_its_place(kernel, message, fix):
    with pytest.raises(SourceError) as caught:
        compile.build(kernel, [kind_of(np.zeros(4))], {})
    (found,) = caught.value.diagnostics
    assert message in found.message and fix in found.fix


def test_a_barrier_without_brackets_is_warned_of():
    def kernel(x):
        cuda.syncthreads  # noqa: B018
        x[0] = 1

    with pytest.warns(KernelWarning, match=r"cuda\.syncthreads without brackets does nothing"):
        cuda.jit(kernel)[1, 1](np.zeros(1))
