/* Floats of 8 bits (CUDA Math API, "FP8 Intrinsics"; Micikevicius and others, "FP8 Formats for Deep Learning", 2022): e4m3 has no infinity
   and one NaN of each sign, e5m2 is the upper byte of a half. Conversions are computed from doubles, exactly, and rounded to the nearest, of
   two to the even one. */
#pragma once
#pragma GCC system_header
#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

__WARPLOOM_BOTH __nv_fp8_storage_t __nv_cvt_double_to_fp8(const double x, const __nv_saturation_t saturate, const __nv_fp8_interpretation_t kind)
{
    const int mantissa = kind == __NV_E4M3 ? 3 : 2, least = kind == __NV_E4M3 ? -6 : -14;
    unsigned long long bits = __builtin_bit_cast(unsigned long long, x);
    unsigned char sign = (unsigned char)(bits >> 63 << 7);
    double size = __builtin_bit_cast(double, bits & 0x7fffffffffffffffull);
    if (size != size) return 0x7f;
    if (kind == __NV_E4M3 ? size > 464.0 : size >= 61440.0) { /* half of a step beyond the largest number */
        if (saturate == __NV_SATFINITE) return sign | (kind == __NV_E4M3 ? 0x7e : 0x7b);
        return sign | (kind == __NV_E4M3 ? 0x7f : 0x7c);
    }
    int exponent = (int)(bits >> 52 & 2047) - 1023;
    if (exponent < least) exponent = least;
    double scale = __builtin_bit_cast(double, (unsigned long long)(1023 + mantissa - exponent) << 52);
    return sign | (unsigned char)(((exponent - least) << mantissa) + (int)__builtin_rint(size * scale));
}
__WARPLOOM_BOTH double __warploom_fp8_value(__nv_fp8_storage_t code, __nv_fp8_interpretation_t kind)
{
    const int mantissa = kind == __NV_E4M3 ? 3 : 2, least = kind == __NV_E4M3 ? -6 : -14;
    int size = code & 0x7f, exponent = size >> mantissa, digits = size & ((1 << mantissa) - 1);
    double found;
    if (kind == __NV_E4M3 ? size == 0x7f : size > 0x7c) found = __builtin_nan("");
    else if (kind == __NV_E5M2 && size == 0x7c) found = __builtin_inf();
    else {
        if (exponent) digits += 1 << mantissa;
        int power = least - mantissa + (exponent ? exponent - 1 : 0);
        found = digits * __builtin_bit_cast(double, (unsigned long long)(1023 + power) << 52);
    }
    return code & 0x80 ? -found : found;
}
__WARPLOOM_BOTH __nv_fp8_storage_t __nv_cvt_float_to_fp8(const float x, const __nv_saturation_t s, const __nv_fp8_interpretation_t k) { return __nv_cvt_double_to_fp8((double)x, s, k); }
__WARPLOOM_BOTH __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(const __half_raw x, const __nv_saturation_t s, const __nv_fp8_interpretation_t k) { return __nv_cvt_double_to_fp8((double)__half2float(__ushort_as_half(x.x)), s, k); }
__WARPLOOM_BOTH __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(const __nv_bfloat16_raw x, const __nv_saturation_t s, const __nv_fp8_interpretation_t k) { return __nv_cvt_double_to_fp8((double)__bfloat162float(__nv_bfloat16(x)), s, k); }
__WARPLOOM_BOTH __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(const double2 x, const __nv_saturation_t s, const __nv_fp8_interpretation_t k)
{
    return (__nv_fp8x2_storage_t)(__nv_cvt_double_to_fp8(x.x, s, k) | __nv_cvt_double_to_fp8(x.y, s, k) << 8);
}
__WARPLOOM_BOTH __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(const float2 x, const __nv_saturation_t s, const __nv_fp8_interpretation_t k)
{
    return (__nv_fp8x2_storage_t)(__nv_cvt_double_to_fp8((double)x.x, s, k) | __nv_cvt_double_to_fp8((double)x.y, s, k) << 8);
}
__WARPLOOM_BOTH __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(const __half2_raw x, const __nv_saturation_t s, const __nv_fp8_interpretation_t k)
{
    return (__nv_fp8x2_storage_t)(__nv_cvt_halfraw_to_fp8(__half_raw{x.x}, s, k) | __nv_cvt_halfraw_to_fp8(__half_raw{x.y}, s, k) << 8);
}
__WARPLOOM_BOTH __half_raw __nv_cvt_fp8_to_halfraw(const __nv_fp8_storage_t x, const __nv_fp8_interpretation_t k) { return __half_raw{__half_as_ushort(__float2half((float)__warploom_fp8_value(x, k)))}; }
__WARPLOOM_BOTH __half2_raw __nv_cvt_fp8x2_to_halfraw2(const __nv_fp8x2_storage_t x, const __nv_fp8_interpretation_t k)
{
    return __half2_raw{__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, k).x, __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), k).x};
}

#if defined(__cplusplus)
#define __WARPLOOM_MEMBER __host__ __device__ inline __attribute__((always_inline))
#define __WARPLOOM_FP8(name, kind) \
    struct __nv_fp8_##name { \
        __nv_fp8_storage_t __x; \
        __nv_fp8_##name() = default; \
        __WARPLOOM_MEMBER explicit __nv_fp8_##name(double x) : __x(__nv_cvt_double_to_fp8(x, __NV_SATFINITE, kind)) {} \
        __WARPLOOM_MEMBER explicit __nv_fp8_##name(float x) : __nv_fp8_##name((double)x) {} \
        __WARPLOOM_MEMBER explicit __nv_fp8_##name(__half x) : __nv_fp8_##name((double)__half2float(x)) {} \
        __WARPLOOM_MEMBER explicit __nv_fp8_##name(__nv_bfloat16 x) : __nv_fp8_##name((double)__bfloat162float(x)) {} \
        __WARPLOOM_MEMBER explicit __nv_fp8_##name(int x) : __nv_fp8_##name((double)x) {} \
        __WARPLOOM_MEMBER explicit __nv_fp8_##name(unsigned int x) : __nv_fp8_##name((double)x) {} \
        __WARPLOOM_MEMBER explicit __nv_fp8_##name(long long x) : __nv_fp8_##name((double)x) {} \
        __WARPLOOM_MEMBER explicit __nv_fp8_##name(unsigned long long x) : __nv_fp8_##name((double)x) {} \
        __WARPLOOM_MEMBER explicit operator float() const { return (float)__warploom_fp8_value(__x, kind); } \
        __WARPLOOM_MEMBER explicit operator double() const { return __warploom_fp8_value(__x, kind); } \
        __WARPLOOM_MEMBER explicit operator __half() const { return __half((float)*this); } \
        __WARPLOOM_MEMBER explicit operator __nv_bfloat16() const { return __nv_bfloat16((float)*this); } \
        __WARPLOOM_MEMBER explicit operator int() const { return (int)(float)*this; } \
        __WARPLOOM_MEMBER explicit operator unsigned int() const { return (unsigned int)(float)*this; } \
        __WARPLOOM_MEMBER explicit operator bool() const { return (__x & 0x7f) != 0; } \
    }; \
    struct __nv_fp8x2_##name { \
        __nv_fp8x2_storage_t __x; \
        __nv_fp8x2_##name() = default; \
        __WARPLOOM_MEMBER explicit __nv_fp8x2_##name(float2 x) : __x(__nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, kind)) {} \
        __WARPLOOM_MEMBER explicit __nv_fp8x2_##name(double2 x) : __x(__nv_cvt_double2_to_fp8x2(x, __NV_SATFINITE, kind)) {} \
        __WARPLOOM_MEMBER explicit __nv_fp8x2_##name(__half2 x) : __nv_fp8x2_##name(__half22float2(x)) {} \
        __WARPLOOM_MEMBER explicit __nv_fp8x2_##name(__nv_bfloat162 x) : __nv_fp8x2_##name(__bfloat1622float2(x)) {} \
        __WARPLOOM_MEMBER explicit operator float2() const { return make_float2((float)__warploom_fp8_value(__x & 0xff, kind), (float)__warploom_fp8_value(__x >> 8, kind)); } \
        __WARPLOOM_MEMBER explicit operator __half2() const { return __float22half2_rn((float2)*this); } \
    }; \
    struct __nv_fp8x4_##name { \
        __nv_fp8x4_storage_t __x; \
        __nv_fp8x4_##name() = default; \
        __WARPLOOM_MEMBER explicit __nv_fp8x4_##name(float4 x) \
            : __x(__nv_cvt_float2_to_fp8x2(make_float2(x.x, x.y), __NV_SATFINITE, kind) | (unsigned int)__nv_cvt_float2_to_fp8x2(make_float2(x.z, x.w), __NV_SATFINITE, kind) << 16) {} \
        __WARPLOOM_MEMBER explicit __nv_fp8x4_##name(double4 x) : __nv_fp8x4_##name(make_float4((float)x.x, (float)x.y, (float)x.z, (float)x.w)) {} \
        __WARPLOOM_MEMBER explicit __nv_fp8x4_##name(float2 x, float2 y) : __nv_fp8x4_##name(make_float4(x.x, x.y, y.x, y.y)) {} \
        __WARPLOOM_MEMBER explicit __nv_fp8x4_##name(__half2 x, __half2 y) : __nv_fp8x4_##name(__half22float2(x), __half22float2(y)) {} \
        __WARPLOOM_MEMBER explicit __nv_fp8x4_##name(__nv_bfloat162 x, __nv_bfloat162 y) : __nv_fp8x4_##name(__bfloat1622float2(x), __bfloat1622float2(y)) {} \
        __WARPLOOM_MEMBER explicit operator float4() const \
        { \
            return make_float4((float)__warploom_fp8_value(__x & 0xff, kind), (float)__warploom_fp8_value(__x >> 8 & 0xff, kind), \
                               (float)__warploom_fp8_value(__x >> 16 & 0xff, kind), (float)__warploom_fp8_value(__x >> 24, kind)); \
        } \
    };
__WARPLOOM_FP8(e4m3, __NV_E4M3)
__WARPLOOM_FP8(e5m2, __NV_E5M2)
#undef __WARPLOOM_FP8
#undef __WARPLOOM_MEMBER
#endif
