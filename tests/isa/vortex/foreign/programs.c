/* Ten programs, chosen by PROGRAM. Each works on `count` numbers. */
#include "own.h"
#if PROGRAM == 0 /* a task an element */
static void task(int i, kernel_arg_t *a) { P(a->out)[i] = 3 * P(a->in)[i] + i; }
#elif PROGRAM == 1 /* a guarded branch, in both directions */
static void task(int i, kernel_arg_t *a) {
  int x = P(a->in)[i], h = vx_split(x & 1);
  if (x & 1) P(a->out)[i] = x * 7; else P(a->out)[i] = -x;
  vx_join(h);
}
#elif PROGRAM == 2 /* nested guards */
static void task(int i, kernel_arg_t *a) {
  volatile int x = P(a->in)[i];
  int h = vx_split(x > 50);
  if (x > 50) {
    int g = vx_split(x & 1);
    if (x & 1) P(a->out)[i] = 1; else P(a->out)[i] = 2;
    vx_join(g);
  } else P(a->out)[i] = 3;
  vx_join(h);
}
#elif PROGRAM == 3 /* a function pointer from a table */
static int twice(int x) { return 2 * x; }
static int less(int x) { return x - 9; }
static int (*const volatile table[2])(int) = {twice, less};
static void task(int i, kernel_arg_t *a) { P(a->out)[i] = table[1](table[0](P(a->in)[i])); }
#elif PROGRAM == 4 /* recursion, the same depth in all lanes */
__attribute__((noinline)) static int sum_to(volatile int *p, int n) { return n ? p[n - 1] + sum_to(p, n - 1) : 0; }
static void task(int i, kernel_arg_t *a) { P(a->out)[i] = P(a->in)[i] + sum_to(P(a->in), 4); }
#elif PROGRAM == 5 /* division, and a 64-bit product */
static void task(int i, kernel_arg_t *a) {
  int x = P(a->in)[i];
  P(a->out)[i] = x / 7 + x % 5 + (int)((uint64_t)(uint32_t)x * 0x123456789ull >> 32);
}
#elif PROGRAM == 6 /* floats, fused or not, and rounding towards zero */
static void task(int i, kernel_arg_t *a) { float x = (float)P(a->in)[i]; P(a->out)[i] = (int)(x * 0.5f + __builtin_sqrtf(x * x)); }
#elif PROGRAM == 7 /* initialised data, data that begins as zero, bytes and halves */
static int8_t bytes[4] = {1, -2, 3, -4};
static volatile uint16_t zeros[64];
static void task(int i, kernel_arg_t *a) { zeros[i & 63] += 0; P(a->out)[i] = P(a->in)[i] + bytes[i & 3] + zeros[i & 63]; }
#elif PROGRAM == 8 /* a switch: all lanes take one case, by the count */
static void task(int i, kernel_arg_t *a) {
  int x = P(a->in)[i];
  switch (a->count & 7) {
    case 0: x += 11; break; case 1: x -= 5; break; case 2: x *= 3; break; case 3: x ^= 77; break;
    case 4: x <<= 2; break; case 5: x = ~x; break; case 6: x |= 256; break; default: x = 0;
  }
  P(a->out)[i] = x;
}
#else /* a message a thread */
static void task(int i, kernel_arg_t *a) { P(a->out)[i] = P(a->in)[i]; vx_putchar('a' + i % 26); vx_putchar('\n'); }
#endif
int main(void) {
  kernel_arg_t *a = ARGUMENTS;
  spawn_tasks((int)a->count, task, a);
  return PROGRAM;
}
