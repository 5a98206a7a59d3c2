"""Running sums of a block (Hillis and Steele, "Data Parallel Algorithms", CACM 1986).

Run it: warploom run examples/python/scan.py
Look at: warploom picture masks examples/python/scan.py -o scan.svg. In each round fewer lanes have something to add.
"""

import numpy as np
from numba import cuda, int32

BLOCK = 64


@cuda.jit
def scan(x, out):
    s = cuda.shared.array((2, BLOCK), int32)
    t = cuda.threadIdx.x
    now = 0
    s[0, t] = x[t]
    cuda.syncthreads()
    step = 1
    while step < BLOCK:
        value = s[now, t]
        if t >= step:
            value += s[now, t - step]
        now = 1 - now
        s[now, t] = value
        cuda.syncthreads()
        step *= 2
    out[t] = s[now, t]


x = np.arange(BLOCK, dtype=np.int32)
out = np.zeros_like(x)
scan[1, BLOCK](x, out)
assert (out == np.cumsum(x)).all()
print(f"{BLOCK} running sums, the last one is {out[-1]}")
