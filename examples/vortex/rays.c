/* What each ray hits: a thread a ray, by the ray unit. `warploom run rays.c --gpu vortex-2026`, with a scene that
   warploom.graphics.rays builds. What is not opaque counts where its number is even: the any-hit loop. */
#include <vx_intrinsics.h>
#include <warploom.h>

kernel void trace(const unsigned *scene, const vx_ray_t *rays, vx_hit_t *hits, unsigned *statuses, unsigned flags) {
  int i = global_id();
  vx_hit_t hit;
  unsigned handle = vx_rt_wtrace((unsigned)(uintptr_t)scene, 0, flags, 0xff, &rays[i]);
  unsigned status = vx_rt_wait(handle, &hit);
  while (vx_rt_sts_is_yield(status)) {
    unsigned action = hit.primitive_id & 1 ? VX_RT_CB_IGNORE : VX_RT_CB_ACCEPT;
    status = vx_rt_continue(handle, action, hit.t, 0, &hit);
  }
  hits[i] = hit;
  statuses[i] = status;
}
