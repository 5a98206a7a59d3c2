from numba import cuda, int32


@cuda.jit
def solve(a, b, out):
    col, row = cuda.grid(2)
    total = int32(0)
    for k in range(a.shape[1]):
        total += a[row, k] * b[k, col]
    out[row, col] = total
