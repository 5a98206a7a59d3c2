/* Kernels in C for `warploom run kernel.c`: a function marked `kernel` is called once for each of the launch's threads, with the arguments
   that the command line gives by its parameters' names.

       #include <warploom.h>
       kernel void saxpy(float a, const float *x, float *y) { int i = global_id(); y[i] += a * x[i]; }

       warploom run saxpy.c --threads 1000 --arg a=2.5 --buffer x=x.npy --buffer y=y.npy --save y=out.npy

   A parameter that is a pointer gets the buffer of its own name unless --arg names a different one. At most eight parameters are whole
   numbers and pointers, and eight floats. */
#ifndef WARPLOOM_H
#define WARPLOOM_H
#include <stddef.h>
#include <stdint.h>

#define kernel __attribute__((section(".text.kernel"), used, noinline))

int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int putchar(int character);
void *memcpy(void *to, const void *from, size_t bytes);
void *memset(void *to, int byte, size_t bytes);

#ifdef WARPLOOM_VORTEX
#include <vx_spawn.h>
static inline __attribute__((always_inline)) int lane_id(void) { return vx_thread_id(); }
static inline __attribute__((always_inline)) int warp_id(void) { return vx_warp_id(); }
static inline __attribute__((always_inline)) int core_id(void) { return vx_core_id(); }
static inline __attribute__((always_inline)) int local_id(void) { return threadIdx.x; }
static inline __attribute__((always_inline)) int local_size(void) { return blockDim.x; }
static inline __attribute__((always_inline)) int group_id(void) { return blockIdx.x; }
static inline __attribute__((always_inline)) int global_id(void) { return blockIdx.x * blockDim.x + threadIdx.x; }
static inline __attribute__((always_inline)) int global_size(void) { return gridDim.x * blockDim.x; }
/* All threads of the group wait for each other. */
static inline __attribute__((always_inline)) void barrier(void) { __syncthreads(); }
/* All warps of all cores wait for each other, in kernels that fill the device. */
static inline __attribute__((always_inline)) void device_barrier(int number) { vx_barrier((int)(0x80000000u | (unsigned)number), vx_num_cores()); }
static inline __attribute__((always_inline)) void *local_memory(uint32_t bytes) { return warploom_local_memory(bytes); }
/* Around a branch on which lanes may disagree:  int s = split(c); if (c) { ... } else { ... } join(s); */
static inline __attribute__((always_inline)) int split(int condition) { return vx_split(condition != 0); }
static inline __attribute__((always_inline)) void join(int height) { vx_join(height); }
/* Around a loop that lanes leave one by one:  int h = loop_begin(); do { ... } while (loop_while(more, h)); loop_end(h);
   What the loop changes must be volatile: a lane that is switched off misses what a compiler does with registers after the switch. */
#if WARPLOOM_VORTEX >= 2023
static inline __attribute__((always_inline)) int loop_begin(void) { return vx_active_threads(); }
static inline __attribute__((always_inline)) int loop_while(int more, int mask) { vx_pred(more != 0, mask); return more; }
static inline __attribute__((always_inline)) void loop_end(int mask) { (void)mask; }
#else
static inline __attribute__((always_inline)) int loop_begin(void) { return vx_split(1); } /* leaves the mask on the stack */
static inline __attribute__((always_inline)) int loop_while(int more, int height) { (void)height; vx_pred(more); return more; }
static inline __attribute__((always_inline)) void loop_end(int height) { vx_join(height); }
#endif
#else
static inline __attribute__((always_inline)) int loop_begin(void) { return 0; }
static inline __attribute__((always_inline)) int loop_while(int more, int height) { (void)height; return more; }
static inline __attribute__((always_inline)) void loop_end(int height) { (void)height; }
/* Ordinary RISC-V code: main(int thread, int threads, void *arguments) runs once a thread; the machine parts lanes by itself. */
static inline __attribute__((always_inline)) int split(int condition) { (void)condition; return 0; }
static inline __attribute__((always_inline)) void join(int height) { (void)height; }
#endif

#ifdef __riscv_atomic
static inline __attribute__((always_inline)) int atomic_add(int *at, int value) { return __atomic_fetch_add(at, value, __ATOMIC_RELAXED); }
static inline __attribute__((always_inline)) int atomic_and(int *at, int value) { return __atomic_fetch_and(at, value, __ATOMIC_RELAXED); }
static inline __attribute__((always_inline)) int atomic_or(int *at, int value) { return __atomic_fetch_or(at, value, __ATOMIC_RELAXED); }
static inline __attribute__((always_inline)) int atomic_xor(int *at, int value) { return __atomic_fetch_xor(at, value, __ATOMIC_RELAXED); }
static inline __attribute__((always_inline)) int atomic_exchange(int *at, int value) { return __atomic_exchange_n(at, value, __ATOMIC_RELAXED); }
static inline __attribute__((always_inline)) int atomic_max(int *at, int value) { int old; __asm__ volatile("amomax.w %0, %2, (%1)" : "=r"(old) : "r"(at), "r"(value) : "memory"); return old; }
static inline __attribute__((always_inline)) int atomic_min(int *at, int value) { int old; __asm__ volatile("amomin.w %0, %2, (%1)" : "=r"(old) : "r"(at), "r"(value) : "memory"); return old; }
#endif
#endif
