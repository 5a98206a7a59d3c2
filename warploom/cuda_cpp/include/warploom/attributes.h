/* The words that CUDA C++ adds to C++ (CUDA C++ Programming Guide, "C++ language extensions"), as attributes of clang; nothing elsewhere. */
#pragma once
#pragma GCC system_header

#if defined(__CUDA__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __grid_constant__ __attribute__((grid_constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ inline __attribute__((always_inline))
/* A variable of the device with a copy for the host: the section says to the runtime which ones they are (registry.h). */
#define __managed__ __attribute__((device, section("warploom_managed"))) __attribute__((used))
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __grid_constant__
#define __launch_bounds__(...)
#if defined(__cplusplus)
#define __forceinline__ inline __attribute__((always_inline))
#else
#define __forceinline__ static inline __attribute__((always_inline))
#endif
#endif

#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))
#define __cluster_dims__(...)
#define __maxnreg__(registers)
#define __device_builtin__
#define __cudart_builtin__
#define __specialization_static static
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDART_CB

#if defined(__cplusplus)
#define __WARPLOOM_DEFAULT(value) = value
#else
#define __WARPLOOM_DEFAULT(value)
#endif

/* Functions of ours for kernels; what a header defines is inlined. */
#define __WARPLOOM_DEVICE __device__ static inline __attribute__((always_inline))
#define __WARPLOOM_BOTH __host__ __device__ static inline __attribute__((always_inline))
