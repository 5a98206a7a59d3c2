/* What kernels have of C's library: printf, assert, malloc, memory functions, new.

   A kernel's malloc gives chunks of a power of two bytes, from a heap of 8 MiB (cudaLimitMallocHeapSize as it is at first): a chunk that was
   freed, else the next one. Chunks that were freed hang on a list for each size, whose head has a number that grows, so that a head that was
   taken and put back meanwhile is not taken for the old one (Treiber, "Systems Programming: Coping with Parallelism", 1986). */
#pragma once
#pragma GCC system_header
#include <stddef.h>
#include "attributes.h"

#if defined(__CUDA__)
extern "C" {
__device__ int vprintf(const char *, const char *);
__device__ int printf(const char *, ...);
__device__ __attribute__((noreturn)) void __assertfail(const char *, const char *, unsigned int, const char *, size_t);
__device__ static inline void __assert_fail(const char *message, const char *file, unsigned int line, const char *function)
{
    __assertfail(message, file, line, function, 1);
}
__device__ static inline void *memcpy(void *to, const void *from, size_t bytes) { return __builtin_memcpy(to, from, bytes); }
__device__ static inline void *memmove(void *to, const void *from, size_t bytes) { return __builtin_memmove(to, from, bytes); }
__device__ static inline void *memset(void *to, int value, size_t bytes) { return __builtin_memset(to, value, bytes); }
}
#if defined(__CUDA_ARCH__)
#define __WARPLOOM_HEAP_BYTES (8u << 20)
#define __WARPLOOM_CHUNK_HEAD 16u /* bytes in front of what a program is given: the size's number */
static __device__ __attribute__((aligned(32))) unsigned char __warploom_heap[__WARPLOOM_HEAP_BYTES];
static __device__ unsigned int __warploom_heap_used;
static __device__ unsigned long long __warploom_heap_freed[24]; /* by size: a number, and the low word of the first chunk's address */
__device__ static inline unsigned int *__warploom_chunk(unsigned int low)
{
    return (unsigned int *)((unsigned long long)(void *)__warploom_heap & ~0xFFFFFFFFull | low);
}
extern "C" {
__device__ static inline void *malloc(size_t bytes)
{
    if (bytes == 0 || bytes > __WARPLOOM_HEAP_BYTES / 2) return nullptr;
    unsigned int number = 32 - __builtin_clz((unsigned int)bytes + __WARPLOOM_CHUNK_HEAD - 1), size = 1u << number;
    unsigned long long *list = __warploom_heap_freed + number - 1, head = __atomic_load_n(list, __ATOMIC_RELAXED);
    while ((unsigned int)head) {
        unsigned int following = __atomic_load_n(__warploom_chunk((unsigned int)head) + 1, __ATOMIC_RELAXED);
        unsigned long long after = (head & ~0xFFFFFFFFull) + (1ull << 32) | following;
        if (__atomic_compare_exchange_n(list, &head, after, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return (char *)__warploom_chunk((unsigned int)head) + __WARPLOOM_CHUNK_HEAD;
    }
    unsigned int at = __atomic_fetch_add(&__warploom_heap_used, size, __ATOMIC_RELAXED);
    if (at > __WARPLOOM_HEAP_BYTES - size) {
        __atomic_fetch_sub(&__warploom_heap_used, size, __ATOMIC_RELAXED);
        return nullptr;
    }
    *(unsigned int *)(__warploom_heap + at) = number;
    return __warploom_heap + at + __WARPLOOM_CHUNK_HEAD;
}
__device__ static inline void free(void *place)
{
    if (!place) return;
    unsigned int *chunk = (unsigned int *)((char *)place - __WARPLOOM_CHUNK_HEAD);
    unsigned long long *list = __warploom_heap_freed + *chunk - 1, head = __atomic_load_n(list, __ATOMIC_RELAXED), now;
    do {
        __atomic_store_n(chunk + 1, (unsigned int)head, __ATOMIC_RELAXED);
        now = (head & ~0xFFFFFFFFull) + (1ull << 32) | (unsigned int)(unsigned long long)chunk;
    } while (!__atomic_compare_exchange_n(list, &head, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}
}
#else
extern "C" __device__ void *malloc(size_t);
extern "C" __device__ void free(void *);
#endif
__device__ inline void *operator new(__SIZE_TYPE__ bytes) { return ::malloc(bytes); }
__device__ inline void *operator new[](__SIZE_TYPE__ bytes) { return ::malloc(bytes); }
__device__ inline void *operator new(__SIZE_TYPE__, void *place) noexcept { return place; }
__device__ inline void *operator new[](__SIZE_TYPE__, void *place) noexcept { return place; }
__device__ inline void operator delete(void *, void *) noexcept {}
__device__ inline void operator delete[](void *, void *) noexcept {}
__device__ inline void operator delete(void *place) noexcept { ::free(place); }
__device__ inline void operator delete[](void *place) noexcept { ::free(place); }
__device__ inline void operator delete(void *place, __SIZE_TYPE__) noexcept { ::free(place); }
__device__ inline void operator delete[](void *place, __SIZE_TYPE__) noexcept { ::free(place); }
#endif
