// Kernels of other kinds than the recorded ones: 16-bit floats, 64 bits, LDS whose size the launch says, lanes that send.
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
typedef unsigned uint;
typedef unsigned short ushort;
typedef unsigned long ulong;
typedef half half2 __attribute__((ext_vector_type(2)));
typedef short short2 __attribute__((ext_vector_type(2)));
#define LANE __builtin_amdgcn_workitem_id_x()
#define BLOCK __builtin_amdgcn_workgroup_id_x()
#define SIZE __builtin_amdgcn_workgroup_size_x()
#define ITEM (BLOCK * SIZE + LANE)
#define WAIT_FOR_ALL                                \
  do {                                              \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); \
    __builtin_amdgcn_s_barrier();                   \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); \
  } while (0)

kernel void half_arithmetic(global half *o, global const half *a, global const half *b) {
  uint i = ITEM;
  half x = a[i], y = b[i];
  o[i] = x * y + (x > y ? x - y : y + (half)1.5f);
}

kernel void half_pairs(global half2 *o, global const half2 *a, global const half2 *b) {
  uint i = ITEM;
  o[i] = a[i] * b[i] + a[i] - b[i].yx;
}

kernel void half_rounding(global half *o, global const half *a, global const half *b) {
  uint i = ITEM;
  half x = a[i], y = b[i];
  half most = __builtin_fmaxf16(x, y), least = __builtin_fminf16(x, y);
  o[i] = most - least + __builtin_floorf16(x) + __builtin_truncf16(y) + __builtin_rintf16(x) + __builtin_ceilf16(y);
}

kernel void half_fused(global half *o, global const half *a, global const half *b) {
  uint i = ITEM;
  o[i] = __builtin_fmaf16(a[i], b[i], a[i]);
}

kernel void double_functions(global double *o, global const double *a, global const double *b) {
  uint i = ITEM;
  double x = a[i], y = b[i];
  o[i] = x / y + __builtin_sqrt(__builtin_fabs(x)) + __builtin_floor(x) + __builtin_ceil(y) + __builtin_trunc(x) + __builtin_rint(y);
}

kernel void long_arithmetic(global long *o, global const long *a, global const long *b) {
  uint i = ITEM;
  long x = a[i], y = b[i];
  o[i] = x * y + (x >> 7) - (y << 3) + (x < y ? x : y) + (long)((ulong)x >> 9);
}

kernel void long_atomics(global ulong *h, global const ulong *a) {
  ulong v = a[ITEM];
  __atomic_fetch_add(&h[0], v, __ATOMIC_RELAXED);
  __atomic_fetch_sub(&h[1], v, __ATOMIC_RELAXED);
  __atomic_fetch_max(&h[2], v, __ATOMIC_RELAXED);
}

kernel void long_atomics_in_lds(global ulong *o, global const ulong *a) {
  local ulong h[2];
  if (LANE < 2) h[LANE] = 0;
  WAIT_FOR_ALL;
  __atomic_fetch_sub(&h[0], a[ITEM], __ATOMIC_RELAXED);
  __atomic_fetch_xor(&h[1], a[ITEM], __ATOMIC_RELAXED);
  WAIT_FOR_ALL;
  if (LANE < 2) o[2 * BLOCK + LANE] = h[LANE];
}

kernel void lds_of_the_launch(global uint *o, local uint *t, uint n) {
  t[LANE] = LANE * LANE + BLOCK;
  WAIT_FOR_ALL;
  o[ITEM] = t[(LANE + n) % SIZE];
}

kernel void sends(global uint *o, global const uint *a) {
  uint v = a[ITEM], all = __builtin_amdgcn_ds_permute((LANE * 5 + 3 & 63) << 2, v), some = 0;
  if (LANE & 1) some = __builtin_amdgcn_ds_permute((LANE >> 1) << 2, v);
  o[ITEM] = all * 3 + some;
}

__attribute__((noinline)) void twice(uint *p, uint v) { *p = v * 2; }

kernel void private_through_a_pointer(global uint *o, global const uint *a) {
  uint t;
  twice(&t, a[ITEM]);
  o[ITEM] = t + 1;
}

kernel void bytes_and_limits(global uint *o, global const uint *a, global const uint *b) {
  uint i = ITEM, x = a[i], y = b[i];
  o[i] = __builtin_amdgcn_msad_u8(x, y, 3) + __builtin_amdgcn_lerp(x, y, 1) + (__builtin_elementwise_sub_sat(x, y) >> 5) +
         (__builtin_elementwise_add_sat(x, y) >> 7);
}

__attribute__((noinline)) uint through(uint *p, uint v) {
  uint old = *p;
  *p = old + v;
  return __atomic_fetch_add(p, 5u, __ATOMIC_RELAXED);
}

kernel void generic_pointers(global uint *o, global uint *a) {
  local uint t[64];
  uint own = LANE * 3;
  t[LANE] = LANE * LANE;
  WAIT_FOR_ALL;
  uint *p = LANE % 3 == 0 ? (uint *)&t[LANE] : LANE % 3 == 1 ? &own : (uint *)&a[ITEM];
  uint got = through(p, 7);
  o[ITEM] = got + 100000 * *p;
}

kernel void array_in_registers(global uint *o, global const uint *a, uint n) {
  uint t[16];
  for (uint k = 0; k < 16; k++) t[k] = a[ITEM] * (k + 1);
  t[n & 15] = 1;
  t[a[ITEM] & 15] += 5;
  o[ITEM] = t[LANE & 15] + 3 * t[(n + 3) & 15] + t[a[ITEM] & 15];
}

kernel void short_pairs(global short2 *o, global const short2 *a, global const short2 *b) {
  short2 x = a[ITEM], y = b[ITEM];
  o[ITEM] = __builtin_elementwise_add_sat(x, y) - __builtin_elementwise_min(x, y) + (x >> (short2)5) +
            __builtin_elementwise_sub_sat(y.yx, x) * y;
}
