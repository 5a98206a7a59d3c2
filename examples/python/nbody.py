"""Gravity among bodies: each block reads positions once into shared memory (Nyland, Harris and Prins, "Fast N-Body Simulation",
2007).

Run it: warploom run examples/python/nbody.py
Look at: warploom profile examples/python/nbody.py. Nearly all instructions compute, and one special function a pair of bodies
holds them up.
"""

import math

import numpy as np
from numba import cuda, float32

BODIES, BLOCK = 64, 32


@cuda.jit
def forces(positions, result):
    near = cuda.shared.array((BLOCK, 2), float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    x, y = positions[i, 0], positions[i, 1]
    fx = fy = float32(0)
    for tile in range(cuda.gridDim.x):
        near[t, 0] = positions[tile * BLOCK + t, 0]
        near[t, 1] = positions[tile * BLOCK + t, 1]
        cuda.syncthreads()
        for k in range(BLOCK):
            dx, dy = near[k, 0] - x, near[k, 1] - y
            square = dx * dx + dy * dy + float32(0.01)
            weight = float32(1) / (square * math.sqrt(square))
            fx += dx * weight
            fy += dy * weight
        cuda.syncthreads()
    result[i, 0], result[i, 1] = fx, fy


positions = np.random.default_rng(2).random((BODIES, 2), dtype=np.float32)
result = np.zeros_like(positions)
forces[BODIES // BLOCK, BLOCK](positions, result)
difference = positions[None] - positions[:, None]
square = (difference**2).sum(-1) + np.float32(0.01)
np.testing.assert_allclose(result, (difference / square[..., None] ** 1.5).sum(1), rtol=1e-3, atol=1e-2)
print(f"{BODIES} bodies, the strongest pull is {np.hypot(*result.T).max():.0f}")
