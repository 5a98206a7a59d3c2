/* c = a b for matrices of n x n floats: a thread an element of c, and all lanes go through their loop together. */
#include <warploom.h>

kernel void sgemm(int n, const float *a, const float *b, float *c) {
  int i = global_id(), row = i / n, column = i % n;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[i] = sum;
}
