from numba import cuda, int32


@cuda.jit
def solve(x, out):
    t = cuda.threadIdx.x
    if t < 64:
        i = 2 * t
        v = x[i]
        for _ in range(24):
            v = int32(v * 5 + i)
        out[i] = v
    else:
        i = 2 * (t - 64) + 1
        v = x[i]
        for _ in range(24):
            v = int32(v * 3 - i)
        out[i] = v
