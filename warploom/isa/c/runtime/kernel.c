/* The main of a program whose work is a function marked `kernel`: what the command line says lies in the argument block. */
#include <vx_spawn.h>
#include <warploom_launch.h>

static void call(void *argument) { warploom_call((const struct warploom_launch *)argument); }

__attribute__((weak)) int main(void *argument) {
  const struct warploom_launch *l = (const struct warploom_launch *)argument;
  return vx_spawn_threads(l->dimension, l->grid, l->block, call, l);
}
