"""Milliseconds in which a kernel in Python becomes micro-ops: `python benchmarks/compile.py [--rounds 20]`. The bars: saxpy 10, the tiled
product 50.

Best of many, and the first one, which also loads the compiler's tables. `python -m tests.numba_suite` says the same of all kernels there.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from numba import float32

from warploom import cuda
from warploom.kernel.launch.compile import build
from warploom.kernel.launch.signature import kind_of


def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = a * x[i] + y[i]


def tiled(a, b, c):
    left = cuda.shared.array((16, 16), float32)
    right = cuda.shared.array((16, 16), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    x, y = cuda.grid(2)
    total = float32(0)
    for k in range(a.shape[1] // 16):
        left[ty, tx] = a[y, k * 16 + tx]
        right[ty, tx] = b[k * 16 + ty, x]
        cuda.syncthreads()
        for j in range(16):
            total += left[ty, j] * right[j, tx]
        cuda.syncthreads()
    c[y, x] = total


def main() -> None:
    """Print a line for each kernel."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20, help="compilations of each kernel, of which the best is shown")
    rounds = parser.parse_args().rounds
    vector, matrix = np.zeros(64, np.float32), np.zeros((32, 32), np.float32)
    for kernel, arguments, bar in ((saxpy, (np.float32(2), vector, vector), 10), (tiled, (matrix, matrix, matrix), 50)):
        kinds = [kind_of(one) for one in arguments]
        times = []
        for _ in range(rounds):
            start = time.perf_counter()
            build(kernel, kinds, {})
            times.append(1000 * (time.perf_counter() - start))
        print(f"{kernel.__name__:<6} {min(times):6.1f} ms, the first {times[0]:.1f}; the bar is {bar}")


if __name__ == "__main__":
    main()
