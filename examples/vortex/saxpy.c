/* y = a x + y: a thread an element. */
#include <warploom.h>

kernel void saxpy(float a, const float *x, float *y) {
  int i = global_id();
  y[i] += a * x[i];
}
