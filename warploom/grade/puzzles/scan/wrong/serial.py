from numba import cuda, int32


@cuda.jit
def solve(x, out):
    i = cuda.grid(1)
    if cuda.threadIdx.x == 0:
        total = int32(0)
        for k in range(i, i + 64):
            total += x[k]
            out[k] = total
