from numba import cuda


@cuda.jit
def solve(x, bins):
    """bins[d]: how many elements of x are d."""
