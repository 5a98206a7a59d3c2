/* out[i] = in[0] + ... + in[i] within each block: every step adds the number that is twice as far away. */
#include <warploom.h>

kernel void prefix_sum(const int *in, int *out) {
  int size = local_size(), l = local_id();
  int *row = local_memory(2 * size * sizeof(int)), now = 0;
  row[l] = in[global_id()];
  barrier();
  for (int distance = 1; distance < size; distance *= 2) {
    int there = l >= distance;
    row[(1 - now) * size + l] = row[now * size + l] + there * row[now * size + l - there * distance];
    now = 1 - now;
    barrier();
  }
  out[global_id()] = row[now * size + l];
}
