// expect: 5 bounds table
__global__ void fill(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) out[i] = i;
}
int main()
{
    int *table;
    cudaMalloc((void **)&table, 100 * sizeof(int));
    fill<<<1, 128>>>(table, 100);
    cudaFree(table);
}
