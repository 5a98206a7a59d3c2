/* Vector types and dim3 (CUDA C++ Programming Guide, "Built-in vector types": sizes and alignments of table 5). */
#pragma once
#pragma GCC system_header
#include "warploom/attributes.h"

#define __WARPLOOM_VECTORS(type, name, two, four) \
    struct name##1 { type x; }; \
    struct __align__(two) name##2 { type x, y; }; \
    struct name##3 { type x, y, z; }; \
    struct __align__(four) name##4 { type x, y, z, w; }; \
    typedef struct name##1 name##1; \
    typedef struct name##2 name##2; \
    typedef struct name##3 name##3; \
    typedef struct name##4 name##4;

__WARPLOOM_VECTORS(signed char, char, 2, 4)
__WARPLOOM_VECTORS(unsigned char, uchar, 2, 4)
__WARPLOOM_VECTORS(short, short, 4, 8)
__WARPLOOM_VECTORS(unsigned short, ushort, 4, 8)
__WARPLOOM_VECTORS(int, int, 8, 16)
__WARPLOOM_VECTORS(unsigned int, uint, 8, 16)
__WARPLOOM_VECTORS(long int, long, 16, 16)
__WARPLOOM_VECTORS(unsigned long int, ulong, 16, 16)
__WARPLOOM_VECTORS(long long int, longlong, 16, 16)
__WARPLOOM_VECTORS(unsigned long long int, ulonglong, 16, 16)
__WARPLOOM_VECTORS(float, float, 8, 16)
__WARPLOOM_VECTORS(double, double, 16, 16)
#undef __WARPLOOM_VECTORS

struct dim3 {
    unsigned int x, y, z;
#if defined(__cplusplus)
    __host__ __device__ constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};
typedef struct dim3 dim3;
