"""Counting, three ways: with a race, with atomics, with atomics in shared memory first.

Run it: warploom run examples/python/histogram.py
Look at: the race loses counts without a word, because threads read a count before others have written theirs. Then compare the
cycles of the two right ones.
"""

import numpy as np
from numba import cuda, int32

BINS = 8


@cuda.jit
def racing(x, bins):
    i = cuda.grid(1)
    bins[x[i]] += 1


@cuda.jit
def atomic(x, bins):
    i = cuda.grid(1)
    cuda.atomic.add(bins, x[i], 1)


@cuda.jit
def private(x, bins):
    own = cuda.shared.array(BINS, int32)
    t = cuda.threadIdx.x
    if t < BINS:
        own[t] = 0
    cuda.syncthreads()
    cuda.atomic.add(own, x[cuda.grid(1)], 1)
    cuda.syncthreads()
    if t < BINS:
        cuda.atomic.add(bins, t, own[t])


x = (np.arange(512) ** 2 % BINS).astype(np.int32)
expected = np.bincount(x, minlength=BINS)
counts = {}
for kernel in (racing, atomic, private):
    counts[kernel.__name__] = np.zeros(BINS, np.int32)
    kernel[4, 128](x, counts[kernel.__name__])
assert (counts["atomic"] == expected).all() and (counts["private"] == expected).all()
print(f"512 items; the race has counted {counts['racing'].sum()}")
