"""a x + y with a loop over the grid: any number of threads for any number of items.

Run it: warploom run examples/python/saxpy.py
Look at: warploom compare examples/python/saxpy.py --over core.warps=4,8,16,32. More warps hide more of the memory's latency.
"""

import numpy as np
from numba import cuda


@cuda.jit
def saxpy(a, x, y):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        y[i] = a * x[i] + y[i]


x = np.linspace(0, 1, 3000, dtype=np.float32)
y = np.ones(3000, dtype=np.float32)
expected = np.float32(2) * x + y
saxpy[4, 128](np.float32(2), x, y)
np.testing.assert_allclose(y, expected, rtol=1e-6)
print(f"3000 items by 512 threads, the largest is {y.max():.1f}")
