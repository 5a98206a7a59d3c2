/* Three stages with a barrier across all cores between them: each reads what a neighbour, perhaps on a different core, has left.
   There are as many threads as the machine holds, so that every warp of every core comes to both barriers. */
#include <warploom.h>

kernel void pipeline(int n, const int *in, int *first, int *second, int *out) {
  int i = global_id();
  first[i] = 2 * in[i];
  vx_fence();
  device_barrier(0);
  second[i] = first[(i + n / 2) % n] + 1;
  vx_fence();
  device_barrier(0);
  out[i] = second[(i + n - 1) % n] - second[i];
}
