"""Bitonic sorting of a block (Batcher, "Sorting Networks and their Applications", 1968).

Run it: warploom run examples/python/sort.py
Look at: warploom profile examples/python/sort.py. Half of the lanes compare in every round, and a barrier stands between rounds.
"""

import numpy as np
from numba import cuda, int32

N = 64


@cuda.jit
def bitonic(x):
    s = cuda.shared.array(N, int32)
    t = cuda.threadIdx.x
    s[t] = x[t]
    cuda.syncthreads()
    size = 2
    while size <= N:
        step = size // 2
        while step > 0:
            other = t ^ step
            if other > t:
                rising = t & size == 0
                if (s[t] > s[other]) == rising:
                    s[t], s[other] = s[other], s[t]
            cuda.syncthreads()
            step //= 2
        size *= 2
    x[t] = s[t]


x = np.random.default_rng(3).permutation(N).astype(np.int32)
bitonic[1, N](x)
assert (x == np.arange(N)).all()
print(f"{N} numbers in order")
