from numba import cuda, int32


@cuda.jit
def solve(x, out):
    part = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = x[i]
    cuda.syncthreads()
    d = 1
    while d < 64:
        value = int32(0)
        if t >= d:
            value = part[t - d]
        cuda.syncthreads()
        part[t] += value
        cuda.syncthreads()
        d *= 2
    out[i] = part[t]
