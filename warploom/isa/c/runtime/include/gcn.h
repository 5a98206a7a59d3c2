/* Kernels in C for AMD's GCN: a function marked `kernel` runs once for each work-item, a lane of a wave of 64.

       #include <gcn.h>
       kernel void saxpy(global float *y, global const float *x, float a, int n) {
         int i = global_id(x);
         if (i < n) y[i] += a * x[i];
       }

       warploom run saxpy.c --grid 4 --block 64 --arg n=250 --arg a=2.5 --buffer x=x.npy --buffer y=y.npy --save y=out.npy

   `global` is memory, `local` the LDS that a group shares, `constant` memory that nobody writes. Dimensions are x, y and z. */
#ifndef WARPLOOM_GCN_H
#define WARPLOOM_GCN_H
#define kernel __attribute__((amdgpu_kernel, amdgpu_flat_work_group_size(1, 1024)))
#define global __attribute__((address_space(1)))
#define local static __attribute__((address_space(3), loader_uninitialized))
#define constant __attribute__((address_space(4)))

typedef unsigned int uint;
typedef unsigned long ulong;
typedef unsigned short ushort;
typedef unsigned char uchar;

#define local_id(d) __builtin_amdgcn_workitem_id_##d()
#define group_id(d) __builtin_amdgcn_workgroup_id_##d()
#define local_size(d) __builtin_amdgcn_workgroup_size_##d()
#define global_id(d) (group_id(d) * local_size(d) + local_id(d))

/* All work-items of the group wait for each other, and see what the others have written. */
#define barrier() do { \
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); \
  __builtin_amdgcn_s_barrier(); \
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); } while (0)
#define atomic_add(at, value) __hip_atomic_fetch_add(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)
#define atomic_max(at, value) __hip_atomic_fetch_max(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)
#define atomic_min(at, value) __hip_atomic_fetch_min(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)
#endif
