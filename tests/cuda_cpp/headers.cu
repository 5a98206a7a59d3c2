// What programs of books and samples bring along: chevrons with blanks, ranges for a profiler, random numbers, small floats.
#include <cstdio>
#include <curand_kernel.h>
#include <cuda_fp8.h>
#include <nvtx3/nvToolsExt.h>
#include <sm_61_intrinsics.h>
template <class T> struct Box { T x; };
__global__ void draw(unsigned *first, double *sums)
{
    curandStateMRG32k3a published, m;
    curandState x;
    curandStatePhilox4_32_10_t s;
    for (int k = 0; k < 3; k++) published.s1[k] = published.s2[k] = 12345;
    curand_init(1, threadIdx.x, 0, &m);
    curand_init(1, threadIdx.x, 0, &x);
    curand_init(1, threadIdx.x, 0, &s);
    double a = 0, b = 0, c = 0, d = 0;
    for (int i = 0; i < 20; i++) {
        a += curand_uniform_double(&m);
        b += curand_normal_double(&x);
        c += curand_poisson(&s, 3.0);
        d += curand_log_normal(&x, 0.0f, 1.0f);
    }
    atomicAdd(sums, a), atomicAdd(sums + 1, b), atomicAdd(sums + 2, c), atomicAdd(sums + 3, d);
    float4 f = (float4)__nv_fp8x4_e4m3(make_float2(1, 2), make_float2(3, 4));
    first[0] = curand(&published);
    first[1] = __dp4a(0x01020304, 0x01010101, (int)(f.x + f.y + f.z + f.w));
}
int main()
{
    unsigned *first;
    double *sums;
    cudaMallocManaged(&first, 8);
    cudaMallocManaged(&sums, 32);
    nvtxEventAttributes_t range = {0};
    range.version = NVTX_VERSION;
    range.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    nvtxRangePushEx(&range);
    cudaStream_t stream;
    int least, greatest;
    cudaDeviceGetStreamPriorityRange(&least, &greatest);
    cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest);
    cudaStreamAttrValue value = {};
    value.accessPolicyWindow = {sums, 32, 1.0f, cudaAccessPropertyPersisting, cudaAccessPropertyStreaming};
    cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
    draw << < dim3(1),
        32, 0, stream >> > (first, sums);
    cudaDeviceSynchronize();
    nvtxRangePop();
    Box<Box<int> >();
    printf("%u %u\n", first[0], first[1]);
    const double mean[4] = {0.5, 0, 3, 1.6487}, away[4] = {0.04, 0.14, 0.24, 0.3}; // three and a half of 640 numbers' deviations
    for (int k = 0; k < 4; k++)
        if (!(sums[k] / 640 > mean[k] - away[k] && sums[k] / 640 < mean[k] + away[k])) printf("mean %d is %g\n", k, sums[k] / 640);
}
