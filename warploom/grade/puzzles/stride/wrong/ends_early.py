from numba import cuda


@cuda.jit
def solve(x, out):
    step = cuda.gridsize(1)
    for i in range(cuda.grid(1), x.size - step, step):
        out[i] = -x[i]
