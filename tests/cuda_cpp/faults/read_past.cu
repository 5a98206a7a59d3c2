// expect: 5 bounds in
__global__ void shift(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i + 1];
}
int main()
{
    const int n = 100;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc((void **)&out, n * sizeof(float));
    cudaMemset(in, 0, n * sizeof(float));
    shift<<<1, 128>>>(in, out, n);
    cudaFree(in);
    cudaFree(out);
}
