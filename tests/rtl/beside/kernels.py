"""A kernel in Python with barriers, shared memory and lanes that diverge, for units beside the model."""

import numpy as np
from numba import float32

from warploom import GPU, cuda

BLOCK = 32


@cuda.jit
def interleaved_sum(x, out):
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


def launched(changes):
    """(the program of a launch with its memory, the GPU): 64 threads."""
    gpu = GPU("sm", set=changes, engine="python")
    kernel = interleaved_sum.on(gpu)
    x, out = np.arange(64, dtype=np.float32), np.zeros(1, np.float32)
    kernel[2, BLOCK](x, out)
    assert out[0] == 64 * 63 / 2
    return kernel.result.program.with_data(np.asarray(kernel.result.initial_memory)), gpu
