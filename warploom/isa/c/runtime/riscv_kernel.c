/* The main of ordinary RISC-V code whose work is a function marked `kernel`: what the command line says lies at the arguments' address. */
#include <stdint.h>

typedef void (*function)(int, int, int, int, int, int, int, int);
typedef void (*function_of_floats)(int, int, int, int, int, int, int, int, float, float, float, float, float, float, float, float);
/* <warploom.h> reads the extents */
struct launch { function call; uint32_t dimension, grid[3], block[3]; int whole[8]; float floats[8]; uint32_t has_floats; };

int warploom_main(int thread, int threads, const struct launch *l) {
  const int *w = l->whole;
  const float *f = l->floats;
  (void)thread, (void)threads;
  if (l->has_floats) ((function_of_floats)l->call)(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7]);
  else l->call(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]);
  return 0;
}

int main(int thread, int threads, const struct launch *l) __attribute__((weak, alias("warploom_main")));
