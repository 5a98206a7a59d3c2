/* Programs that bring a run-time of their own, chosen by PROGRAM: loops by pred, cores that meet, groups in local memory, counters. */
#include "own.h"

/* The share of each core: batches of each warp, or tasks of each lane, one more for the first of them; the rest is left over. */
typedef void (*body_t)(int task, kernel_arg_t *arg);
static struct { body_t f; kernel_arg_t *arg; int base, each, more, warps; } shares[16];
__attribute__((noinline)) static void task_of_lane(void) { shares[CORE].f(shares[CORE].base + (int)LANE, shares[CORE].arg); }
__attribute__((noinline)) static void left_over(int n) {
  vx_tmc((1 << n) - 1);
  task_of_lane(); /* a function of its own: the lanes that were off have no registers that the compiler knows of */
  vx_tmc(1);
}
#if GENERATION >= 2023
/* Warps take contiguous runs of tasks, lanes neighbouring ones. */
__attribute__((noinline)) static void batches_of_warp(void) {
  int core = (int)CORE, warp = (int)WARP, lanes = (int)NT, more = shares[core].more;
  int mine = shares[core].each + (warp < more), before = shares[core].each * warp + (warp < more ? warp : more);
  int task = shares[core].base + before * lanes + (int)LANE;
  for (int i = 0; i < mine; ++i, task += lanes) shares[core].f(task, shares[core].arg);
}
__attribute__((noinline)) static void other_warps(void) { vx_tmc(-1); batches_of_warp(); vx_tmc(0); }
__attribute__((noinline)) static void first_warp(void) { vx_tmc(-1); batches_of_warp(); vx_tmc(1); }
__attribute__((noinline)) static void spawn_threads(int n, body_t f, kernel_arg_t *arg) {
  int core = (int)CORE, cores = (int)NC, lanes = (int)NT, warps = (int)NW;
  int share = n / cores, own = core == cores - 1 ? n - share * (cores - 1) : share, whole = own / lanes;
  int used = whole < warps ? whole : warps;
  shares[core].f = f; shares[core].arg = arg; shares[core].base = core * share;
  shares[core].each = used ? whole / used : 0; shares[core].more = used ? whole % used : 0;
  if (used) {
    vx_wspawn(used, other_warps);
    first_warp();
    vx_wspawn(1, 0); /* waits until it is alone */
  }
  shares[core].base += whole * lanes;
  if (own % lanes) left_over(own % lanes);
}
#else
__attribute__((noinline)) static void run_of_lane(void) { /* each lane takes a contiguous run */
  int core = (int)CORE, warp = (int)WARP, lanes = (int)NT, more = shares[core].more;
  int each = shares[core].each + (warp < more), before = shares[core].each * warp + (warp < more ? warp : more);
  int task = shares[core].base + before * lanes + (int)LANE * each;
  for (int i = 0; i < each; ++i) shares[core].f(task + i, shares[core].arg);
  vx_barrier(0, shares[core].warps);
}
__attribute__((noinline)) static void after_run(void) { vx_tmc(WARP == 0); }
__attribute__((noinline)) static void spawned(void) { vx_tmc(-1); run_of_lane(); after_run(); }
__attribute__((noinline)) static void spawn_threads(int n, body_t f, kernel_arg_t *arg) {
  int core = (int)CORE, cores = (int)NC, lanes = (int)NT, warps = (int)NW;
  int share = n / cores, own = core == cores - 1 ? n - share * (cores - 1) : share, whole = own / lanes;
  int used = whole < warps ? whole : warps;
  shares[core].f = f; shares[core].arg = arg; shares[core].base = core * share;
  shares[core].each = used ? whole / used : 0; shares[core].more = used ? whole % used : 0; shares[core].warps = used;
  if (used) {
    if (used > 1) vx_wspawn(used, spawned);
    spawned();
  }
  shares[core].base += whole * lanes;
  if (own % lanes) left_over(own % lanes);
}
#endif

#if PROGRAM == 20 /* many tasks, more than lanes and no multiple of them */
static void body(int i, kernel_arg_t *a) { P(a->out)[i] = P(a->in)[i] * 5 - i; }
#elif PROGRAM == 21 /* a loop that lanes leave one after the other: the branch back is taken as long as some lane is in it */
__attribute__((noinline)) static int steps_of(int n) {
  int steps = 0, mask = (int)csr(0xCC4);
  __asm__ volatile(
      "1: slt t0, zero, %1\n"
      "   .insn r 0x0b, 5, 0, x0, t0, %2\n" /* the last lanes that leave bring all of them back */
      "   beqz t0, 2f\n"
      "   addi %1, %1, -7\n"
      "   addi %0, %0, 1\n"
      "   j 1b\n"
      "2:"
      : "+r"(steps), "+r"(n) : "r"(mask) : "t0", "memory");
  return steps;
}
static void body(int i, kernel_arg_t *a) { P(a->out)[i] = steps_of(P(a->in)[i]); }
#elif PROGRAM == 22 /* lanes one after the other, in the same words */
static int next[16];
static void body(int i, kernel_arg_t *a) {
  for (int lane = 0; lane < (int)NT; ++lane) {
    int h = vx_split(lane == (int)LANE);
    if (lane == (int)LANE) { next[CORE] += 1; P(a->out)[i] = P(a->in)[i] + (next[CORE] > 0); }
    vx_join(h);
  }
}
#elif PROGRAM == 23 /* votes and shuffles of 2026 */
static void body(int i, kernel_arg_t *a) {
  int x = P(a->in)[i], lanes = (int)NT, all, any, uniform, ballot, up, down, other, first;
  __asm__ volatile(".insn r 0x0b, 0, 1, %0, %1, x0" : "=r"(all) : "r"(x >= 0));
  __asm__ volatile(".insn r 0x0b, 1, 1, %0, %1, x0" : "=r"(any) : "r"(LANE == 1));
  __asm__ volatile(".insn r 0x0b, 2, 1, %0, %1, x0" : "=r"(uniform) : "r"(LANE == 1));
  __asm__ volatile(".insn r 0x0b, 3, 1, %0, %1, x0" : "=r"(ballot) : "r"(LANE & 1));
  __asm__ volatile(".insn r 0x0b, 4, 1, %0, %1, %2" : "=r"(up) : "r"(i), "r"(1));
  __asm__ volatile(".insn r 0x0b, 5, 1, %0, %1, %2" : "=r"(down) : "r"(i), "r"(63 << 6 | 1));
  __asm__ volatile(".insn r 0x0b, 6, 1, %0, %1, %2" : "=r"(other) : "r"(i), "r"(63 << 6 | 1));
  __asm__ volatile(".insn r 0x0b, 7, 1, %0, %1, %2" : "=r"(first) : "r"(i), "r"(63 << 6));
  int odd = (int)(0xAAAAAAAAu & (lanes == 32 ? ~0u : (1u << lanes) - 1));
  int lane = (int)LANE;
  P(a->out)[i] = x + (all == 1) + (any == 1) + (uniform == 0) + (ballot == odd) + (up == (lane ? i - 1 : i)) +
                 (down == (lane < lanes - 1 ? i + 1 : i)) + (other == (i ^ 1)) + (first == i - lane);
}
#elif PROGRAM == 24 /* read, change and write: all lanes of all cores count in the same words */
static void body(int i, kernel_arg_t *a) {
  int x = P(a->in)[i];
  P(a->out)[i] = 0;
  __atomic_fetch_add((int *)(uintptr_t)a->in - 64 + (x & 7), 1, __ATOMIC_RELAXED);
  P(a->out)[i] = x;
}
#elif PROGRAM == 28 /* a work-group a task, its items in loops, as compilers of OpenCL for Vortex leave them: between two loops was a barrier */
static void body(int group, kernel_arg_t *a) {
  volatile int tile[4]; /* local memory of the group, on the stack of its lane */
  int total = 0;
  for (int item = 0; item < 4; ++item) tile[item] = P(a->in)[(4 * group + item) % (int)a->count];
  for (int item = 0; item < 4; ++item) total += tile[3 - item] * (item + 1);
  P(a->out)[group] = total;
}
#elif PROGRAM == 25 || PROGRAM == 26 || PROGRAM == 27
static void body(int i, kernel_arg_t *a) { P(a->out)[i] = P(a->in)[i] + 1; }
#endif

#if PROGRAM == 25 /* the cores meet twice: each adds what all have left before */
static void meet(void) { vx_barrier((int)0x80000000, (int)NC); }
#endif
#if PROGRAM == 26 /* a group of two warps in local memory, with its own barrier */
__attribute__((noinline)) static void mirrored(void) {
  kernel_arg_t *a = ARGUMENTS;
  int lanes = (int)NT, place = (int)(WARP * NT + LANE), size = 2 * lanes;
  volatile int *local = (volatile int *)csr(0xFC3);
  int from = (int)CORE * size + place, here = from < (int)a->count;
  int h = vx_split(here);
  if (here) local[place] = P(a->in)[from];
  vx_join(h);
  vx_barrier(0, 2);
  int g = vx_split(here);
  if (here) P(a->out)[from] = local[place] + local[place ^ 1];
  vx_join(g);
}
__attribute__((noinline)) static void second(void) { vx_tmc(-1); mirrored(); vx_tmc(0); }
__attribute__((noinline)) static void both(void) { vx_tmc(-1); mirrored(); vx_tmc(1); }
#endif

int main(void) {
  kernel_arg_t *a = ARGUMENTS;
#if PROGRAM == 25
  int core = (int)CORE, cores = (int)NC, sum = 0;
  volatile int *words = P(a->in) - 64;
  words[core] = core + 1;
  __asm__ volatile("fence" ::: "memory");
  meet();
  for (int i = 0; i < cores; ++i) sum += words[i];
  meet();
  words[core] = 0;
  int share = (int)a->count / cores;
  for (int i = core * share; i < (core == cores - 1 ? (int)a->count : core * share + share); ++i) P(a->out)[i] = P(a->in)[i] + sum;
#elif PROGRAM == 26
  vx_wspawn(2, second);
  both();
  vx_wspawn(1, 0);
#else
  spawn_threads((int)a->count, body, a);
#endif
#if PROGRAM == 27 /* as the originals' last words: 32 low halves, then 32 high ones */
#if GENERATION >= 2023
  volatile unsigned *dump = (volatile unsigned *)(0x80 + 256 * CORE);
#else
  volatile unsigned *dump = (volatile unsigned *)(0xFF000000 + 256 * CORE);
#endif
#define ONE(n) dump[(n) & 31] = csr(0xB00 + n), dump[32 + ((n) & 31)] = csr(0xB80 + n);
#define FOUR(n) ONE(n) ONE(n + 1) ONE(n + 2) ONE(n + 3)
  FOUR(0) FOUR(4) FOUR(8) FOUR(12) FOUR(16) FOUR(20) FOUR(24) FOUR(28)
#endif
  return PROGRAM;
}
