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

static int put_text(const char *text) {
  int count = 0;
  while (text[count]) putchar(text[count++]);
  return count;
}

static int put_number(uint32_t number, uint32_t base, int negative, int width, char pad) {
  char digits[12];
  int count = 0, written = 0;
  do { uint32_t digit = number % base; digits[count++] = (char)(digit < 10 ? '0' + digit : 'a' + digit - 10); number /= base; } while (number);
  if (negative && pad == '0') { putchar('-'); written++; }
  for (int left = width - count - negative; left > 0; --left, ++written) putchar(pad);
  if (negative && pad != '0') { putchar('-'); written++; }
  while (count) { putchar(digits[--count]); written++; }
  return written;
}

static int put_float(float value, int decimals) {
  int written = 0;
  if (value != value) return put_text("nan");
  if (value < 0) { putchar('-'); value = -value; written++; }
  if (value > 3.0e38f) return written + put_text("inf");
  if (value >= 4294967040.0f) return written + put_text("(large)");
  uint32_t scale = 1;
  for (int i = 0; i < decimals; ++i) scale *= 10;
  uint32_t whole = (uint32_t)value, part = (uint32_t)((value - (float)whole) * (float)scale + 0.5f);
  if (part >= scale) { whole++; part -= scale; }
  written += put_number(whole, 10, 0, 0, ' ');
  if (decimals) { putchar('.'); written += 1 + put_number(part, 10, 0, decimals, '0'); }
  return written;
}

__attribute__((noinline)) static int format_of_one(const char *format, va_list arguments) {
  int written = 0;
  for (; *format; ++format) {
    if (*format != '%') { putchar(*format); written++; continue; }
    char pad = ' ';
    int width = 0, decimals = 6;
    if (*++format == '0') { pad = '0'; ++format; }
    while (*format >= '0' && *format <= '9') width = width * 10 + (*format++ - '0');
    if (*format == '.') { decimals = 0; ++format; while (*format >= '0' && *format <= '9') decimals = decimals * 10 + (*format++ - '0'); }
    while (*format == 'l') ++format;
    if (*format == 'd' || *format == 'i') { int v = va_arg(arguments, int); written += put_number(v < 0 ? -(uint32_t)v : (uint32_t)v, 10, v < 0, width, pad); }
    else if (*format == 'u') written += put_number(va_arg(arguments, uint32_t), 10, 0, width, pad);
    else if (*format == 'x' || *format == 'p') written += put_number(va_arg(arguments, uint32_t), 16, 0, width, pad);
    else if (*format == 'c') { putchar(va_arg(arguments, int)); written++; }
    else if (*format == 's') written += put_text(va_arg(arguments, const char *));
    else if (*format == 'f' || *format == 'g') { union { uint64_t bits; double value; } v; v.value = va_arg(arguments, double);
      /* to 32 bits by hand: no routine for 64-bit floats is needed */
      uint32_t high = (uint32_t)(v.bits >> 32); int exponent = (int)(high >> 20 & 0x7FF) - 1023 + 127;
      uint32_t fraction = (uint32_t)(v.bits >> 29) & 0x7FFFFF; union { uint32_t bits; float value; } s;
      s.bits = (high & 0x80000000u) | (exponent <= 0 ? 0 : exponent >= 255 ? 0x7F800000u | (fraction ? 0x400000u : 0) : (uint32_t)exponent << 23 | fraction);
      written += put_float(s.value, decimals); }
    else if (*format) { putchar(*format); written++; }
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
