/* Vortex's instructions and control registers as C functions, for both generations. WARPLOOM_VORTEX is 2022 or 2024; `warploom cc` sets it.
   The names are those that programs for Vortex use. */
#ifndef VX_INTRINSICS_H
#define VX_INTRINSICS_H
#ifndef WARPLOOM_VORTEX
#error "ordinary RISC-V has none of Vortex's instructions: compile for vortex-2024 or vortex-2022"
#endif
#include <stddef.h>
#include <stdint.h>
#include <warploom_inline.h>

#define VX_CSR_FFLAGS 0x001
#define VX_CSR_FRM 0x002
#define VX_CSR_FCSR 0x003
#define VX_CSR_THREAD_ID 0xCC0
#define VX_CSR_NUM_THREADS 0xFC0
#define VX_CSR_NUM_WARPS 0xFC1
#define VX_CSR_NUM_CORES 0xFC2
#define VX_CSR_MCYCLE 0xB00
#define VX_CSR_MINSTRET 0xB02
#if WARPLOOM_VORTEX >= 2023
#define VX_CSR_WARP_ID 0xCC1
#define VX_CSR_CORE_ID 0xCC2
#define VX_CSR_ACTIVE_WARPS 0xCC3
#define VX_CSR_ACTIVE_THREADS 0xCC4
#define VX_CSR_MHARTID 0xF14
#define VX_CSR_LOCAL_MEM_BASE 0xFC3
#define VX_CSR_MSCRATCH 0x340
#else
#define VX_CSR_WARP_ID 0xCC3
#define VX_CSR_CORE_ID 0xCC5
#define VX_CSR_ACTIVE_THREADS 0xCC4
#define VX_CSR_MHARTID 0xCC2
#define VX_ARGUMENTS 0x7ffff000
#endif

#define __UNIFORM__ /* before a parameter that is the same in all lanes */

#define csr_read(csr) ({ unsigned long value_; __asm__ volatile("csrr %0, %1" : "=r"(value_) : "i"(csr) : "memory"); value_; })
#define csr_write(csr, value) ({ unsigned long value_ = (unsigned long)(value); __asm__ volatile("csrw %0, %1" : : "i"(csr), "r"(value_) : "memory"); })
#define csr_swap(csr, value) ({ unsigned long value_ = (unsigned long)(value); __asm__ volatile("csrrw %0, %1, %0" : "+r"(value_) : "i"(csr) : "memory"); value_; })

WARPLOOM_INLINE int vx_thread_id(void) { int v; __asm__ volatile("csrr %0, %1" : "=r"(v) : "i"(VX_CSR_THREAD_ID)); return v; }
WARPLOOM_INLINE int vx_warp_id(void) { int v; __asm__ volatile("csrr %0, %1" : "=r"(v) : "i"(VX_CSR_WARP_ID)); return v; }
WARPLOOM_INLINE int vx_core_id(void) { int v; __asm__ volatile("csrr %0, %1" : "=r"(v) : "i"(VX_CSR_CORE_ID)); return v; }
WARPLOOM_INLINE int vx_hart_id(void) { int v; __asm__ volatile("csrr %0, %1" : "=r"(v) : "i"(VX_CSR_MHARTID)); return v; }
WARPLOOM_INLINE int vx_num_threads(void) { int v; __asm__ volatile("csrr %0, %1" : "=r"(v) : "i"(VX_CSR_NUM_THREADS)); return v; }
WARPLOOM_INLINE int vx_num_warps(void) { int v; __asm__ volatile("csrr %0, %1" : "=r"(v) : "i"(VX_CSR_NUM_WARPS)); return v; }
WARPLOOM_INLINE int vx_num_cores(void) { int v; __asm__ volatile("csrr %0, %1" : "=r"(v) : "i"(VX_CSR_NUM_CORES)); return v; }
WARPLOOM_INLINE int vx_active_threads(void) { int v; __asm__ volatile("csrr %0, %1" : "=r"(v) : "i"(VX_CSR_ACTIVE_THREADS)); return v; }
WARPLOOM_INLINE void vx_fence(void) { __asm__ volatile("fence iorw, iorw" : : : "memory"); }

#if WARPLOOM_VORTEX >= 2023
WARPLOOM_INLINE int vx_active_warps(void) { int v; __asm__ volatile("csrr %0, %1" : "=r"(v) : "i"(VX_CSR_ACTIVE_WARPS)); return v; }
WARPLOOM_INLINE void vx_tmc(int mask) { __asm__ volatile(".insn r 0x0b, 0, 0, x0, %0, x0" : : "r"(mask) : "memory"); }
WARPLOOM_INLINE void vx_wspawn(int warps, void (*start)(void)) { __asm__ volatile(".insn r 0x0b, 1, 0, x0, %0, %1" : : "r"(warps), "r"(start) : "memory"); }
WARPLOOM_INLINE int vx_split(int condition) { int height; __asm__ volatile(".insn r 0x0b, 2, 0, %0, %1, x0" : "=r"(height) : "r"(condition) : "memory"); return height; }
WARPLOOM_INLINE int vx_split_n(int condition) { int height; __asm__ volatile(".insn r 0x0b, 2, 0, %0, %1, x1" : "=r"(height) : "r"(condition) : "memory"); return height; }
WARPLOOM_INLINE void vx_join(int height) { __asm__ volatile(".insn r 0x0b, 3, 0, x0, %0, x0" : : "r"(height) : "memory"); }
WARPLOOM_INLINE void vx_barrier(int number, int warps) { __asm__ volatile(".insn r 0x0b, 4, 0, x0, %0, %1" : : "r"(number), "r"(warps) : "memory"); }
WARPLOOM_INLINE void vx_pred(int condition, int mask) { __asm__ volatile(".insn r 0x0b, 5, 0, x0, %0, %1" : : "r"(condition), "r"(mask) : "memory"); }
/* Votes and shuffles of 2026, in the place of textures. b, clamp, segment: of 6 bits; lanes in whose numbers the bits of `segment` are equal exchange values. */
#define WARPLOOM_VOTE(name, number) \
  WARPLOOM_INLINE int vx_vote_##name(int condition) { int v; __asm__ volatile(".insn r 0x0b, " number ", 1, %0, %1, x0" : "=r"(v) : "r"(condition)); return v; }
WARPLOOM_VOTE(all, "0")
WARPLOOM_VOTE(any, "1")
WARPLOOM_VOTE(uni, "2")
WARPLOOM_VOTE(ballot, "3")
#define WARPLOOM_SHUFFLE(name, number) \
  WARPLOOM_INLINE int vx_shfl_##name(size_t value, int b, int clamp, int segment) { \
    int v; \
    __asm__ volatile(".insn r 0x0b, " number ", 1, %0, %1, %2" : "=r"(v) : "r"(value), "r"(segment << 12 | clamp << 6 | b)); \
    return v; \
  }
WARPLOOM_SHUFFLE(up, "4")
WARPLOOM_SHUFFLE(down, "5")
WARPLOOM_SHUFFLE(bfly, "6")
WARPLOOM_SHUFFLE(idx, "7")
WARPLOOM_INLINE unsigned vx_tex(int stage, unsigned u, unsigned v, unsigned lod) {
  unsigned texel;
  if (stage == 0) __asm__ volatile(".insn r4 0x2b, 0, 0, %0, %1, %2, %3" : "=r"(texel) : "r"(u), "r"(v), "r"(lod));
  else __asm__ volatile(".insn r4 0x2b, 0, 1, %0, %1, %2, %3" : "=r"(texel) : "r"(u), "r"(v), "r"(lod));
  return texel;
}
/* The next quad of the raster engine: triangle << 1 | 1, or 0 where there is none. It lies in the registers VX_CSR_RASTER_... */
WARPLOOM_INLINE unsigned vx_rast(void) { unsigned quad; __asm__ volatile(".insn r 0x0b, 0, 1, %0, x0, x0" : "=r"(quad) : : "memory"); return quad; }
/* A fragment for the output merger: its place, which side of the triangle is seen (1: the back), colour (four bytes, alpha in the highest), depth. */
WARPLOOM_INLINE void vx_om(unsigned x, unsigned y, unsigned face, unsigned color, unsigned depth) {
  __asm__ volatile(".insn r4 0x2b, 1, 0, x0, %0, %1, %2" : : "r"(y << 16 | x << 1 | face), "r"(color), "r"(depth) : "memory");
}
#define VX_CSR_RASTER_POS_MASK 0x7C0
#define VX_CSR_RASTER_BCOORD_X0 0x7C1 /* of edge 0, pixels 0 to 3 */
#define VX_CSR_RASTER_BCOORD_Y0 0x7C5
#define VX_CSR_RASTER_BCOORD_Z0 0x7C9

/* Rays, as Vortex of 2026 has them, for a machine with a ray unit. A scene is the address of a tree that warploom.graphics.rays builds. */
#define VX_RT_STS_DONE_HIT 0
#define VX_RT_STS_DONE_MISS 1
#define VX_RT_STS_YIELD_ANYHIT 2
#define VX_RT_STS_YIELD_PROC 3
#define VX_RT_STS_ERROR 128 /* and the number of what is wrong with the tree */
#define VX_RT_FLAG_OPAQUE 0x01
#define VX_RT_FLAG_NO_OPAQUE 0x02
#define VX_RT_FLAG_TERMINATE_ON_FIRST_HIT 0x04
#define VX_RT_FLAG_CULL_BACK_FACING 0x10
#define VX_RT_FLAG_CULL_FRONT_FACING 0x20
#define VX_RT_FLAG_CULL_OPAQUE 0x40
#define VX_RT_FLAG_CULL_NO_OPAQUE 0x80
#define VX_RT_FLAG_SKIP_TRIANGLES 0x100
#define VX_RT_FLAG_SKIP_AABBS 0x200
#define VX_RT_CB_IGNORE 0
#define VX_RT_CB_ACCEPT 1
#define VX_RT_CB_TERMINATE 2
typedef struct { float origin[3], dir[3], tmin, tmax; } vx_ray_t;
typedef struct { float t, u, v; uint32_t primitive_id, geometry_index, instance_id, instance_custom; } vx_hit_t;
typedef struct { float origin[3], dir[3]; } vx_objray_t;
/* The rays of all lanes begin; the handle is for vx_rt_wait. Each lane may have a scene, flags and mask of its own. */
WARPLOOM_INLINE uint32_t vx_rt_wtrace(uint32_t scene, uint32_t payload, uint32_t flags, uint32_t mask, const vx_ray_t *ray) {
  register float f0 __asm__("f0") = ray->origin[0], f1 __asm__("f1") = ray->origin[1], f2 __asm__("f2") = ray->origin[2];
  register float f3 __asm__("f3") = ray->dir[0], f4 __asm__("f4") = ray->dir[1], f5 __asm__("f5") = ray->dir[2];
  register float f6 __asm__("f6") = ray->tmin, f7 __asm__("f7") = ray->tmax;
  uint32_t handle;
  (void)payload;
  __asm__ volatile(".insn r 0x2b, 7, 10, %0, %1, %2" : "=r"(handle) : "r"(mask << 16 | (flags & 0xffffu)), "r"(scene),
                   "f"(f0), "f"(f1), "f"(f2), "f"(f3), "f"(f4), "f"(f5), "f"(f6), "f"(f7) : "memory");
  return handle;
}
/* Waits for the rays of a handle: VX_RT_STS_..., and what was hit, or what the program has to decide about. */
WARPLOOM_INLINE uint32_t vx_rt_wait(uint32_t handle, vx_hit_t *hit) {
  uint32_t status;
  __asm__ volatile(".insn r 0x2b, 7, 1, %0, %1, x0" : "=r"(status) : "r"(handle) : "memory");
  register float t __asm__("f0"), u __asm__("f1"), v __asm__("f2");
  __asm__ volatile(".insn r 0x2b, 6, 58, %0, %3, x3" : "=f"(t), "=f"(u), "=f"(v) : "r"(status));
  register uint32_t primitive __asm__("t3"), instance __asm__("t4"), geometry __asm__("t5"), custom __asm__("t6");
  __asm__ volatile(".insn r 0x2b, 6, 87, %0, %4, x4" : "=r"(primitive), "=r"(instance), "=r"(geometry), "=r"(custom) : "r"(status));
  hit->t = t, hit->u = u, hit->v = v;
  hit->primitive_id = primitive, hit->instance_id = instance, hit->geometry_index = geometry, hit->instance_custom = custom;
  return status;
}
WARPLOOM_INLINE int vx_rt_sts_is_yield(uint32_t status) { return status == VX_RT_STS_YIELD_ANYHIT || status == VX_RT_STS_YIELD_PROC; }
WARPLOOM_INLINE int vx_rt_sts_has_candidate(uint32_t status) { return vx_rt_sts_is_yield(status); }
/* VX_RT_CB_... about the candidate; t: where the program has found what is in a box. Then as vx_rt_wait. */
WARPLOOM_INLINE uint32_t vx_rt_continue(uint32_t handle, uint32_t action, float t, uint32_t attribute, vx_hit_t *hit) {
  __asm__ volatile(".insn r4 0x2b, 6, 0, x0, %0, %1, %2" : : "r"(action), "f"(t), "r"(attribute) : "memory");
  return vx_rt_wait(handle, hit);
}
/* The ray in the space of the instance in which the candidate lies. */
WARPLOOM_INLINE void vx_rt_get_objray(vx_objray_t *out) {
  register float f0 __asm__("f0"), f1 __asm__("f1"), f2 __asm__("f2"), f3 __asm__("f3"), f4 __asm__("f4"), f5 __asm__("f5");
  __asm__ volatile(".insn r 0x2b, 6, 34, %0, x0, x6" : "=f"(f0), "=f"(f1), "=f"(f2), "=f"(f3), "=f"(f4), "=f"(f5) : : "memory");
  out->origin[0] = f0, out->origin[1] = f1, out->origin[2] = f2, out->dir[0] = f3, out->dir[1] = f4, out->dir[2] = f5;
}
#else
WARPLOOM_INLINE void vx_tmc(int mask) { __asm__ volatile(".insn s 0x6b, 0, x0, 0(%0)" : : "r"(mask) : "memory"); }
WARPLOOM_INLINE void vx_pred(int condition) { __asm__ volatile(".insn s 0x6b, 0, x1, 0(%0)" : : "r"(condition) : "memory"); }
WARPLOOM_INLINE void vx_wspawn(int warps, void (*start)(void)) { __asm__ volatile(".insn s 0x6b, 1, %1, 0(%0)" : : "r"(warps), "r"(start) : "memory"); }
WARPLOOM_INLINE int vx_split(int condition) { __asm__ volatile(".insn s 0x6b, 2, x0, 0(%0)" : : "r"(condition) : "memory"); return 0; }
WARPLOOM_INLINE void vx_join(int height) { (void)height; __asm__ volatile(".insn s 0x6b, 3, x0, 0(x0)" : : : "memory"); }
WARPLOOM_INLINE void vx_barrier(int number, int warps) { __asm__ volatile(".insn s 0x6b, 4, %1, 0(%0)" : : "r"(number), "r"(warps) : "memory"); }
WARPLOOM_INLINE unsigned vx_tex(int unit, unsigned u, unsigned v, unsigned lod) {
  unsigned texel;
  if (unit == 0) __asm__ volatile(".insn r4 0x5b, 0, 0, %0, %1, %2, %3" : "=r"(texel) : "r"(u), "r"(v), "r"(lod));
  else __asm__ volatile(".insn r4 0x5b, 0, 1, %0, %1, %2, %3" : "=r"(texel) : "r"(u), "r"(v), "r"(lod));
  return texel;
}
#define WARPLOOM_NO_VOTES __attribute__((unavailable("votes and shuffles are of 2026: use --gpu vortex-2024 --set vortex.isa=2026")))
WARPLOOM_NO_VOTES int vx_vote_all(int condition), vx_vote_any(int condition), vx_vote_uni(int condition), vx_vote_ballot(int condition);
WARPLOOM_NO_VOTES int vx_shfl_up(size_t value, int b, int clamp, int segment), vx_shfl_down(size_t value, int b, int clamp, int segment);
WARPLOOM_NO_VOTES int vx_shfl_bfly(size_t value, int b, int clamp, int segment), vx_shfl_idx(size_t value, int b, int clamp, int segment);
#endif
WARPLOOM_INLINE void vx_tmc_zero(void) { vx_tmc(0); }
WARPLOOM_INLINE void vx_tmc_one(void) { vx_tmc(1); }
#endif
