/* The sum of each warp's share of the numbers: every lane adds up a column, then the columns are added. */
#include <lanes.h>

kernel void reduction(mask active, vint thread, const int *values, int *sums, int count, int warps) {
  int warp = first(thread) / LANES;
  vint total = all_int(0);
  for (int i = warp * LANES; i < count; i += warps * LANES) {
    mask here = less(active, lane_numbers() + i, all_int(count));
    total = where(here, total, total + row(here, values + i));
  }
  sums[warp] = sum(active, total);
}
