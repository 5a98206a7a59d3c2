/* What kernels have of C's library: printf, assert, malloc, memory functions, new. */
#pragma once
#pragma GCC system_header
#include <stddef.h>
#include "attributes.h"

#if defined(__CUDA__)
extern "C" {
__device__ int vprintf(const char *, const char *);
__device__ int printf(const char *, ...);
__device__ void *malloc(size_t);
__device__ void free(void *);
__device__ __attribute__((noreturn)) void __assertfail(const char *, const char *, unsigned int, const char *, size_t);
__device__ static inline void __assert_fail(const char *message, const char *file, unsigned int line, const char *function)
{
    __assertfail(message, file, line, function, 1);
}
__device__ static inline void *memcpy(void *to, const void *from, size_t bytes) { return __builtin_memcpy(to, from, bytes); }
__device__ static inline void *memmove(void *to, const void *from, size_t bytes) { return __builtin_memmove(to, from, bytes); }
__device__ static inline void *memset(void *to, int value, size_t bytes) { return __builtin_memset(to, value, bytes); }
}
__device__ inline void *operator new(__SIZE_TYPE__ bytes) { return ::malloc(bytes); }
__device__ inline void *operator new[](__SIZE_TYPE__ bytes) { return ::malloc(bytes); }
__device__ inline void *operator new(__SIZE_TYPE__, void *place) noexcept { return place; }
__device__ inline void *operator new[](__SIZE_TYPE__, void *place) noexcept { return place; }
__device__ inline void operator delete(void *place) noexcept { ::free(place); }
__device__ inline void operator delete[](void *place) noexcept { ::free(place); }
__device__ inline void operator delete(void *place, __SIZE_TYPE__) noexcept { ::free(place); }
__device__ inline void operator delete[](void *place, __SIZE_TYPE__) noexcept { ::free(place); }
#endif
