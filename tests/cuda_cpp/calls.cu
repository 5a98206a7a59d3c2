#include <cstdio>
__global__ void fill(int *p, int n) { int i = threadIdx.x + blockIdx.x * blockDim.x; if (i < n) p[i] = i * 3; }
__device__ int table[4] = {1, 2, 3, 4};
__constant__ float factors[3];
__global__ void scale(int *p) { p[threadIdx.x] = table[threadIdx.x] * (int)factors[threadIdx.x % 3]; }
int main(int argc, char **argv) {
    cudaDeviceProp p; cudaGetDeviceProperties(&p, 0);
    printf("%s sm_%d%d %zu MiB %d SM warp %d\n", p.name, p.major, p.minor, p.totalGlobalMem >> 20, p.multiProcessorCount, p.warpSize);
    int *m; cudaMallocManaged(&m, 100 * sizeof(int)); for (int i = 0; i < 100; i++) m[i] = -1;
    fill<<<2, 32>>>(m, 50); printf("launch: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    printf("%d %d %d\n", m[0], m[49], m[50]);
    float f[3] = {10, 20, 30}; cudaMemcpyToSymbol(factors, f, sizeof f);
    scale<<<1, 4>>>(m); cudaDeviceSynchronize(); printf("%d %d %d %d\n", m[0], m[1], m[2], m[3]);
    int t[4]; cudaMemcpyFromSymbol(t, table, sizeof t); printf("%d %d\n", t[0], t[3]);
    fill<<<1, 2048>>>(m, 1); printf("too large: %s\n", cudaGetErrorString(cudaGetLastError()));
    size_t fr, to; cudaMemGetInfo(&fr, &to); printf("%zu %zu\n", fr >> 20, to >> 20);
    int blocks; cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 256, 0); printf("blocks %d\n", blocks);
    int g, b; cudaOccupancyMaxPotentialBlockSize(&g, &b, fill); printf("grid %d block %d\n", g, b);
    cudaEvent_t e0, e1; cudaEventCreate(&e0); cudaEventCreate(&e1); cudaEventRecord(e0); fill<<<2, 32>>>(m, 50); cudaEventRecord(e1); cudaEventSynchronize(e1);
    float ms; cudaEventElapsedTime(&ms, e0, e1); printf("%d\n", ms > 0);
    int *pitched; size_t pitch; cudaMallocPitch(&pitched, &pitch, 100, 10); printf("pitch %zu %s\n", pitch, cudaGetErrorName(cudaMemset2D(pitched, pitch, 7, 100, 10)));
    char row[200]; cudaMemcpy2D(row, 20, pitched, pitch, 20, 10, cudaMemcpyDeviceToHost); printf("%d %d\n", row[0], row[199]);
    int *h, *hd; cudaHostAlloc(&h, 64, cudaHostAllocMapped); h[0] = 5; cudaHostGetDevicePointer(&hd, h, 0); fill<<<1, 16>>>(hd, 16); cudaDeviceSynchronize(); printf("mapped %d %d\n", h[0], h[15]);
    cudaFuncAttributes a; cudaFuncGetAttributes(&a, fill); printf("regs %d %d\n", a.numRegs > 0, a.maxThreadsPerBlock);
    printf("%s\n", cudaGetErrorString(cudaFree((void *)12345)));
    if (argc > 1) { int *d; cudaMalloc(&d, 400); d[3] = 1; }
    if (argc > 2) { }
    return 3;
}
