/* threadIdx, blockIdx, blockDim, gridDim, warpSize: special registers of PTX, read where a member is named. */
#pragma once
#pragma GCC system_header
#include "../vector_types.h"

#if defined(__CUDA__)
#define __WARPLOOM_AXIS(name, register, axis) \
    __declspec(property(get = __read_##axis)) unsigned int axis; \
    static __device__ inline __attribute__((always_inline)) unsigned int __read_##axis() { return __nvvm_read_ptx_sreg_##register##_##axis(); }
#define __WARPLOOM_INDEX(type, name, register) \
    struct type { \
        __WARPLOOM_AXIS(name, register, x) \
        __WARPLOOM_AXIS(name, register, y) \
        __WARPLOOM_AXIS(name, register, z) \
        __device__ operator dim3() const { return dim3(x, y, z); } \
        __device__ operator uint3() const { return uint3{x, y, z}; } \
        type(const type &) = delete; \
        type() = delete; \
    }; \
    extern const __device__ __attribute__((weak)) type name;
__WARPLOOM_INDEX(__warploom_thread_index, threadIdx, tid)
__WARPLOOM_INDEX(__warploom_block_index, blockIdx, ctaid)
__WARPLOOM_INDEX(__warploom_block_size, blockDim, ntid)
__WARPLOOM_INDEX(__warploom_grid_size, gridDim, nctaid)
#undef __WARPLOOM_INDEX
#undef __WARPLOOM_AXIS
static constexpr int warpSize = 32;
#endif
