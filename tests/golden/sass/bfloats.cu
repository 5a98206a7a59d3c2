// nvcc -cubin -lineinfo -arch=sm_90: sums of pairs of bfloat16s in memory.
#include <cuda_bf16.h>

extern "C" __global__ void bfloats(__nv_bfloat162 *sums, const float *given) {
  float a = given[threadIdx.x];
  atomicAdd(sums + threadIdx.x % 8, __floats2bfloat162_rn(a, -a));
}
