from numba import cuda


@cuda.jit
def solve(x, out):
    """out[i] = x[i - 1] + x[i] + x[i + 1], of what there is."""
