from numba import cuda


@cuda.jit
def solve(x, out):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < x.size:
        out[i] = x[i] * x[i]
