/* bfloat16 (CUDA Math API, "Bfloat16 precision intrinsics"): the upper half of a float. A sum, difference, product or quotient of two is
   rounded once more from float, which changes nothing: float has more than twice as many bits. */
#pragma once
#pragma GCC system_header
#include "cuda_runtime.h"

#if defined(__CUDA__) && defined(__cplusplus)
#define __WARPLOOM_BF16 __host__ __device__ inline __attribute__((always_inline))
__WARPLOOM_BF16 unsigned short __warploom_to_bf16(float x)
{
    unsigned int bits = __builtin_bit_cast(unsigned int, x);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
    return (unsigned short)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}
struct __nv_bfloat16_raw {
    unsigned short x;
};
struct __align__(2) __nv_bfloat16 {
    unsigned short __x;
    __nv_bfloat16() = default;
    __WARPLOOM_BF16 __nv_bfloat16(const __nv_bfloat16_raw &r) : __x(r.x) {}
    __WARPLOOM_BF16 __nv_bfloat16(float x) : __x(__warploom_to_bf16(x)) {}
    __WARPLOOM_BF16 __nv_bfloat16(double x) : __x(__warploom_to_bf16((float)x)) {}
    __WARPLOOM_BF16 __nv_bfloat16(int x) : __x(__warploom_to_bf16((float)x)) {}
    __WARPLOOM_BF16 __nv_bfloat16(unsigned int x) : __x(__warploom_to_bf16((float)x)) {}
    __WARPLOOM_BF16 __nv_bfloat16(long long x) : __x(__warploom_to_bf16((float)x)) {}
    __WARPLOOM_BF16 __nv_bfloat16(unsigned long long x) : __x(__warploom_to_bf16((float)x)) {}
    __WARPLOOM_BF16 operator float() const { return __builtin_bit_cast(float, (unsigned int)__x << 16); }
};
typedef __nv_bfloat16 nv_bfloat16;
struct __align__(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    __WARPLOOM_BF16 __nv_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) : x(x), y(y) {}
};
typedef __nv_bfloat162 nv_bfloat162;

__WARPLOOM_BF16 float __bfloat162float(__nv_bfloat16 x) { return (float)x; }
__WARPLOOM_BF16 __nv_bfloat16 __float2bfloat16(float x) { return x; }
__WARPLOOM_BF16 __nv_bfloat16 __float2bfloat16_rn(float x) { return x; }
__WARPLOOM_BF16 __nv_bfloat16 __double2bfloat16(double x) { return x; }
__WARPLOOM_BF16 __nv_bfloat162 __float2bfloat162_rn(float x) { return {x, x}; }
__WARPLOOM_BF16 __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return {x, y}; }
__WARPLOOM_BF16 __nv_bfloat162 __float22bfloat162_rn(float2 v) { return {v.x, v.y}; }
__WARPLOOM_BF16 float2 __bfloat1622float2(__nv_bfloat162 v) { return make_float2((float)v.x, (float)v.y); }
__WARPLOOM_BF16 __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) { return {x, x}; }
__WARPLOOM_BF16 __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
__WARPLOOM_BF16 __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
__WARPLOOM_BF16 __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
__WARPLOOM_BF16 __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
__WARPLOOM_BF16 float __low2float(__nv_bfloat162 v) { return (float)v.x; }
__WARPLOOM_BF16 float __high2float(__nv_bfloat162 v) { return (float)v.y; }
__WARPLOOM_BF16 unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.__x; }
__WARPLOOM_BF16 short __bfloat16_as_short(__nv_bfloat16 x) { return (short)x.__x; }
__WARPLOOM_BF16 __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) { return __nv_bfloat16_raw{x}; }
__WARPLOOM_BF16 __nv_bfloat16 __short_as_bfloat16(short x) { return __nv_bfloat16_raw{(unsigned short)x}; }
__WARPLOOM_BF16 __nv_bfloat16 __int2bfloat16_rn(int x) { return x; }
__WARPLOOM_BF16 __nv_bfloat16 __uint2bfloat16_rn(unsigned int x) { return x; }
__WARPLOOM_BF16 int __bfloat162int_rz(__nv_bfloat16 x) { return (int)(float)x; }
__WARPLOOM_BF16 int __bfloat162int_rn(__nv_bfloat16 x) { return (int)__builtin_rintf((float)x); }

#define __WARPLOOM_BF16_2(name, name2, op) \
    __WARPLOOM_BF16 __nv_bfloat16 name(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a op (float)b; } \
    __WARPLOOM_BF16 __nv_bfloat162 name2(__nv_bfloat162 a, __nv_bfloat162 b) { return {name(a.x, b.x), name(a.y, b.y)}; } \
    __WARPLOOM_BF16 __nv_bfloat16 operator op(__nv_bfloat16 a, __nv_bfloat16 b) { return name(a, b); } \
    __WARPLOOM_BF16 __nv_bfloat16 &operator op##=(__nv_bfloat16 &a, __nv_bfloat16 b) { return a = name(a, b); } \
    __WARPLOOM_BF16 __nv_bfloat162 operator op(__nv_bfloat162 a, __nv_bfloat162 b) { return name2(a, b); } \
    __WARPLOOM_BF16 __nv_bfloat162 &operator op##=(__nv_bfloat162 &a, __nv_bfloat162 b) { return a = name2(a, b); }
__WARPLOOM_BF16_2(__hadd, __hadd2, +)
__WARPLOOM_BF16_2(__hsub, __hsub2, -)
__WARPLOOM_BF16_2(__hmul, __hmul2, *)
__WARPLOOM_BF16_2(__hdiv, __h2div, /)
#undef __WARPLOOM_BF16_2
#define __WARPLOOM_BF16_COMPARE(name, op) \
    __WARPLOOM_BF16 bool __h##name(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a op (float)b; } \
    __WARPLOOM_BF16 bool operator op(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a op (float)b; } \
    __WARPLOOM_BF16 __nv_bfloat162 __h##name##2(__nv_bfloat162 a, __nv_bfloat162 b) { return {__h##name(a.x, b.x) ? 1.0f : 0.0f, __h##name(a.y, b.y) ? 1.0f : 0.0f}; }
__WARPLOOM_BF16_COMPARE(eq, ==)
__WARPLOOM_BF16_COMPARE(ne, !=)
__WARPLOOM_BF16_COMPARE(lt, <)
__WARPLOOM_BF16_COMPARE(le, <=)
__WARPLOOM_BF16_COMPARE(gt, >)
__WARPLOOM_BF16_COMPARE(ge, >=)
#undef __WARPLOOM_BF16_COMPARE
__WARPLOOM_BF16 __nv_bfloat16 __hneg(__nv_bfloat16 a) { return __ushort_as_bfloat16(a.__x ^ 0x8000); }
__WARPLOOM_BF16 __nv_bfloat16 operator-(__nv_bfloat16 a) { return __hneg(a); }
__WARPLOOM_BF16 __nv_bfloat16 __habs(__nv_bfloat16 a) { return __ushort_as_bfloat16(a.__x & 0x7fff); }
__WARPLOOM_BF16 bool __hisnan(__nv_bfloat16 a) { return (a.__x & 0x7fff) > 0x7f80; }
__WARPLOOM_BF16 int __hisinf(__nv_bfloat16 a) { return (a.__x & 0x7fff) == 0x7f80 ? (a.__x >> 15 ? -1 : 1) : 0; }
__WARPLOOM_BF16 __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b) { return __hisnan(a) ? b : __hisnan(b) || (float)a < (float)b ? a : b; }
__WARPLOOM_BF16 __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) { return __hisnan(a) ? b : __hisnan(b) || (float)a > (float)b ? a : b; }
/* Rounded once: the sum in double is made odd where it is not exact, so that rounding it again cannot find a tie. */
__WARPLOOM_BF16 __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
    double sum = (double)(float)a * (double)(float)b + (double)(float)c;
    unsigned long long bits = __builtin_bit_cast(unsigned long long, sum), low = (1ull << 29) - 1;
    if ((bits & low) && sum - sum == 0) bits = (bits & ~low) | 1ull << 29;
    return (float)__builtin_bit_cast(double, bits);
}
__WARPLOOM_BF16 __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }
__WARPLOOM_BF16 __nv_bfloat162 __hneg2(__nv_bfloat162 a) { return {__hneg(a.x), __hneg(a.y)}; }
__WARPLOOM_BF16 __nv_bfloat162 __habs2(__nv_bfloat162 a) { return {__habs(a.x), __habs(a.y)}; }
__WARPLOOM_BF16 __nv_bfloat162 __hmin2(__nv_bfloat162 a, __nv_bfloat162 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }
__WARPLOOM_BF16 __nv_bfloat162 __hmax2(__nv_bfloat162 a, __nv_bfloat162 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }

/* Functions: in float, rounded to bfloat16. */
#define __WARPLOOM_BF16_FUNCTION(name, expression) \
    __WARPLOOM_DEVICE __nv_bfloat16 h##name(__nv_bfloat16 a) { float x = (float)a; return expression; } \
    __WARPLOOM_DEVICE __nv_bfloat162 h2##name(__nv_bfloat162 a) { return {h##name(a.x), h##name(a.y)}; }
__WARPLOOM_BF16_FUNCTION(sqrt, sqrtf(x))
__WARPLOOM_BF16_FUNCTION(rsqrt, rsqrtf(x))
__WARPLOOM_BF16_FUNCTION(rcp, 1.0f / x)
__WARPLOOM_BF16_FUNCTION(exp, expf(x))
__WARPLOOM_BF16_FUNCTION(exp2, exp2f(x))
__WARPLOOM_BF16_FUNCTION(log, logf(x))
__WARPLOOM_BF16_FUNCTION(log2, log2f(x))
__WARPLOOM_BF16_FUNCTION(sin, sinf(x))
__WARPLOOM_BF16_FUNCTION(cos, cosf(x))
__WARPLOOM_BF16_FUNCTION(tanh, tanhf(x))
__WARPLOOM_BF16_FUNCTION(floor, floorf(x))
__WARPLOOM_BF16_FUNCTION(ceil, ceilf(x))
#undef __WARPLOOM_BF16_FUNCTION
__WARPLOOM_DEVICE __nv_bfloat16 __shfl_sync(unsigned int m, __nv_bfloat16 v, int l, int w = 32) { return __ushort_as_bfloat16((unsigned short)__shfl_sync(m, (unsigned int)v.__x, l, w)); }
__WARPLOOM_DEVICE __nv_bfloat16 __shfl_xor_sync(unsigned int m, __nv_bfloat16 v, int l, int w = 32) { return __ushort_as_bfloat16((unsigned short)__shfl_xor_sync(m, (unsigned int)v.__x, l, w)); }
__WARPLOOM_DEVICE __nv_bfloat16 __shfl_down_sync(unsigned int m, __nv_bfloat16 v, unsigned int d, int w = 32) { return __ushort_as_bfloat16((unsigned short)__shfl_down_sync(m, (unsigned int)v.__x, d, w)); }
/* By compare and swap of the word that the number is in. */
__WARPLOOM_DEVICE __nv_bfloat16 atomicAdd(__nv_bfloat16 *place, __nv_bfloat16 value)
{
    unsigned short before = *(volatile unsigned short *)place, expected;
    do {
        expected = before;
        before = atomicCAS((unsigned short *)place, expected, (__ushort_as_bfloat16(expected) + value).__x);
    } while (before != expected);
    return __ushort_as_bfloat16(before);
}
#endif
