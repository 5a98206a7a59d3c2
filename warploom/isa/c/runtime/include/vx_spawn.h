/* Parallel sections by the names that programs for Vortex use. Every core runs main; each of these calls does its core's part. */
#ifndef VX_SPAWN_H
#define VX_SPAWN_H
#include <vx_intrinsics.h>

typedef struct { uint32_t x, y, z; } dim3_t;
typedef void (*vx_spawn_tasks_cb)(int task, void *argument);
typedef void (*vx_kernel_func_cb)(void *argument);

/* Calls a function for the tasks 0 to count - 1, NT neighbouring ones in a warp. Returns when those of this core are done. */
WARPLOOM_C void vx_spawn_tasks(int count, vx_spawn_tasks_cb function, void *argument);

/* The same for a grid of blocks of threads. grid, block: `dimension` sizes each; block 0: of one thread. Returns 0; -1 where a block is
   larger than a core. */
WARPLOOM_C int vx_spawn_threads(uint32_t dimension, const uint32_t *grid, const uint32_t *block, vx_kernel_func_cb function, const void *argument);

struct warploom_thread { dim3_t block_idx, thread_idx; uint32_t group_slot, group_warps, barrier; };
WARPLOOM_INLINE struct warploom_thread *warploom_thread(void) { struct warploom_thread *t; __asm__("mv %0, tp" : "=r"(t)); return t; }
struct warploom_grid { dim3_t grid_dim, block_dim; };
WARPLOOM_C struct warploom_grid warploom_grids[];  /* by core */
#define blockIdx (warploom_thread()->block_idx)
#define threadIdx (warploom_thread()->thread_idx)
#define gridDim (warploom_grids[vx_core_id()].grid_dim)
#define blockDim (warploom_grids[vx_core_id()].block_dim)
#define __syncthreads() vx_barrier((int)warploom_thread()->barrier, (int)warploom_thread()->group_warps)

/* Memory of the block: so many bytes, which all its threads share. */
WARPLOOM_C void *warploom_local_memory(uint32_t bytes);
#define __local_mem(bytes) warploom_local_memory(bytes)
#endif
