"""Transposing through shared memory, with bank conflicts and without.

Run it: warploom run examples/python/transpose.py
Look at: warploom picture banks examples/python/transpose.py --launch padded -o banks.svg. A row that is one word longer puts a column
into different banks.
"""

import numpy as np
from numba import cuda, float32

TILE = 32


@cuda.jit
def direct(a, out):
    x, y = cuda.grid(2)
    out[x, y] = a[y, x]


@cuda.jit
def conflicts(a, out):
    tile = cuda.shared.array((TILE, TILE), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    for row in range(0, TILE, 8):
        tile[y + row, x] = a[y + row, x]
    cuda.syncthreads()
    for row in range(0, TILE, 8):
        out[y + row, x] = tile[x, y + row]


@cuda.jit
def padded(a, out):
    tile = cuda.shared.array((TILE, TILE + 1), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    for row in range(0, TILE, 8):
        tile[y + row, x] = a[y + row, x]
    cuda.syncthreads()
    for row in range(0, TILE, 8):
        out[y + row, x] = tile[x, y + row]


a = np.arange(TILE * TILE, dtype=np.float32).reshape(TILE, TILE)
for kernel, grid, block in ((direct, (1, 4), (TILE, 8)), (conflicts, 1, (TILE, 8)), (padded, 1, (TILE, 8))):
    out = np.zeros_like(a)
    kernel[grid, block](a, out)
    assert (out == a.T).all(), kernel.__name__
print("three transposes of 32 x 32")
