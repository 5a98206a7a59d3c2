/* A weighted mean of each element and its neighbours; the ends are their own neighbours. */
#include <warploom.h>

kernel void stencil(int n, const float *in, float *out) {
  int i = global_id(), left = i - (i > 0), right = i + (i < n - 1);
  out[i] = 0.25f * in[left] + 0.5f * in[i] + 0.25f * in[right];
}
