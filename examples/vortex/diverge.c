/* Lanes that go different ways: conditions in conditions, and a loop that each lane leaves when it is done.
   Every branch on which lanes may disagree stands between a split and its join; the loop switches lanes off one after another.
   What such a loop changes is volatile, that is, in memory: a compiler may keep it in a register and move it to a different one
   after the switch, where a lane that has just been switched off no longer takes part. */
#include <warploom.h>

kernel void diverge(const int *in, int *out) {
  int x = in[global_id()], result = 0;
  int odd = x & 1;
  int outer = split(odd);
  if (odd) {
    int large = x > 10;
    int inner = split(large);
    if (large) {
      int third = x % 3 == 0;
      int innermost = split(third);
      if (third) result = 1000 + x;
      else result = 2000 + x;
      join(innermost);
    } else {
      result = 3000 + x;
    }
    join(inner);
  } else {
    int height = loop_begin(), go = 1;
    volatile int left = x & 15, sum = 0;
    do {
      sum += left;
      left -= 1;
      go = left > 0;
    } while (loop_while(go, height));
    loop_end(height);
    result = sum;
  }
  join(outer);
  out[global_id()] = result;
}
