"""Vector addition: a thread an item.

Run it: warploom run examples/python/vector_add.py
Look at: warploom profile examples/python/vector_add.py. Nearly all cycles are waits for memory; neighbouring threads read neighbouring
items, so that a warp's load is one transaction.
"""

import numpy as np
from numba import cuda


@cuda.jit
def add(x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i] + y[i]


x = np.arange(1000, dtype=np.float32)
y = np.ones(1000, dtype=np.float32)
out = np.zeros_like(x)
add[4, 256](x, y, out)
assert (out == x + y).all()
print(f"1000 sums, the last one is {out[-1]:.0f}")
