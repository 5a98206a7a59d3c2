from numba import cuda, int32


@cuda.jit
def solve(x, out):
    """out[i]: the sum of the block's elements up to the i-th."""
