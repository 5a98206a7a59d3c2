from numba import cuda


@cuda.jit
def solve(x, out):
    out[cuda.blockIdx.x] += x[cuda.grid(1)]
