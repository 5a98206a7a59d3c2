/* What compilers call by themselves, and printf. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <warploom.h>

__attribute__((weak)) void *memcpy(void *to, const void *from, size_t bytes) {
  uint8_t *t = (uint8_t *)to;
  const uint8_t *f = (const uint8_t *)from;
  for (size_t i = 0; i < bytes; ++i) { t[i] = f[i]; __asm__ volatile("" : : : "memory"); }
  return to;
}

__attribute__((weak)) void *memset(void *to, int byte, size_t bytes) {
  uint8_t *t = (uint8_t *)to;
  for (size_t i = 0; i < bytes; ++i) { t[i] = (uint8_t)byte; __asm__ volatile("" : : : "memory"); }
  return to;
}

/* Backwards where the copy begins behind its source; which way is arithmetic and no branch, since lanes have different addresses. */
__attribute__((weak)) void *memmove(void *to, const void *from, size_t bytes) {
  uint8_t *t = (uint8_t *)to;
  const uint8_t *f = (const uint8_t *)from;
  size_t back = -(size_t)((size_t)to > (size_t)from), last = back & bytes;
  for (size_t i = 0; i < bytes; ++i) { t[(i ^ back) + last] = f[(i ^ back) + last]; __asm__ volatile("" : : : "memory"); }
  return to;
}

/* To the end in any case: lanes find their first difference at different places. */
__attribute__((weak)) int memcmp(const void *a, const void *b, size_t bytes) {
  const uint8_t *x = (const uint8_t *)a, *y = (const uint8_t *)b;
  int found = 0;
  for (size_t i = 0; i < bytes; ++i) {
    int known = (found | -found) >> 31; /* all ones from the first difference on */
    __asm__("" : "+r"(known));          /* a compiler would make a branch of it */
    found |= (x[i] - y[i]) & ~known;
  }
  return found;
}

/* float to double, as a call with `...` wants it: without a branch, since lanes hold different numbers. */
__attribute__((weak)) double __extendsfdf2(float number) {
  union { float value; uint32_t bits; } s = {number};
  union { double value; uint32_t words[2]; } d;
  uint32_t exponent = s.bits >> 23 & 255, fraction = s.bits & 0x7FFFFF;
  uint32_t normal = -(uint32_t)(exponent != 0), all = -(uint32_t)(exponent == 255);
  d.words[1] = (s.bits & 0x80000000u) | (normal & ((exponent + 896 + (all & 896)) << 20 | fraction >> 3));
  d.words[0] = normal & fraction << 29;
  return d.value;
}

/* What C++ calls where a class has virtual functions: one that is not there, and the end of an object that `new` would have made. */
__attribute__((weak)) void __cxa_pure_virtual(void) { __asm__ volatile("ebreak"); }
__attribute__((weak)) void _ZdlPv(void *object) { (void)object; __asm__ volatile("ebreak"); }
__attribute__((weak)) void _ZdlPvj(void *object, size_t bytes) { (void)bytes, _ZdlPv(object); }

#ifdef WARPLOOM_VORTEX
int putchar(int character) {
#if WARPLOOM_VORTEX >= 2023
  volatile char *console = (volatile char *)0x40;
#else
  volatile char *console = (volatile char *)0xFFFFFFC0;
#endif
  console[vx_hart_id() & 63] = (char)character;
  return character;
}

/* On Vortex of 2022 a stack has 1 KiB: nothing here calls the routines for 64 bits, which without optimisation take half of it. */
#define MOST_DIGITS 32  /* 2^64 in octal has 22, a float 20 before the point and 9 after it */
struct field { int left, zeros, width, decimals; char plus; }; /* decimals: -1 where nothing is said */

/* A text in its field: blanks, a sign (or 0), zeros, the text, blanks. */
static int put_field(const char *text, int length, char sign, const struct field *in) {
  int written = 0, missing = in->width - length - (sign != 0);
  if (!in->left && !in->zeros) for (; missing > 0; --missing, ++written) putchar(' ');
  if (sign) { putchar(sign); written++; }
  if (!in->left) for (; missing > 0; --missing, ++written) putchar('0');
  for (int i = 0; i < length; ++i, ++written) putchar(text[i]);
  for (; missing > 0; --missing, ++written) putchar(' ');
  return written;
}

/* The digits of a number, so that they end before `end`. Returns where they begin. Divided by hand, 16 bits a step. */
static char *digits_of(uint64_t number, uint32_t base, int least, char ten, char *end) {
  char *at = end;
  uint32_t low = (uint32_t)number, high = (uint32_t)(number >> 32);
  while (high || low || least > 0) {
    uint32_t rest = high % base;
    high /= base;
    uint32_t upper = rest << 16 | low >> 16, lower = upper % base << 16 | (low & 0xFFFF), digit = lower % base;
    low = upper / base << 16 | lower / base;
    *--at = (char)(digit < 10 ? '0' + digit : ten + digit - 10);
    --least;
  }
  return at;
}

static int put_number(uint64_t number, uint32_t base, char sign, char ten, struct field *in) {
  char digits[MOST_DIGITS], *end = digits + MOST_DIGITS;
  int least = in->decimals < 0 ? 1 : in->decimals > MOST_DIGITS ? MOST_DIGITS : in->decimals;
  if (in->decimals >= 0) in->zeros = 0;
  char *at = digits_of(number, base, least, ten, end);
  return put_field(at, (int)(end - at), sign, in);
}

static int put_float(float value, struct field *in) {
  char digits[MOST_DIGITS], *end = digits + MOST_DIGITS, *at = end;
  union { float value; uint32_t bits; } s = {value};
  char sign = s.bits >> 31 ? '-' : in->plus;
  int decimals = in->decimals < 0 ? 6 : in->decimals > 9 ? 9 : in->decimals;
  if (value != value) { in->zeros = 0; return put_field("nan", 3, 0, in); }
  if (s.bits >> 31) value = -value;
  if (value > 3.4028235e38f) { in->zeros = 0; return put_field("inf", 3, sign, in); }
  if (value >= 18446742974197923840.0f) { in->zeros = 0; return put_field("(large)", 7, sign, in); }
  uint32_t scale = 1;
  for (int i = 0; i < decimals; ++i) scale *= 10;
  uint64_t whole = value < 16777216.0f ? (uint32_t)value : 0;
  if (value >= 16777216.0f) {
    whole = (s.bits & 0x7FFFFF) | 0x800000;
    for (int twice = (int)(s.bits >> 23 & 255) - 150; twice > 0; --twice) whole += whole;
  }
  float rest = value < 16777216.0f ? value - (float)(uint32_t)whole : 0; /* from there on a float is a whole number */
  uint32_t part = (uint32_t)(rest * (float)scale + 0.5f);
  if (part >= scale) { whole++; part -= scale; }
  if (decimals) { at = digits_of(part, 10, decimals, 'a', end); *--at = '.'; }
  at = digits_of(whole, 10, 1, 'a', at);
  return put_field(at, (int)(end - at), sign, in);
}

/* A 64-bit float, as `...` hands one over, in 32 bits: by hand, so that no routine for 64-bit floats is needed. */
static float narrowed(uint64_t bits) {
  uint32_t high = (uint32_t)(bits >> 32);
  int exponent = (int)(high >> 20 & 0x7FF) - 1023 + 127;
  uint32_t fraction = (uint32_t)(bits >> 29) & 0x7FFFFF;
  union { uint32_t bits; float value; } s;
  s.bits = (high & 0x80000000u) | (exponent <= 0 ? 0 : exponent >= 255 ? 0x7F800000u | (fraction ? 0x400000u : 0) : (uint32_t)exponent << 23 | fraction);
  return s.value;
}

static int length_of(const char *text, int most) {
  int length = 0;
  while (length != most && text[length]) ++length;
  return length;
}

__attribute__((noinline)) static int format_of_one(const char *format, va_list arguments) {
  int written = 0;
  for (; *format; ++format) {
    if (*format != '%') { putchar(*format); written++; continue; }
    struct field in = {0, 0, 0, -1, 0};
    for (++format; *format == '-' || *format == '0' || *format == '+' || *format == ' '; ++format) {
      if (*format == '-') in.left = 1; else if (*format == '0') in.zeros = 1; else in.plus = *format;
    }
    if (*format == '*') { in.width = va_arg(arguments, int); ++format; if (in.width < 0) { in.left = 1; in.width = -in.width; } }
    while (*format >= '0' && *format <= '9') in.width = in.width * 10 + (*format++ - '0');
    if (*format == '.') {
      in.decimals = 0;
      if (*++format == '*') { in.decimals = va_arg(arguments, int); ++format; }
      while (*format >= '0' && *format <= '9') in.decimals = in.decimals * 10 + (*format++ - '0');
    }
    int wide = 0; /* l is 32 bits, ll and j 64 */
    for (; *format == 'l' || *format == 'h' || *format == 'z' || *format == 't' || *format == 'j'; ++format) wide += *format == 'l' ? 1 : *format == 'j' ? 2 : 0;
    char kind = *format;
    if (kind == 'd' || kind == 'i') {
      int64_t v = wide > 1 ? va_arg(arguments, int64_t) : va_arg(arguments, int);
      written += put_number(v < 0 ? -(uint64_t)v : (uint64_t)v, 10, v < 0 ? '-' : in.plus, 'a', &in);
    } else if (kind == 'u' || kind == 'x' || kind == 'X' || kind == 'o' || kind == 'p') {
      uint64_t v = wide > 1 ? va_arg(arguments, uint64_t) : va_arg(arguments, uint32_t);
      written += put_number(v, kind == 'u' ? 10 : kind == 'o' ? 8 : 16, 0, kind == 'X' ? 'A' : 'a', &in);
    } else if (kind == 'c') {
      char c = (char)va_arg(arguments, int);
      in.zeros = 0;
      written += put_field(&c, 1, 0, &in);
    } else if (kind == 's') {
      const char *text = va_arg(arguments, const char *);
      if (!text) text = "(null)";
      in.zeros = 0;
      written += put_field(text, length_of(text, in.decimals), 0, &in);
    } else if (kind == 'f' || kind == 'F' || kind == 'g') {
      union { uint64_t bits; double value; } v;
      v.value = va_arg(arguments, double);
      written += put_float(narrowed(v.bits), &in);
    } else if (kind) { putchar(kind); written++; }
    else break;
  }
  return written;
}

/* One lane after the other: what they print has different lengths, and a branch on that must be split. */
int printf(const char *format, ...) {
  int written = 0, mask = vx_active_threads(), lanes = vx_num_threads();
  for (int lane = 0; lane < lanes; ++lane) {
    if (!(mask >> lane & 1)) continue;
    int mine = vx_thread_id() == lane;
    int height = vx_split(mine);
    if (mine) {
      va_list arguments;
      va_start(arguments, format);
      written = format_of_one(format, arguments);
      va_end(arguments);
    }
    vx_join(height);
  }
  return written;
}
#endif
