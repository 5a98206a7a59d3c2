from numba import cuda, int32


@cuda.jit
def solve(a, b, out):
    """out = a @ b, in tiles of 8 x 8."""
