/* Sorts n numbers: each thread counts how many come before its own, and writes it there. */
#include <warploom.h>

kernel void sort(int n, const int *in, int *out) {
  int i = global_id(), x = in[i], place = 0;
  for (int j = 0; j < n; ++j) place += (in[j] < x) | ((in[j] == x) & (j < i));
  out[place] = x;
}
