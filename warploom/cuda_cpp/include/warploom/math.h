/* Mathematical functions in kernels (CUDA Math API). One that is an instruction or a few is written here; of the others there is a
   declaration with libdevice's name, which whoever reads the PTX supplies. Host code has those of C's library. */
#pragma once
#pragma GCC system_header
#include "attributes.h"

#if defined(__CUDA__) && defined(__cplusplus)

/* name, of one number and of two, by libdevice's names: __nv_sinf for float, __nv_sin for double. */
#define __WARPLOOM_LIBRARY_1(X) \
    X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh) X(exp) X(exp2) X(exp10) X(expm1) X(log) \
    X(log2) X(log10) X(log1p) X(cbrt) X(erf) X(erfc) X(tgamma) X(lgamma)
#define __WARPLOOM_LIBRARY_1_CUDA(X) \
    X(rcbrt) X(erfinv) X(erfcinv) X(erfcx) X(normcdf) X(normcdfinv) X(sinpi) X(cospi) X(j0) X(j1) X(y0) X(y1) X(cyl_bessel_i0) X(cyl_bessel_i1)
#define __WARPLOOM_LIBRARY_2(X) X(pow) X(atan2) X(fmod) X(remainder) X(hypot)

#define __WARPLOOM_DECLARE_1(name) \
    extern "C" __device__ float __nv_##name##f(float); \
    extern "C" __device__ double __nv_##name(double); \
    __WARPLOOM_DEVICE double name(double x) { return __nv_##name(x); }
#define __WARPLOOM_DECLARE_2(name) \
    extern "C" __device__ float __nv_##name##f(float, float); \
    extern "C" __device__ double __nv_##name(double, double); \
    __WARPLOOM_DEVICE double name(double x, double y) { return __nv_##name(x, y); }
__WARPLOOM_LIBRARY_1(__WARPLOOM_DECLARE_1)
__WARPLOOM_LIBRARY_1_CUDA(__WARPLOOM_DECLARE_1)
__WARPLOOM_LIBRARY_2(__WARPLOOM_DECLARE_2)
#undef __WARPLOOM_DECLARE_1
#undef __WARPLOOM_DECLARE_2

/* sinf and its like. With --use_fast_math the ones of the list in CUDA's Programming Guide, "Intrinsic functions", are approximations. */
#define __WARPLOOM_FLOAT_1(name) __WARPLOOM_DEVICE float name##f(float x) { return __nv_##name##f(x); }
#define __WARPLOOM_FLOAT_2(name) __WARPLOOM_DEVICE float name##f(float x, float y) { return __nv_##name##f(x, y); }
#if defined(__WARPLOOM_FAST_MATH)
#define __WARPLOOM_LOG2_E 1.4426950408889634f
__WARPLOOM_DEVICE float sinf(float x) { return __nvvm_sin_approx_f(x); }
__WARPLOOM_DEVICE float cosf(float x) { return __nvvm_cos_approx_f(x); }
__WARPLOOM_DEVICE float tanf(float x) { return __nvvm_div_approx_f(__nvvm_sin_approx_f(x), __nvvm_cos_approx_f(x)); }
__WARPLOOM_DEVICE float expf(float x) { return __nvvm_ex2_approx_f(x * __WARPLOOM_LOG2_E); }
__WARPLOOM_DEVICE float exp2f(float x) { return __nvvm_ex2_approx_f(x); }
__WARPLOOM_DEVICE float exp10f(float x) { return __nvvm_ex2_approx_f(x * 3.3219280948873623f); }
__WARPLOOM_DEVICE float logf(float x) { return __nvvm_lg2_approx_f(x) * 0.6931471805599453f; }
__WARPLOOM_DEVICE float log2f(float x) { return __nvvm_lg2_approx_f(x); }
__WARPLOOM_DEVICE float log10f(float x) { return __nvvm_lg2_approx_f(x) * 0.3010299956639812f; }
__WARPLOOM_DEVICE float powf(float x, float y) { return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x)); }
#undef __WARPLOOM_LOG2_E
#else
__WARPLOOM_FLOAT_1(sin) __WARPLOOM_FLOAT_1(cos) __WARPLOOM_FLOAT_1(tan) __WARPLOOM_FLOAT_1(exp) __WARPLOOM_FLOAT_1(exp2)
__WARPLOOM_FLOAT_1(exp10) __WARPLOOM_FLOAT_1(log) __WARPLOOM_FLOAT_1(log2) __WARPLOOM_FLOAT_1(log10)
__WARPLOOM_FLOAT_2(pow)
#endif
__WARPLOOM_FLOAT_1(asin) __WARPLOOM_FLOAT_1(acos) __WARPLOOM_FLOAT_1(atan) __WARPLOOM_FLOAT_1(sinh) __WARPLOOM_FLOAT_1(cosh)
__WARPLOOM_FLOAT_1(tanh) __WARPLOOM_FLOAT_1(asinh) __WARPLOOM_FLOAT_1(acosh) __WARPLOOM_FLOAT_1(atanh) __WARPLOOM_FLOAT_1(expm1)
__WARPLOOM_FLOAT_1(log1p) __WARPLOOM_FLOAT_1(cbrt) __WARPLOOM_FLOAT_1(erf) __WARPLOOM_FLOAT_1(erfc) __WARPLOOM_FLOAT_1(tgamma)
__WARPLOOM_FLOAT_1(lgamma)
__WARPLOOM_LIBRARY_1_CUDA(__WARPLOOM_FLOAT_1)
__WARPLOOM_FLOAT_2(atan2) __WARPLOOM_FLOAT_2(fmod) __WARPLOOM_FLOAT_2(remainder) __WARPLOOM_FLOAT_2(hypot)
#undef __WARPLOOM_FLOAT_1
#undef __WARPLOOM_FLOAT_2

/* ---- instructions */
__WARPLOOM_DEVICE float sqrtf(float x) { return __nvvm_sqrt_rn_f(x); }
__WARPLOOM_DEVICE double sqrt(double x) { return __nvvm_sqrt_rn_d(x); }
__WARPLOOM_DEVICE float rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
__WARPLOOM_DEVICE double rsqrt(double x) { return 1.0 / __nvvm_sqrt_rn_d(x); }
__WARPLOOM_DEVICE float fabsf(float x) { return __builtin_fabsf(x); }
__WARPLOOM_DEVICE double fabs(double x) { return __builtin_fabs(x); }
__WARPLOOM_DEVICE float floorf(float x) { return __builtin_floorf(x); }
__WARPLOOM_DEVICE double floor(double x) { return __builtin_floor(x); }
__WARPLOOM_DEVICE float ceilf(float x) { return __builtin_ceilf(x); }
__WARPLOOM_DEVICE double ceil(double x) { return __builtin_ceil(x); }
__WARPLOOM_DEVICE float truncf(float x) { return __builtin_truncf(x); }
__WARPLOOM_DEVICE double trunc(double x) { return __builtin_trunc(x); }
__WARPLOOM_DEVICE float rintf(float x) { return __builtin_rintf(x); }
__WARPLOOM_DEVICE double rint(double x) { return __builtin_rint(x); }
__WARPLOOM_DEVICE float nearbyintf(float x) { return __builtin_rintf(x); }
__WARPLOOM_DEVICE double nearbyint(double x) { return __builtin_rint(x); }
__WARPLOOM_DEVICE float copysignf(float x, float y) { return __builtin_copysignf(x, y); }
__WARPLOOM_DEVICE double copysign(double x, double y) { return __builtin_copysign(x, y); }
/* Halves go away from zero; the largest number below a half has a sum with it that is 1, so the distance decides. */
__WARPLOOM_DEVICE float roundf(float x)
{
    float whole = __builtin_truncf(x);
    return __builtin_copysignf(__builtin_fabsf(x - whole) >= 0.5f ? whole + __builtin_copysignf(1.0f, x) : whole, x);
}
__WARPLOOM_DEVICE double round(double x)
{
    double whole = __builtin_trunc(x);
    return __builtin_copysign(__builtin_fabs(x - whole) >= 0.5 ? whole + __builtin_copysign(1.0, x) : whole, x);
}
__WARPLOOM_DEVICE float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
__WARPLOOM_DEVICE double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
__WARPLOOM_DEVICE float fminf(float x, float y) { return __nvvm_fmin_f(x, y); }
__WARPLOOM_DEVICE double fmin(double x, double y) { return __nvvm_fmin_d(x, y); }
__WARPLOOM_DEVICE float fmaxf(float x, float y) { return __nvvm_fmax_f(x, y); }
__WARPLOOM_DEVICE double fmax(double x, double y) { return __nvvm_fmax_d(x, y); }
__WARPLOOM_DEVICE float fdimf(float x, float y) { return x > y ? x - y : x == x && y == y ? 0.0f : x + y; }
__WARPLOOM_DEVICE double fdim(double x, double y) { return x > y ? x - y : x == x && y == y ? 0.0 : x + y; }
__WARPLOOM_DEVICE float fdividef(float x, float y) { return x / y; }
__WARPLOOM_DEVICE long int lrintf(float x) { return (long int)__builtin_rintf(x); }
__WARPLOOM_DEVICE long int lrint(double x) { return (long int)__builtin_rint(x); }
__WARPLOOM_DEVICE long long int llrintf(float x) { return (long long int)__builtin_rintf(x); }
__WARPLOOM_DEVICE long long int llrint(double x) { return (long long int)__builtin_rint(x); }
__WARPLOOM_DEVICE long int lroundf(float x) { return (long int)roundf(x); }
__WARPLOOM_DEVICE long int lround(double x) { return (long int)round(x); }
__WARPLOOM_DEVICE long long int llroundf(float x) { return (long long int)roundf(x); }
__WARPLOOM_DEVICE long long int llround(double x) { return (long long int)round(x); }
__WARPLOOM_DEVICE void sincosf(float x, float *s, float *c) { *s = sinf(x); *c = cosf(x); }
__WARPLOOM_DEVICE void sincos(double x, double *s, double *c) { *s = sin(x); *c = cos(x); }
__WARPLOOM_DEVICE void sincospif(float x, float *s, float *c) { *s = sinpif(x); *c = cospif(x); }
__WARPLOOM_DEVICE void sincospi(double x, double *s, double *c) { *s = sinpi(x); *c = cospi(x); }
__WARPLOOM_DEVICE float modff(float x, float *whole)
{
    *whole = __builtin_truncf(x);
    return __builtin_copysignf(__builtin_isinf(x) ? 0.0f : x - *whole, x);
}
__WARPLOOM_DEVICE double modf(double x, double *whole)
{
    *whole = __builtin_trunc(x);
    return __builtin_copysign(__builtin_isinf(x) ? 0.0 : x - *whole, x);
}

/* ---- exponents, by the bits of IEEE 754 */
__WARPLOOM_DEVICE double frexp(double x, int *power)
{
    *power = 0;
    if (x == 0 || !(__builtin_fabs(x) < __builtin_inf())) return x;
    int shift = 0;
    if (__builtin_fabs(x) < 0x1p-1022) { x *= 0x1p54; shift = 54; }
    unsigned long long bits = __builtin_bit_cast(unsigned long long, x);
    *power = (int)(bits >> 52 & 0x7ff) - 1022 - shift;
    return __builtin_bit_cast(double, (bits & 0x800fffffffffffffull) | 0x3fe0000000000000ull);
}
__WARPLOOM_DEVICE float frexpf(float x, int *power) { return (float)frexp((double)x, power); }
__WARPLOOM_DEVICE double __warploom_power_of_two(int n) { return __builtin_bit_cast(double, (unsigned long long)(n + 1023) << 52); }
__WARPLOOM_DEVICE double ldexp(double x, int n)
{
    n = n > 2200 ? 2200 : n < -2200 ? -2200 : n;
    int first = n / 4, last = n - 3 * first; /* steps of at most 552: only the last can round where the result is a denormal number */
    if (n >= -1000) return x * __warploom_power_of_two(first) * __warploom_power_of_two(first) * __warploom_power_of_two(first) * __warploom_power_of_two(last);
    int power;
    double part = frexp(x, &power);
    if (part == 0 || !(__builtin_fabs(part) < 2)) return x;
    power += n;
    return power < -1100 ? part * 0x1p-1022 * 0x1p-1022 : part * __warploom_power_of_two(power / 2) * __warploom_power_of_two(power - power / 2);
}
__WARPLOOM_DEVICE float ldexpf(float x, int n) { return (float)((double)x * __warploom_power_of_two(n > 500 ? 500 : n < -500 ? -500 : n)); }
__WARPLOOM_DEVICE double scalbn(double x, int n) { return ldexp(x, n); }
__WARPLOOM_DEVICE float scalbnf(float x, int n) { return ldexpf(x, n); }
__WARPLOOM_DEVICE double scalbln(double x, long int n) { return ldexp(x, n > 5000 ? 5000 : n < -5000 ? -5000 : (int)n); }
__WARPLOOM_DEVICE float scalblnf(float x, long int n) { return ldexpf(x, n > 5000 ? 5000 : n < -5000 ? -5000 : (int)n); }
__WARPLOOM_DEVICE int ilogb(double x)
{
    if (x == 0 || x != x) return -2147483647 - 1;
    if (__builtin_isinf(x)) return 2147483647;
    int power;
    frexp(x, &power);
    return power - 1;
}
__WARPLOOM_DEVICE int ilogbf(float x) { return ilogb((double)x); }
__WARPLOOM_DEVICE double logb(double x)
{
    return x == 0 ? -__builtin_inf() : x != x || __builtin_isinf(x) ? x * x : (double)ilogb(x);
}
__WARPLOOM_DEVICE float logbf(float x) { return (float)logb((double)x); }
__WARPLOOM_DEVICE float nextafterf(float x, float y)
{
    if (x != x || y != y) return x + y;
    if (x == y) return y;
    int bits = __builtin_bit_cast(int, x);
    if (x == 0) return __builtin_copysignf(__builtin_bit_cast(float, 1), y);
    return __builtin_bit_cast(float, (x < y) == (x > 0) ? bits + 1 : bits - 1);
}
__WARPLOOM_DEVICE double nextafter(double x, double y)
{
    if (x != x || y != y) return x + y;
    if (x == y) return y;
    long long bits = __builtin_bit_cast(long long, x);
    if (x == 0) return __builtin_copysign(__builtin_bit_cast(double, 1ll), y);
    return __builtin_bit_cast(double, (x < y) == (x > 0) ? bits + 1 : bits - 1);
}
__WARPLOOM_DEVICE double nan(const char *) { return __builtin_nan(""); }
__WARPLOOM_DEVICE float nanf(const char *) { return __builtin_nanf(""); }

/* ---- lengths; of floats they are rounded once, from double */
__WARPLOOM_DEVICE float norm3df(float x, float y, float z) { return (float)__nvvm_sqrt_rn_d((double)x * x + (double)y * y + (double)z * z); }
__WARPLOOM_DEVICE float norm4df(float x, float y, float z, float w)
{
    return (float)__nvvm_sqrt_rn_d((double)x * x + (double)y * y + (double)z * z + (double)w * w);
}
__WARPLOOM_DEVICE double norm3d(double x, double y, double z) { return hypot(hypot(x, y), z); }
__WARPLOOM_DEVICE double norm4d(double x, double y, double z, double w) { return hypot(hypot(x, y), hypot(z, w)); }
__WARPLOOM_DEVICE float rhypotf(float x, float y) { return (float)(1.0 / __nvvm_sqrt_rn_d((double)x * x + (double)y * y)); }
__WARPLOOM_DEVICE double rhypot(double x, double y) { return 1.0 / hypot(x, y); }
__WARPLOOM_DEVICE float rnorm3df(float x, float y, float z) { return (float)(1.0 / __nvvm_sqrt_rn_d((double)x * x + (double)y * y + (double)z * z)); }
__WARPLOOM_DEVICE double rnorm3d(double x, double y, double z) { return 1.0 / norm3d(x, y, z); }
__WARPLOOM_DEVICE float rnorm4df(float x, float y, float z, float w) { return 1.0f / norm4df(x, y, z, w); }
__WARPLOOM_DEVICE double rnorm4d(double x, double y, double z, double w) { return 1.0 / norm4d(x, y, z, w); }

/* ---- overloads of the plain names, and the same in namespace std */
#define __WARPLOOM_OVERLOAD_1(name) __WARPLOOM_DEVICE float name(float x) { return ::name##f(x); }
#define __WARPLOOM_OVERLOAD_2(name) \
    __WARPLOOM_DEVICE float name(float x, float y) { return ::name##f(x, y); } \
    __WARPLOOM_DEVICE double name(double x, float y) { return ::name(x, (double)y); } \
    __WARPLOOM_DEVICE double name(float x, double y) { return ::name((double)x, y); }
#define __WARPLOOM_OTHER_1(X) \
    X(sqrt) X(fabs) X(floor) X(ceil) X(trunc) X(rint) X(nearbyint) X(round) X(logb)
#define __WARPLOOM_OTHER_2(X) X(copysign) X(fmin) X(fmax) X(fdim) X(nextafter)
__WARPLOOM_LIBRARY_1(__WARPLOOM_OVERLOAD_1)
__WARPLOOM_LIBRARY_1_CUDA(__WARPLOOM_OVERLOAD_1)
__WARPLOOM_OTHER_1(__WARPLOOM_OVERLOAD_1)
__WARPLOOM_OVERLOAD_1(rsqrt)
__WARPLOOM_LIBRARY_2(__WARPLOOM_OVERLOAD_2)
__WARPLOOM_OTHER_2(__WARPLOOM_OVERLOAD_2)
__WARPLOOM_DEVICE float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
__WARPLOOM_DEVICE float pow(float x, int n) { return ::powf(x, (float)n); }
__WARPLOOM_DEVICE double pow(double x, int n) { return __nv_pow(x, (double)n); }
__WARPLOOM_DEVICE float ldexp(float x, int n) { return ldexpf(x, n); }
__WARPLOOM_DEVICE float scalbn(float x, int n) { return ldexpf(x, n); }
__WARPLOOM_DEVICE float frexp(float x, int *power) { return frexpf(x, power); }
__WARPLOOM_DEVICE float modf(float x, float *whole) { return modff(x, whole); }
__WARPLOOM_DEVICE int ilogb(float x) { return ilogbf(x); }
__WARPLOOM_DEVICE long int lrint(float x) { return lrintf(x); }
__WARPLOOM_DEVICE long int lround(float x) { return lroundf(x); }
__WARPLOOM_DEVICE long long int llrint(float x) { return llrintf(x); }
__WARPLOOM_DEVICE long long int llround(float x) { return llroundf(x); }
__WARPLOOM_DEVICE void sincos(float x, float *s, float *c) { sincosf(x, s, c); }
__WARPLOOM_DEVICE float abs(float x) { return __builtin_fabsf(x); }
__WARPLOOM_DEVICE double abs(double x) { return __builtin_fabs(x); }
__WARPLOOM_DEVICE int abs(int x) { return x < 0 ? -x : x; }
__WARPLOOM_DEVICE long int abs(long int x) { return x < 0 ? -x : x; }
__WARPLOOM_DEVICE long long int abs(long long int x) { return x < 0 ? -x : x; }
__WARPLOOM_DEVICE long int labs(long int x) { return x < 0 ? -x : x; }
__WARPLOOM_DEVICE long long int llabs(long long int x) { return x < 0 ? -x : x; }
#define __WARPLOOM_CLASSES(type) \
    __WARPLOOM_DEVICE bool isnan(type x) { return __builtin_isnan(x); } \
    __WARPLOOM_DEVICE bool isinf(type x) { return __builtin_isinf(x); } \
    __WARPLOOM_DEVICE bool isfinite(type x) { return __builtin_isfinite(x); } \
    __WARPLOOM_DEVICE bool isnormal(type x) { return __builtin_isnormal(x); } \
    __WARPLOOM_DEVICE bool signbit(type x) { return __builtin_signbit(x); }
__WARPLOOM_CLASSES(float)
__WARPLOOM_CLASSES(double)

/* Whole numbers: as double, as C++ has it. */
template <bool wanted, class T> struct __warploom_when {};
template <class T> struct __warploom_when<true, T> { typedef T type; };
#define __WARPLOOM_WHOLE_1(name) \
    template <class T> __WARPLOOM_DEVICE typename __warploom_when<__is_integral(T), double>::type name(T x) { return ::name((double)x); }
#define __WARPLOOM_WHOLE_2(name) \
    template <class A, class B> __WARPLOOM_DEVICE typename __warploom_when<__is_arithmetic(A) && __is_arithmetic(B) && (__is_integral(A) || __is_integral(B)), double>::type \
    name(A x, B y) { return ::name((double)x, (double)y); }
__WARPLOOM_LIBRARY_1(__WARPLOOM_WHOLE_1)
__WARPLOOM_OTHER_1(__WARPLOOM_WHOLE_1)
__WARPLOOM_WHOLE_1(rsqrt)
__WARPLOOM_LIBRARY_2(__WARPLOOM_WHOLE_2)
__WARPLOOM_OTHER_2(__WARPLOOM_WHOLE_2)

/* std's are the same functions: a program that says `using namespace std` finds one of each. */
namespace std {
#define __WARPLOOM_STD(name) \
    using ::name; \
    using ::name##f;
__WARPLOOM_LIBRARY_1(__WARPLOOM_STD)
__WARPLOOM_LIBRARY_2(__WARPLOOM_STD)
__WARPLOOM_OTHER_1(__WARPLOOM_STD)
__WARPLOOM_OTHER_2(__WARPLOOM_STD)
__WARPLOOM_STD(fma) __WARPLOOM_STD(ldexp) __WARPLOOM_STD(frexp) __WARPLOOM_STD(modf) __WARPLOOM_STD(ilogb) __WARPLOOM_STD(scalbn)
__WARPLOOM_STD(lrint) __WARPLOOM_STD(lround) __WARPLOOM_STD(llrint) __WARPLOOM_STD(llround)
using ::abs;
using ::isnan;
using ::isinf;
using ::isfinite;
using ::isnormal;
using ::signbit;
#undef __WARPLOOM_STD
}
#undef __WARPLOOM_CLASSES
#undef __WARPLOOM_OVERLOAD_1
#undef __WARPLOOM_OVERLOAD_2
#endif

/* ---- min and max of mixed types, in host code too */
#if defined(__cplusplus)
#define __WARPLOOM_MIN_MAX(result, first, second) \
    __WARPLOOM_BOTH result min(first x, second y) { return (result)x < (result)y ? (result)x : (result)y; } \
    __WARPLOOM_BOTH result max(first x, second y) { return (result)x < (result)y ? (result)y : (result)x; }
__WARPLOOM_MIN_MAX(int, int, int)
__WARPLOOM_MIN_MAX(unsigned int, unsigned int, unsigned int)
__WARPLOOM_MIN_MAX(unsigned int, int, unsigned int)
__WARPLOOM_MIN_MAX(unsigned int, unsigned int, int)
__WARPLOOM_MIN_MAX(long int, long int, long int)
__WARPLOOM_MIN_MAX(unsigned long int, unsigned long int, unsigned long int)
__WARPLOOM_MIN_MAX(unsigned long int, long int, unsigned long int)
__WARPLOOM_MIN_MAX(unsigned long int, unsigned long int, long int)
__WARPLOOM_MIN_MAX(long long int, long long int, long long int)
__WARPLOOM_MIN_MAX(unsigned long long int, unsigned long long int, unsigned long long int)
__WARPLOOM_MIN_MAX(unsigned long long int, long long int, unsigned long long int)
__WARPLOOM_MIN_MAX(unsigned long long int, unsigned long long int, long long int)
#undef __WARPLOOM_MIN_MAX
#if defined(__CUDA_ARCH__)
#define __WARPLOOM_FLOAT_MIN(x, y) __nvvm_fmin_f(x, y)
#define __WARPLOOM_FLOAT_MAX(x, y) __nvvm_fmax_f(x, y)
#define __WARPLOOM_DOUBLE_MIN(x, y) __nvvm_fmin_d(x, y)
#define __WARPLOOM_DOUBLE_MAX(x, y) __nvvm_fmax_d(x, y)
#else
#define __WARPLOOM_FLOAT_MIN(x, y) __builtin_fminf(x, y)
#define __WARPLOOM_FLOAT_MAX(x, y) __builtin_fmaxf(x, y)
#define __WARPLOOM_DOUBLE_MIN(x, y) __builtin_fmin(x, y)
#define __WARPLOOM_DOUBLE_MAX(x, y) __builtin_fmax(x, y)
#endif
__WARPLOOM_BOTH float min(float x, float y) { return __WARPLOOM_FLOAT_MIN(x, y); }
__WARPLOOM_BOTH float max(float x, float y) { return __WARPLOOM_FLOAT_MAX(x, y); }
__WARPLOOM_BOTH double min(double x, double y) { return __WARPLOOM_DOUBLE_MIN(x, y); }
__WARPLOOM_BOTH double max(double x, double y) { return __WARPLOOM_DOUBLE_MAX(x, y); }
__WARPLOOM_BOTH double min(float x, double y) { return __WARPLOOM_DOUBLE_MIN((double)x, y); }
__WARPLOOM_BOTH double max(float x, double y) { return __WARPLOOM_DOUBLE_MAX((double)x, y); }
__WARPLOOM_BOTH double min(double x, float y) { return __WARPLOOM_DOUBLE_MIN(x, (double)y); }
__WARPLOOM_BOTH double max(double x, float y) { return __WARPLOOM_DOUBLE_MAX(x, (double)y); }
__WARPLOOM_BOTH unsigned int umin(unsigned int x, unsigned int y) { return x < y ? x : y; }
__WARPLOOM_BOTH unsigned int umax(unsigned int x, unsigned int y) { return x < y ? y : x; }
#undef __WARPLOOM_FLOAT_MIN
#undef __WARPLOOM_FLOAT_MAX
#undef __WARPLOOM_DOUBLE_MIN
#undef __WARPLOOM_DOUBLE_MAX
#endif
