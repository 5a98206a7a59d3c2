/* Atomic functions (CUDA C++ Programming Guide, "Atomic functions"). Each is relaxed and for the whole device; _block and _system have the
   same effect here, where there is one device. */
#pragma once
#pragma GCC system_header
#include "attributes.h"

#if defined(__CUDA__)
#define __WARPLOOM_RELAXED __ATOMIC_RELAXED
#define __WARPLOOM_ATOMIC(name, type, expression) \
    __WARPLOOM_DEVICE type name(type *place, type value) { return expression; } \
    __WARPLOOM_DEVICE type name##_block(type *place, type value) { return expression; } \
    __WARPLOOM_DEVICE type name##_system(type *place, type value) { return expression; }
#define __WARPLOOM_CAS(type, bits) \
    __WARPLOOM_DEVICE type atomicCAS(type *place, type expected, type value) \
    { \
        bits found = __builtin_bit_cast(bits, expected); \
        __atomic_compare_exchange_n((bits *)place, &found, __builtin_bit_cast(bits, value), false, __WARPLOOM_RELAXED, __WARPLOOM_RELAXED); \
        return __builtin_bit_cast(type, found); \
    } \
    __WARPLOOM_DEVICE type atomicCAS_block(type *place, type expected, type value) { return atomicCAS(place, expected, value); } \
    __WARPLOOM_DEVICE type atomicCAS_system(type *place, type expected, type value) { return atomicCAS(place, expected, value); }
#define __WARPLOOM_ATOMICS_OF(type) \
    __WARPLOOM_ATOMIC(atomicAdd, type, __atomic_fetch_add(place, value, __WARPLOOM_RELAXED)) \
    __WARPLOOM_ATOMIC(atomicSub, type, __atomic_fetch_sub(place, value, __WARPLOOM_RELAXED)) \
    __WARPLOOM_ATOMIC(atomicExch, type, __atomic_exchange_n(place, value, __WARPLOOM_RELAXED)) \
    __WARPLOOM_ATOMIC(atomicMin, type, __atomic_fetch_min(place, value, __WARPLOOM_RELAXED)) \
    __WARPLOOM_ATOMIC(atomicMax, type, __atomic_fetch_max(place, value, __WARPLOOM_RELAXED)) \
    __WARPLOOM_ATOMIC(atomicAnd, type, __atomic_fetch_and(place, value, __WARPLOOM_RELAXED)) \
    __WARPLOOM_ATOMIC(atomicOr, type, __atomic_fetch_or(place, value, __WARPLOOM_RELAXED)) \
    __WARPLOOM_ATOMIC(atomicXor, type, __atomic_fetch_xor(place, value, __WARPLOOM_RELAXED)) \
    __WARPLOOM_CAS(type, type)
__WARPLOOM_ATOMICS_OF(int)
__WARPLOOM_ATOMICS_OF(unsigned int)
__WARPLOOM_ATOMICS_OF(long)
__WARPLOOM_ATOMICS_OF(unsigned long)
__WARPLOOM_ATOMICS_OF(long long)
__WARPLOOM_ATOMICS_OF(unsigned long long)
__WARPLOOM_ATOMIC(atomicAdd, float, __nvvm_atom_add_gen_f(place, value))
__WARPLOOM_ATOMIC(atomicAdd, double, __nvvm_atom_add_gen_d(place, value))
__WARPLOOM_ATOMIC(atomicSub, float, __nvvm_atom_add_gen_f(place, -value))
__WARPLOOM_ATOMIC(atomicSub, double, __nvvm_atom_add_gen_d(place, -value))
__WARPLOOM_ATOMIC(atomicExch, float, __builtin_bit_cast(float, __atomic_exchange_n((unsigned int *)place, __builtin_bit_cast(unsigned int, value), __WARPLOOM_RELAXED)))
__WARPLOOM_ATOMIC(atomicExch, double, __builtin_bit_cast(double, __atomic_exchange_n((unsigned long long *)place, __builtin_bit_cast(unsigned long long, value), __WARPLOOM_RELAXED)))
__WARPLOOM_ATOMIC(atomicInc, unsigned int, __nvvm_atom_inc_gen_ui(place, value))
__WARPLOOM_ATOMIC(atomicDec, unsigned int, __nvvm_atom_dec_gen_ui(place, value))
__WARPLOOM_CAS(float, unsigned int)
__WARPLOOM_CAS(double, unsigned long long)
__WARPLOOM_DEVICE unsigned short atomicCAS(unsigned short *place, unsigned short expected, unsigned short value)
{
    unsigned int *word = (unsigned int *)((unsigned long long)place & ~3ull), shift = ((unsigned long long)place & 2) * 8, old = *word;
    for (;;) {
        if ((unsigned short)(old >> shift) != expected) return (unsigned short)(old >> shift);
        unsigned int found = atomicCAS(word, old, (old & ~(0xffffu << shift)) | (unsigned int)value << shift);
        if (found == old) return expected;
        old = found;
    }
}
#undef __WARPLOOM_ATOMICS_OF
#undef __WARPLOOM_ATOMIC
#undef __WARPLOOM_CAS

/* The atomic functions with an order and a scope (CUDA C++ Programming Guide, "Built-in atomic functions"). */
#define __NV_ATOMIC_RELAXED __ATOMIC_RELAXED
#define __NV_ATOMIC_CONSUME __ATOMIC_CONSUME
#define __NV_ATOMIC_ACQUIRE __ATOMIC_ACQUIRE
#define __NV_ATOMIC_RELEASE __ATOMIC_RELEASE
#define __NV_ATOMIC_ACQ_REL __ATOMIC_ACQ_REL
#define __NV_ATOMIC_SEQ_CST __ATOMIC_SEQ_CST
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4
#define __WARPLOOM_FUNCTION template <class T> __WARPLOOM_DEVICE
#define __WARPLOOM_ORDER int order, int scope = __NV_THREAD_SCOPE_SYSTEM
__WARPLOOM_FUNCTION T __nv_atomic_load_n(T *place, __WARPLOOM_ORDER) { return __atomic_load_n(place, __ATOMIC_SEQ_CST); }
__WARPLOOM_FUNCTION void __nv_atomic_load(T *place, T *found, __WARPLOOM_ORDER) { __atomic_load(place, found, __ATOMIC_SEQ_CST); }
__WARPLOOM_FUNCTION void __nv_atomic_store_n(T *place, T value, __WARPLOOM_ORDER) { __atomic_store_n(place, value, __ATOMIC_SEQ_CST); }
__WARPLOOM_FUNCTION void __nv_atomic_store(T *place, T *value, __WARPLOOM_ORDER) { __atomic_store(place, value, __ATOMIC_SEQ_CST); }
__WARPLOOM_FUNCTION T __nv_atomic_exchange_n(T *place, T value, __WARPLOOM_ORDER) { return atomicExch(place, value); }
__WARPLOOM_FUNCTION T __nv_atomic_fetch_add(T *place, T value, __WARPLOOM_ORDER) { return atomicAdd(place, value); }
__WARPLOOM_FUNCTION T __nv_atomic_fetch_sub(T *place, T value, __WARPLOOM_ORDER) { return atomicSub(place, value); }
__WARPLOOM_FUNCTION T __nv_atomic_fetch_min(T *place, T value, __WARPLOOM_ORDER) { return atomicMin(place, value); }
__WARPLOOM_FUNCTION T __nv_atomic_fetch_max(T *place, T value, __WARPLOOM_ORDER) { return atomicMax(place, value); }
__WARPLOOM_FUNCTION T __nv_atomic_fetch_and(T *place, T value, __WARPLOOM_ORDER) { return atomicAnd(place, value); }
__WARPLOOM_FUNCTION T __nv_atomic_fetch_or(T *place, T value, __WARPLOOM_ORDER) { return atomicOr(place, value); }
__WARPLOOM_FUNCTION T __nv_atomic_fetch_xor(T *place, T value, __WARPLOOM_ORDER) { return atomicXor(place, value); }
__WARPLOOM_FUNCTION void __nv_atomic_add(T *place, T value, __WARPLOOM_ORDER) { atomicAdd(place, value); }
__WARPLOOM_FUNCTION void __nv_atomic_min(T *place, T value, __WARPLOOM_ORDER) { atomicMin(place, value); }
__WARPLOOM_FUNCTION void __nv_atomic_max(T *place, T value, __WARPLOOM_ORDER) { atomicMax(place, value); }
__WARPLOOM_FUNCTION bool __nv_atomic_compare_exchange_n(T *place, T *expected, T value, bool, int, int, int = __NV_THREAD_SCOPE_SYSTEM)
{
    T before = *expected;
    *expected = atomicCAS(place, before, value);
    return *expected == before;
}
#define __nv_atomic_thread_fence(order, scope) __threadfence()
#undef __WARPLOOM_ORDER
#undef __WARPLOOM_FUNCTION
#endif
