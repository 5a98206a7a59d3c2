from numba import cuda


@cuda.jit
def solve(x, out):
    """out[i]: the sum of the block's elements up to the i-th."""
