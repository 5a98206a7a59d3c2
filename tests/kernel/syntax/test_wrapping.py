"""An index that a random number of 32 bits may put beyond the end is warned of, unless something limits it."""

import warnings

import numpy as np
import pytest

from warploom import cuda
from warploom.kernel.launch.launch import KernelWarning
from warploom.kernel.library.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32, xoroshiro128p_uniform_float64

STATES = 4


def launch(kernel):
    a, out = np.ones(8, np.float32), np.zeros(STATES, np.float32)
    cuda.jit(kernel)[1, STATES](create_xoroshiro128p_states(STATES, seed=1), a, out)


def by_a_variable(states, a, out):
    i = cuda.grid(1)
    j = int(xoroshiro128p_uniform_float32(states, i) * a.size)
    out[i] = a[j]


def directly(states, a, out):
    i = cuda.grid(1)
    out[i] = a[np.int32(np.float32(4) * xoroshiro128p_uniform_float32(states, i)) + 4]


@pytest.mark.parametrize("kernel", [by_a_variable, directly])
def test_a_random_number_may_be_one(kernel):
    with pytest.warns(KernelWarning, match="xoroshiro128p_uniform_float32 is rounded to 1.0 once in 33 million numbers"):
        launch(kernel)


def limited(states, a, out):
    i = cuda.grid(1)
    j = min(int(xoroshiro128p_uniform_float32(states, i) * a.size), a.size - 1)
    out[i] = a[j]


def conditional(states, a, out):
    i = cuda.grid(1)
    j = int(xoroshiro128p_uniform_float32(states, i) * a.size)
    if j < a.size:
        out[i] = a[j]


def of_64_bits(states, a, out):
    i = cuda.grid(1)
    out[i] = a[int(xoroshiro128p_uniform_float64(states, i) * a.size)]


@pytest.mark.parametrize("kernel", [limited, conditional, of_64_bits])
def test_nothing_is_said_where_it_cannot_be(kernel):
    with warnings.catch_warnings():
        warnings.simplefilter("error", KernelWarning)
        launch(kernel)
