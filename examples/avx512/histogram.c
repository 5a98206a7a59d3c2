/* How often each value is there, a histogram for each warp: warps run at once, and nothing orders what they write.
   Lanes of a warp with the same value must not add to one element at once either. In a round those go ahead before which no lane with the
   same value is left, which vpconflictd tells. */
#include <lanes.h>

kernel void histogram(mask active, vint thread, const int *values, int *counts, int bins) {
  int *own = counts + first(thread) / LANES * bins;
  vint bin = row(active, values + first(thread)) & (bins - 1);
  vint before = conflicts(active, bin);
  for (mask left = active; any(left);) {
    mask ahead = others(left, any_bit(left, before, all_int(left)));
    put(ahead, own, bin, get(ahead, own, bin) + 1);
    left = others(left, ahead);
  }
}
