// expect: 4 bounds
__global__ void k(int *out)
{
    out[threadIdx.x * 10000000] = 1;
}
int main()
{
    int *out;
    cudaMalloc(&out, 32 * sizeof(int));
    k<<<1, 32>>>(out);
    cudaFree(out);
}
