"""A product of matrices in four steps, from naive to tiled.

Run it: warploom run examples/python/matmul.py
Look at: the cycles of the four launches, and warploom profile examples/python/matmul.py --launch tiled. `rows` lets neighbouring
threads walk down columns, which takes a transaction a lane; `columns` lets them walk along rows; `tiled` reads each item once a
block and shares it; `wide` gives each thread two results, so that a value that was read is used twice.
"""

import numpy as np
from numba import cuda, float32

N, TILE = 32, 16


@cuda.jit
def rows(a, b, c):
    i, j = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        total = float32(0)
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total


@cuda.jit
def columns(a, b, c):
    j, i = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        total = float32(0)
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total


@cuda.jit
def tiled(a, b, c):
    left = cuda.shared.array((TILE, TILE), float32)
    right = cuda.shared.array((TILE, TILE), float32)
    j, i = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for t in range(a.shape[1] // TILE):
        left[y, x] = a[i, t * TILE + x]
        right[y, x] = b[t * TILE + y, j]
        cuda.syncthreads()
        for k in range(TILE):
            total += left[y, k] * right[k, x]
        cuda.syncthreads()
    c[i, j] = total


@cuda.jit
def wide(a, b, c):
    left = cuda.shared.array((2 * TILE, TILE), float32)
    right = cuda.shared.array((TILE, TILE), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    j = cuda.blockIdx.x * TILE + x
    i = cuda.blockIdx.y * 2 * TILE + y
    upper = lower = float32(0)
    for t in range(a.shape[1] // TILE):
        left[y, x] = a[i, t * TILE + x]
        left[y + TILE, x] = a[i + TILE, t * TILE + x]
        right[y, x] = b[t * TILE + y, j]
        cuda.syncthreads()
        for k in range(TILE):
            upper += left[y, k] * right[k, x]
            lower += left[y + TILE, k] * right[k, x]
        cuda.syncthreads()
    c[i, j] = upper
    c[i + TILE, j] = lower


generator = np.random.default_rng(1)
a, b = (generator.random((N, N), dtype=np.float32) for _ in range(2))
blocks = N // TILE
for kernel, grid in ((rows, (blocks, blocks)), (columns, (blocks, blocks)), (tiled, (blocks, blocks)), (wide, (blocks, blocks // 2))):
    c = np.zeros((N, N), np.float32)
    kernel[grid, (TILE, TILE)](a, b, c)
    np.testing.assert_allclose(c, a @ b, rtol=1e-5)
print(f"four products of {N} x {N}, all equal to NumPy's")
