/* How often each value is there. Lanes with the same value must not add to one element at once: in a round those go ahead before which no
   lane with the same value is left, which vpconflictd tells. */
#include <lanes.h>

kernel void histogram(mask active, vint thread, const int *values, int *counts, int bins) {
  vint bin = row(active, values + first(thread)) & (bins - 1);
  vint before = conflicts(active, bin);
  for (mask left = active; any(left);) {
    mask ahead = others(left, any_bit(left, before, all_int(left)));
    put(ahead, counts, bin, get(ahead, counts, bin) + 1);
    left = others(left, ahead);
  }
}
