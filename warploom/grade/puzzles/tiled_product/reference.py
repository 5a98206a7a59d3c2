from numba import cuda, int32

TILE = 8


@cuda.jit
def solve(a, b, out):
    left = cuda.shared.array((TILE, TILE), int32)
    right = cuda.shared.array((TILE, TILE), int32)
    col, row = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = int32(0)
    for tile in range(a.shape[1] // TILE):
        left[ty, tx] = a[row, TILE * tile + tx]
        right[ty, tx] = b[TILE * tile + ty, col]
        cuda.syncthreads()
        for k in range(TILE):
            total += left[ty, k] * right[k, tx]
        cuda.syncthreads()
    out[row, col] = total
