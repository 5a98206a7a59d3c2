// expect: 12 barrier
__global__ void k(int *out)
{
    __shared__ int s;
    if (threadIdx.x == 0) s = 7;
    __syncthreads();
    if (threadIdx.x < 16) {
        __syncthreads();
        out[threadIdx.x] = s;
    } else {
        out[threadIdx.x] = -s;
        __syncthreads();
    }
}
int main()
{
    int *out;
    cudaMalloc(&out, 32 * sizeof(int));
    k<<<1, 32>>>(out);
    cudaFree(out);
}
