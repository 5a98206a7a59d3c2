from numba import cuda


@cuda.jit
def solve(x, out):
    for i in range(cuda.grid(1), x.size, cuda.blockDim.x):
        out[i] = -x[i]
