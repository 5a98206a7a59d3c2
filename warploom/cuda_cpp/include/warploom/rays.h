/* Rays in kernels: a scene of triangles is built by the host, and traced by the machine's ray unit (--gpu vortex-2026).

       #include <warploom/rays.h>

       __global__ void shadow(warploom::RayScene scene, const float3 *points, float3 light, int *dark, int n)
       {
           int i = blockIdx.x * blockDim.x + threadIdx.x;
           if (i < n) dark[i] = scene.trace(points[i], light, 1e-3f, 1e9f).hit;
       }

       warploom::RayScene scene;
       warploom::buildRayScene(&scene, corners, triangles);

   CUDA has nothing of the kind (OptiX is a library of its own): these names are warploom's, and the hits are those of its Python scenes. */
#pragma once
#include <cuda_runtime.h>

namespace warploom {

/* What a ray has hit. hit: whether; where it is false, the other numbers say nothing. t, u, v: where on the ray, and the weights of the
   triangle's corners 1 and 2. status: 0 hit, 1 nothing, from 128 on the tree is damaged. */
struct Hit {
    int status;
    float t, u, v;
    unsigned int triangle, instance;
    bool hit;
};

enum RayFlags : unsigned int {
    RAY_OPAQUE = 1,         /* no triangle asks the program; always set here */
    RAY_FIRST_HIT = 4,      /* any hit will do, as for a shadow */
    RAY_CULL_BACK = 16,     /* triangles whose corners run clockwise are not seen */
    RAY_CULL_FRONT = 32     /* ... the others */
};

}

#if defined(__CUDA__)
struct __warploom_answer {
    int status;
    float t, u, v;
    unsigned int triangle, instance;
};
extern "C" __device__ unsigned int __warploom_trace_ray(const void *scene, float x, float y, float z, float dx, float dy, float dz, float tmin, float tmax, unsigned int flags);
extern "C" __device__ __warploom_answer __warploom_await_ray(unsigned int handle);
#endif

#if defined(__CUDA__)
/* The same walk as a program, for machines without a ray unit: each product and sum is rounded by itself, as the unit's are. The tree is laid
   out for the unit: nodes of 5 words, places of children and bytes of boxes; leaves of 4 words and 10 a triangle. */
namespace __warploom_walk {
constexpr float MOST = 3.402823466e+38f;
constexpr unsigned int LEAF = 1u << 31, ENDED = ~0u;
constexpr int STACK = 96, TOO_DEEP = 132;

__device__ inline float times(float a, float b) { return __fmul_rn(a, b); }
__device__ inline float minus(float a, float b) { return __fsub_rn(a, b); }
__device__ inline float plus(float a, float b) { return __fadd_rn(a, b); }
__device__ inline float picked(int axis, float3 v) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }
__device__ inline float reciprocal(float x) { return x == 0 ? MOST : fminf(fmaxf(__fdiv_rn(1.f, x), -MOST), MOST); }

struct Ray {
    float3 origin, inverse, shear;
    float tmin, tmax;
    int a, b, c;
};
__device__ inline Ray prepared(float3 o, float3 d, float tmin, float tmax)
{
    int longest = fabsf(d.y) > fabsf(d.x) ? 1 : 0;
    if (fabsf(d.z) > fabsf(picked(longest, d))) longest = 2;
    int a = (longest + 1) % 3, b = (longest + 2) % 3;
    float depth = picked(longest, d);
    if (depth < 0) {
        int other = a;
        a = b;
        b = other;
    }
    float3 shear = {MOST, MOST, MOST};
    if (depth != 0) shear = {__fdiv_rn(picked(a, d), depth), __fdiv_rn(picked(b, d), depth), __fdiv_rn(1.f, depth)};
    float3 sizes[2] = {o, d};
    bool finite = true;
    for (float3 &one : sizes) finite = finite && fabsf(one.x) <= MOST && fabsf(one.y) <= MOST && fabsf(one.z) <= MOST;
    if (!(finite && tmin <= tmax)) tmin = 1, tmax = 0;
    return {o, {reciprocal(d.x), reciprocal(d.y), reciprocal(d.z)}, shear, tmin, tmax, a, b, longest};
}

/* Where a ray enters and leaves a box; it misses it where the first is beyond the second. */
__device__ inline void between(float low, float high, float margin, float inverse, float &near, float &far)
{
    float first = times(minus(low, margin), inverse), second = times(plus(high, margin), inverse);
    near = fmaxf(near, inverse < 0 ? second : first);
    far = fminf(far, inverse < 0 ? first : second);
}
__device__ inline void box(const Ray &ray, float3 low, float3 high, float &near, float &far)
{
    float3 l = {minus(low.x, ray.origin.x), minus(low.y, ray.origin.y), minus(low.z, ray.origin.z)};
    float3 h = {minus(high.x, ray.origin.x), minus(high.y, ray.origin.y), minus(high.z, ray.origin.z)};
    float widest = fmaxf(fmaxf(fmaxf(fabsf(l.x), fabsf(l.y)), fmaxf(fabsf(l.z), fabsf(h.x))), fmaxf(fabsf(h.y), fabsf(h.z)));
    float margin = times(widest, 1.f / (1 << 18));
    near = ray.tmin, far = ray.tmax;
    between(l.x, h.x, margin, ray.inverse.x, near, far);
    between(l.y, h.y, margin, ray.inverse.y, near, far);
    between(l.z, h.z, margin, ray.inverse.z, near, far);
}

/* p q - r s, with the right sign in any case. */
__device__ inline float edge(float p, float q, float r, float s)
{
    float value = minus(times(p, q), times(r, s));
    return value == 0 ? (float)__dsub_rn(__dmul_rn(p, q), __dmul_rn(r, s)) : value;
}
__device__ inline bool triangle(const float *corner, const Ray &ray, float &t, float &v, float &w, bool &back)
{
    float x[3], y[3], z[3];
    for (int i = 0; i < 3; i++) {
        const float *at = corner + 3 * i;
        z[i] = minus(at[ray.c], picked(ray.c, ray.origin));
        x[i] = minus(minus(at[ray.a], picked(ray.a, ray.origin)), times(ray.shear.x, z[i]));
        y[i] = minus(minus(at[ray.b], picked(ray.b, ray.origin)), times(ray.shear.y, z[i]));
    }
    float u = edge(x[2], y[1], y[2], x[1]);
    v = edge(x[0], y[2], y[0], x[2]);
    w = edge(x[1], y[0], y[1], x[0]);
    float det = plus(plus(u, v), w);
    if (((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) || !(det > 0 || det < 0)) return false;
    float depth = plus(plus(times(u, times(ray.shear.z, z[0])), times(v, times(ray.shear.z, z[1]))), times(w, times(ray.shear.z, z[2])));
    float3 low, high;
    float *lows = &low.x, *highs = &high.x, near, far;
    for (int axis = 0; axis < 3; axis++) {
        lows[axis] = fminf(fminf(corner[axis], corner[3 + axis]), corner[6 + axis]);
        highs[axis] = fmaxf(fmaxf(corner[axis], corner[3 + axis]), corner[6 + axis]);
    }
    box(ray, low, high, near, far);
    t = fminf(fmaxf(__fdiv_rn(depth, det), near), far);
    v = __fdiv_rn(v, det);
    w = __fdiv_rn(w, det);
    back = det < 0;
    return near <= far && t > ray.tmin && t < ray.tmax;
}

__device__ inline float scale(unsigned int byte)
{
    int exponent = byte >= 128 ? (int)byte - 256 : (int)byte;
    return __int_as_float(exponent > -127 ? (exponent + 127) << 23 : 0x400000 >> (-127 - exponent));
}
/* A corner of a child's box: three bytes, from the byte-th on. */
__device__ inline float3 corner_of(const unsigned int *bytes, unsigned int byte, float3 base, float3 size)
{
    float found[3], bases[3] = {base.x, base.y, base.z}, sizes[3] = {size.x, size.y, size.z};
    for (unsigned int axis = 0; axis < 3; axis++) {
        unsigned int at = byte + axis;
        found[axis] = plus(bases[axis], times((float)(bytes[at >> 2] >> 8 * (at & 3) & 255), sizes[axis]));
    }
    return {found[0], found[1], found[2]};
}
}
#endif

namespace warploom {

/* A scene, as host and kernels have it: give it to a kernel by value. words: the tree, in memory of the device. */
struct RayScene {
    const unsigned int *words;
#if defined(__CUDA__)
    /* A ray begins its way through the scene: a handle for `wait`. The warp goes on. All lanes that start rays together wait together.
       Hits have tmin < t < tmax. flags: RayFlags. mask: instances that have a bit of it are seen. */
    __device__ unsigned int start(float3 origin, float3 direction, float tmin, float tmax, unsigned int flags = 0, unsigned int mask = 255) const
    {
        return __warploom_trace_ray(words, origin.x, origin.y, origin.z, direction.x, direction.y, direction.z, tmin, tmax, flags | RAY_OPAQUE | mask << 16);
    }
    /* What the ray has hit. */
    __device__ Hit wait(unsigned int handle) const
    {
        __warploom_answer found = __warploom_await_ray(handle);
        return {found.status, found.t, found.u, found.v, found.triangle, found.instance, found.status == 0};
    }
    /* The closest hit of a ray. */
    __device__ Hit trace(float3 origin, float3 direction, float tmin, float tmax, unsigned int flags = 0, unsigned int mask = 255) const
    {
        return wait(start(origin, direction, tmin, tmax, flags, mask));
    }
    /* The same hit without a ray unit, on any machine. */
    __device__ Hit walk(float3 origin, float3 direction, float tmin, float tmax, unsigned int flags = 0) const
    {
        using namespace __warploom_walk;
        unsigned int places[STACK], kind = words[1], used = 0;
        float nears[STACK];
        const unsigned int which = kind & 255, told = kind >> 8 & 255, width = which == 2 ? 4 : which == 3 ? 6 : which == 4 ? 2 : told ? told : 4;
        Ray ray = prepared(origin, direction, tmin, tmax);
        Hit best = {1, ray.tmax, 0, 0, 0, 0, false};
        unsigned int place = ray.tmin <= ray.tmax ? words[0] | (which == 0 ? LEAF : 0) : ENDED;
        while (place != ENDED) {
            const unsigned int *at = words + ((place & ~LEAF) >> 2);
            bool leaf = place & LEAF;
            place = ENDED;
            if (leaf) {
                const float *corner = (const float *)(at + 4);
                for (unsigned int i = 0; i < at[0] >> 8; i++, corner += 10) {
                    float t, v, w;
                    bool back;
                    if (!triangle(corner, ray, t, v, w, back) || flags & (back ? RAY_CULL_BACK : RAY_CULL_FRONT)) continue;
                    if (!best.hit || t < best.t || (t == best.t && at[3] + i < best.triangle)) best = {0, t, v, w, at[3] + i, 0, true};
                }
                if (best.hit && flags & RAY_FIRST_HIT) return best;
            } else {
                unsigned int slots[6], found = 0, exponents = at[4];
                float order[6];
                float3 base = {__uint_as_float(at[1]), __uint_as_float(at[2]), __uint_as_float(at[3])};
                float3 size = {scale(exponents & 255), scale(exponents >> 8 & 255), scale(exponents >> 16 & 255)};
                unsigned int children = at[0] >> 8 & 255;
                for (unsigned int slot = 0; slot < (children < width ? children : width); slot++) {
                    if (at[5 + slot] == 0) continue;
                    float near, far;
                    box(ray, corner_of(at + 5 + width, 3 * slot, base, size), corner_of(at + 5 + width, 3 * (width + slot), base, size), near, far);
                    if (!(near <= far && near <= best.t)) continue;
                    unsigned int to = found++;
                    for (; to > 0 && order[to - 1] > near; to--) order[to] = order[to - 1], slots[to] = slots[to - 1];
                    order[to] = near, slots[to] = slot;
                }
                if (used + found > STACK) return {TOO_DEEP, best.t, best.u, best.v, best.triangle, 0, best.hit};
                for (unsigned int rank = found; rank > 1; rank--, used++) places[used] = at[5 + slots[rank - 1]], nears[used] = order[rank - 1];
                if (found) place = at[5 + slots[0]];
            }
            while (place == ENDED && used > 0)
                if (nears[--used] <= best.t) place = places[used];
        }
        return best;
    }
#endif
};

}

extern "C" cudaError_t __warploom_build_scene(void **words, const float *corners, size_t triangles, int width, const void *caller);

namespace warploom {

/* A scene of triangles. corners: three points of three floats each, on the host. width: children of a node, 2, 4 or 6. Triangles that are
   not finite are invalid values; cudaErrorNotSupported where the scene is too large. Free it with freeRayScene. */
__attribute__((noinline)) inline cudaError_t buildRayScene(RayScene *scene, const float *corners, size_t triangles, int width = 4)
{
    void *words = nullptr;
    cudaError_t error = __warploom_build_scene(&words, corners, triangles, width, __builtin_return_address(0));
    scene->words = (const unsigned int *)words;
    return error;
}
inline cudaError_t freeRayScene(RayScene scene) { return cudaFree((void *)scene.words); }

}
