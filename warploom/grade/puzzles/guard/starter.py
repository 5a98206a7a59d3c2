from numba import cuda


@cuda.jit
def solve(x, out):
    """out[i] = 2 * x[i], in 64 threads, of which some have no element."""
