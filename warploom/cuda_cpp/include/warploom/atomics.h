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
#endif
