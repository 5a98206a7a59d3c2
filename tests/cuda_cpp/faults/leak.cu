// expect: 9 leak kept
__global__ void k(int *out)
{
    out[threadIdx.x] = 1;
}
int main()
{
    int *kept, *freed;
    cudaMalloc(&kept, 32 * sizeof(int));
    cudaMalloc(&freed, 32 * sizeof(int));
    k<<<1, 32>>>(kept);
    k<<<1, 32>>>(freed);
    cudaFree(freed);
}
