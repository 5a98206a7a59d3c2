#include <cuda_fp16.h>
#include <cuda_bf16.h>

// Integers of 32 and 64 bits as halves and bf16, and bf16 without what is after their points.
extern "C" __global__ void narrow(const long long *in, const __nv_bfloat16 *b, unsigned short *o)
{
    int i = threadIdx.x;
    o[i] = __half_as_ushort(__ll2half_rn(in[i]));
    o[i + 32] = __half_as_ushort(__ull2half_rn((unsigned long long)in[i]));
    o[i + 64] = __half_as_ushort(__ll2half_rz(in[i]));
    o[i + 96] = __half_as_ushort(__ll2half_rd(in[i]));
    o[i + 128] = __bfloat16_as_ushort(__ll2bfloat16_rn(in[i]));
    o[i + 160] = __bfloat16_as_ushort(__int2bfloat16_rn((int)in[i]));
    o[i + 192] = __half_as_ushort(__uint2half_ru((unsigned)in[i]));
    o[i + 224] = __bfloat16_as_ushort(hrint(b[i]));
    o[i + 256] = __bfloat16_as_ushort(hfloor(b[i]));
}
