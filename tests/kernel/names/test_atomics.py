"""Atomic operations: what they give back."""

import numpy as np

from warploom import cuda


def test_what_they_give_is_of_the_arrays_type_beside_a_loop():
    """A word from memory in 32 bits, compared in 64: its sign belongs to it."""

    @cuda.jit
    def k(signed, unsigned, out, n):
        for _ in range(n):
            out[0] += cuda.atomic.add(signed, 0, -1) < 0
            out[1] += cuda.atomic.add(unsigned, 0, 1) > 4_000_000_000
            out[2] += cuda.atomic.min(signed, 1, -5) == -5
            out[3] += cuda.atomic.cas(signed, 2, -1, -2) == -1
            out[4] += cuda.syncthreads_count(True)

    signed, unsigned, out = np.array([1, 9, -1], np.int32), np.array([4_000_000_000], np.uint32), np.zeros(5, np.int64)
    k[1, 1](signed, unsigned, out, 4)
    assert (signed.tolist(), unsigned.tolist()) == ([-3, -5, -2], [4_000_000_004])
    assert out.tolist() == [2, 3, 3, 1, 4]
