from numba import cuda


@cuda.jit
def solve(x, out):
    """Even and odd places, each warp of one kind."""
