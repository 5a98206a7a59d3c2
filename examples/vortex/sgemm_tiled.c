/* c = a b for matrices of n x n floats: a block of 16 threads computes a tile of 4 x 4, and keeps a tile of a and of b in local memory.
   n is a multiple of 4; launch n * n threads in blocks of 16. */
#include <warploom.h>

#define T 4

kernel void sgemm_tiled(int n, const float *a, const float *b, float *c) {
  float *tile_a = local_memory(2 * T * T * sizeof(float)), *tile_b = tile_a + T * T;
  int tiles = n / T, tile = group_id(), thread = local_id();
  int y = thread / T, x = thread % T, row = tile / tiles * T + y, column = tile % tiles * T + x;
  float sum = 0;
  for (int t = 0; t < tiles; ++t) {
    tile_a[thread] = a[row * n + t * T + x];
    tile_b[thread] = b[(t * T + y) * n + column];
    barrier();
    for (int k = 0; k < T; ++k) sum += tile_a[y * T + k] * tile_b[k * T + x];
    barrier();
  }
  c[row * n + column] = sum;
}
