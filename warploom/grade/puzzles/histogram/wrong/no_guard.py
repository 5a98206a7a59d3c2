from numba import cuda


@cuda.jit
def solve(x, bins):
    i = cuda.grid(1)
    cuda.atomic.add(bins, x[i] % 10, 1)
