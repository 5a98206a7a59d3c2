from numba import cuda, int32


@cuda.jit
def solve(x, out):
    """out[block]: the sum of the block's 64 elements of x."""
