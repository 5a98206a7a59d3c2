from numba import cuda


@cuda.jit
def solve(x, out):
    i = cuda.threadIdx.x * cuda.blockDim.x + cuda.blockIdx.x
    if i < x.size:
        out[i] = x[i] * x[i]
