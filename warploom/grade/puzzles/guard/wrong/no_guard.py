from numba import cuda


@cuda.jit
def solve(x, out):
    i = cuda.threadIdx.x
    out[i] = 2 * x[i]
