/* out = a + b: a thread an element. */
#include <warploom.h>

kernel void vector_add(const float *a, const float *b, float *out) {
  int i = global_id();
  out[i] = a[i] + b[i];
}
