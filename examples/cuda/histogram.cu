// Counts of bytes, first in shared memory, then in the device's; the counts are printed by the kernel.
#include <cstdio>
#include <cstring>

__constant__ int limit;

__global__ void histogram(const unsigned char *text, int n, unsigned int *counts)
{
    __shared__ unsigned int mine[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) mine[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[text[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        if (mine[i]) atomicAdd(&counts[i], mine[i]);
}

__global__ void show(const unsigned int *counts)
{
    for (int i = 0; i < 256; i++)
        if (counts[i] >= limit) printf("%c: %u\n", i, counts[i]);
}

int main()
{
    const char *words = "she sells sea shells by the sea shore";
    int n = strlen(words), least = 5;
    unsigned char *text;
    unsigned int *counts;
    cudaMalloc(&text, n);
    cudaMalloc(&counts, 256 * sizeof(unsigned int));
    cudaMemcpy(text, words, n, cudaMemcpyHostToDevice);
    cudaMemset(counts, 0, 256 * sizeof(unsigned int));
    cudaMemcpyToSymbol(limit, &least, sizeof least);
    histogram<<<2, 64>>>(text, n, counts);
    show<<<1, 1>>>(counts);
    return cudaDeviceSynchronize() != cudaSuccess;
}
