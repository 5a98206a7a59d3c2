// Eight kernels, each slow for a reason of its own: those of tests/observe/diagnosis/test_blame.py.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void strided(const float *a, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = a[i * 16] + 1.0f; // scattered
}

__global__ void conflicting(const float *a, float *out)
{
    __shared__ float tile[32][32];
    int lane = threadIdx.x, row = threadIdx.y;
    for (int r = row; r < 32; r += blockDim.y)
        tile[r][lane] = a[r * 32 + lane];
    __syncthreads();
    float total = 0;
    for (int k = 0; k < 32; ++k)
        total += tile[lane][(row + k) % 32]; // one bank
    out[row * 32 + lane] = total;
}

__global__ void divergent(const float *a, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i];
    if (i % 8 == 0) // parts the lanes
        for (int k = 0; k < 60; ++k)
            x = x * 0.5f + 0.25f;
    out[i] = x;
}

__global__ void alone(const float *a, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i];
#pragma unroll 1
    for (int k = 0; k < 80; ++k)
        x = x * x + 0.25f; // a loop
    out[i] = x;
}

__global__ void serial(const float *a, float *out)
{
    atomicAdd(out, a[blockIdx.x * blockDim.x + threadIdx.x]); // one address
}

__global__ void waited_for(const float *a, float *out)
{
    __shared__ float part[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    part[t] = a[i];
    __syncthreads();
    if (t == 0)
        for (int k = 1; k < 256; ++k)
            part[0] += part[k];
    __syncthreads(); // seven warps wait for one
    out[i] = part[0];
}

__global__ void chained(const float *a, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i], s = 0;
    for (int k = 0; k < 300; ++k)
        s = s * x + 0.5f; // needs the s before it
    out[i] = s;
}

__global__ void widened(const float *a, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i];
    for (int k = 0; k < n; ++k)
        x = x * 1.0001; // a double
    out[i] = x;
}

int main()
{
    float *a, *out;
    cudaMalloc(&a, sizeof(float) << 15);
    cudaMalloc(&out, sizeof(float) << 15);
    cudaMemset(a, 0, sizeof(float) << 15);
    cudaMemset(out, 0, sizeof(float) << 15);
    strided<<<16, 128>>>(a, out);
    conflicting<<<8, dim3(32, 8)>>>(a, out);
    divergent<<<64, 128>>>(a, out);
    alone<<<1, 512>>>(a, out);
    serial<<<64, 128>>>(a, out);
    waited_for<<<16, 256>>>(a, out);
    chained<<<4, 128>>>(a, out);
    widened<<<64, 128>>>(a, out, 30);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return cudaFree(a) | cudaFree(out);
}
