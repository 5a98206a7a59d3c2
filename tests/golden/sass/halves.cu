// Pairs of halves, and integers of 64 bits as doubles: compiled for sm_90 by nvcc 13.0 with -cubin.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
extern "C" __global__ void halves(const unsigned *a, const unsigned *b, const unsigned *c, unsigned *o, const long long *l, double *d, int n)
{
    int i = threadIdx.x; __nv_bfloat162 x = *(const __nv_bfloat162*)&a[i], y = *(const __nv_bfloat162*)&b[i], z = *(const __nv_bfloat162*)&c[i];
    __nv_bfloat162 r = __hfma2(x, y, z); o[i] = *(unsigned*)&r;
    o[n + i] = __vminu2(a[i], b[i]); o[2*n+i] = __vmaxs2(a[i], b[i]);
    d[i] = __ll2double_ru(l[i]); d[n+i] = __ll2double_rd(l[i]); d[2*n+i] = __ull2double_rz(l[i]);
    o[3*n+i] = __half_as_ushort(__float2half_rz(__uint_as_float(a[i])));
}
