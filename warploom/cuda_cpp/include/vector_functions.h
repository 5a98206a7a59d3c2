/* make_float4 and its like. */
#pragma once
#pragma GCC system_header
#include "vector_types.h"

#define __WARPLOOM_MAKE(type, name) \
    __WARPLOOM_BOTH name##1 make_##name##1(type x) { name##1 v = {x}; return v; } \
    __WARPLOOM_BOTH name##2 make_##name##2(type x, type y) { name##2 v = {x, y}; return v; } \
    __WARPLOOM_BOTH name##3 make_##name##3(type x, type y, type z) { name##3 v = {x, y, z}; return v; } \
    __WARPLOOM_BOTH name##4 make_##name##4(type x, type y, type z, type w) { name##4 v = {x, y, z, w}; return v; }

__WARPLOOM_MAKE(signed char, char)
__WARPLOOM_MAKE(unsigned char, uchar)
__WARPLOOM_MAKE(short, short)
__WARPLOOM_MAKE(unsigned short, ushort)
__WARPLOOM_MAKE(int, int)
__WARPLOOM_MAKE(unsigned int, uint)
__WARPLOOM_MAKE(long int, long)
__WARPLOOM_MAKE(unsigned long int, ulong)
__WARPLOOM_MAKE(long long int, longlong)
__WARPLOOM_MAKE(unsigned long long int, ulonglong)
__WARPLOOM_MAKE(float, float)
__WARPLOOM_MAKE(double, double)
#undef __WARPLOOM_MAKE
