/* Parallel sections: a body runs in all lanes of all warps of this core, and lane 0 of warp 0 goes on when they are done.
   What is called with fewer lanes is a function of its own: no lane that is off is left behind with half of an update. */
#include <vx_spawn.h>

#define CORES 64 /* as MOST_CORES of warploom/isa/vortex/memory_map.py */
#define APART __attribute__((noinline))
struct work { void (*body)(const struct work *); void (*function)(void); void *argument; uint32_t count; uint32_t warps; uint32_t slots; };
static struct work works[CORES];
struct warploom_grid warploom_grids[CORES];

#if WARPLOOM_VORTEX < 2023
static uint8_t local_pool[CORES][16384] __attribute__((section(".noinit"), aligned(64)));

/* No instruction: the front end knows the name, and says of this fault what it means. */
__attribute__((naked, noinline)) void warploom_no_local_memory(void) { __asm__(".word 0"); }
#endif

void *warploom_local_memory(uint32_t bytes) {
#if WARPLOOM_VORTEX >= 2023
  uint8_t *base = (uint8_t *)csr_read(VX_CSR_LOCAL_MEM_BASE);
#else
  uint8_t *base = local_pool[vx_core_id()]; /* past its end lies the next core's */
  if ((warploom_thread()->group_slot + 1) * ((bytes + 3) & ~3u) > sizeof local_pool[0]) warploom_no_local_memory();
#endif
  return base + warploom_thread()->group_slot * ((bytes + 3) & ~3u);
}

#if WARPLOOM_VORTEX >= 2023
/* All threads of all cores wait for each other. From 2023 on a barrier that expects fewer than two cores lets all pass, and the barriers
   of one core belong to groups: so the threads of a single core count themselves. Arrivals of all rounds add up. */
void warploom_device_barrier(int number) {
  static uint32_t arrived;
  if (vx_num_cores() > 1) {
    vx_barrier((int)(0x80000000u | (unsigned)number), vx_num_cores());
    return;
  }
  uint32_t all = (uint32_t)(vx_num_warps() * vx_num_threads());
  uint32_t before = __atomic_fetch_add(&arrived, 1, __ATOMIC_ACQ_REL);
  uint32_t wanted = before - before % all + all;
  while ((int32_t)(__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) - wanted) < 0) {}
}
#endif

/* start.S calls it in all lanes of all warps. */
void warploom_run_body(void) {
  const struct work *w = &works[vx_core_id()];
  w->body(w);
}

/* start.S: runs the above everywhere, and returns to lane 0 of warp 0. */
void warploom_spawn(void);
#define spawn warploom_spawn

/* ---- single tasks: batches of NT neighbouring ones go to all warps of all cores in turn */

APART static void run_task(const struct work *w, uint32_t task) { ((vx_spawn_tasks_cb)w->function)((int)task, w->argument); }

APART static void run_part(const struct work *w, uint32_t first, uint32_t lanes) {
  vx_tmc((int)((1u << lanes) - 1));
  run_task(w, first + (uint32_t)vx_thread_id());
  vx_tmc(-1);
}

static void tasks(const struct work *w) {
  uint32_t lanes = (uint32_t)vx_num_threads(), cores = (uint32_t)vx_num_cores();
  uint32_t step = cores * (uint32_t)vx_num_warps() * lanes;
  for (uint32_t first = ((uint32_t)vx_warp_id() * cores + (uint32_t)vx_core_id()) * lanes; first < w->count; first += step) {
    if (w->count - first >= lanes) run_task(w, first + (uint32_t)vx_thread_id());
    else run_part(w, first, w->count - first);
  }
}

void vx_spawn_tasks(int count, vx_spawn_tasks_cb function, void *argument) {
  if (count <= 0) return;
  works[vx_core_id()] = (struct work){tasks, (void (*)(void))function, argument, (uint32_t)count, 0, 0};
  spawn();
}

/* ---- blocks of threads: a block lies in neighbouring warps of one core */

/* The barrier of a block. One of a single warp waits for nobody, and may have any number; until 2022 number 0 is the one at the end of a
   parallel section. */
static inline uint32_t barrier_of(const struct work *w, uint32_t slot) {
  return (slot + (WARPLOOM_VORTEX < 2023)) * (uint32_t)(w->warps > 1);
}

static inline dim3_t in_three(uint32_t number, dim3_t extent) {
  return (dim3_t){number % extent.x, number / extent.x % extent.y, number / (extent.x * extent.y)};
}

APART static void run_thread(const struct work *w, uint32_t block, uint32_t rank) {
  struct warploom_thread *t = warploom_thread();
  const struct warploom_grid *g = &warploom_grids[vx_core_id()];
  t->block_idx = in_three(block, g->grid_dim);
  t->thread_idx = in_three(rank * (uint32_t)vx_num_threads() + (uint32_t)vx_thread_id(), g->block_dim);
  t->group_slot = (uint32_t)vx_warp_id() / w->warps;
  t->group_warps = w->warps;
  t->barrier = barrier_of(w, t->group_slot);
  ((vx_kernel_func_cb)w->function)(w->argument);
}

APART static void run_some_threads(const struct work *w, uint32_t block, uint32_t rank, uint32_t lanes) {
  vx_tmc((int)((1u << lanes) - 1));
  run_thread(w, block, rank);
  vx_tmc(-1);
}

static void blocks(const struct work *w) {
  const struct warploom_grid *g = &warploom_grids[vx_core_id()];
  uint32_t threads = g->block_dim.x * g->block_dim.y * g->block_dim.z, lanes = (uint32_t)vx_num_threads();
  uint32_t slot = (uint32_t)vx_warp_id() / w->warps, rank = (uint32_t)vx_warp_id() % w->warps;
  uint32_t left = threads - rank * lanes;
  if (slot >= w->slots) return;
  for (uint32_t block = slot * (uint32_t)vx_num_cores() + (uint32_t)vx_core_id(); block < w->count;) {
    if (left >= lanes) run_thread(w, block, rank);
    else run_some_threads(w, block, rank, left);
    block += w->slots * (uint32_t)vx_num_cores();
    if (w->warps > 1 && block < w->count) vx_barrier((int)barrier_of(w, slot), (int)w->warps); /* the next block has the same local memory */
  }
}

/* ---- blocks of one thread each: as tasks */

APART static void run_single(const struct work *w, uint32_t block) {
  struct warploom_thread *t = warploom_thread();
  t->block_idx = in_three(block, warploom_grids[vx_core_id()].grid_dim);
  t->thread_idx = (dim3_t){0, 0, 0};
  t->group_slot = 0;
  t->group_warps = 1;
  t->barrier = 0;
  ((vx_kernel_func_cb)w->function)(w->argument);
}

APART static void run_some_singles(const struct work *w, uint32_t first, uint32_t lanes) {
  vx_tmc((int)((1u << lanes) - 1));
  run_single(w, first + (uint32_t)vx_thread_id());
  vx_tmc(-1);
}

static void singles(const struct work *w) {
  uint32_t lanes = (uint32_t)vx_num_threads(), cores = (uint32_t)vx_num_cores();
  uint32_t step = cores * (uint32_t)vx_num_warps() * lanes;
  for (uint32_t first = ((uint32_t)vx_warp_id() * cores + (uint32_t)vx_core_id()) * lanes; first < w->count; first += step) {
    if (w->count - first >= lanes) run_single(w, first + (uint32_t)vx_thread_id());
    else run_some_singles(w, first, w->count - first);
  }
}

int vx_spawn_threads(uint32_t dimension, const uint32_t *grid, const uint32_t *block, vx_kernel_func_cb function, const void *argument) {
  uint32_t g[3] = {1, 1, 1}, b[3] = {1, 1, 1}, lanes = (uint32_t)vx_num_threads(), warps = (uint32_t)vx_num_warps();
  for (uint32_t axis = 0; axis < dimension && axis < 3; ++axis) {
    g[axis] = grid[axis];
    if (block) b[axis] = block[axis];
  }
  uint32_t threads = b[0] * b[1] * b[2], count = g[0] * g[1] * g[2];
  uint32_t in_block = (threads + lanes - 1) / lanes;
  if (threads == 0 || in_block > warps) return -1;
  if (count == 0) return 0;
  warploom_grids[vx_core_id()] = (struct warploom_grid){{g[0], g[1], g[2]}, {b[0], b[1], b[2]}};
  uint32_t slots = warps / in_block;
#if WARPLOOM_VORTEX < 2023
  if (in_block > 1 && slots > 3) slots = 3; /* of the four barriers the first is the one at the end */
#endif
  works[vx_core_id()] = (struct work){threads == 1 ? singles : blocks, (void (*)(void))function, (void *)argument, count, in_block, slots};
  spawn();
  return 0;
}
