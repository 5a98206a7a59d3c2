/* Fills a target of 128 x 128 pixels by the output merger, a task a row or a part of one; the argument: colour, depth, tasks. */
#include <vx_intrinsics.h>
#include <vx_spawn.h>
#define SIDE 128
typedef struct { unsigned color, depth, tasks; } args_t;
static void fill(int task, void *argument) {
  const args_t *a = (const args_t *)argument;
  unsigned color = a->color, depth = a->depth, parts = a->tasks > SIDE ? a->tasks / SIDE : 1, rows = SIDE * parts / a->tasks;
  unsigned first = (unsigned)task / parts * rows, left = (unsigned)task % parts * (SIDE / parts), right = left + SIDE / parts;
  for (unsigned y = first; y < first + rows; ++y)
    for (unsigned x = left; x != right; ++x) {
      __asm__("" : "+r"(x)); /* five instructions a pixel: shift, or, vx_om, add, branch */
      __asm__ volatile(".insn r4 0x2b, 1, 0, x0, %0, %1, %2" : : "r"(x << 1 | y << 16), "r"(color), "r"(depth));
    }
}
int main(void *argument) {
  const args_t *a = (const args_t *)argument;
  vx_spawn_tasks((int)a->tasks, fill, argument);
  return 0;
}
