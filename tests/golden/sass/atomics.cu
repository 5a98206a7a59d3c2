#include <cuda_fp16.h>

extern "C" __global__ void generic(int *g, int *out, int which)
{
    __shared__ int s[32];
    s[threadIdx.x] = 100 + threadIdx.x;
    __syncthreads();
    int *p = (threadIdx.x & 1) ? s + threadIdx.x : g + threadIdx.x;
    if (which) atomicAdd(p, 5);
    __syncthreads();
    out[threadIdx.x] = *p;
}

extern "C" __global__ void add_shared(double *out, const double *x)
{
    __shared__ double s;
    if (!threadIdx.x) s = 0;
    __syncthreads();
    atomicAdd(&s, x[threadIdx.x]);
    __syncthreads();
    if (!threadIdx.x) *out = s;
}

extern "C" __global__ void add_double(double *sum, const double *x) { atomicAdd(sum, x[threadIdx.x]); }

extern "C" __global__ void add_halves(__half2 *sum, const __half2 *x) { atomicAdd(sum + threadIdx.x, x[threadIdx.x]); }
