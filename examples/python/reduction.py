"""A sum in five steps: atomics, shared memory three ways, shuffles.

Run it: warploom run examples/python/reduction.py
Look at: cycles and what each launch mostly waits for. `atomic` serialises every thread; `interleaved` parts the lanes of every
warp and meets bank conflicts; `strided` repairs the lanes, `sequential` the banks too; `shuffled` leaves shared memory alone
inside a warp.
"""

import numpy as np
from numba import cuda, float32

BLOCK, WARP = 128, 32


@cuda.jit
def atomic(x, out):
    cuda.atomic.add(out, 0, x[cuda.grid(1)])


@cuda.jit
def interleaved(x, out):
    s = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    s[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    step = 1
    while step < BLOCK:
        if t % (2 * step) == 0:
            s[t] += s[t + step]
        cuda.syncthreads()
        step *= 2
    if t == 0:
        cuda.atomic.add(out, 0, s[0])


@cuda.jit
def strided(x, out):
    s = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    s[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    step = 1
    while step < BLOCK:
        place = 2 * step * t
        if place < BLOCK:
            s[place] += s[place + step]
        cuda.syncthreads()
        step *= 2
    if t == 0:
        cuda.atomic.add(out, 0, s[0])


@cuda.jit
def sequential(x, out):
    s = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    s[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    step = BLOCK // 2
    while step > 0:
        if t < step:
            s[t] += s[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        cuda.atomic.add(out, 0, s[0])


@cuda.jit
def shuffled(x, out):
    value = x[cuda.grid(1)]
    step = WARP // 2
    while step > 0:
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, step)
        step //= 2
    if cuda.laneid == 0:
        cuda.atomic.add(out, 0, value)


x = (np.arange(1024) % 7).astype(np.float32)
for kernel in (atomic, interleaved, strided, sequential, shuffled):
    out = np.zeros(1, np.float32)
    kernel[x.size // BLOCK, BLOCK](x, out)
    assert out[0] == x.sum(), kernel.__name__
print(f"five sums of 1024 numbers: {x.sum():.0f}")
