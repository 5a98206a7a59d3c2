// expect: 6 uninitialised
__global__ void k(int *out)
{
    __shared__ int s[32];
    if (threadIdx.x) s[threadIdx.x] = 1;
    out[threadIdx.x] = s[threadIdx.x];
}
int main()
{
    int *out;
    cudaMalloc(&out, 32 * sizeof(int));
    k<<<1, 32>>>(out);
    cudaFree(out);
}
