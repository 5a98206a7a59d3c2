/* The steps that each number takes to 1 (Collatz), one thread a number: memory[4 * thread] = steps. Half of the lanes take the other way. */
static unsigned odd(unsigned n) { return 3 * n + 1; }

void main(unsigned thread) {
  unsigned n = thread + 1, steps = 0;
  while (n != 1) {
    n = n & 1 ? odd(n) : n / 2;
    ++steps;
  }
  ((unsigned *)0x10000)[thread] = steps;
}
