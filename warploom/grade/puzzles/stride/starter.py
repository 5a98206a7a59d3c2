from numba import cuda


@cuda.jit
def solve(x, out):
    """out[i] = -x[i], in 64 threads."""
