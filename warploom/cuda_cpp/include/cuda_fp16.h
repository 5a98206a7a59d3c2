/* Half precision (CUDA Math API, "Half precision intrinsics"): __half and __half2, on the device as instructions, on the host by conversion. */
#pragma once
#pragma GCC system_header
#include "cuda_runtime.h"

#if defined(__CUDA__) && defined(__cplusplus)
#define __WARPLOOM_HALF __host__ __device__ inline __attribute__((always_inline))
struct __align__(2) __half {
    _Float16 v;
    __half() = default;
    __WARPLOOM_HALF __half(_Float16 x) : v(x) {}
    __WARPLOOM_HALF __half(float x) : v((_Float16)x) {}
    __WARPLOOM_HALF __half(double x) : v((_Float16)x) {}
    __WARPLOOM_HALF __half(int x) : v((_Float16)x) {}
    __WARPLOOM_HALF __half(unsigned int x) : v((_Float16)x) {}
    __WARPLOOM_HALF __half(long long x) : v((_Float16)x) {}
    __WARPLOOM_HALF __half(unsigned long long x) : v((_Float16)x) {}
    __WARPLOOM_HALF operator float() const { return (float)v; }
};
typedef __half half;
typedef __half __nv_half;
struct __half_raw {
    unsigned short x;
};
struct __half2_raw {
    unsigned short x, y;
};
struct __align__(4) __half2 {
    __half x, y;
    __half2() = default;
    __WARPLOOM_HALF __half2(__half x, __half y) : x(x), y(y) {}
};
typedef __half2 half2;
typedef __half2 __nv_half2;

__WARPLOOM_HALF float __half2float(__half x) { return (float)x.v; }
__WARPLOOM_HALF __half __float2half(float x) { return __half(x); }
__WARPLOOM_HALF __half __float2half_rn(float x) { return __half(x); }
__WARPLOOM_HALF __half __double2half(double x) { return __half(x); }
__WARPLOOM_HALF __half2 __float2half2_rn(float x) { return {__half(x), __half(x)}; }
__WARPLOOM_HALF __half2 __floats2half2_rn(float x, float y) { return {__half(x), __half(y)}; }
__WARPLOOM_HALF __half2 __float22half2_rn(float2 x) { return {__half(x.x), __half(x.y)}; }
__WARPLOOM_HALF float2 __half22float2(__half2 x) { return make_float2((float)x.x.v, (float)x.y.v); }
__WARPLOOM_HALF __half2 __half2half2(__half x) { return {x, x}; }
__WARPLOOM_HALF __half2 __halves2half2(__half x, __half y) { return {x, y}; }
__WARPLOOM_HALF __half2 make_half2(__half x, __half y) { return {x, y}; }
__WARPLOOM_HALF __half __low2half(__half2 x) { return x.x; }
__WARPLOOM_HALF __half __high2half(__half2 x) { return x.y; }
__WARPLOOM_HALF float __low2float(__half2 x) { return (float)x.x.v; }
__WARPLOOM_HALF float __high2float(__half2 x) { return (float)x.y.v; }
__WARPLOOM_HALF __half2 __low2half2(__half2 x) { return {x.x, x.x}; }
__WARPLOOM_HALF __half2 __high2half2(__half2 x) { return {x.y, x.y}; }
__WARPLOOM_HALF __half2 __lowhigh2highlow(__half2 x) { return {x.y, x.x}; }
__WARPLOOM_HALF unsigned short __half_as_ushort(__half x) { return __builtin_bit_cast(unsigned short, x.v); }
__WARPLOOM_HALF short __half_as_short(__half x) { return __builtin_bit_cast(short, x.v); }
__WARPLOOM_HALF __half __ushort_as_half(unsigned short x) { return __half(__builtin_bit_cast(_Float16, x)); }
__WARPLOOM_HALF __half __short_as_half(short x) { return __half(__builtin_bit_cast(_Float16, x)); }
__WARPLOOM_HALF __half __int2half_rn(int x) { return __half(x); }
__WARPLOOM_HALF __half __uint2half_rn(unsigned int x) { return __half(x); }
__WARPLOOM_HALF int __half2int_rz(__half x) { return (int)(float)x.v; }
__WARPLOOM_HALF int __half2int_rn(__half x) { return (int)__builtin_rintf((float)x.v); }

#define __WARPLOOM_HALF_2(name, name2, op) \
    __WARPLOOM_HALF __half name(__half a, __half b) { return __half((_Float16)(a.v op b.v)); } \
    __WARPLOOM_HALF __half2 name2(__half2 a, __half2 b) { return {name(a.x, b.x), name(a.y, b.y)}; } \
    __WARPLOOM_HALF __half operator op(__half a, __half b) { return name(a, b); } \
    __WARPLOOM_HALF __half &operator op##=(__half &a, __half b) { return a = name(a, b); } \
    __WARPLOOM_HALF __half2 operator op(__half2 a, __half2 b) { return name2(a, b); } \
    __WARPLOOM_HALF __half2 &operator op##=(__half2 &a, __half2 b) { return a = name2(a, b); }
__WARPLOOM_HALF_2(__hadd, __hadd2, +)
__WARPLOOM_HALF_2(__hsub, __hsub2, -)
__WARPLOOM_HALF_2(__hmul, __hmul2, *)
__WARPLOOM_HALF_2(__hdiv, __h2div, /)
/* A comparison, and with a u in its name the one that holds for a NaN too; of two halves each. */
__WARPLOOM_HALF bool __warploom_unordered(__half a, __half b) { return a.v != a.v || b.v != b.v; }
#define __WARPLOOM_HALF_TEST(name, expression) \
    __WARPLOOM_HALF bool __h##name(__half a, __half b) { return expression; } \
    __WARPLOOM_HALF bool __hb##name##2(__half2 a, __half2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); } \
    __WARPLOOM_HALF __half2 __h##name##2(__half2 a, __half2 b) { return {__half(__h##name(a.x, b.x) ? 1 : 0), __half(__h##name(a.y, b.y) ? 1 : 0)}; } \
    __WARPLOOM_HALF unsigned int __h##name##2_mask(__half2 a, __half2 b) { return (__h##name(a.x, b.x) ? 0xffffu : 0) | (__h##name(a.y, b.y) ? 0xffff0000u : 0); }
#define __WARPLOOM_HALF_COMPARE(name, op) \
    __WARPLOOM_HALF bool operator op(__half a, __half b) { return a.v op b.v; } \
    __WARPLOOM_HALF bool operator op(__half2 a, __half2 b) { return a.x.v op b.x.v && a.y.v op b.y.v; } \
    __WARPLOOM_HALF_TEST(name, !__warploom_unordered(a, b) && a.v op b.v) \
    __WARPLOOM_HALF_TEST(name##u, __warploom_unordered(a, b) || a.v op b.v)
__WARPLOOM_HALF_COMPARE(eq, ==)
__WARPLOOM_HALF_COMPARE(ne, !=)
__WARPLOOM_HALF_COMPARE(lt, <)
__WARPLOOM_HALF_COMPARE(le, <=)
__WARPLOOM_HALF_COMPARE(gt, >)
__WARPLOOM_HALF_COMPARE(ge, >=)
__WARPLOOM_HALF __half operator-(__half a) { return __half((_Float16)-a.v); }
__WARPLOOM_HALF __half __hneg(__half a) { return -a; }
__WARPLOOM_HALF __half __habs(__half a) { return __ushort_as_half(__half_as_ushort(a) & 0x7fff); }
__WARPLOOM_HALF bool __hisnan(__half a) { return a.v != a.v; }
__WARPLOOM_HALF int __hisinf(__half a) { return (__half_as_ushort(a) & 0x7fff) == 0x7c00 ? (__half_as_ushort(a) >> 15 ? -1 : 1) : 0; }
__WARPLOOM_HALF __half __hmin(__half a, __half b) { return a.v != a.v ? b : b.v != b.v || a.v < b.v ? a : b; }
__WARPLOOM_HALF __half __hmax(__half a, __half b) { return a.v != a.v ? b : b.v != b.v || a.v > b.v ? a : b; }
__WARPLOOM_HALF __half __hmin_nan(__half a, __half b) { return __warploom_unordered(a, b) ? __ushort_as_half(0x7fff) : __hmin(a, b); }
__WARPLOOM_HALF __half __hmax_nan(__half a, __half b) { return __warploom_unordered(a, b) ? __ushort_as_half(0x7fff) : __hmax(a, b); }
/* Between 0 and 1; a NaN is 0. */
__WARPLOOM_HALF __half __warploom_saturated(__half a) { return a.v > (_Float16)0 ? a.v < (_Float16)1 ? a : __half(1) : __half(0); }
#define __WARPLOOM_HALF_MORE(name) \
    __WARPLOOM_HALF __half __h##name##_rn(__half a, __half b) { return __h##name(a, b); } \
    __WARPLOOM_HALF __half2 __h##name##2_rn(__half2 a, __half2 b) { return __h##name##2(a, b); } \
    __WARPLOOM_HALF __half __h##name##_sat(__half a, __half b) { return __warploom_saturated(__h##name(a, b)); } \
    __WARPLOOM_HALF __half2 __h##name##2_sat(__half2 a, __half2 b) { return {__h##name##_sat(a.x, b.x), __h##name##_sat(a.y, b.y)}; }
__WARPLOOM_HALF_MORE(add)
__WARPLOOM_HALF_MORE(sub)
__WARPLOOM_HALF_MORE(mul)
#undef __WARPLOOM_HALF_MORE
/* Rounded otherwise than to the nearest: that one, or its neighbour. */
__WARPLOOM_HALF __half __warploom_half_step(double x, int up, int down)
{
    __half near = __half(x);
    double back = (double)near.v;
    bool negative = __half_as_ushort(near) >> 15, toward_zero = up == 0 && down == 0;
    bool larger = (up && back < x) || (toward_zero && negative && back < x), smaller = (down && back > x) || (toward_zero && !negative && back > x);
    int step = larger ? (negative ? -1 : 1) : smaller ? (negative ? 1 : -1) : 0;
    return __ushort_as_half((unsigned short)(__half_as_ushort(near) + step));
}
#define __WARPLOOM_HALF_FROM(name, type) \
    __WARPLOOM_HALF __half __##name##2half_rz(type x) { return __warploom_half_step((double)x, 0, 0); } \
    __WARPLOOM_HALF __half __##name##2half_ru(type x) { return __warploom_half_step((double)x, 1, 0); } \
    __WARPLOOM_HALF __half __##name##2half_rd(type x) { return __warploom_half_step((double)x, 0, 1); }
__WARPLOOM_HALF_FROM(float, float)
__WARPLOOM_HALF_FROM(int, int)
__WARPLOOM_HALF_FROM(uint, unsigned int)
__WARPLOOM_HALF_FROM(short, short)
__WARPLOOM_HALF_FROM(ushort, unsigned short)
#undef __WARPLOOM_HALF_FROM
__WARPLOOM_HALF __half __short2half_rn(short x) { return __half((float)x); }
__WARPLOOM_HALF __half __ushort2half_rn(unsigned short x) { return __half((float)x); }
#define __WARPLOOM_HALF_TO(name, type) \
    __WARPLOOM_HALF type __half2##name##_rd(__half x) { return (type)__builtin_floorf((float)x.v); } \
    __WARPLOOM_HALF type __half2##name##_ru(__half x) { return (type)__builtin_ceilf((float)x.v); }
#define __WARPLOOM_HALF_TO_ALL(name, type) \
    __WARPLOOM_HALF_TO(name, type) \
    __WARPLOOM_HALF type __half2##name##_rz(__half x) { return (type)(float)x.v; } \
    __WARPLOOM_HALF type __half2##name##_rn(__half x) { return (type)__builtin_rintf((float)x.v); }
__WARPLOOM_HALF_TO(int, int)
__WARPLOOM_HALF_TO_ALL(uint, unsigned int)
__WARPLOOM_HALF_TO_ALL(short, short)
__WARPLOOM_HALF_TO_ALL(ushort, unsigned short)
__WARPLOOM_HALF_TO_ALL(ll, long long)
__WARPLOOM_HALF_TO_ALL(ull, unsigned long long)
#undef __WARPLOOM_HALF_TO_ALL
#undef __WARPLOOM_HALF_TO
/* A product of halves is exact in float, and their sum with a third has at most one rounding more: done in double it has none. */
__WARPLOOM_HALF __half __hfma(__half a, __half b, __half c)
{
#if defined(__CUDA_ARCH__)
    unsigned short d;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(d) : "h"(__half_as_ushort(a)), "h"(__half_as_ushort(b)), "h"(__half_as_ushort(c)));
    return __ushort_as_half(d);
#else
    return __half((double)a.v * (double)b.v + (double)c.v);
#endif
}
__WARPLOOM_HALF __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }
__WARPLOOM_HALF __half __hfma_sat(__half a, __half b, __half c) { return __warploom_saturated(__hfma(a, b, c)); }
__WARPLOOM_HALF __half __hfma_relu(__half a, __half b, __half c) { __half d = __hfma(a, b, c); return d.v < (_Float16)0 ? __half(0) : d; }
__WARPLOOM_HALF __half2 __hfma2_sat(__half2 a, __half2 b, __half2 c) { return {__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)}; }
__WARPLOOM_HALF __half2 __hfma2_relu(__half2 a, __half2 b, __half2 c) { return {__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)}; }
__WARPLOOM_HALF __half2 __hcmadd(__half2 a, __half2 b, __half2 c)
{
    return {__hfma(__half((_Float16)-a.y.v), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))};
}
__WARPLOOM_HALF __half2 __hneg2(__half2 a) { return {-a.x, -a.y}; }
__WARPLOOM_HALF __half2 __habs2(__half2 a) { return {__habs(a.x), __habs(a.y)}; }
__WARPLOOM_HALF __half2 __hmin2(__half2 a, __half2 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }
__WARPLOOM_HALF __half2 __hmax2(__half2 a, __half2 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }

/* Functions: in float, rounded to half. */
#define __WARPLOOM_HALF_FUNCTION(name, expression) \
    __WARPLOOM_DEVICE __half h##name(__half a) { float x = (float)a.v; return __half(expression); } \
    __WARPLOOM_DEVICE __half2 h2##name(__half2 a) { return {h##name(a.x), h##name(a.y)}; }
__WARPLOOM_HALF_FUNCTION(sqrt, sqrtf(x))
__WARPLOOM_HALF_FUNCTION(rsqrt, rsqrtf(x))
__WARPLOOM_HALF_FUNCTION(rcp, 1.0f / x)
__WARPLOOM_HALF_FUNCTION(exp, expf(x))
__WARPLOOM_HALF_FUNCTION(exp2, exp2f(x))
__WARPLOOM_HALF_FUNCTION(exp10, exp10f(x))
__WARPLOOM_HALF_FUNCTION(log, logf(x))
__WARPLOOM_HALF_FUNCTION(log2, log2f(x))
__WARPLOOM_HALF_FUNCTION(log10, log10f(x))
__WARPLOOM_HALF_FUNCTION(sin, sinf(x))
__WARPLOOM_HALF_FUNCTION(cos, cosf(x))
__WARPLOOM_HALF_FUNCTION(tanh, tanhf(x))
__WARPLOOM_HALF_FUNCTION(floor, floorf(x))
__WARPLOOM_HALF_FUNCTION(ceil, ceilf(x))
__WARPLOOM_HALF_FUNCTION(trunc, truncf(x))
__WARPLOOM_HALF_FUNCTION(rint, rintf(x))
#undef __WARPLOOM_HALF_FUNCTION
/* By compare and swap of the word that the half is in. */
__WARPLOOM_DEVICE __half atomicAdd(__half *place, __half value)
{
    unsigned short before = *(volatile unsigned short *)place, expected;
    do {
        expected = before;
        before = atomicCAS((unsigned short *)place, expected, __half_as_ushort(__ushort_as_half(expected) + value));
    } while (before != expected);
    return __ushort_as_half(before);
}
__WARPLOOM_DEVICE __half2 atomicAdd(__half2 *place, __half2 value)
{
    unsigned int before = *(volatile unsigned int *)place, expected;
    do {
        expected = before;
        before = atomicCAS((unsigned int *)place, expected, __builtin_bit_cast(unsigned int, __hadd2(__builtin_bit_cast(__half2, expected), value)));
    } while (before != expected);
    return __builtin_bit_cast(__half2, before);
}
#endif
