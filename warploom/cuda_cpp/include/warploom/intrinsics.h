/* Intrinsic functions of kernels (CUDA Math API, "Integer intrinsics", "Type casting intrinsics", "Single precision intrinsics" ...). */
#pragma once
#pragma GCC system_header
#include "math.h"

#if defined(__CUDA__)
/* ---- whole numbers */
__WARPLOOM_DEVICE int __popc(unsigned int x) { return __builtin_popcount(x); }
__WARPLOOM_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
__WARPLOOM_DEVICE int __clz(int x) { return x ? __builtin_clz(x) : 32; }
__WARPLOOM_DEVICE int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
__WARPLOOM_DEVICE int __ffs(int x) { return 32 - __clz(x & -x); }
__WARPLOOM_DEVICE int __ffsll(long long x) { return 64 - __clzll(x & -x); }
__WARPLOOM_DEVICE unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
__WARPLOOM_DEVICE unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
__WARPLOOM_DEVICE unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int s)
{
    unsigned int d;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(x), "r"(y), "r"(s & 0x7777));
    return d;
}
__WARPLOOM_DEVICE unsigned int __fns(unsigned int mask, unsigned int base, int offset)
{
    int step = offset < 0 ? -1 : 1, left = offset < 0 ? -offset : offset;
    if (offset == 0) return mask >> base & 1 ? base : 0xffffffffu;
    for (int place = (int)base; place >= 0 && place < 32; place += step)
        if (mask >> place & 1 && --left == 0) return place;
    return 0xffffffffu;
}
__WARPLOOM_DEVICE int __mulhi(int x, int y) { return (int)((long long)x * y >> 32); }
__WARPLOOM_DEVICE unsigned int __umulhi(unsigned int x, unsigned int y) { return (unsigned int)((unsigned long long)x * y >> 32); }
__WARPLOOM_DEVICE long long __mul64hi(long long x, long long y) { return __nvvm_mulhi_ll(x, y); }
__WARPLOOM_DEVICE unsigned long long __umul64hi(unsigned long long x, unsigned long long y) { return __nvvm_mulhi_ull(x, y); }
__WARPLOOM_DEVICE int mulhi(int x, int y) { return __mulhi(x, y); }
__WARPLOOM_DEVICE unsigned int umulhi(unsigned int x, unsigned int y) { return __umulhi(x, y); }
__WARPLOOM_DEVICE int __mul24(int x, int y) { return (x << 8 >> 8) * (y << 8 >> 8); }
__WARPLOOM_DEVICE unsigned int __umul24(unsigned int x, unsigned int y) { return (x & 0xffffff) * (y & 0xffffff); }
__WARPLOOM_DEVICE int mul24(int x, int y) { return __mul24(x, y); }
__WARPLOOM_DEVICE unsigned int umul24(unsigned int x, unsigned int y) { return __umul24(x, y); }
__WARPLOOM_DEVICE unsigned int __sad(int x, int y, unsigned int z) { return z + (x < y ? (unsigned int)y - x : (unsigned int)x - y); }
__WARPLOOM_DEVICE unsigned int __usad(unsigned int x, unsigned int y, unsigned int z) { return z + (x < y ? y - x : x - y); }
__WARPLOOM_DEVICE int __hadd(int x, int y) { return (int)(((long long)x + y) >> 1); }
__WARPLOOM_DEVICE int __rhadd(int x, int y) { return (int)(((long long)x + y + 1) >> 1); }
__WARPLOOM_DEVICE unsigned int __uhadd(unsigned int x, unsigned int y) { return (unsigned int)(((unsigned long long)x + y) >> 1); }
__WARPLOOM_DEVICE unsigned int __urhadd(unsigned int x, unsigned int y) { return (unsigned int)(((unsigned long long)x + y + 1) >> 1); }
__WARPLOOM_DEVICE unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int n)
{
    return (unsigned int)(((unsigned long long)high << 32 | low) << (n & 31) >> 32);
}
__WARPLOOM_DEVICE unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int n)
{
    return (unsigned int)(((unsigned long long)high << 32 | low) >> (n & 31));
}
__WARPLOOM_DEVICE unsigned int __funnelshift_lc(unsigned int low, unsigned int high, unsigned int n)
{
    return (unsigned int)(((unsigned long long)high << 32 | low) << (n < 32 ? n : 32) >> 32);
}
__WARPLOOM_DEVICE unsigned int __funnelshift_rc(unsigned int low, unsigned int high, unsigned int n)
{
    return (unsigned int)(((unsigned long long)high << 32 | low) >> (n < 32 ? n : 32));
}
#define __WARPLOOM_DOT4(type, other, part) \
    __WARPLOOM_DEVICE type __dp4a(other x, other y, type sum) \
    { \
        for (int k = 0; k < 32; k += 8) sum += (type)(part)(x >> k) * (type)(part)(y >> k); \
        return sum; \
    }
__WARPLOOM_DOT4(int, int, signed char)
__WARPLOOM_DOT4(unsigned int, unsigned int, unsigned char)
#undef __WARPLOOM_DOT4
__WARPLOOM_DEVICE int __dp2a_lo(int x, int y, int sum) { return sum + (short)x * (signed char)y + (short)(x >> 16) * (signed char)(y >> 8); }
__WARPLOOM_DEVICE int __dp2a_hi(int x, int y, int sum) { return sum + (short)x * (signed char)(y >> 16) + (short)(x >> 16) * (signed char)(y >> 24); }

/* Four bytes or two halves in a word (CUDA Math API, "SIMD intrinsics"); one lane after the other. */
#define __WARPLOOM_SIMD(name, bits, type, expression) \
    __WARPLOOM_DEVICE unsigned int name(unsigned int x, unsigned int y) \
    { \
        unsigned int found = 0; \
        for (int k = 0; k < 32; k += bits) { \
            type a = (type)(x >> k), b = (type)(y >> k); \
            found |= ((unsigned int)(expression) & ((1u << bits) - 1)) << k; \
        } \
        return found; \
    }
#define __WARPLOOM_SIMD_OF(n, bits, s, u) \
    __WARPLOOM_SIMD(__vadd##n, bits, u, a + b) \
    __WARPLOOM_SIMD(__vsub##n, bits, u, a - b) \
    __WARPLOOM_SIMD(__vminu##n, bits, u, a < b ? a : b) \
    __WARPLOOM_SIMD(__vmaxu##n, bits, u, a < b ? b : a) \
    __WARPLOOM_SIMD(__vmins##n, bits, s, a < b ? a : b) \
    __WARPLOOM_SIMD(__vmaxs##n, bits, s, a < b ? b : a) \
    __WARPLOOM_SIMD(__vabsdiffu##n, bits, u, a < b ? b - a : a - b) \
    __WARPLOOM_SIMD(__vavgu##n, bits, u, (a + b + 1) >> 1) \
    __WARPLOOM_SIMD(__vhaddu##n, bits, u, (a + b) >> 1) \
    __WARPLOOM_SIMD(__vcmpeq##n, bits, u, a == b ? ~0u : 0u) \
    __WARPLOOM_SIMD(__vcmpne##n, bits, u, a != b ? ~0u : 0u) \
    __WARPLOOM_SIMD(__vcmpgtu##n, bits, u, a > b ? ~0u : 0u) \
    __WARPLOOM_SIMD(__vcmpgeu##n, bits, u, a >= b ? ~0u : 0u) \
    __WARPLOOM_SIMD(__vcmpltu##n, bits, u, a < b ? ~0u : 0u) \
    __WARPLOOM_SIMD(__vcmpgts##n, bits, s, a > b ? ~0u : 0u) \
    __WARPLOOM_SIMD(__vcmplts##n, bits, s, a < b ? ~0u : 0u) \
    __WARPLOOM_SIMD(__vseteq##n, bits, u, a == b) \
    __WARPLOOM_SIMD(__vsetne##n, bits, u, a != b) \
    __WARPLOOM_SIMD(__vsetgtu##n, bits, u, a > b) \
    __WARPLOOM_SIMD(__vaddus##n, bits, u, a + b > (u)~0 ? (u)~0 : a + b) \
    __WARPLOOM_SIMD(__vsubus##n, bits, u, a < b ? 0 : a - b)
/* Of the same, comparisons that the above does not have, sums that saturate with a sign, and operations of one word. */
#define __WARPLOOM_SIMD_MORE(n, bits, s, u) \
    __WARPLOOM_SIMD(__vcmpges##n, bits, s, a >= b ? ~0u : 0u) \
    __WARPLOOM_SIMD(__vcmples##n, bits, s, a <= b ? ~0u : 0u) \
    __WARPLOOM_SIMD(__vcmpleu##n, bits, u, a <= b ? ~0u : 0u) \
    __WARPLOOM_SIMD(__vsetges##n, bits, s, a >= b) \
    __WARPLOOM_SIMD(__vsetgts##n, bits, s, a > b) \
    __WARPLOOM_SIMD(__vsetles##n, bits, s, a <= b) \
    __WARPLOOM_SIMD(__vsetlts##n, bits, s, a < b) \
    __WARPLOOM_SIMD(__vsetgeu##n, bits, u, a >= b) \
    __WARPLOOM_SIMD(__vsetleu##n, bits, u, a <= b) \
    __WARPLOOM_SIMD(__vsetltu##n, bits, u, a < b) \
    __WARPLOOM_SIMD(__vabsdiffs##n, bits, s, a < b ? b - a : a - b) \
    __WARPLOOM_SIMD(__vavgs##n, bits, s, (a + b + ((a + b) >= 0)) >> 1) \
    __WARPLOOM_SIMD(__vaddss##n, bits, s, __warploom_between(a + b, bits)) \
    __WARPLOOM_SIMD(__vsubss##n, bits, s, __warploom_between(a - b, bits)) \
    __WARPLOOM_DEVICE unsigned int __vneg##n(unsigned int x) { return __vsub##n(0, x); } \
    __WARPLOOM_DEVICE unsigned int __vnegss##n(unsigned int x) { return __vsubss##n(0, x); } \
    __WARPLOOM_DEVICE unsigned int __vabs##n(unsigned int x) { return __vmaxs##n(x, __vneg##n(x)) & ~__vcmpeq##n(x, __vneg##n(x)) | x & __vcmpeq##n(x, __vneg##n(x)); } \
    __WARPLOOM_DEVICE unsigned int __vabsss##n(unsigned int x) { return __vmaxs##n(x, __vnegss##n(x)); }
__WARPLOOM_DEVICE int __warploom_between(int x, int bits)
{
    int most = (1 << (bits - 1)) - 1;
    return x > most ? most : x < -most - 1 ? -most - 1 : x;
}
__WARPLOOM_SIMD_OF(2, 16, short, unsigned short)
__WARPLOOM_SIMD_OF(4, 8, signed char, unsigned char)
__WARPLOOM_SIMD_MORE(2, 16, short, unsigned short)
__WARPLOOM_SIMD_MORE(4, 8, signed char, unsigned char)
#undef __WARPLOOM_SIMD_MORE
#undef __WARPLOOM_SIMD_OF
#undef __WARPLOOM_SIMD
__WARPLOOM_DEVICE unsigned int __vsadu4(unsigned int x, unsigned int y)
{
    unsigned int sum = 0;
    for (int k = 0; k < 32; k += 8) {
        int a = x >> k & 255, b = y >> k & 255;
        sum += a < b ? b - a : a - b;
    }
    return sum;
}

#define __WARPLOOM_DIFFERENCES(name, bits, type) \
    __WARPLOOM_DEVICE unsigned int name(unsigned int x, unsigned int y) \
    { \
        unsigned int sum = 0; \
        for (int k = 0; k < 32; k += bits) { \
            int a = (type)(x >> k), b = (type)(y >> k); \
            sum += a < b ? b - a : a - b; \
        } \
        return sum; \
    }
__WARPLOOM_DIFFERENCES(__vsads2, 16, short)
__WARPLOOM_DIFFERENCES(__vsadu2, 16, unsigned short)
__WARPLOOM_DIFFERENCES(__vsads4, 8, signed char)
#undef __WARPLOOM_DIFFERENCES

/* Three numbers, or a sum and one, at most or at least; with relu not below 0 (CUDA Math API, "SIMD intrinsics"). */
#define __WARPLOOM_DYNAMIC(type, suffix) \
    __WARPLOOM_BOTH type __vimax3_##suffix(type a, type b, type c) { type m = a > b ? a : b; return m > c ? m : c; } \
    __WARPLOOM_BOTH type __vimin3_##suffix(type a, type b, type c) { type m = a < b ? a : b; return m < c ? m : c; } \
    __WARPLOOM_BOTH type __viaddmax_##suffix(type a, type b, type c) { type s = (type)((unsigned int)a + (unsigned int)b); return s > c ? s : c; } \
    __WARPLOOM_BOTH type __viaddmin_##suffix(type a, type b, type c) { type s = (type)((unsigned int)a + (unsigned int)b); return s < c ? s : c; } \
    __WARPLOOM_BOTH type __vibmax_##suffix(type a, type b, bool *first) { *first = a >= b; return *first ? a : b; } \
    __WARPLOOM_BOTH type __vibmin_##suffix(type a, type b, bool *first) { *first = a <= b; return *first ? a : b; }
__WARPLOOM_DYNAMIC(int, s32)
__WARPLOOM_DYNAMIC(unsigned int, u32)
#undef __WARPLOOM_DYNAMIC
#define __WARPLOOM_RELU(name, parameters, arguments) \
    __WARPLOOM_BOTH int name##_s32_relu parameters { int m = name##_s32 arguments; return m < 0 ? 0 : m; }
__WARPLOOM_RELU(__vimax3, (int a, int b, int c), (a, b, c))
__WARPLOOM_RELU(__vimin3, (int a, int b, int c), (a, b, c))
__WARPLOOM_RELU(__viaddmax, (int a, int b, int c), (a, b, c))
__WARPLOOM_RELU(__viaddmin, (int a, int b, int c), (a, b, c))
#undef __WARPLOOM_RELU
__WARPLOOM_BOTH int __vimax_s32_relu(int a, int b) { int m = a > b ? a : b; return m < 0 ? 0 : m; }
__WARPLOOM_BOTH int __vimin_s32_relu(int a, int b) { int m = a < b ? a : b; return m < 0 ? 0 : m; }

/* ---- bits of numbers */
__WARPLOOM_DEVICE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
__WARPLOOM_DEVICE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
__WARPLOOM_DEVICE unsigned int __float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
__WARPLOOM_DEVICE float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
__WARPLOOM_DEVICE long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
__WARPLOOM_DEVICE double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
__WARPLOOM_DEVICE int __double2hiint(double x) { return (int)(__builtin_bit_cast(unsigned long long, x) >> 32); }
__WARPLOOM_DEVICE int __double2loint(double x) { return (int)__builtin_bit_cast(unsigned long long, x); }
__WARPLOOM_DEVICE double __hiloint2double(int high, int low)
{
    return __builtin_bit_cast(double, (unsigned long long)(unsigned int)high << 32 | (unsigned int)low);
}

/* ---- conversions with a rounding: cvt has the modifier in its name */
#define __WARPLOOM_CONVERT(name, to, from, form, out, in) \
    __WARPLOOM_DEVICE to name(from x) \
    { \
        to d; \
        asm(form " %0, %1;" : "=" out(d) : in(x)); \
        return d; \
    }
#define __WARPLOOM_TO_WHOLE(from, letter, f, in) \
    __WARPLOOM_CONVERT(__##from##2int_rn, int, from, "cvt.rni.s32." f, "r", in) \
    __WARPLOOM_CONVERT(__##from##2int_rz, int, from, "cvt.rzi.s32." f, "r", in) \
    __WARPLOOM_CONVERT(__##from##2int_ru, int, from, "cvt.rpi.s32." f, "r", in) \
    __WARPLOOM_CONVERT(__##from##2int_rd, int, from, "cvt.rmi.s32." f, "r", in) \
    __WARPLOOM_CONVERT(__##from##2uint_rn, unsigned int, from, "cvt.rni.u32." f, "r", in) \
    __WARPLOOM_CONVERT(__##from##2uint_rz, unsigned int, from, "cvt.rzi.u32." f, "r", in) \
    __WARPLOOM_CONVERT(__##from##2uint_ru, unsigned int, from, "cvt.rpi.u32." f, "r", in) \
    __WARPLOOM_CONVERT(__##from##2uint_rd, unsigned int, from, "cvt.rmi.u32." f, "r", in) \
    __WARPLOOM_CONVERT(__##from##2ll_rn, long long, from, "cvt.rni.s64." f, "l", in) \
    __WARPLOOM_CONVERT(__##from##2ll_rz, long long, from, "cvt.rzi.s64." f, "l", in) \
    __WARPLOOM_CONVERT(__##from##2ll_ru, long long, from, "cvt.rpi.s64." f, "l", in) \
    __WARPLOOM_CONVERT(__##from##2ll_rd, long long, from, "cvt.rmi.s64." f, "l", in) \
    __WARPLOOM_CONVERT(__##from##2ull_rn, unsigned long long, from, "cvt.rni.u64." f, "l", in) \
    __WARPLOOM_CONVERT(__##from##2ull_rz, unsigned long long, from, "cvt.rzi.u64." f, "l", in) \
    __WARPLOOM_CONVERT(__##from##2ull_ru, unsigned long long, from, "cvt.rpi.u64." f, "l", in) \
    __WARPLOOM_CONVERT(__##from##2ull_rd, unsigned long long, from, "cvt.rmi.u64." f, "l", in)
__WARPLOOM_TO_WHOLE(float, f, "f32", "f")
__WARPLOOM_TO_WHOLE(double, d, "f64", "d")
#define __WARPLOOM_TO_FLOAT(name, from, kind, in) \
    __WARPLOOM_CONVERT(__##name##2float_rn, float, from, "cvt.rn.f32." kind, "f", in) \
    __WARPLOOM_CONVERT(__##name##2float_rz, float, from, "cvt.rz.f32." kind, "f", in) \
    __WARPLOOM_CONVERT(__##name##2float_ru, float, from, "cvt.rp.f32." kind, "f", in) \
    __WARPLOOM_CONVERT(__##name##2float_rd, float, from, "cvt.rm.f32." kind, "f", in)
__WARPLOOM_TO_FLOAT(int, int, "s32", "r")
__WARPLOOM_TO_FLOAT(uint, unsigned int, "u32", "r")
__WARPLOOM_TO_FLOAT(ll, long long, "s64", "l")
__WARPLOOM_TO_FLOAT(ull, unsigned long long, "u64", "l")
__WARPLOOM_TO_FLOAT(double, double, "f64", "d")
#define __WARPLOOM_TO_DOUBLE(name, from, kind) \
    __WARPLOOM_CONVERT(__##name##2double_rz, double, from, "cvt.rz.f64." kind, "d", "l") \
    __WARPLOOM_CONVERT(__##name##2double_ru, double, from, "cvt.rp.f64." kind, "d", "l") \
    __WARPLOOM_CONVERT(__##name##2double_rd, double, from, "cvt.rm.f64." kind, "d", "l")
__WARPLOOM_TO_DOUBLE(ll, long long, "s64")
__WARPLOOM_TO_DOUBLE(ull, unsigned long long, "u64")
#undef __WARPLOOM_TO_DOUBLE
__WARPLOOM_DEVICE double __int2double_rn(int x) { return (double)x; }
__WARPLOOM_DEVICE double __uint2double_rn(unsigned int x) { return (double)x; }
__WARPLOOM_DEVICE double __ll2double_rn(long long x) { return (double)x; }
__WARPLOOM_DEVICE double __ull2double_rn(unsigned long long x) { return (double)x; }

/* ---- arithmetic with a rounding, which nothing contracts */
#define __WARPLOOM_ROUNDED_2(name, type, form, letter) \
    __WARPLOOM_DEVICE type name(type x, type y) \
    { \
        type d; \
        asm(form " %0, %1, %2;" : "=" letter(d) : letter(x), letter(y)); \
        return d; \
    }
#define __WARPLOOM_ROUNDED_1(name, type, form, letter) \
    __WARPLOOM_DEVICE type name(type x) \
    { \
        type d; \
        asm(form " %0, %1;" : "=" letter(d) : letter(x)); \
        return d; \
    }
#define __WARPLOOM_ROUNDED_3(name, type, form, letter) \
    __WARPLOOM_DEVICE type name(type x, type y, type z) \
    { \
        type d; \
        asm(form " %0, %1, %2, %3;" : "=" letter(d) : letter(x), letter(y), letter(z)); \
        return d; \
    }
#define __WARPLOOM_ROUNDINGS(mode, way) \
    __WARPLOOM_ROUNDED_2(__fadd_##mode, float, "add." way ".f32", "f") \
    __WARPLOOM_ROUNDED_2(__fsub_##mode, float, "sub." way ".f32", "f") \
    __WARPLOOM_ROUNDED_2(__fmul_##mode, float, "mul." way ".f32", "f") \
    __WARPLOOM_ROUNDED_2(__fdiv_##mode, float, "div." way ".f32", "f") \
    __WARPLOOM_ROUNDED_3(__fmaf_##mode, float, "fma." way ".f32", "f") \
    __WARPLOOM_ROUNDED_1(__frcp_##mode, float, "rcp." way ".f32", "f") \
    __WARPLOOM_ROUNDED_1(__fsqrt_##mode, float, "sqrt." way ".f32", "f") \
    __WARPLOOM_ROUNDED_2(__dadd_##mode, double, "add." way ".f64", "d") \
    __WARPLOOM_ROUNDED_2(__dsub_##mode, double, "sub." way ".f64", "d") \
    __WARPLOOM_ROUNDED_2(__dmul_##mode, double, "mul." way ".f64", "d") \
    __WARPLOOM_ROUNDED_2(__ddiv_##mode, double, "div." way ".f64", "d") \
    __WARPLOOM_ROUNDED_3(__fma_##mode, double, "fma." way ".f64", "d") \
    __WARPLOOM_ROUNDED_1(__drcp_##mode, double, "rcp." way ".f64", "d") \
    __WARPLOOM_ROUNDED_1(__dsqrt_##mode, double, "sqrt." way ".f64", "d")
__WARPLOOM_ROUNDINGS(rn, "rn")
__WARPLOOM_ROUNDINGS(rz, "rz")
__WARPLOOM_ROUNDINGS(ru, "rp")
__WARPLOOM_ROUNDINGS(rd, "rm")
__WARPLOOM_DEVICE float __frsqrt_rn(float x) { return (float)(1.0 / __nvvm_sqrt_rn_d((double)x)); }

/* ---- approximations */
__WARPLOOM_DEVICE float __sinf(float x) { return __nvvm_sin_approx_f(x); }
__WARPLOOM_DEVICE float __cosf(float x) { return __nvvm_cos_approx_f(x); }
__WARPLOOM_DEVICE float __tanf(float x) { return __nvvm_div_approx_f(__sinf(x), __cosf(x)); }
__WARPLOOM_DEVICE void __sincosf(float x, float *s, float *c) { *s = __sinf(x); *c = __cosf(x); }
__WARPLOOM_DEVICE float __expf(float x) { return __nvvm_ex2_approx_f(x * 1.4426950408889634f); }
__WARPLOOM_DEVICE float __exp10f(float x) { return __nvvm_ex2_approx_f(x * 3.3219280948873623f); }
__WARPLOOM_DEVICE float __logf(float x) { return __nvvm_lg2_approx_f(x) * 0.6931471805599453f; }
__WARPLOOM_DEVICE float __log2f(float x) { return __nvvm_lg2_approx_f(x); }
__WARPLOOM_DEVICE float __log10f(float x) { return __nvvm_lg2_approx_f(x) * 0.3010299956639812f; }
__WARPLOOM_DEVICE float __powf(float x, float y) { return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x)); }
__WARPLOOM_DEVICE float __fdividef(float x, float y) { return __nvvm_div_approx_f(x, y); }
__WARPLOOM_DEVICE float __saturatef(float x) { return __nvvm_saturate_f(x); }
__WARPLOOM_DEVICE float __tanhf(float x)
{
    float d;
    asm("tanh.approx.f32 %0, %1;" : "=f"(d) : "f"(x));
    return d;
}
__WARPLOOM_DEVICE float saturate(float x) { return __nvvm_saturate_f(x); }

/* ---- loads and stores with a hint for caches; values are those of any access */
template <class T> __WARPLOOM_DEVICE T __ldg(const T *place) { return *place; }
template <class T> __WARPLOOM_DEVICE T __ldcg(const T *place) { return *place; }
template <class T> __WARPLOOM_DEVICE T __ldca(const T *place) { return *place; }
template <class T> __WARPLOOM_DEVICE T __ldcs(const T *place) { return *place; }
template <class T> __WARPLOOM_DEVICE T __ldlu(const T *place) { return *place; }
template <class T> __WARPLOOM_DEVICE T __ldcv(const T *place) { return *(const volatile T *)place; }
template <class T> __WARPLOOM_DEVICE void __stwb(T *place, T value) { *place = value; }
template <class T> __WARPLOOM_DEVICE void __stcg(T *place, T value) { *place = value; }
template <class T> __WARPLOOM_DEVICE void __stcs(T *place, T value) { *place = value; }
template <class T> __WARPLOOM_DEVICE void __stwt(T *place, T value) { *place = value; }
__WARPLOOM_DEVICE unsigned int __isGlobal(const void *p) { return __nvvm_isspacep_global(p); }
__WARPLOOM_DEVICE unsigned int __isShared(const void *p) { return __nvvm_isspacep_shared(p); }
__WARPLOOM_DEVICE unsigned int __isConstant(const void *p) { return __nvvm_isspacep_const(p); }
__WARPLOOM_DEVICE unsigned int __isLocal(const void *p) { return __nvvm_isspacep_local(p); }
__WARPLOOM_DEVICE size_t __cvta_generic_to_shared(const void *p) { return (size_t)(__attribute__((address_space(3))) const void *)p; }
__WARPLOOM_DEVICE size_t __cvta_generic_to_global(const void *p) { return (size_t)(__attribute__((address_space(1))) const void *)p; }
__WARPLOOM_DEVICE void *__cvta_shared_to_generic(size_t a) { return (void *)(__attribute__((address_space(3))) void *)a; }
__WARPLOOM_DEVICE void *__cvta_global_to_generic(size_t a) { return (void *)(__attribute__((address_space(1))) void *)a; }

/* ---- time, sleep, end */
__WARPLOOM_DEVICE long int clock() { return (int)__nvvm_read_ptx_sreg_clock(); }
__WARPLOOM_DEVICE long long int clock64() { return __nvvm_read_ptx_sreg_clock64(); }
__WARPLOOM_DEVICE unsigned long long __globaltimer()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}
__WARPLOOM_DEVICE void __nanosleep(unsigned int nanoseconds) { asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds)); }
__WARPLOOM_DEVICE void __trap() { asm volatile("trap;"); }
__WARPLOOM_DEVICE void __brkpt(int = 0) { asm volatile("brkpt;"); }
__WARPLOOM_DEVICE void __prof_trigger(int) {}
#endif
