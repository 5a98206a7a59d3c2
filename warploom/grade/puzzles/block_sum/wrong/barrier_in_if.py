from numba import cuda, int32


@cuda.jit
def solve(x, out):
    part = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    part[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    distance = 32
    while distance > 0:
        if t < distance:
            part[t] += part[t + distance]
            cuda.syncthreads()
        distance //= 2
    if t == 0:
        out[cuda.blockIdx.x] = part[0]
