from numba import cuda, int32

TILE = 8


@cuda.jit
def solve(a, b, out):
    col, row = cuda.grid(2)
    total = int32(0)
    for k in range(a.shape[1]):
        total += a[row, k] * b[col, k]
    out[row, col] = total
