/* What OpenCL C takes for granted, for GCN: read before every .cl file. Clang brings the language, AMD's library of functions it does not. */
#ifndef WARPLOOM_OPENCL_H
#define WARPLOOM_OPENCL_H
#ifndef __OPENCL_VERSION__
#define __OPENCL_VERSION__ 200
#endif
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef ulong size_t;
#define WARPLOOM_VECTORS(type) \
  typedef type type##2 __attribute__((ext_vector_type(2))); typedef type type##3 __attribute__((ext_vector_type(3))); \
  typedef type type##4 __attribute__((ext_vector_type(4))); typedef type type##8 __attribute__((ext_vector_type(8))); \
  typedef type type##16 __attribute__((ext_vector_type(16)));
WARPLOOM_VECTORS(char) WARPLOOM_VECTORS(uchar) WARPLOOM_VECTORS(short) WARPLOOM_VECTORS(ushort) WARPLOOM_VECTORS(int) WARPLOOM_VECTORS(uint)
WARPLOOM_VECTORS(long) WARPLOOM_VECTORS(ulong) WARPLOOM_VECTORS(float) WARPLOOM_VECTORS(double)
#undef WARPLOOM_VECTORS

#define WARPLOOM_OWN static inline __attribute__((always_inline, nodebug))
#define WARPLOOM_OVERLOADED WARPLOOM_OWN __attribute__((overloadable))
#define WARPLOOM_BY_DIMENSION(name) \
  (d == 0 ? __builtin_amdgcn_##name##_x() : d == 1 ? __builtin_amdgcn_##name##_y() : d == 2 ? __builtin_amdgcn_##name##_z() : 0)
WARPLOOM_OWN size_t get_local_id(uint d) { return WARPLOOM_BY_DIMENSION(workitem_id); }
WARPLOOM_OWN size_t get_group_id(uint d) { return WARPLOOM_BY_DIMENSION(workgroup_id); }
WARPLOOM_OWN size_t get_local_size(uint d) { return d > 2 ? 1 : WARPLOOM_BY_DIMENSION(workgroup_size); }
WARPLOOM_OWN size_t get_global_size(uint d) { return d > 2 ? 1 : WARPLOOM_BY_DIMENSION(grid_size); }
WARPLOOM_OWN size_t get_num_groups(uint d) { return d > 2 ? 1 : get_global_size(d) / get_local_size(d); }
WARPLOOM_OWN size_t get_global_offset(uint d) { return 0; }
WARPLOOM_OWN size_t get_global_id(uint d) { return get_group_id(d) * get_local_size(d) + get_local_id(d); }

#define CLK_LOCAL_MEM_FENCE 1
#define CLK_GLOBAL_MEM_FENCE 2
// Which memory a barrier orders is not in its code: a section that is not loaded notes it, for `warploom check`.
#define WARPLOOM_NOTE_BARRIER(flags) __asm__ volatile( \
  ".pushsection .warploom.barriers,\"\",@progbits\n.quad 0f\n.long %0\n.popsection\n0:" \
  :: "i"(__builtin_choose_expr(__builtin_constant_p(flags), (int)(flags), CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)))
#define barrier(flags) do { \
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); \
  WARPLOOM_NOTE_BARRIER(flags); \
  __builtin_amdgcn_s_barrier(); \
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); } while (0)
#define work_group_barrier(flags) barrier(flags)
#define mem_fence(flags) __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "workgroup")
#define read_mem_fence(flags) __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup")
#define write_mem_fence(flags) __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup")

#include "opencl_functions.h"

#define WARPLOOM_ATOMIC(name, operation) \
  WARPLOOM_OVERLOADED int name(volatile __global int *at, int value) { return operation(at, value, __ATOMIC_RELAXED); } \
  WARPLOOM_OVERLOADED uint name(volatile __global uint *at, uint value) { return operation(at, value, __ATOMIC_RELAXED); } \
  WARPLOOM_OVERLOADED int name(volatile __local int *at, int value) { return operation(at, value, __ATOMIC_RELAXED); } \
  WARPLOOM_OVERLOADED uint name(volatile __local uint *at, uint value) { return operation(at, value, __ATOMIC_RELAXED); }
WARPLOOM_ATOMIC(atomic_add, __atomic_fetch_add)
WARPLOOM_ATOMIC(atomic_sub, __atomic_fetch_sub)
WARPLOOM_ATOMIC(atomic_and, __atomic_fetch_and)
WARPLOOM_ATOMIC(atomic_or, __atomic_fetch_or)
WARPLOOM_ATOMIC(atomic_xor, __atomic_fetch_xor)
WARPLOOM_ATOMIC(atomic_min, __atomic_fetch_min)
WARPLOOM_ATOMIC(atomic_max, __atomic_fetch_max)
WARPLOOM_ATOMIC(atomic_xchg, __atomic_exchange_n)
#undef WARPLOOM_ATOMIC
#define WARPLOOM_EXCHANGE(space, type) \
  WARPLOOM_OVERLOADED type atomic_cmpxchg(volatile space type *at, type expected, type value) { \
    __atomic_compare_exchange_n(at, &expected, value, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED); return expected; }
WARPLOOM_EXCHANGE(__global, int) WARPLOOM_EXCHANGE(__global, uint) WARPLOOM_EXCHANGE(__local, int) WARPLOOM_EXCHANGE(__local, uint)
#undef WARPLOOM_EXCHANGE
#define atomic_inc(at) atomic_add(at, 1)
#define atomic_dec(at) atomic_sub(at, 1)
#endif
