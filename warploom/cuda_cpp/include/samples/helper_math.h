/* Operators and functions of vectors, in the style of NVIDIA's samples. */
#pragma once
#include "cuda_runtime.h"
#include <math.h>

typedef unsigned int uint;
typedef unsigned short ushort;

#define __WARPLOOM_HELPER inline __host__ __device__
#define __WARPLOOM_ARITHMETIC(type, base, op, body, scalar_right, scalar_left) \
    __WARPLOOM_HELPER type operator op(type a, type b) { return body; } \
    __WARPLOOM_HELPER type operator op(type a, base b) { return scalar_right; } \
    __WARPLOOM_HELPER type operator op(base a, type b) { return scalar_left; } \
    __WARPLOOM_HELPER void operator op##=(type &a, type b) { a = a op b; } \
    __WARPLOOM_HELPER void operator op##=(type &a, base b) { a = a op b; }
#define __WARPLOOM_2(v, base, op) \
    __WARPLOOM_ARITHMETIC(v, base, op, make_##v(a.x op b.x, a.y op b.y), make_##v(a.x op b, a.y op b), make_##v(a op b.x, a op b.y))
#define __WARPLOOM_3(v, base, op) \
    __WARPLOOM_ARITHMETIC(v, base, op, make_##v(a.x op b.x, a.y op b.y, a.z op b.z), make_##v(a.x op b, a.y op b, a.z op b), make_##v(a op b.x, a op b.y, a op b.z))
#define __WARPLOOM_4(v, base, op) \
    __WARPLOOM_ARITHMETIC(v, base, op, make_##v(a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w), make_##v(a.x op b, a.y op b, a.z op b, a.w op b), \
                          make_##v(a op b.x, a op b.y, a op b.z, a op b.w))
#define __WARPLOOM_OPS(name, base) \
    __WARPLOOM_2(name##2, base, +) __WARPLOOM_2(name##2, base, -) __WARPLOOM_2(name##2, base, *) __WARPLOOM_3(name##3, base, +) \
    __WARPLOOM_3(name##3, base, -) __WARPLOOM_3(name##3, base, *) __WARPLOOM_4(name##4, base, +) __WARPLOOM_4(name##4, base, -) \
    __WARPLOOM_4(name##4, base, *) \
    __WARPLOOM_HELPER name##2 make_##name##2(base s) { return make_##name##2(s, s); } \
    __WARPLOOM_HELPER name##2 make_##name##2(name##3 a) { return make_##name##2(a.x, a.y); } \
    __WARPLOOM_HELPER name##3 make_##name##3(base s) { return make_##name##3(s, s, s); } \
    __WARPLOOM_HELPER name##3 make_##name##3(name##2 a) { return make_##name##3(a.x, a.y, 0); } \
    __WARPLOOM_HELPER name##3 make_##name##3(name##2 a, base s) { return make_##name##3(a.x, a.y, s); } \
    __WARPLOOM_HELPER name##3 make_##name##3(name##4 a) { return make_##name##3(a.x, a.y, a.z); } \
    __WARPLOOM_HELPER name##4 make_##name##4(base s) { return make_##name##4(s, s, s, s); } \
    __WARPLOOM_HELPER name##4 make_##name##4(name##3 a) { return make_##name##4(a.x, a.y, a.z, 0); } \
    __WARPLOOM_HELPER name##4 make_##name##4(name##3 a, base w) { return make_##name##4(a.x, a.y, a.z, w); } \
    __WARPLOOM_HELPER name##2 min(name##2 a, name##2 b) { return make_##name##2(min(a.x, b.x), min(a.y, b.y)); } \
    __WARPLOOM_HELPER name##3 min(name##3 a, name##3 b) { return make_##name##3(min(a.x, b.x), min(a.y, b.y), min(a.z, b.z)); } \
    __WARPLOOM_HELPER name##4 min(name##4 a, name##4 b) { return make_##name##4(min(a.x, b.x), min(a.y, b.y), min(a.z, b.z), min(a.w, b.w)); } \
    __WARPLOOM_HELPER name##2 max(name##2 a, name##2 b) { return make_##name##2(max(a.x, b.x), max(a.y, b.y)); } \
    __WARPLOOM_HELPER name##3 max(name##3 a, name##3 b) { return make_##name##3(max(a.x, b.x), max(a.y, b.y), max(a.z, b.z)); } \
    __WARPLOOM_HELPER name##4 max(name##4 a, name##4 b) { return make_##name##4(max(a.x, b.x), max(a.y, b.y), max(a.z, b.z), max(a.w, b.w)); } \
    __WARPLOOM_HELPER base dot(name##2 a, name##2 b) { return a.x * b.x + a.y * b.y; } \
    __WARPLOOM_HELPER base dot(name##3 a, name##3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; } \
    __WARPLOOM_HELPER base dot(name##4 a, name##4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
__WARPLOOM_OPS(float, float)
__WARPLOOM_OPS(int, int)
__WARPLOOM_OPS(uint, uint)
__WARPLOOM_2(float2, float, /)
__WARPLOOM_3(float3, float, /)
__WARPLOOM_4(float4, float, /)
__WARPLOOM_HELPER float2 operator-(float2 a) { return make_float2(-a.x, -a.y); }
__WARPLOOM_HELPER float3 operator-(float3 a) { return make_float3(-a.x, -a.y, -a.z); }
__WARPLOOM_HELPER float4 operator-(float4 a) { return make_float4(-a.x, -a.y, -a.z, -a.w); }
__WARPLOOM_HELPER int3 operator-(int3 a) { return make_int3(-a.x, -a.y, -a.z); }
__WARPLOOM_HELPER float3 make_float3(int3 a) { return make_float3((float)a.x, (float)a.y, (float)a.z); }
__WARPLOOM_HELPER float2 make_float2(int2 a) { return make_float2((float)a.x, (float)a.y); }
__WARPLOOM_HELPER float4 make_float4(int4 a) { return make_float4((float)a.x, (float)a.y, (float)a.z, (float)a.w); }
__WARPLOOM_HELPER int3 make_int3(float3 a) { return make_int3((int)a.x, (int)a.y, (int)a.z); }
__WARPLOOM_HELPER int3 make_int3(uint3 a) { return make_int3((int)a.x, (int)a.y, (int)a.z); }
__WARPLOOM_HELPER uint3 make_uint3(int3 a) { return make_uint3((uint)a.x, (uint)a.y, (uint)a.z); }
__WARPLOOM_HELPER float lerp(float a, float b, float t) { return a + t * (b - a); }
__WARPLOOM_HELPER float clamp(float f, float a, float b) { return fmaxf(a, fminf(f, b)); }
__WARPLOOM_HELPER int clamp(int f, int a, int b) { return max(a, min(f, b)); }
__WARPLOOM_HELPER uint clamp(uint f, uint a, uint b) { return max(a, min(f, b)); }
#define __WARPLOOM_LENGTHS(v) \
    __WARPLOOM_HELPER v lerp(v a, v b, float t) { return a + t * (b - a); } \
    __WARPLOOM_HELPER v clamp(v x, v a, v b) { return max(a, min(x, b)); } \
    __WARPLOOM_HELPER v clamp(v x, float a, float b) { return max(make_##v(a), min(x, make_##v(b))); } \
    __WARPLOOM_HELPER float length(v a) { return sqrtf(dot(a, a)); } \
    __WARPLOOM_HELPER v normalize(v a) { return a * (1.0f / sqrtf(dot(a, a))); }
__WARPLOOM_LENGTHS(float2)
__WARPLOOM_LENGTHS(float3)
__WARPLOOM_LENGTHS(float4)
__WARPLOOM_HELPER float3 cross(float3 a, float3 b) { return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x); }
__WARPLOOM_HELPER float3 reflect(float3 i, float3 n) { return i - 2.0f * n * dot(n, i); }
__WARPLOOM_HELPER float2 fabs(float2 a) { return make_float2(fabsf(a.x), fabsf(a.y)); }
__WARPLOOM_HELPER float3 fabs(float3 a) { return make_float3(fabsf(a.x), fabsf(a.y), fabsf(a.z)); }
__WARPLOOM_HELPER float3 floorf(float3 a) { return make_float3(floorf(a.x), floorf(a.y), floorf(a.z)); }
__WARPLOOM_HELPER float3 fminf(float3 a, float3 b) { return min(a, b); }
__WARPLOOM_HELPER float3 fmaxf(float3 a, float3 b) { return max(a, b); }
