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
#include <warploom_inline.h>

#ifdef __cplusplus
#define kernel extern "C" __attribute__((section(".text.kernel"), used, noinline))
#else
#define kernel __attribute__((section(".text.kernel"), used, noinline))
#endif

#ifdef WARPLOOM_VORTEX
#define WARPLOOM_ON_VORTEX(what)
#else
#define WARPLOOM_ON_VORTEX(what) __attribute__((unavailable("ordinary RISC-V has no " what ": use --isa vortex")))
#endif
WARPLOOM_C WARPLOOM_ON_VORTEX("console") int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
WARPLOOM_C WARPLOOM_ON_VORTEX("console") int putchar(int character);
WARPLOOM_C void *memcpy(void *to, const void *from, size_t bytes);
WARPLOOM_C void *memmove(void *to, const void *from, size_t bytes);
WARPLOOM_C void *memset(void *to, int byte, size_t bytes);
WARPLOOM_C int memcmp(const void *a, const void *b, size_t bytes);

#ifdef WARPLOOM_VORTEX
#include <vx_spawn.h>
WARPLOOM_INLINE int lane_id(void) { return vx_thread_id(); }
WARPLOOM_INLINE int warp_id(void) { return vx_warp_id(); }
WARPLOOM_INLINE int core_id(void) { return vx_core_id(); }
WARPLOOM_INLINE int local_id(void) { return threadIdx.x; }
WARPLOOM_INLINE int local_size(void) { return blockDim.x; }
WARPLOOM_INLINE int group_id(void) { return blockIdx.x; }
WARPLOOM_INLINE int global_id(void) { return blockIdx.x * blockDim.x + threadIdx.x; }
WARPLOOM_INLINE int global_size(void) { return gridDim.x * blockDim.x; }
/* All threads of the group wait for each other. */
WARPLOOM_INLINE void barrier(void) { __syncthreads(); }
/* All warps of all cores wait for each other, in kernels that fill the device. */
#if WARPLOOM_VORTEX >= 2023
WARPLOOM_C void warploom_device_barrier(int number);
WARPLOOM_INLINE void device_barrier(int number) { warploom_device_barrier(number); }
#else
WARPLOOM_INLINE void device_barrier(int number) { vx_barrier((int)(0x80000000u | (unsigned)number), vx_num_cores()); }
#endif
WARPLOOM_INLINE void *local_memory(uint32_t bytes) { return warploom_local_memory(bytes); }
/* Around a branch on which lanes may disagree:  int s = split(c); if (c) { ... } else { ... } join(s); */
WARPLOOM_INLINE int split(int condition) { return vx_split(condition != 0); }
WARPLOOM_INLINE void join(int height) { vx_join(height); }
/* Around a loop that lanes leave one by one:  int h = loop_begin(); do { ... } while (loop_while(more, h)); loop_end(h);
   What the loop changes must be volatile: a lane that is switched off misses what a compiler does with registers after the switch. */
#if WARPLOOM_VORTEX >= 2023
WARPLOOM_INLINE int loop_begin(void) { return vx_active_threads(); }
WARPLOOM_INLINE int loop_while(int more, int mask) { vx_pred(more != 0, mask); return more; }
WARPLOOM_INLINE void loop_end(int mask) { (void)mask; }
#else
WARPLOOM_INLINE int loop_begin(void) { return vx_split(1); } /* leaves the mask on the stack */
WARPLOOM_INLINE int loop_while(int more, int height) { (void)height; vx_pred(more); return more; }
WARPLOOM_INLINE void loop_end(int height) { vx_join(height); }
#endif
#else
WARPLOOM_INLINE int loop_begin(void) { return 0; }
WARPLOOM_INLINE int loop_while(int more, int height) { (void)height; return more; }
WARPLOOM_INLINE void loop_end(int height) { (void)height; }
/* Ordinary RISC-V code: a kernel, or main(int thread, int threads, void *arguments), runs once a thread; the machine parts lanes by itself.
   Threads have numbers, but no barriers and no memory of their group. A main of
   one's own is told its thread and how many there are; of these functions it may ask global_id() alone: what asks for the others is
   linked with the main that calls kernels, or not at all (riscv.ld). */
WARPLOOM_ON_VORTEX("barriers") void barrier(void);
WARPLOOM_ON_VORTEX("barriers") void device_barrier(int number);
WARPLOOM_ON_VORTEX("memory of a group") void *local_memory(uint32_t bytes);
WARPLOOM_INLINE int global_id(void) { int v; __asm__("mv %0, tp" : "=r"(v)); return v; }
__asm__(".weak warploom_asks_for_kernels");
WARPLOOM_INLINE const int *warploom_launch(void) {
  const int *v;
  __asm__(".set warploom_asks_for_kernels, 1\n\tmv %0, gp" : "=r"(v));
  return v;
}
WARPLOOM_INLINE int local_size(void) { return warploom_launch()[5]; }
WARPLOOM_INLINE int global_size(void) { return warploom_launch()[2] * local_size(); }
WARPLOOM_INLINE int group_id(void) { return global_id() / local_size(); }
WARPLOOM_INLINE int local_id(void) { return global_id() % local_size(); }
WARPLOOM_INLINE int split(int condition) { (void)condition; return 0; }
WARPLOOM_INLINE void join(int height) { (void)height; }
#endif

#ifdef __riscv_atomic
WARPLOOM_INLINE int atomic_add(int *at, int value) { return __atomic_fetch_add(at, value, __ATOMIC_RELAXED); }
WARPLOOM_INLINE int atomic_and(int *at, int value) { return __atomic_fetch_and(at, value, __ATOMIC_RELAXED); }
WARPLOOM_INLINE int atomic_or(int *at, int value) { return __atomic_fetch_or(at, value, __ATOMIC_RELAXED); }
WARPLOOM_INLINE int atomic_xor(int *at, int value) { return __atomic_fetch_xor(at, value, __ATOMIC_RELAXED); }
WARPLOOM_INLINE int atomic_exchange(int *at, int value) { return __atomic_exchange_n(at, value, __ATOMIC_RELAXED); }
WARPLOOM_INLINE int atomic_max(int *at, int value) { int old; __asm__ volatile("amomax.w %0, %2, (%1)" : "=r"(old) : "r"(at), "r"(value) : "memory"); return old; }
WARPLOOM_INLINE int atomic_min(int *at, int value) { int old; __asm__ volatile("amomin.w %0, %2, (%1)" : "=r"(old) : "r"(at), "r"(value) : "memory"); return old; }
#else
#define WARPLOOM_NO_ATOMICS __attribute__((unavailable("Vortex until 2022 has no atomics: use --isa vortex-2024")))
WARPLOOM_NO_ATOMICS int atomic_add(int *at, int value), atomic_and(int *at, int value), atomic_or(int *at, int value);
WARPLOOM_NO_ATOMICS int atomic_xor(int *at, int value), atomic_exchange(int *at, int value);
WARPLOOM_NO_ATOMICS int atomic_max(int *at, int value), atomic_min(int *at, int value);
#endif
#endif
