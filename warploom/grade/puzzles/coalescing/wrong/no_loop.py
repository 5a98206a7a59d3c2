from numba import cuda


@cuda.jit
def solve(x, out):
    col, row = cuda.grid(2)
    out[row, col] = 2 * x[row, col]
