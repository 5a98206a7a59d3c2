/* sum[i] = a[i] + b[i]: each warp adds sixteen numbers, and the last one those that are left. */
#include <lanes.h>

kernel void vector_add(mask active, vint thread, const float *a, const float *b, float *sum) {
  int i = first(thread);
  put_row_float(active, sum + i, row_float(active, a + i) + row_float(active, b + i));
}
