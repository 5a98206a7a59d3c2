// expect: 7 race
__global__ void reverse(int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    out[t] = s[63 - t];
}
int main()
{
    int *out;
    cudaMalloc(&out, 64 * sizeof(int));
    reverse<<<1, 64>>>(out);
    cudaFree(out);
}
