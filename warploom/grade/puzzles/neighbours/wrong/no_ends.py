from numba import cuda


@cuda.jit
def solve(x, out):
    i = cuda.grid(1)
    if i > 0 and i < x.size - 1:
        out[i] = x[i - 1] + x[i] + x[i + 1]
