/* What lanes of a warp and threads of a block do together (CUDA C++ Programming Guide, "Warp vote", "Warp match", "Warp reduce",
   "Warp shuffle", "Synchronization functions", "Memory fence functions"). */
#pragma once
#pragma GCC system_header
#include "attributes.h"

#if defined(__CUDA__)
/* __syncthreads() is a builtin of the compiler. */
__WARPLOOM_DEVICE int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
__WARPLOOM_DEVICE int __syncthreads_and(int p) { return __nvvm_bar0_and(p); }
__WARPLOOM_DEVICE int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
__WARPLOOM_DEVICE void __syncwarp(unsigned int mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }
__WARPLOOM_DEVICE void __threadfence() { __nvvm_membar_gl(); }
__WARPLOOM_DEVICE void __threadfence_block() { __nvvm_membar_cta(); }
__WARPLOOM_DEVICE void __threadfence_system() { __nvvm_membar_sys(); }

__WARPLOOM_DEVICE int __all_sync(unsigned int mask, int p) { return __nvvm_vote_all_sync(mask, p); }
__WARPLOOM_DEVICE int __any_sync(unsigned int mask, int p) { return __nvvm_vote_any_sync(mask, p); }
__WARPLOOM_DEVICE int __uni_sync(unsigned int mask, int p) { return __nvvm_vote_uni_sync(mask, p); }
__WARPLOOM_DEVICE unsigned int __ballot_sync(unsigned int mask, int p) { return __nvvm_vote_ballot_sync(mask, p); }
__WARPLOOM_DEVICE unsigned int __activemask()
{
    unsigned int mask;
    asm volatile("activemask.b32 %0;" : "=r"(mask));
    return mask;
}
__WARPLOOM_DEVICE unsigned int __lanemask_lt() { return __nvvm_read_ptx_sreg_lanemask_lt(); }
__WARPLOOM_DEVICE unsigned int __lanemask_le() { return __nvvm_read_ptx_sreg_lanemask_le(); }
__WARPLOOM_DEVICE unsigned int __lanemask_gt() { return __nvvm_read_ptx_sreg_lanemask_gt(); }
__WARPLOOM_DEVICE unsigned int __lanemask_ge() { return __nvvm_read_ptx_sreg_lanemask_ge(); }
__WARPLOOM_DEVICE unsigned int __laneid() { return __nvvm_read_ptx_sreg_laneid(); }

#define __WARPLOOM_REDUCE(name, type, operation) \
    __WARPLOOM_DEVICE type name(unsigned int mask, type x) \
    { \
        type d; \
        asm volatile("redux.sync." operation " %0, %1, %2;" : "=r"(d) : "r"(x), "r"(mask)); \
        return d; \
    }
__WARPLOOM_REDUCE(__reduce_add_sync, int, "add.s32")
__WARPLOOM_REDUCE(__reduce_min_sync, int, "min.s32")
__WARPLOOM_REDUCE(__reduce_max_sync, int, "max.s32")
__WARPLOOM_REDUCE(__reduce_add_sync, unsigned int, "add.u32")
__WARPLOOM_REDUCE(__reduce_min_sync, unsigned int, "min.u32")
__WARPLOOM_REDUCE(__reduce_max_sync, unsigned int, "max.u32")
__WARPLOOM_REDUCE(__reduce_and_sync, unsigned int, "and.b32")
__WARPLOOM_REDUCE(__reduce_or_sync, unsigned int, "or.b32")
__WARPLOOM_REDUCE(__reduce_xor_sync, unsigned int, "xor.b32")
#undef __WARPLOOM_REDUCE

/* A value of any size goes word by word. */
#define __WARPLOOM_SHUFFLE(name, how, clamp, number) \
    template <class T> __WARPLOOM_DEVICE T name(unsigned int mask, T value, number other, int width = 32) \
    { \
        int control = (32 - width) << 8 | clamp, words[(sizeof(T) + 3) / 4] = {}; \
        __builtin_memcpy(words, &value, sizeof(T)); \
        for (int &word : words) word = __nvvm_shfl_sync_##how##_i32(mask, word, other, control); \
        __builtin_memcpy(&value, words, sizeof(T)); \
        return value; \
    }
__WARPLOOM_SHUFFLE(__shfl_sync, idx, 0x1f, int)
__WARPLOOM_SHUFFLE(__shfl_up_sync, up, 0, unsigned int)
__WARPLOOM_SHUFFLE(__shfl_down_sync, down, 0x1f, unsigned int)
__WARPLOOM_SHUFFLE(__shfl_xor_sync, bfly, 0x1f, int)
#undef __WARPLOOM_SHUFFLE

template <class T> __WARPLOOM_DEVICE unsigned int __match_any_sync(unsigned int mask, T value)
{
    if constexpr (sizeof(T) == 8) return __nvvm_match_any_sync_i64(mask, __builtin_bit_cast(unsigned long long, value));
    else return __nvvm_match_any_sync_i32(mask, __builtin_bit_cast(unsigned int, value));
}
template <class T> __WARPLOOM_DEVICE unsigned int __match_all_sync(unsigned int mask, T value, int *all)
{
    unsigned int found = __match_any_sync(mask, value);
    *all = found == mask;
    return *all ? mask : 0;
}

/* The old forms without a mask, which sm_70 and later do not have: what they did, with the lanes that are active. */
#if defined(__WARPLOOM_OLD_WARP_FUNCTIONS)
template <class T> __WARPLOOM_DEVICE T __shfl(T value, int lane, int width = 32) { return __shfl_sync(0xffffffffu, value, lane, width); }
template <class T> __WARPLOOM_DEVICE T __shfl_up(T value, unsigned int n, int width = 32) { return __shfl_up_sync(0xffffffffu, value, n, width); }
template <class T> __WARPLOOM_DEVICE T __shfl_down(T value, unsigned int n, int width = 32) { return __shfl_down_sync(0xffffffffu, value, n, width); }
template <class T> __WARPLOOM_DEVICE T __shfl_xor(T value, int n, int width = 32) { return __shfl_xor_sync(0xffffffffu, value, n, width); }
__WARPLOOM_DEVICE int __all(int p) { return __all_sync(__activemask(), p); }
__WARPLOOM_DEVICE int __any(int p) { return __any_sync(__activemask(), p); }
__WARPLOOM_DEVICE unsigned int __ballot(int p) { return __ballot_sync(__activemask(), p); }
#endif
#endif
