/* Whole numbers of 64 bits on a machine of 32: what compilers call by these names. The lanes of a warp hold different numbers, and nothing
   splits them here: so there is no branch on a number, only masks and loops that all lanes leave together.
   Names and meanings: GCC internals, "Integer library routines" and "Soft float library routines". */
#include <stdint.h>

#define WEAK __attribute__((weak))
#define INLINE static inline __attribute__((always_inline))

/* All ones where a condition, 0 or 1, holds. A compiler that saw through it would make a branch of it. */
INLINE uint32_t where(uint32_t condition) {
  uint32_t mask = 0 - condition;
  __asm__("" : "+r"(mask));
  return mask;
}

INLINE uint32_t chosen(uint32_t mask, uint32_t yes, uint32_t no) { return no ^ ((yes ^ no) & mask); }
INLINE uint32_t high(uint64_t a) { return (uint32_t)(a >> 32); }
INLINE uint64_t both(uint32_t high, uint32_t low) { return (uint64_t)high << 32 | low; }
INLINE uint64_t sign(int64_t a) { uint32_t all = where(high((uint64_t)a) >> 31); return both(all, all); }
INLINE uint64_t negated(uint64_t a, uint64_t negative) { return (a ^ negative) - negative; }

/* Shifts by 0 to 63. From one word to the other in two steps: a shift by 32 is none. */
INLINE uint64_t shifted_left(uint64_t a, int distance) {
  uint32_t by = (uint32_t)distance & 31, far = where((uint32_t)distance >> 5 & 1), low = (uint32_t)a;
  uint32_t upper = high(a) << by | low >> 1 >> (by ^ 31);
  return both(chosen(far, low << by, upper), low << by & ~far);
}

INLINE uint64_t shifted_right(uint64_t a, int distance, uint32_t filler) {
  uint32_t by = (uint32_t)distance & 31, far = where((uint32_t)distance >> 5 & 1), top = high(a);
  uint32_t moved = top >> by | filler << 1 << (by ^ 31);
  uint32_t lower = (uint32_t)a >> by | top << 1 << (by ^ 31);
  return both(chosen(far, filler, moved), chosen(far, moved, lower));
}

WEAK int64_t __ashldi3(int64_t a, int distance) { return (int64_t)shifted_left((uint64_t)a, distance); }
WEAK int64_t __lshrdi3(int64_t a, int distance) { return (int64_t)shifted_right((uint64_t)a, distance, 0); }
WEAK int64_t __ashrdi3(int64_t a, int distance) { return (int64_t)shifted_right((uint64_t)a, distance, (uint32_t)sign(a)); }

WEAK int64_t __muldi3(int64_t a, int64_t b) {
  uint32_t al = (uint32_t)a, bl = (uint32_t)b, cross = high((uint64_t)a) * bl + al * high((uint64_t)b);
  return (int64_t)((uint64_t)al * bl + both(cross, 0));
}

/* Restoring division, a bit a step. By zero: all ones, and the dividend remains, as the instructions of 32 bits have it. */
INLINE uint64_t divided(uint64_t dividend, uint64_t divisor, uint64_t *remainder) {
  uint32_t quotient_high = high(dividend), quotient = (uint32_t)dividend, rest_high = 0, rest = 0;
  uint32_t by_high = high(divisor), by = (uint32_t)divisor;
  for (int step = 0; step < 64; ++step) {
    uint32_t beyond = rest_high >> 31;
    rest_high = rest_high << 1 | rest >> 31;
    rest = rest << 1 | quotient_high >> 31;
    quotient_high = quotient_high << 1 | quotient >> 31;
    quotient <<= 1;
    uint32_t borrow = rest < by, smaller = (rest_high < by_high) | ((rest_high == by_high) & borrow);
    uint32_t fits = where(beyond | (smaller ^ 1));
    rest_high -= (by_high + borrow) & fits;
    rest -= by & fits;
    quotient |= fits & 1;
  }
  *remainder = both(rest_high, rest);
  return both(quotient_high, quotient);
}

WEAK uint64_t __udivmoddi4(uint64_t a, uint64_t b, uint64_t *remainder) {
  uint64_t rest, quotient = divided(a, b, &rest);
  if (remainder) *remainder = rest; /* the caller's code decides, not its numbers */
  return quotient;
}

WEAK uint64_t __udivdi3(uint64_t a, uint64_t b) { uint64_t rest; return divided(a, b, &rest); }
WEAK uint64_t __umoddi3(uint64_t a, uint64_t b) { uint64_t rest; divided(a, b, &rest); return rest; }

WEAK int64_t __divdi3(int64_t a, int64_t b) {
  uint64_t of_a = sign(a), of_b = sign(b), rest;
  return (int64_t)negated(divided(negated((uint64_t)a, of_a), negated((uint64_t)b, of_b), &rest), of_a ^ of_b);
}

WEAK int64_t __moddi3(int64_t a, int64_t b) {
  uint64_t of_a = sign(a), rest;
  divided(negated((uint64_t)a, of_a), negated((uint64_t)b, sign(b)), &rest);
  return (int64_t)negated(rest, of_a);
}

INLINE uint32_t bits_of(float value) { union { float value; uint32_t bits; } word = {value}; return word.bits; }
INLINE float float_of(uint32_t bits) { union { uint32_t bits; float value; } word = {bits}; return word.value; }

/* The whole part of |value| where it is below 2 to the 64. exponent: of value. */
INLINE uint64_t whole_part(uint32_t bits, int exponent) {
  uint64_t number = both(0x80000000u | bits << 8, 0);
  uint32_t some = where((uint32_t)exponent >> 31 ^ 1);
  return shifted_right(number, 63 - exponent, 0) & both(some, some);
}

/* What does not fit becomes the nearest number that does, and what is no number the largest, as the instructions of 32 bits have it. */
WEAK uint64_t __fixunssfdi(float value) {
  uint32_t bits = bits_of(value), size = bits & 0x7FFFFFFF;
  int exponent = (int)(size >> 23) - 127;
  uint32_t none = where(size > 0x7F800000u), most = where((uint32_t)(63 - exponent) >> 31), positive = where((bits >> 31) ^ 1) | none;
  uint64_t whole = whole_part(bits, exponent);
  return both((high(whole) | most) & positive, ((uint32_t)whole | most) & positive);
}

WEAK int64_t __fixsfdi(float value) {
  uint32_t bits = bits_of(value), size = bits & 0x7FFFFFFF;
  int exponent = (int)(size >> 23) - 127;
  uint32_t none = where(size > 0x7F800000u), most = where((uint32_t)(62 - exponent) >> 31), negative = where(bits >> 31) & ~none;
  uint64_t whole = negated(whole_part(bits, exponent), both(negative, negative));
  return (int64_t)both(chosen(most, 0x7FFFFFFFu ^ negative, high(whole)), chosen(most, ~negative, (uint32_t)whole));
}

/* Rounded once, by the instruction: it is handed 31 bits from the highest on, the last of which says whether there are more. */
INLINE float rounded(uint64_t size, uint32_t negative) {
  uint32_t empty = 0; /* bits above the highest */
  for (uint32_t width = 32; width; width >>= 1) {
    uint32_t by = width & where(high(size) >> (32 - width) == 0);
    size = shifted_left(size, (int)by);
    empty += by;
  }
  uint32_t more = (high(size) & 1) | ((uint32_t)size != 0);
  int32_t first = (int32_t)(((high(size) >> 1 | more) ^ negative) - negative);
  return (float)first * float_of((127 + 33 - empty) << 23);
}

WEAK float __floatundisf(uint64_t a) { return rounded(a, 0); }
WEAK float __floatdisf(int64_t a) { return rounded(negated((uint64_t)a, sign(a)), (uint32_t)sign(a)); }
