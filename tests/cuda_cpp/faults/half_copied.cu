// expect: 4 uninitialised in
__global__ void twice(const int *in, int *out)
{
    out[threadIdx.x] = in[threadIdx.x] * 2;
}
int main()
{
    int host[64] = {}, *in, *out;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, 64, cudaMemcpyHostToDevice); // bytes, and meant were elements
    twice<<<1, 64>>>(in, out);
    cudaFree(in);
    cudaFree(out);
}
