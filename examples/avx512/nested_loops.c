/* Two loops that the lanes leave at different times, with a break and a continue in the inner one. Each loop has a mask of those that are
   still in it; the inner one begins with the outer one's. */
#include <lanes.h>

kernel void nested_loops(mask active, vint thread, const int *limit, int *out) {
  int at = first(thread);
  vint most = row(active, limit + at), total = all_int(0);
  vint i = all_int(0);
  for (mask outer = less(active, i, most); any(outer); outer = less(outer, i, most)) {
    vint j = all_int(0);
    for (mask inner = less(outer, j, thread & 7); any(inner); inner = less(inner, j, thread & 7)) {
      inner = others(inner, less(inner, all_int(40), total)); /* if (total > 40) break */
      mask odd = any_bit(inner, i + j, all_int(1));
      mask even = others(inner, odd); /* if ((i + j) & 1) continue */
      total = where(even, total, total + i * j + 1);
      j = where(inner, j, j + 1);
    }
    i = where(outer, i, i + 1);
  }
  put_row(active, out + at, total);
}
