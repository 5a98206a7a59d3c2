/* Kernels in C for AVX-512: one function is a warp, which is a thread of the CPU, and a variable is a value for each of its sixteen lanes.

       #include <lanes.h>
       kernel void saxpy(mask active, vint thread, float a, const float *x, float *y) {
         put_float(active, y, thread, get_float(active, y, thread) + a * get_float(active, x, thread));
       }

       warploom run saxpy.c --isa avx512 --threads 1000 --arg a=2.5 --buffer x=x.npy --buffer y=y.npy --save y=out.npy

   A kernel begins with the mask of the lanes that there are and the numbers of their threads; at most five whole numbers and pointers and
   seven floats follow. Nobody manages masks but the program: what an `if` or a loop leaves active is a mask in a variable, which every
   operation that must not happen in other lanes is given. Operators (+ - * / & | ^ ~ << >> and comparisons of vectors) work on all lanes.
   Every intrinsic of <immintrin.h> is there too. */
#ifndef WARPLOOM_LANES_H
#define WARPLOOM_LANES_H
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#define LANES 16
#define kernel __attribute__((section(".text.kernel"), used, noinline))
#define LANES_INLINE static inline __attribute__((always_inline, nodebug)) /* its instructions belong to the line that calls it */

typedef __mmask16 mask;
typedef int vint __attribute__((vector_size(64)));
typedef float vfloat __attribute__((vector_size(64)));

LANES_INLINE vint all_int(int value) { return (vint)_mm512_set1_epi32(value); }
LANES_INLINE vfloat all_float(float value) { return (vfloat)_mm512_set1_ps(value); }
LANES_INLINE vfloat to_float(vint a) { return (vfloat)_mm512_cvtepi32_ps((__m512i)a); }
LANES_INLINE vint to_int(vfloat a) { return (vint)_mm512_cvttps_epi32((__m512)a); } /* towards zero */
LANES_INLINE vint lane_numbers(void) { return (vint){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}; }

/* Lanes of a mask for which a comparison holds. */
LANES_INLINE mask less(mask m, vint a, vint b) { return _mm512_mask_cmplt_epi32_mask(m, (__m512i)a, (__m512i)b); }
LANES_INLINE mask less_equal(mask m, vint a, vint b) { return _mm512_mask_cmple_epi32_mask(m, (__m512i)a, (__m512i)b); }
LANES_INLINE mask equal(mask m, vint a, vint b) { return _mm512_mask_cmpeq_epi32_mask(m, (__m512i)a, (__m512i)b); }
LANES_INLINE mask not_equal(mask m, vint a, vint b) { return _mm512_mask_cmpneq_epi32_mask(m, (__m512i)a, (__m512i)b); }
LANES_INLINE mask any_bit(mask m, vint a, vint b) { return _mm512_mask_test_epi32_mask(m, (__m512i)a, (__m512i)b); }
LANES_INLINE mask less_float(mask m, vfloat a, vfloat b) { return _mm512_mask_cmp_ps_mask(m, (__m512)a, (__m512)b, _CMP_LT_OS); }
LANES_INLINE mask less_equal_float(mask m, vfloat a, vfloat b) { return _mm512_mask_cmp_ps_mask(m, (__m512)a, (__m512)b, _CMP_LE_OS); }
LANES_INLINE mask others(mask m, mask taken) { return _kandn_mask16(taken, m); } /* of an else: the lanes of m that are not taken */
LANES_INLINE int any(mask m) { return m != 0; }

/* b in the lanes of a mask, a in the others. */
LANES_INLINE vint where(mask m, vint a, vint b) { return (vint)_mm512_mask_mov_epi32((__m512i)a, m, (__m512i)b); }
LANES_INLINE vfloat where_float(mask m, vfloat a, vfloat b) { return (vfloat)_mm512_mask_mov_ps((__m512)a, m, (__m512)b); }

/* array[index] in the lanes of a mask; zero in the others. Of two lanes that write one element the higher one is the last. */
LANES_INLINE vint get(mask m, const int *array, vint index) {
  return (vint)_mm512_mask_i32gather_epi32(_mm512_setzero_si512(), m, (__m512i)index, array, 4);
}
LANES_INLINE vfloat get_float(mask m, const float *array, vint index) {
  return (vfloat)_mm512_mask_i32gather_ps(_mm512_setzero_ps(), m, (__m512i)index, array, 4);
}
LANES_INLINE void put(mask m, int *array, vint index, vint value) { _mm512_mask_i32scatter_epi32(array, m, (__m512i)index, (__m512i)value, 4); }
LANES_INLINE void put_float(mask m, float *array, vint index, vfloat value) {
  _mm512_mask_i32scatter_ps(array, m, (__m512i)index, (__m512)value, 4);
}
/* The same where the lanes' elements follow one another from `array` on: one access, no list of addresses. */
LANES_INLINE vint row(mask m, const int *array) { return (vint)_mm512_maskz_loadu_epi32(m, array); }
LANES_INLINE vfloat row_float(mask m, const float *array) { return (vfloat)_mm512_maskz_loadu_ps(m, array); }
LANES_INLINE void put_row(mask m, int *array, vint value) { _mm512_mask_storeu_epi32(array, m, (__m512i)value); }
LANES_INLINE void put_row_float(mask m, float *array, vfloat value) { _mm512_mask_storeu_ps(array, m, (__m512)value); }

/* For each lane of a mask, as bits, the lower lanes that hold the same. */
LANES_INLINE vint conflicts(mask m, vint a) { return (vint)_mm512_maskz_conflict_epi32(m, (__m512i)a); }
/* The sum of the lanes of a mask. */
LANES_INLINE int sum(mask m, vint a) { return _mm512_mask_reduce_add_epi32(m, (__m512i)a); }
/* The number of the first thread: that of lane 0. */
LANES_INLINE int first(vint thread) { return _mm_cvtsi128_si32(_mm512_castsi512_si128((__m512i)thread)); }
#endif
