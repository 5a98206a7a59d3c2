"""`cuda.random`: the states of the generators, against the published algorithm one step after another."""

import numpy as np
import pytest

from warploom import cuda
from warploom.kernel.library.random import JUMP, create_xoroshiro128p_states, xoroshiro128p_uniform_float64

WORD = (1 << 64) - 1


def step(s0, s1):
    s1 ^= s0
    return ((s0 << 55 | s0 >> 9) & WORD) ^ s1 ^ (s1 << 14 & WORD), (s1 << 36 | s1 >> 28) & WORD


def jumped(s0, s1):
    t0 = t1 = 0
    for word in JUMP:
        for bit in range(64):
            if word >> bit & 1:
                t0, t1 = t0 ^ s0, t1 ^ s1
            s0, s1 = step(s0, s1)
    return t0, t1


@pytest.mark.parametrize(("count", "skipped"), [(1, 0), (5, 0), (8, 3)])
def test_states_are_jumps_apart(count, skipped):
    found = create_xoroshiro128p_states(count, 12, skipped).copy_to_host()
    first = create_xoroshiro128p_states(1, 12).copy_to_host()[0]
    state = (int(first["s0"]), int(first["s1"]))
    for _ in range(skipped):
        state = jumped(*state)
    for one in found:
        assert (int(one["s0"]), int(one["s1"])) == state
        state = jumped(*state)


def test_numbers_in_a_kernel():
    @cuda.jit
    def draw(states, out):
        i = cuda.grid(1)
        for j in range(2):
            out[i, j] = xoroshiro128p_uniform_float64(states, i)

    states = create_xoroshiro128p_states(4, 1)
    now = [(int(one["s0"]), int(one["s1"])) for one in states.copy_to_host()]
    out = np.zeros((4, 2))
    draw[1, 4](states, out)
    expected = [[(sum(one) & WORD) >> 11, (sum(step(*one)) & WORD) >> 11] for one in now]
    np.testing.assert_array_equal(out, np.array(expected) / 2**53)
