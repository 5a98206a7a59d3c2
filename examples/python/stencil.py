"""Heat on a plate: each point becomes the mean of its neighbours; two arrays change places from launch to launch.

Run it: warploom run examples/python/stencil.py
Look at: warploom profile examples/python/stencil.py --launch 3. The arrays stay in the device's memory, so that from the second
launch on the second-level cache has them.
"""

import numpy as np
from numba import cuda

N = 32


@cuda.jit
def step(before, after):
    j, i = cuda.grid(2)
    if 0 < i < before.shape[0] - 1 and 0 < j < before.shape[1] - 1:
        after[i, j] = (before[i - 1, j] + before[i + 1, j] + before[i, j - 1] + before[i, j + 1]) / np.float32(4)


plate = np.zeros((N, N), np.float32)
plate[0] = 100
before, after = cuda.to_device(plate), cuda.to_device(plate)
for _ in range(4):
    step[(2, 4), (16, 8)](before, after)
    before, after = after, before
expected = plate.copy()
for _ in range(4):
    inner = (expected[:-2, 1:-1] + expected[2:, 1:-1] + expected[1:-1, :-2] + expected[1:-1, 2:]) / np.float32(4)
    expected[1:-1, 1:-1] = inner
np.testing.assert_allclose(before.copy_to_host(), expected, rtol=1e-6)
print(f"after 4 steps the plate has {before.copy_to_host().sum():.1f} degrees in all")
