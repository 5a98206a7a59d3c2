// expect: 4 uninitialised in
__global__ void twice(const float *in, float *out)
{
    out[threadIdx.x] = in[threadIdx.x] * 2;
}
int main()
{
    float *in, *out;
    cudaMalloc(&in, 64 * sizeof(float));
    cudaMalloc(&out, 64 * sizeof(float));
    twice<<<1, 64>>>(in, out);
    cudaFree(in);
    cudaFree(out);
}
