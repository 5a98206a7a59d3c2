/* The sum of each block's elements: half of the threads add the other half's numbers, then a quarter, and so on.
   The size of a block is a power of two. */
#include <warploom.h>

kernel void reduction(const int *in, int *out) {
  int *part = local_memory(local_size() * sizeof(int));
  int l = local_id();
  part[l] = in[global_id()];
  barrier();
  for (int width = local_size() / 2; width > 0; width /= 2) {
    int adds = l < width;
    int height = split(adds);
    if (adds) part[l] += part[l + width];
    join(height);
    barrier();
  }
  int first = l == 0;
  int height = split(first);
  if (first) out[group_id()] = part[0];
  join(height);
}
