/* Texture and surface objects in kernels (CUDA C++ Programming Guide, "Texture and surface memory", and its appendix "Texture fetching", whose
   formulas these are: a weight of linear filtering has 8 bits of fraction). A fetch is made of loads: addresses and values are those of the
   hardware's texture unit, its time and its cache are not. */
#pragma once
#pragma GCC system_header
#include "texture_layout.h"
#include "math.h"

#if defined(__CUDA__) && defined(__cplusplus)
struct __warploom_texel {
    unsigned int c[4];
};

/* What T is made of: its channels, and how one of them is made from a word. */
template <class C> struct __warploom_channel {
    __WARPLOOM_DEVICE C of(unsigned int word) { return (C)word; }
    __WARPLOOM_DEVICE unsigned int word(C value) { return (unsigned int)value; }
};
template <> struct __warploom_channel<float> {
    __WARPLOOM_DEVICE float of(unsigned int word) { return __builtin_bit_cast(float, word); }
    __WARPLOOM_DEVICE unsigned int word(float value) { return __builtin_bit_cast(unsigned int, value); }
};
template <class T> struct __warploom_pixel {
    __WARPLOOM_DEVICE T of(const __warploom_texel &t) { return __warploom_channel<T>::of(t.c[0]); }
};
#define __WARPLOOM_PIXELS(name, base) \
    template <> struct __warploom_pixel<name##1> { \
        __WARPLOOM_DEVICE name##1 of(const __warploom_texel &t) { return {__warploom_channel<base>::of(t.c[0])}; } \
    }; \
    template <> struct __warploom_pixel<name##2> { \
        __WARPLOOM_DEVICE name##2 of(const __warploom_texel &t) { return {__warploom_channel<base>::of(t.c[0]), __warploom_channel<base>::of(t.c[1])}; } \
    }; \
    template <> struct __warploom_pixel<name##4> { \
        __WARPLOOM_DEVICE name##4 of(const __warploom_texel &t) \
        { \
            return {__warploom_channel<base>::of(t.c[0]), __warploom_channel<base>::of(t.c[1]), __warploom_channel<base>::of(t.c[2]), __warploom_channel<base>::of(t.c[3])}; \
        } \
    };
__WARPLOOM_PIXELS(char, signed char) __WARPLOOM_PIXELS(uchar, unsigned char) __WARPLOOM_PIXELS(short, short) __WARPLOOM_PIXELS(ushort, unsigned short)
__WARPLOOM_PIXELS(int, int) __WARPLOOM_PIXELS(uint, unsigned int) __WARPLOOM_PIXELS(float, float)
#undef __WARPLOOM_PIXELS

/* A place along one axis that lies inside; -1 where the border is. */
__WARPLOOM_DEVICE int __warploom_inside(int i, int size, int mode, int normalized)
{
    if (mode == 3) return i < 0 || i >= size ? -1 : i;
    if (mode == 0 && normalized) return (i % size + size) % size;
    if (mode == 2 && normalized) {
        i = (i % (2 * size) + 2 * size) % (2 * size);
        return i < size ? i : 2 * size - 1 - i;
    }
    return i < 0 ? 0 : i >= size ? size - 1 : i;
}
/* One texel, as words: integers with their sign, floats as their bits. */
__WARPLOOM_DEVICE __warploom_texel __warploom_read(const __warploom_texture *t, int x, int y, int z)
{
    __warploom_texel found = {{0, 0, 0, 0}};
    const char *at = (const char *)t->data + z * t->slice + y * t->pitch + (unsigned long long)x * (unsigned int)(t->channels * t->bits / 8);
    for (int k = 0; k < 4; k++) {
        if (k >= t->channels) break;
        if (t->bits == 8) found.c[k] = t->kind == 0 ? (unsigned int)(int)((const signed char *)at)[k] : ((const unsigned char *)at)[k];
        else if (t->bits == 16 && t->kind == 2) found.c[k] = __builtin_bit_cast(unsigned int, (float)((const _Float16 *)at)[k]);
        else if (t->bits == 16) found.c[k] = t->kind == 0 ? (unsigned int)(int)((const short *)at)[k] : ((const unsigned short *)at)[k];
        else found.c[k] = ((const unsigned int *)at)[k];
    }
    return found;
}
__WARPLOOM_DEVICE float __warploom_as_float(const __warploom_texture *t, unsigned int word)
{
    if (t->kind == 2) return __builtin_bit_cast(float, word);
    if (!t->as_float) return t->kind == 0 ? (float)(int)word : (float)word;
    float most = t->kind == 0 ? (t->bits == 8 ? 127.0f : 32767.0f) : (t->bits == 8 ? 255.0f : 65535.0f);
    return t->kind == 0 ? fmaxf((float)(int)word / most, -1.0f) : (float)word / most;
}
__WARPLOOM_DEVICE __warploom_texel __warploom_point(const __warploom_texture *t, int x, int y, int z, int axes, bool floats)
{
    x = __warploom_inside(x, t->size[0], t->address[0], t->normalized);
    if (axes > 1) y = __warploom_inside(y, t->size[1], t->address[1], t->normalized);
    if (axes > 2) z = __warploom_inside(z, t->size[2], t->address[2], t->normalized);
    else z = z < 0 ? 0 : z >= t->size[2] ? t->size[2] - 1 : z; /* a layer */
    __warploom_texel found;
    if (x < 0 || y < 0 || z < 0) {
        for (int k = 0; k < 4; k++) found.c[k] = floats || t->kind == 2 ? __builtin_bit_cast(unsigned int, t->border[k]) : (unsigned int)(int)t->border[k];
        return found;
    }
    found = __warploom_read(t, x, y, z);
    if (floats)
        for (int k = 0; k < 4; k++) found.c[k] = __builtin_bit_cast(unsigned int, __warploom_as_float(t, found.c[k]));
    return found;
}
/* axes: how many of x, y, z are coordinates; z is a layer where it is none. */
__device__ static inline __warploom_texel __warploom_sample(unsigned long long object, float x, float y, float z, int layer, int axes)
{
    const __warploom_texture *t = (const __warploom_texture *)object;
    if (t->normalized) {
        x *= (float)t->size[0];
        if (axes > 1) y *= (float)t->size[1];
        if (axes > 2) z *= (float)t->size[2];
    }
    bool floats = t->kind == 2 || t->as_float || t->linear;
    if (!t->linear)
        return __warploom_point(t, (int)floorf(x), axes > 1 ? (int)floorf(y) : 0, axes > 2 ? (int)floorf(z) : layer, axes, floats);
    float place[3] = {x - 0.5f, axes > 1 ? y - 0.5f : 0.0f, axes > 2 ? z - 0.5f : 0.0f}, weight[3];
    int first[3];
    for (int k = 0; k < 3; k++) {
        float whole = floorf(place[k]);
        first[k] = (int)whole;
        weight[k] = rintf((place[k] - whole) * 256.0f) / 256.0f;
    }
    float sum[4] = {0, 0, 0, 0};
    for (int corner = 0; corner < 8; corner++) {
        if (corner >> axes) break;
        int dx = corner & 1, dy = corner >> 1 & 1, dz = corner >> 2 & 1;
        float part = (dx ? weight[0] : 1.0f - weight[0]) * (axes > 1 ? dy ? weight[1] : 1.0f - weight[1] : 1.0f) *
                     (axes > 2 ? dz ? weight[2] : 1.0f - weight[2] : 1.0f);
        __warploom_texel one = __warploom_point(t, first[0] + dx, axes > 1 ? first[1] + dy : 0, axes > 2 ? first[2] + dz : layer, axes, true);
        for (int k = 0; k < 4; k++) sum[k] += part * __builtin_bit_cast(float, one.c[k]);
    }
    __warploom_texel found;
    for (int k = 0; k < 4; k++) found.c[k] = __builtin_bit_cast(unsigned int, sum[k]);
    return found;
}
/* By index: outside there are zeros. */
__WARPLOOM_DEVICE __warploom_texel __warploom_indexed(unsigned long long object, int x)
{
    const __warploom_texture *t = (const __warploom_texture *)object;
    __warploom_texel found = {{0, 0, 0, 0}};
    if (x < 0 || x >= t->size[0]) return found;
    found = __warploom_read(t, x, 0, 0);
    if (t->as_float)
        for (int k = 0; k < 4; k++) found.c[k] = __builtin_bit_cast(unsigned int, __warploom_as_float(t, found.c[k]));
    return found;
}
#define __WARPLOOM_FETCH(name, parameters, given, expression) \
    template <class T> __WARPLOOM_DEVICE T name(unsigned long long t, __WARPLOOM_ALL parameters) { return __warploom_pixel<T>::of(expression); } \
    template <class T> __WARPLOOM_DEVICE void name(T *to, unsigned long long t, __WARPLOOM_ALL parameters) { *to = name<T>(t, __WARPLOOM_ALL given); }
#define __WARPLOOM_ALL(...) __VA_ARGS__
__WARPLOOM_FETCH(tex1D, (float x), (x), __warploom_sample(t, x, 0, 0, 0, 1))
__WARPLOOM_FETCH(tex2D, (float x, float y), (x, y), __warploom_sample(t, x, y, 0, 0, 2))
__WARPLOOM_FETCH(tex3D, (float x, float y, float z), (x, y, z), __warploom_sample(t, x, y, z, 0, 3))
__WARPLOOM_FETCH(tex1DLayered, (float x, int layer), (x, layer), __warploom_sample(t, x, 0, 0, layer, 1))
__WARPLOOM_FETCH(tex2DLayered, (float x, float y, int layer), (x, y, layer), __warploom_sample(t, x, y, 0, layer, 2))
/* There is one level of detail. */
__WARPLOOM_FETCH(tex1DLod, (float x, float), (x, 0.0f), __warploom_sample(t, x, 0, 0, 0, 1))
__WARPLOOM_FETCH(tex2DLod, (float x, float y, float), (x, y, 0.0f), __warploom_sample(t, x, y, 0, 0, 2))
__WARPLOOM_FETCH(tex3DLod, (float x, float y, float z, float), (x, y, z, 0.0f), __warploom_sample(t, x, y, z, 0, 3))
__WARPLOOM_FETCH(tex1Dfetch, (int x), (x), __warploom_indexed(t, x))
#undef __WARPLOOM_FETCH
#undef __WARPLOOM_ALL

/* ---- surfaces: x counts bytes; outside, cudaBoundaryModeZero reads zeros and writes nothing, Clamp takes the nearest, Trap stops the kernel */
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero = 0, cudaBoundaryModeClamp = 1, cudaBoundaryModeTrap = 2 };
template <class T> __WARPLOOM_DEVICE T *__warploom_surface(unsigned long long object, int x, int y, int z, cudaSurfaceBoundaryMode mode)
{
    const __warploom_texture *t = (const __warploom_texture *)object;
    int place[3] = {x / (int)sizeof(T), y, z};
    int bytes = t->channels * t->bits / 8, size[3] = {t->size[0] * bytes / (int)sizeof(T), t->size[1], t->size[2]};
    for (int k = 0; k < 3; k++) {
        if (place[k] >= 0 && place[k] < size[k]) continue;
        if (mode == cudaBoundaryModeTrap) __trap();
        if (mode == cudaBoundaryModeZero) return nullptr;
        place[k] = place[k] < 0 ? 0 : size[k] - 1;
    }
    return (T *)(t->data + place[2] * t->slice + place[1] * t->pitch) + place[0];
}
#define __WARPLOOM_ALL(...) __VA_ARGS__
#define __WARPLOOM_SURFACE(name, parameters, given, x, y, z) \
    template <class T> __WARPLOOM_DEVICE T name##read(unsigned long long s, __WARPLOOM_ALL parameters, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
    { \
        T *at = __warploom_surface<T>(s, x, y, z, mode); \
        return at ? *at : T{}; \
    } \
    template <class T> __WARPLOOM_DEVICE void name##read(T *to, unsigned long long s, __WARPLOOM_ALL parameters, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
    { \
        *to = name##read<T>(s, __WARPLOOM_ALL given, mode); \
    } \
    template <class T> __WARPLOOM_DEVICE void name##write(T value, unsigned long long s, __WARPLOOM_ALL parameters, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
    { \
        if (T *at = __warploom_surface<T>(s, x, y, z, mode)) *at = value; \
    }
__WARPLOOM_SURFACE(surf1D, (int x), (x), x, 0, 0)
__WARPLOOM_SURFACE(surf2D, (int x, int y), (x, y), x, y, 0)
__WARPLOOM_SURFACE(surf3D, (int x, int y, int z), (x, y, z), x, y, z)
__WARPLOOM_SURFACE(surf2DLayered, (int x, int y, int layer), (x, y, layer), x, y, layer)
#undef __WARPLOOM_SURFACE
#undef __WARPLOOM_ALL
#endif
