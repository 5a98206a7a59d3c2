/* make_cudaExtent and its like. */
#pragma once
#pragma GCC system_header
#include "driver_types.h"
#if defined(__cplusplus)
static inline cudaPitchedPtr make_cudaPitchedPtr(void *place, size_t pitch, size_t xsize, size_t ysize) { return {place, pitch, xsize, ysize}; }
static inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) { return {width, height, depth}; }
static inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
static inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) { return {x, y, z, w, kind}; }
template <class T> struct __warploom_description;
#define __WARPLOOM_DESCRIBE(type, bits, x, y, z, w, kind) \
    template <> struct __warploom_description<type> { \
        static cudaChannelFormatDesc get() { return {x * bits, y * bits, z * bits, w * bits, kind}; } \
    };
#define __WARPLOOM_DESCRIBE_ALL(type, name, bits, kind) \
    __WARPLOOM_DESCRIBE(type, bits, 1, 0, 0, 0, kind) __WARPLOOM_DESCRIBE(name##1, bits, 1, 0, 0, 0, kind) \
    __WARPLOOM_DESCRIBE(name##2, bits, 1, 1, 0, 0, kind) __WARPLOOM_DESCRIBE(name##4, bits, 1, 1, 1, 1, kind)
__WARPLOOM_DESCRIBE_ALL(signed char, char, 8, cudaChannelFormatKindSigned)
__WARPLOOM_DESCRIBE(char, 8, 1, 0, 0, 0, cudaChannelFormatKindSigned)
__WARPLOOM_DESCRIBE_ALL(unsigned char, uchar, 8, cudaChannelFormatKindUnsigned)
__WARPLOOM_DESCRIBE_ALL(short, short, 16, cudaChannelFormatKindSigned)
__WARPLOOM_DESCRIBE_ALL(unsigned short, ushort, 16, cudaChannelFormatKindUnsigned)
__WARPLOOM_DESCRIBE_ALL(int, int, 32, cudaChannelFormatKindSigned)
__WARPLOOM_DESCRIBE_ALL(unsigned int, uint, 32, cudaChannelFormatKindUnsigned)
__WARPLOOM_DESCRIBE_ALL(float, float, 32, cudaChannelFormatKindFloat)
#undef __WARPLOOM_DESCRIBE_ALL
#undef __WARPLOOM_DESCRIBE
template <class T> static inline cudaChannelFormatDesc cudaCreateChannelDesc() { return __warploom_description<T>::get(); }
#endif
