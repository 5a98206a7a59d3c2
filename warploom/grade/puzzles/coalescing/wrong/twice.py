from numba import cuda


@cuda.jit
def solve(x, out):
    _, first = cuda.grid(2)
    for row in range(first, 64, 16):
        for col in range(cuda.threadIdx.x, 64, 32):
            out[row, col] = 2 * x[row, col]
