/* Vectors of shaders, as clang has them, and functions of numbers that shading languages have. */
#ifndef WARPLOOM_VECTORS_H
#define WARPLOOM_VECTORS_H
#include <warploom_inline.h>

typedef float vec2 __attribute__((ext_vector_type(2)));
typedef float vec3 __attribute__((ext_vector_type(3)));
typedef float vec4 __attribute__((ext_vector_type(4)));

WARPLOOM_INLINE float clamp(float x, float low, float high) { return __builtin_fminf(__builtin_fmaxf(x, low), high); }
WARPLOOM_INLINE float saturate(float x) { return clamp(x, 0, 1); }
WARPLOOM_INLINE float mix(float a, float b, float share) { return a + (b - a) * share; }
WARPLOOM_INLINE float step(float edge, float x) { return x < edge ? 0.0f : 1.0f; }
WARPLOOM_INLINE float smoothstep(float low, float high, float x) { float t = saturate((x - low) / (high - low)); return t * t * (3 - 2 * t); }
WARPLOOM_INLINE float floorf(float x) { float whole = (float)(int)x; return whole - (float)(whole > x); } /* of less than 2^31 */
WARPLOOM_INLINE float fract(float x) { return x - floorf(x); }
WARPLOOM_INLINE float sqrtf(float x) { return __builtin_sqrtf(x); }
WARPLOOM_INLINE float fabsf(float x) { return __builtin_fabsf(x); }
WARPLOOM_INLINE float dot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
WARPLOOM_INLINE vec3 cross(vec3 a, vec3 b) { return a.yzx * b.zxy - a.zxy * b.yzx; }
WARPLOOM_INLINE float length(vec3 a) { return sqrtf(dot(a, a)); }
WARPLOOM_INLINE vec3 normalize(vec3 a) { return a * (1.0f / sqrtf(__builtin_fmaxf(dot(a, a), 1e-30f))); }
WARPLOOM_INLINE vec3 reflect(vec3 a, vec3 normal) { return a - normal * (2 * dot(a, normal)); }
WARPLOOM_INLINE vec3 as_vec3(const float a[3]) { return (vec3){a[0], a[1], a[2]}; }
#endif
