from numba import cuda


@cuda.jit
def solve(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = -x[i]
