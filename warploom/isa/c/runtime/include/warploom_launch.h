/* The launch block of a kernel, and how it is called: what the command line says lies at the arguments' address. `isa/c/parameters.py` has
   the offsets, and <warploom.h> reads the extents of ordinary RISC-V code there. */
#pragma once
#include <stdint.h>

typedef void (*warploom_function)(int, int, int, int, int, int, int, int);
typedef void (*warploom_function_of_floats)(int, int, int, int, int, int, int, int, float, float, float, float, float, float, float, float);
struct warploom_launch {
  warploom_function call;
  uint32_t dimension, grid[3], block[3];
  int whole[8];
  float floats[8];
  uint32_t has_floats;
};

/* A kernel without floats loads no registers for them. */
static inline __attribute__((always_inline)) void warploom_call(const struct warploom_launch *l) {
  const int *w = l->whole;
  const float *f = l->floats;
  if (l->has_floats)
    ((warploom_function_of_floats)l->call)(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7]);
  else
    l->call(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]);
}
