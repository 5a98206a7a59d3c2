/* Functions of the CUDA Math API by their names, against what the manual says they give. */
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

__device__ int wrong;
#define IS(found, wanted) \
    do { \
        if (!((found) == (wanted))) { \
            printf("line %d\n", __LINE__); \
            atomicAdd(&wrong, 1); \
        } \
    } while (0)

__global__ void k(float third, double ninth, long long large)
{
    IS(__fadd_rd(1.0f, 1e-10f), 1.0f);
    IS(__fadd_ru(1.0f, 1e-10f), 1.00000012f);
    IS(__fmul_rz(third, third), __fmul_rd(third, third));
    IS(__fdiv_ru(1.0f, 3.0f) > __fdiv_rd(1.0f, 3.0f), true);
    IS(__fsqrt_rd(2.0f) < __fsqrt_ru(2.0f), true);
    IS(__dadd_ru(1.0, 1e-20), 1.0000000000000002);
    IS(__fma_rd(ninth, 9.0, -1.0) <= __fma_ru(ninth, 9.0, -1.0), true);
    IS(__ll2double_rd(large), 9007199254740992.0);
    IS(__ll2double_ru(large), 9007199254740994.0);
    IS(__ull2double_rz(~0ull), 18446744073709549568.0);
    IS(__double2float_ru(1.0 + 1e-12), 1.00000012f);
    IS(__int2float_rz(16777217), 16777216.0f);
    IS(__vabs2(0x8000ffffu), 0x80000001u);
    IS(__vabsss2(0x8000ffffu), 0x7fff0001u);
    IS(__vaddss2(0x7fff8000u, 0x0001ffffu), 0x7fff8000u);
    IS(__vsubss4(0x80000000u, 0x01000000u), 0x80000000u);
    IS(__vcmpges2(0x00010000u, 0x0000ffffu), 0xffffffffu);
    IS(__vsads4(0x01ff0000u, 0u), 2u);
    IS(__viaddmax_s32(3, 4, 5), 7);
    IS(__vimin3_s32_relu(-3, 4, 5), 0);
    __half nan = __ushort_as_half(0x7fff), one = __float2half(1.0f);
    IS(__hne(nan, one), false);
    IS(__hneu(nan, one), true);
    IS(nan != one, true);
    IS(__half_as_ushort(__float2half_rz(1.0009f)), 0x3c00);
    IS(__half_as_ushort(__float2half_ru(-1.0009f)), 0xbc00);
    IS(__half_as_ushort(__float2half_rd(1e9f)), 0x7bff);
    IS(__half_as_ushort(__hadd_sat(one, one)), 0x3c00);
    IS(__half_as_ushort(__hmax_nan(nan, one)), 0x7fff);
    IS(__nv_cvt_float_to_fp8(464.0f, __NV_NOSAT, __NV_E4M3), 0x7e);
    IS(__nv_cvt_float_to_fp8(-465.0f, __NV_NOSAT, __NV_E4M3), 0xff);
    IS(__nv_cvt_float_to_fp8(1e9f, __NV_SATFINITE, __NV_E5M2), 0x7b);
    IS(__nv_cvt_float_to_fp8(0.0009765625f, __NV_SATFINITE, __NV_E4M3), 0);      /* half of the smallest number: to the even one */
    IS(__nv_cvt_float_to_fp8(0.0029296875f, __NV_SATFINITE, __NV_E4M3), 2);
    for (int code = 0; code < 256; code++) {
        if ((code & 0x7f) != 0x7f) IS(__nv_cvt_double_to_fp8(__warploom_fp8_value(code, __NV_E4M3), __NV_NOSAT, __NV_E4M3), code);
        if ((code & 0x7f) <= 0x7c) IS(__half_as_ushort(__ushort_as_half(code << 8)), __nv_cvt_fp8_to_halfraw(code, __NV_E5M2).x);
    }
    IS((float)__nv_fp8_e4m3(1.3f), 1.25f);
    IS(((float2)__nv_fp8x2_e5m2(make_float2(3.0f, -0.3f))).y, -0.3125f);
}
int main()
{
    int found = 0;
    k<<<1, 1>>>(1.0f / 3, 1.0 / 9, (1ll << 53) + 1);
    cudaMemcpyFromSymbol(&found, wrong, sizeof found);
    printf("%d wrong\n", found);
    return found != 0;
}
