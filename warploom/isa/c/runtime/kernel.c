/* The main of a program whose work is a function marked `kernel`: what the command line says lies in the argument block. */
#include <vx_spawn.h>

typedef void (*function)(int, int, int, int, int, int, int, int);
typedef void (*function_of_floats)(int, int, int, int, int, int, int, int, float, float, float, float, float, float, float, float);
struct launch { function call; uint32_t dimension, grid[3], block[3]; int whole[8]; float floats[8]; uint32_t has_floats; };

static void call(void *argument) {
  const struct launch *l = (const struct launch *)argument;
  const int *w = l->whole;
  const float *f = l->floats;
  if (l->has_floats) ((function_of_floats)l->call)(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7]);
  else l->call(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]);
}

__attribute__((weak)) int main(void *argument) {
  const struct launch *l = (const struct launch *)argument;
  return vx_spawn_threads(l->dimension, l->grid, l->block, call, l);
}
