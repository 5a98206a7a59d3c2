/* OpenCL C's functions of numbers and vectors, as far as one instruction of GCN or a few make them right: sin, pow and their like, for which
 * AMD has a library, are not here; native_sin, native_powr are. Source: "The OpenCL C 2.0 Language", section 6.13. */
#ifndef WARPLOOM_OPENCL_FUNCTIONS_H
#define WARPLOOM_OPENCL_FUNCTIONS_H
#pragma clang system_header
#define WARPLOOM_SIZES(each, type) each(type) each(type##2) each(type##3) each(type##4) each(type##8) each(type##16)
#define WARPLOOM_WHOLE_OF(sizes, each) \
  sizes(each, char) sizes(each, uchar) sizes(each, short) sizes(each, ushort) sizes(each, int) sizes(each, uint) sizes(each, long) sizes(each, ulong)
#define WARPLOOM_WHOLE(each) WARPLOOM_WHOLE_OF(WARPLOOM_SIZES, each)
#define WARPLOOM_REAL(each) WARPLOOM_SIZES(each, float) WARPLOOM_SIZES(each, double)
#define WARPLOOM_SINGLE(each) WARPLOOM_SIZES(each, float)

// ---- numbers of every kind and size, item by item
#define WARPLOOM_ORDER(T) \
  WARPLOOM_OVERLOADED T min(T a, T b) { return __builtin_elementwise_min(a, b); } \
  WARPLOOM_OVERLOADED T max(T a, T b) { return __builtin_elementwise_max(a, b); } \
  WARPLOOM_OVERLOADED T clamp(T a, T low, T high) { return min(max(a, low), high); }
WARPLOOM_WHOLE(WARPLOOM_ORDER)
WARPLOOM_REAL(WARPLOOM_ORDER)
#define WARPLOOM_ONE_BOUND(T, S) \
  WARPLOOM_OVERLOADED T min(T a, S b) { return min(a, (T)b); } \
  WARPLOOM_OVERLOADED T max(T a, S b) { return max(a, (T)b); } \
  WARPLOOM_OVERLOADED T clamp(T a, S low, S high) { return clamp(a, (T)low, (T)high); }
#define WARPLOOM_BOUNDS(each, S) \
  WARPLOOM_ONE_BOUND(S##2, S) WARPLOOM_ONE_BOUND(S##3, S) WARPLOOM_ONE_BOUND(S##4, S) WARPLOOM_ONE_BOUND(S##8, S) WARPLOOM_ONE_BOUND(S##16, S)
WARPLOOM_WHOLE_OF(WARPLOOM_BOUNDS, )
WARPLOOM_BOUNDS(, float) WARPLOOM_BOUNDS(, double)

// ---- whole numbers
#define WARPLOOM_SUMS(T) \
  WARPLOOM_OVERLOADED T add_sat(T a, T b) { return __builtin_elementwise_add_sat(a, b); } \
  WARPLOOM_OVERLOADED T sub_sat(T a, T b) { return __builtin_elementwise_sub_sat(a, b); } \
  WARPLOOM_OVERLOADED T hadd(T a, T b) { return (a >> (T)1) + (b >> (T)1) + (a & b & (T)1); } \
  WARPLOOM_OVERLOADED T rhadd(T a, T b) { return (a >> (T)1) + (b >> (T)1) + ((a | b) & (T)1); }
WARPLOOM_WHOLE(WARPLOOM_SUMS)
#define WARPLOOM_BITS(T, U, bits, count, zeros, ends) \
  WARPLOOM_OVERLOADED T popcount(T a) { return count((U)a); } \
  WARPLOOM_OVERLOADED T clz(T a) { return a ? zeros : bits; } \
  WARPLOOM_OVERLOADED T ctz(T a) { return a ? ends((U)a) : bits; } \
  WARPLOOM_OVERLOADED T rotate(T a, T by) { return (U)((U)a << (by & (bits - 1))) | (U)((U)a >> (-by & (bits - 1))); } \
  WARPLOOM_OVERLOADED U abs(T a) { return a < (T)0 ? (U)0 - (U)a : (U)a; } \
  WARPLOOM_OVERLOADED U abs_diff(T a, T b) { return a > b ? (U)a - (U)b : (U)b - (U)a; }
#define WARPLOOM_NARROW_BITS(T, U, bits) WARPLOOM_BITS(T, U, bits, __builtin_popcount, __builtin_clz((U)a) - (32 - bits), __builtin_ctz)
WARPLOOM_NARROW_BITS(char, uchar, 8) WARPLOOM_NARROW_BITS(uchar, uchar, 8) WARPLOOM_NARROW_BITS(short, ushort, 16)
WARPLOOM_NARROW_BITS(ushort, ushort, 16) WARPLOOM_NARROW_BITS(int, uint, 32) WARPLOOM_NARROW_BITS(uint, uint, 32)
WARPLOOM_BITS(long, ulong, 64, __builtin_popcountl, __builtin_clzl(a), __builtin_ctzl)
WARPLOOM_BITS(ulong, ulong, 64, __builtin_popcountl, __builtin_clzl(a), __builtin_ctzl)
#define WARPLOOM_PRODUCT(T, W, bits) \
  WARPLOOM_OVERLOADED T mul_hi(T a, T b) { return (W)a * (W)b >> bits; } \
  WARPLOOM_OVERLOADED T mad_hi(T a, T b, T c) { return mul_hi(a, b) + c; }
WARPLOOM_PRODUCT(char, int, 8) WARPLOOM_PRODUCT(uchar, uint, 8) WARPLOOM_PRODUCT(short, int, 16) WARPLOOM_PRODUCT(ushort, uint, 16)
WARPLOOM_PRODUCT(int, long, 32) WARPLOOM_PRODUCT(uint, ulong, 32)
WARPLOOM_OVERLOADED int mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
WARPLOOM_OVERLOADED uint mul24(uint a, uint b) { return (a & 0xFFFFFF) * (b & 0xFFFFFF); }
WARPLOOM_OVERLOADED int mad24(int a, int b, int c) { return mul24(a, b) + c; }
WARPLOOM_OVERLOADED uint mad24(uint a, uint b, uint c) { return mul24(a, b) + c; }
#define WARPLOOM_UPSAMPLE(T, U, W, bits) WARPLOOM_OVERLOADED W upsample(T high, U low) { return (W)((W)high << bits) | low; }
WARPLOOM_UPSAMPLE(char, uchar, short, 8) WARPLOOM_UPSAMPLE(uchar, uchar, ushort, 8) WARPLOOM_UPSAMPLE(short, ushort, int, 16)
WARPLOOM_UPSAMPLE(ushort, ushort, uint, 16) WARPLOOM_UPSAMPLE(int, uint, long, 32) WARPLOOM_UPSAMPLE(uint, uint, ulong, 32)

// ---- floats
#define WARPLOOM_FLOATS(T) \
  WARPLOOM_OVERLOADED T fabs(T a) { return __builtin_elementwise_abs(a); } \
  WARPLOOM_OVERLOADED T floor(T a) { return __builtin_elementwise_floor(a); } \
  WARPLOOM_OVERLOADED T ceil(T a) { return __builtin_elementwise_ceil(a); } \
  WARPLOOM_OVERLOADED T trunc(T a) { return __builtin_elementwise_trunc(a); } \
  WARPLOOM_OVERLOADED T rint(T a) { return __builtin_elementwise_rint(a); } \
  WARPLOOM_OVERLOADED T round(T a) { return __builtin_elementwise_round(a); } \
  WARPLOOM_OVERLOADED T sqrt(T a) { return __builtin_elementwise_sqrt(a); } \
  WARPLOOM_OVERLOADED T rsqrt(T a) { return (T)1 / sqrt(a); } \
  WARPLOOM_OVERLOADED T fmin(T a, T b) { return __builtin_elementwise_min(a, b); } \
  WARPLOOM_OVERLOADED T fmax(T a, T b) { return __builtin_elementwise_max(a, b); } \
  WARPLOOM_OVERLOADED T copysign(T a, T b) { return __builtin_elementwise_copysign(a, b); } \
  WARPLOOM_OVERLOADED T fma(T a, T b, T c) { return __builtin_elementwise_fma(a, b, c); } \
  WARPLOOM_OVERLOADED T mad(T a, T b, T c) { return a * b + c; } \
  WARPLOOM_OVERLOADED T mix(T a, T b, T c) { return a + (b - a) * c; } \
  WARPLOOM_OVERLOADED T step(T edge, T a) { return a < edge ? (T)0 : (T)1; } \
  WARPLOOM_OVERLOADED T smoothstep(T low, T high, T a) { T t = clamp((a - low) / (high - low), (T)0, (T)1); return t * t * (3 - 2 * t); } \
  WARPLOOM_OVERLOADED T sign(T a) { return a != a ? (T)0 : a == (T)0 ? a : copysign((T)1, a); } \
  WARPLOOM_OVERLOADED T degrees(T a) { return a * (T)57.295779513082320876798; } \
  WARPLOOM_OVERLOADED T radians(T a) { return a * (T)0.017453292519943295769; }
WARPLOOM_REAL(WARPLOOM_FLOATS)
#define WARPLOOM_EXPONENTIALS(T) \
  WARPLOOM_OVERLOADED T exp(T a) { return __builtin_elementwise_exp(a); } \
  WARPLOOM_OVERLOADED T exp2(T a) { return __builtin_elementwise_exp2(a); } \
  WARPLOOM_OVERLOADED T log(T a) { return __builtin_elementwise_log(a); } \
  WARPLOOM_OVERLOADED T log2(T a) { return __builtin_elementwise_log2(a); } \
  WARPLOOM_OVERLOADED T log10(T a) { return __builtin_elementwise_log10(a); }
WARPLOOM_SINGLE(WARPLOOM_EXPONENTIALS)
#define WARPLOOM_MAPPED(f) \
  WARPLOOM_OVERLOADED float2 f(float2 a) { return (float2)(f(a.x), f(a.y)); } \
  WARPLOOM_OVERLOADED float3 f(float3 a) { return (float3)(f(a.x), f(a.y), f(a.z)); } \
  WARPLOOM_OVERLOADED float4 f(float4 a) { return (float4)(f(a.lo), f(a.hi)); }
#define WARPLOOM_NATIVE(name, made) \
  WARPLOOM_OVERLOADED float native_##name(float a) { return made; } WARPLOOM_MAPPED(native_##name) \
  WARPLOOM_OVERLOADED float half_##name(float a) { return made; } WARPLOOM_MAPPED(half_##name)
#define WARPLOOM_TURNS(a) __builtin_amdgcn_fractf((a) * 0.15915494309189535f)
WARPLOOM_NATIVE(recip, __builtin_amdgcn_rcpf(a))
WARPLOOM_NATIVE(rsqrt, __builtin_amdgcn_rsqf(a))
WARPLOOM_NATIVE(sqrt, __builtin_amdgcn_sqrtf(a))
WARPLOOM_NATIVE(exp2, __builtin_amdgcn_exp2f(a))
WARPLOOM_NATIVE(log2, __builtin_amdgcn_logf(a))
WARPLOOM_NATIVE(exp, __builtin_amdgcn_exp2f(a * 1.44269504088896341f))
WARPLOOM_NATIVE(exp10, __builtin_amdgcn_exp2f(a * 3.32192809488736235f))
WARPLOOM_NATIVE(log, __builtin_amdgcn_logf(a) * 0.69314718055994531f)
WARPLOOM_NATIVE(log10, __builtin_amdgcn_logf(a) * 0.30102999566398120f)
WARPLOOM_NATIVE(sin, __builtin_amdgcn_sinf(WARPLOOM_TURNS(a)))
WARPLOOM_NATIVE(cos, __builtin_amdgcn_cosf(WARPLOOM_TURNS(a)))
WARPLOOM_NATIVE(tan, native_sin(a) * __builtin_amdgcn_rcpf(native_cos(a)))
WARPLOOM_OWN float native_divide(float a, float b) { return a * __builtin_amdgcn_rcpf(b); }
WARPLOOM_OWN float half_divide(float a, float b) { return native_divide(a, b); }
WARPLOOM_OWN float native_powr(float a, float b) { return __builtin_amdgcn_exp2f(b * __builtin_amdgcn_logf(a)); }
WARPLOOM_OWN float half_powr(float a, float b) { return native_powr(a, b); }
WARPLOOM_OWN float ldexp(float a, int by) { return __builtin_amdgcn_ldexpf(a, by); }
WARPLOOM_OWN float fdim(float a, float b) { return a != a ? a : b != b ? b : a > b ? a - b : 0; }
WARPLOOM_OVERLOADED int isnan(float a) { return a != a; }
WARPLOOM_OVERLOADED int isnan(double a) { return a != a; }
WARPLOOM_OVERLOADED int isinf(float a) { return fabs(a) == __builtin_inff(); }
WARPLOOM_OVERLOADED int isinf(double a) { return fabs(a) == __builtin_inf(); }
WARPLOOM_OVERLOADED int isfinite(float a) { return fabs(a) < __builtin_inff(); }
WARPLOOM_OVERLOADED int isfinite(double a) { return fabs(a) < __builtin_inf(); }
WARPLOOM_OWN int signbit(float a) { return __builtin_astype(a, int) < 0; }

// ---- vectors as points
WARPLOOM_OVERLOADED float dot(float a, float b) { return a * b; }
WARPLOOM_OVERLOADED float dot(float2 a, float2 b) { return a.x * b.x + a.y * b.y; }
WARPLOOM_OVERLOADED float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
WARPLOOM_OVERLOADED float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
#define WARPLOOM_POINTS(T) \
  WARPLOOM_OVERLOADED float length(T a) { return sqrt(dot(a, a)); } \
  WARPLOOM_OVERLOADED float fast_length(T a) { return native_sqrt(dot(a, a)); } \
  WARPLOOM_OVERLOADED float distance(T a, T b) { return length(a - b); } \
  WARPLOOM_OVERLOADED float fast_distance(T a, T b) { return fast_length(a - b); } \
  WARPLOOM_OVERLOADED T normalize(T a) { float size = length(a); return size == 0 ? a : a / size; } \
  WARPLOOM_OVERLOADED T fast_normalize(T a) { float square = dot(a, a); return square == 0 ? a : a * native_rsqrt(square); }
WARPLOOM_POINTS(float) WARPLOOM_POINTS(float2) WARPLOOM_POINTS(float3) WARPLOOM_POINTS(float4)
WARPLOOM_OVERLOADED float3 cross(float3 a, float3 b) { return a.yzx * b.zxy - a.zxy * b.yzx; }
WARPLOOM_OVERLOADED float4 cross(float4 a, float4 b) { return (float4)(cross(a.xyz, b.xyz), 0); }

// ---- other types, and memory
#define convert_char(a) ((char)(a))
#define convert_uchar(a) ((uchar)(a))
#define convert_short(a) ((short)(a))
#define convert_ushort(a) ((ushort)(a))
#define convert_int(a) ((int)(a))
#define convert_uint(a) ((uint)(a))
#define convert_long(a) ((long)(a))
#define convert_ulong(a) ((ulong)(a))
#define convert_float(a) ((float)(a))
#define convert_double(a) ((double)(a))
#define convert_int_rtz(a) ((int)(a))
#define convert_int_rte(a) ((int)rint(a))
#define convert_uint_rtz(a) ((uint)(a))
#define convert_uint_rte(a) ((uint)rint(a))
#define WARPLOOM_LIMITED(T, low, high) \
  WARPLOOM_OVERLOADED T convert_##T##_sat(int a) { return a < (long)low ? (T)low : a > (long)high ? (T)high : (T)a; } \
  WARPLOOM_OVERLOADED T convert_##T##_sat(uint a) { return a > (long)high ? (T)high : (T)a; } \
  WARPLOOM_OVERLOADED T convert_##T##_sat(float a) { return a != a ? (T)0 : a <= (float)low ? (T)low : a >= (float)high ? (T)high : (T)a; } \
  WARPLOOM_OVERLOADED T convert_##T##_sat_rte(float a) { return convert_##T##_sat(rint(a)); }
WARPLOOM_LIMITED(char, -128, 127) WARPLOOM_LIMITED(uchar, 0, 255) WARPLOOM_LIMITED(short, -32768, 32767)
WARPLOOM_LIMITED(ushort, 0, 65535) WARPLOOM_LIMITED(int, -2147483648L, 2147483647) WARPLOOM_LIMITED(uint, 0, 4294967295L)
#define WARPLOOM_LOADS(space, T, n) \
  WARPLOOM_OVERLOADED T##n vload##n(size_t i, const space T *from) { T##n v; for (int k = 0; k < n; ++k) v[k] = from[n * i + k]; return v; }
#define WARPLOOM_STORES(space, T, n) \
  WARPLOOM_OVERLOADED void vstore##n(T##n v, size_t i, space T *to) { for (int k = 0; k < n; ++k) to[n * i + k] = v[k]; }
#define WARPLOOM_MOVES(space, T) \
  WARPLOOM_LOADS(space, T, 2) WARPLOOM_LOADS(space, T, 3) WARPLOOM_LOADS(space, T, 4) WARPLOOM_LOADS(space, T, 8) WARPLOOM_LOADS(space, T, 16) \
  WARPLOOM_STORES(space, T, 2) WARPLOOM_STORES(space, T, 3) WARPLOOM_STORES(space, T, 4) WARPLOOM_STORES(space, T, 8) WARPLOOM_STORES(space, T, 16)
#define WARPLOOM_VECTORS_OF(T) WARPLOOM_MOVES(__global, T) WARPLOOM_MOVES(__local, T) WARPLOOM_MOVES(__private, T) \
  WARPLOOM_LOADS(__constant, T, 2) WARPLOOM_LOADS(__constant, T, 3) WARPLOOM_LOADS(__constant, T, 4) \
  WARPLOOM_LOADS(__constant, T, 8) WARPLOOM_LOADS(__constant, T, 16)
WARPLOOM_VECTORS_OF(char) WARPLOOM_VECTORS_OF(uchar) WARPLOOM_VECTORS_OF(short) WARPLOOM_VECTORS_OF(ushort) WARPLOOM_VECTORS_OF(int)
WARPLOOM_VECTORS_OF(uint) WARPLOOM_VECTORS_OF(long) WARPLOOM_VECTORS_OF(ulong) WARPLOOM_VECTORS_OF(float) WARPLOOM_VECTORS_OF(double)
#define select(a, b, c) ((c) ? (b) : (a))
#define convert_char2(a) __builtin_convertvector((a), char2)
#define convert_char3(a) __builtin_convertvector((a), char3)
#define convert_char4(a) __builtin_convertvector((a), char4)
#define convert_char8(a) __builtin_convertvector((a), char8)
#define convert_char16(a) __builtin_convertvector((a), char16)
#define convert_uchar2(a) __builtin_convertvector((a), uchar2)
#define convert_uchar3(a) __builtin_convertvector((a), uchar3)
#define convert_uchar4(a) __builtin_convertvector((a), uchar4)
#define convert_uchar8(a) __builtin_convertvector((a), uchar8)
#define convert_uchar16(a) __builtin_convertvector((a), uchar16)
#define convert_short2(a) __builtin_convertvector((a), short2)
#define convert_short3(a) __builtin_convertvector((a), short3)
#define convert_short4(a) __builtin_convertvector((a), short4)
#define convert_short8(a) __builtin_convertvector((a), short8)
#define convert_short16(a) __builtin_convertvector((a), short16)
#define convert_ushort2(a) __builtin_convertvector((a), ushort2)
#define convert_ushort3(a) __builtin_convertvector((a), ushort3)
#define convert_ushort4(a) __builtin_convertvector((a), ushort4)
#define convert_ushort8(a) __builtin_convertvector((a), ushort8)
#define convert_ushort16(a) __builtin_convertvector((a), ushort16)
#define convert_int2(a) __builtin_convertvector((a), int2)
#define convert_int3(a) __builtin_convertvector((a), int3)
#define convert_int4(a) __builtin_convertvector((a), int4)
#define convert_int8(a) __builtin_convertvector((a), int8)
#define convert_int16(a) __builtin_convertvector((a), int16)
#define convert_uint2(a) __builtin_convertvector((a), uint2)
#define convert_uint3(a) __builtin_convertvector((a), uint3)
#define convert_uint4(a) __builtin_convertvector((a), uint4)
#define convert_uint8(a) __builtin_convertvector((a), uint8)
#define convert_uint16(a) __builtin_convertvector((a), uint16)
#define convert_long2(a) __builtin_convertvector((a), long2)
#define convert_long3(a) __builtin_convertvector((a), long3)
#define convert_long4(a) __builtin_convertvector((a), long4)
#define convert_long8(a) __builtin_convertvector((a), long8)
#define convert_long16(a) __builtin_convertvector((a), long16)
#define convert_ulong2(a) __builtin_convertvector((a), ulong2)
#define convert_ulong3(a) __builtin_convertvector((a), ulong3)
#define convert_ulong4(a) __builtin_convertvector((a), ulong4)
#define convert_ulong8(a) __builtin_convertvector((a), ulong8)
#define convert_ulong16(a) __builtin_convertvector((a), ulong16)
#define convert_float2(a) __builtin_convertvector((a), float2)
#define convert_float3(a) __builtin_convertvector((a), float3)
#define convert_float4(a) __builtin_convertvector((a), float4)
#define convert_float8(a) __builtin_convertvector((a), float8)
#define convert_float16(a) __builtin_convertvector((a), float16)
#define convert_double2(a) __builtin_convertvector((a), double2)
#define convert_double3(a) __builtin_convertvector((a), double3)
#define convert_double4(a) __builtin_convertvector((a), double4)
#define convert_double8(a) __builtin_convertvector((a), double8)
#define convert_double16(a) __builtin_convertvector((a), double16)
#define as_char(a) __builtin_astype((a), char)
#define as_char2(a) __builtin_astype((a), char2)
#define as_char3(a) __builtin_astype((a), char3)
#define as_char4(a) __builtin_astype((a), char4)
#define as_char8(a) __builtin_astype((a), char8)
#define as_char16(a) __builtin_astype((a), char16)
#define as_uchar(a) __builtin_astype((a), uchar)
#define as_uchar2(a) __builtin_astype((a), uchar2)
#define as_uchar3(a) __builtin_astype((a), uchar3)
#define as_uchar4(a) __builtin_astype((a), uchar4)
#define as_uchar8(a) __builtin_astype((a), uchar8)
#define as_uchar16(a) __builtin_astype((a), uchar16)
#define as_short(a) __builtin_astype((a), short)
#define as_short2(a) __builtin_astype((a), short2)
#define as_short3(a) __builtin_astype((a), short3)
#define as_short4(a) __builtin_astype((a), short4)
#define as_short8(a) __builtin_astype((a), short8)
#define as_short16(a) __builtin_astype((a), short16)
#define as_ushort(a) __builtin_astype((a), ushort)
#define as_ushort2(a) __builtin_astype((a), ushort2)
#define as_ushort3(a) __builtin_astype((a), ushort3)
#define as_ushort4(a) __builtin_astype((a), ushort4)
#define as_ushort8(a) __builtin_astype((a), ushort8)
#define as_ushort16(a) __builtin_astype((a), ushort16)
#define as_int(a) __builtin_astype((a), int)
#define as_int2(a) __builtin_astype((a), int2)
#define as_int3(a) __builtin_astype((a), int3)
#define as_int4(a) __builtin_astype((a), int4)
#define as_int8(a) __builtin_astype((a), int8)
#define as_int16(a) __builtin_astype((a), int16)
#define as_uint(a) __builtin_astype((a), uint)
#define as_uint2(a) __builtin_astype((a), uint2)
#define as_uint3(a) __builtin_astype((a), uint3)
#define as_uint4(a) __builtin_astype((a), uint4)
#define as_uint8(a) __builtin_astype((a), uint8)
#define as_uint16(a) __builtin_astype((a), uint16)
#define as_long(a) __builtin_astype((a), long)
#define as_long2(a) __builtin_astype((a), long2)
#define as_long3(a) __builtin_astype((a), long3)
#define as_long4(a) __builtin_astype((a), long4)
#define as_long8(a) __builtin_astype((a), long8)
#define as_long16(a) __builtin_astype((a), long16)
#define as_ulong(a) __builtin_astype((a), ulong)
#define as_ulong2(a) __builtin_astype((a), ulong2)
#define as_ulong3(a) __builtin_astype((a), ulong3)
#define as_ulong4(a) __builtin_astype((a), ulong4)
#define as_ulong8(a) __builtin_astype((a), ulong8)
#define as_ulong16(a) __builtin_astype((a), ulong16)
#define as_float(a) __builtin_astype((a), float)
#define as_float2(a) __builtin_astype((a), float2)
#define as_float3(a) __builtin_astype((a), float3)
#define as_float4(a) __builtin_astype((a), float4)
#define as_float8(a) __builtin_astype((a), float8)
#define as_float16(a) __builtin_astype((a), float16)
#define as_double(a) __builtin_astype((a), double)
#define as_double2(a) __builtin_astype((a), double2)
#define as_double3(a) __builtin_astype((a), double3)
#define as_double4(a) __builtin_astype((a), double4)
#define as_double8(a) __builtin_astype((a), double8)
#define as_double16(a) __builtin_astype((a), double16)

/* What is not here says so, with what is. */
#define WARPLOOM_ABSENT(name, instead) float name(float a) __attribute__((unavailable("AMD's library has " #name ", which is not here" instead)));
#define WARPLOOM_ABSENT_TOO(name, instead) float name(float a, float b) __attribute__((unavailable("AMD's library has " #name ", which is not here" instead)));
WARPLOOM_ABSENT(sin, ": native_sin is") WARPLOOM_ABSENT(cos, ": native_cos is") WARPLOOM_ABSENT(tan, ": native_tan is")
WARPLOOM_ABSENT(sinpi, "") WARPLOOM_ABSENT(cospi, "") WARPLOOM_ABSENT(asin, "") WARPLOOM_ABSENT(acos, "") WARPLOOM_ABSENT(atan, "")
WARPLOOM_ABSENT(sinh, "") WARPLOOM_ABSENT(cosh, "") WARPLOOM_ABSENT(tanh, "") WARPLOOM_ABSENT(cbrt, "") WARPLOOM_ABSENT(erf, "")
WARPLOOM_ABSENT(erfc, "") WARPLOOM_ABSENT(expm1, "") WARPLOOM_ABSENT(log1p, "") WARPLOOM_ABSENT(tgamma, "") WARPLOOM_ABSENT(lgamma, "")
WARPLOOM_ABSENT_TOO(pow, ": native_powr is, for positive numbers") WARPLOOM_ABSENT_TOO(powr, ": native_powr is")
WARPLOOM_ABSENT_TOO(atan2, "") WARPLOOM_ABSENT_TOO(fmod, "") WARPLOOM_ABSENT_TOO(remainder, "")
int printf(__constant char *format, ...) __attribute__((unavailable("a kernel in OpenCL C has no console here: write into a buffer")));

#endif
