from numba import cuda


@cuda.jit
def solve(x, out):
    i = cuda.grid(1)
    out[i] = x[i] * x[i]
