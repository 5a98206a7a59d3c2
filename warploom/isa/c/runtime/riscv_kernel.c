/* The main of ordinary RISC-V code whose work is a function marked `kernel`: what the command line says lies at the arguments' address. */
#include <warploom_launch.h>

int warploom_main(int thread, int threads, const struct warploom_launch *l) {
  (void)thread, (void)threads;
  warploom_call(l);
  return 0;
}

int main(int thread, int threads, const struct warploom_launch *l) __attribute__((weak, alias("warploom_main")));
