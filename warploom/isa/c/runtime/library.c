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
  union { float value; uint32_t bits; } s = {number}, scale;
  union { double value; uint32_t words[2]; } d;
  uint32_t tiny = ((s.bits >> 23 & 255) - 1) >> 31; /* 0, or below the normal numbers: 2^24 times as much is none of these */
  __asm__("" : "+r"(tiny)); /* a compiler would make a branch of it */
  scale.bits = 0x3F800000 + (tiny * 24 << 23);
  s.value *= scale.value;
  uint32_t exponent = s.bits >> 23 & 255, fraction = s.bits & 0x7FFFFF;
  uint32_t normal = -(uint32_t)(exponent != 0), all = -(uint32_t)(exponent == 255);
  d.words[1] = (s.bits & 0x80000000u) | (normal & ((exponent + 896 - 24 * tiny + (all & 896)) << 20 | fraction >> 3));
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
#define MOST_DIGITS 32  /* 2^64 in octal has 22 */
#define MOST_SIGNS 3    /* -0x */
struct field { int left, zeros, width, decimals, wide; char plus, other, kind; }; /* decimals: -1 where nothing is said. other: #, the other form */

static inline __attribute__((always_inline)) void put(char character) {
#if WARPLOOM_VORTEX >= 2023
  ((volatile char *)0x40)[vx_hart_id() & 63] = character;
#else
  ((volatile char *)0xFFFFFFC0)[vx_hart_id() & 63] = character;
#endif
}

static void put_some(char character, int count) {
  while (count-- > 0) put(character);
}

static void put_text(const char *text, int length) {
  while (length-- > 0) put(*text++);
}

static int length_of(const char *text, int most) {
  int length = 0;
  while (length != most && text[length]) ++length;
  return length;
}

/* What comes before the `length` characters of a number or a text, a sign or 0x among it; `width` is then how many blanks come after them.
   Returns how many characters all of it is. */
static int put_before(const char *sign, int length, struct field *in) {
  in->width -= length + length_of(sign, MOST_SIGNS);
  if (in->width < 0) in->width = 0;
  length += in->width;
  if (!in->left && !in->zeros) for (; in->width > 0; --in->width) put(' ');
  for (; *sign; ++sign, ++length) put(*sign);
  if (!in->left && in->zeros) for (; in->width > 0; --in->width) put('0');
  return length;
}

static int put_field(const char *text, int length, const char *sign, struct field *in) {
  int written = put_before(sign, length, in);
  put_text(text, length);
  put_some(' ', in->width);
  return written;
}

static const char *sign_of(int negative, char plus) { return negative ? "-" : plus == '+' ? "+" : plus ? " " : ""; }

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

/* A number in nines of decimal digits: each word is below 10^9, and word ONES ends before the point. So long that it holds any float. */
#define ONES 4
#define WORDS (ONES + 1 + 17)
#define BILLION 1000000000u
struct decimal { int8_t first, last; uint32_t words[WORDS]; };
static const uint32_t tens[9] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/* Four times the number, and `more`, below 4. */
static void quadruple(struct decimal *d, uint32_t more) {
  for (int i = ONES; i >= d->first; --i) {
    uint32_t word = d->words[i] * 4 + more;
    more = word / BILLION;
    d->words[i] = word - more * BILLION;
  }
  if (more && d->first > 0) d->words[--d->first] = more;
}

/* The number divided by 2^bits, bits up to 9: a power that divides 10^9. */
static void divide(struct decimal *d, int bits) {
  uint32_t carry = 0;
  for (int i = d->first; i <= d->last; ++i) {
    uint32_t word = d->words[i];
    d->words[i] = (word >> bits) + carry;
    carry = (BILLION >> bits) * (word & ((1u << bits) - 1));
  }
  if (carry && d->last + 1 < WORDS) d->words[++d->last] = carry;
}

/* high and low are a whole number of 53 bits; it is multiplied by 2^power. */
static void decimal_of(struct decimal *d, uint32_t high, uint32_t low, int power) {
  if (!(low & 0x1FFFFFFF)) { low = high << 3 | low >> 29; high = 0; power += 29; } /* it was a float */
  while (power < 0 && !high && low && !(low & 1)) { low >>= 1; ++power; }
  d->first = d->last = ONES;
  d->words[ONES] = high ? high : low % BILLION;
  if (!high && low >= BILLION) d->words[--d->first] = low / BILLION;
  if (high) for (int bit = 30; bit >= 0; bit -= 2) quadruple(d, low >> bit & 3);
  if (power > 0 && power & 1) { power += 1; divide(d, 1); } /* doubled is quadrupled and halved */
  for (; power > 0; power -= 2) {
    if (d->last > ONES) { /* the half that is left of an odd number */
      d->last = ONES;
      quadruple(d, 2);
    } else quadruple(d, 0);
  }
  for (; power < 0; power += 9) divide(d, power < -9 ? 9 : -power);
}

/* The digit at a place: 0 is that of the ones, 1 the first one after the point. */
static uint32_t digit_at(const struct decimal *d, int place) {
  uint32_t at = (uint32_t)(place + 8 + 9 * ONES);
  int word = (int)(at / 9);
  return word < d->first || word > d->last ? 0 : d->words[word] / tens[8 - at % 9] % 10;
}

/* How many digits come between the first one that is not 0 and the ones: 2 of 314, -1 of 0.5, 0 of 0. */
static int exponent_of(const struct decimal *d) {
  int word = d->first, digits = 8;
  while (word <= d->last && !d->words[word]) ++word;
  if (word > d->last) return 0;
  while (d->words[word] < tens[digits]) --digits;
  return 9 * (ONES - word) + digits;
}

/* Rounded to the digit at a place, and of two that are as near to the even one. */
static void round_at(struct decimal *d, int place) {
  if (place < -9 * ONES - 8) place = -9 * ONES - 8;
  uint32_t at = (uint32_t)(place + 8 + 9 * ONES), unit = tens[8 - at % 9], rest, half = unit / 2;
  int word = (int)(at / 9), next = word + 1;
  if (word > d->last) return;
  while (d->first > word) d->words[--d->first] = 0;
  rest = d->words[word] % unit;
  d->words[word] -= rest;
  if (unit == 1) { rest = next <= d->last ? d->words[next] : 0; half = BILLION / 2; ++next; }
  int more = rest > half || (rest == half && (d->words[word] / unit & 1));
  for (; rest == half && next <= d->last; ++next) more |= d->words[next] != 0;
  d->last = word;
  if (!more) return;
  d->words[word] += unit;
  for (; d->words[word] >= BILLION && word > 0; --word) {
    if (word == d->first) d->words[--d->first] = 0;
    d->words[word] -= BILLION;
    d->words[word - 1]++;
  }
}

/* The number rounded to what is printed of it; `decimals` is then how many digits come after the point, and `kind` no longer g. */
static void round_for(struct decimal *d, struct field *in) {
  int exponent = exponent_of(d);
  if (in->decimals < 0) in->decimals = 6;
  if (in->kind == 'g' && in->decimals) --in->decimals;
  round_at(d, in->kind == 'f' ? in->decimals : in->decimals - exponent);
  if (in->kind != 'g') return;
  exponent = exponent_of(d);
  in->kind = exponent < -4 ? 'e' : exponent > in->decimals ? 'e' : 'f';
  if (in->kind == 'f') { in->decimals -= exponent; exponent = 0; }
  while (!in->other && in->decimals > 0 && !digit_at(d, in->decimals - exponent)) --in->decimals;
}

static int put_decimal(const struct decimal *d, const char *sign, char e, struct field *in) {
  int exponent = exponent_of(d), place = 0;
  if (in->decimals) in->other = 1; /* there is a point */
  if (in->kind == 'f') { /* so many digits come before the one before the point; else the point is moved */
    if (exponent > 0) place = -exponent;
    exponent = 0;
  }
  int written = put_before(sign, in->decimals + in->other + (in->kind == 'e' ? 5 : 1 - place), in);
  for (; place <= in->decimals; ++place) {
    put((char)('0' + digit_at(d, place - exponent)));
    if (place == 0 && in->other) put('.');
  }
  if (in->kind == 'e') {
    put(e);
    put(exponent < 0 ? '-' : '+');
    if (exponent < 0) exponent = -exponent;
    put((char)('0' + exponent / 10));
    put((char)('0' + exponent % 10));
  }
  put_some(' ', in->width);
  return written;
}

static int put_name(const char *name, const char *sign, struct field *in) {
  in->zeros = 0;
  return put_field(name, length_of(name, -1), sign, in);
}

/* A 64-bit float in base 16, 0x1.8p+1: the digits after the point are its own bits. It is a number. */
static int put_hexadecimal(uint32_t high, uint32_t low, struct field *in) {
  uint8_t digits[1 + 13];
  char before[MOST_SIGNS + 1];
  int exponent = (int)(high >> 20 & 0x7FF) - 1023, last = 13, at = 0, small = in->kind & 32, ten = 'A' + small - 10, size = 1;
  for (const char *sign = sign_of((int)(high >> 31), in->plus); *sign; ++sign) before[at++] = *sign;
  high &= 0xFFFFF;
  before[at++] = '0';
  before[at++] = (char)('X' + small);
  before[at] = 0;
  digits[0] = exponent > -1023;
  for (int i = 1; i <= 5; ++i) digits[i] = high >> (20 - 4 * i) & 15;
  for (int i = 6; i <= 13; ++i) digits[i] = low >> (52 - 4 * i) & 15;
  if (!digits[0]) exponent = high | low ? -1022 : 0;
  if (in->decimals < 0) {
    while (last > 0 && !digits[last]) --last;
    in->decimals = last;
  } else if (in->decimals < last) {
    last = in->decimals;
    int more = digits[last + 1] > 8 || (digits[last + 1] == 8 && digits[last] & 1);
    if (digits[last + 1] == 8) for (int i = last + 2; i <= 13; ++i) more |= digits[i] != 0;
    for (int i = last; more; --i) {
      digits[i]++;
      more = digits[i] == 16; /* never the first one */
      if (more) digits[i] = 0;
    }
  }
  if (in->decimals) in->other = 1; /* there is a point */
  int positive = exponent < 0 ? -exponent : exponent;
  for (int rest = positive; rest > 9; rest /= 10) ++size;
  int written = put_before(before, 1 + in->other + in->decimals + 2 + size, in);
  for (int i = 0; i <= last; ++i) {
    put((char)(digits[i] < 10 ? '0' + digits[i] : ten + digits[i]));
    if (i == 0 && in->other) put('.');
  }
  put_some('0', in->decimals - last);
  put((char)('P' + small));
  put(exponent < 0 ? '-' : '+');
  for (int ten_power = size > 3 ? 1000 : size > 2 ? 100 : size > 1 ? 10 : 1; ten_power; ten_power /= 10) put((char)('0' + positive / ten_power % 10));
  put_some(' ', in->width);
  return written;
}

/* The bits of a 64-bit float, as `...` hands one over; by hand, so that no routine for such floats is needed. */
static int put_float(uint32_t high, uint32_t low, struct field *in) {
  struct decimal d;
  const char *sign = sign_of((int)(high >> 31), in->plus);
  int exponent = (int)(high >> 20 & 0x7FF) - 1023, small = in->kind & 32;
  in->kind |= 32;
  high &= 0xFFFFF;
  if (exponent == 1024 && (high | low)) return put_name("NAN\0nan" + small / 8, sign, in);
  if (exponent == 1024) return put_name("INF\0inf" + small / 8, sign, in);
  if (exponent >= 128) return put_name("(large)", sign, in);
  high |= 0x100000;
  if (exponent < -149) { high = low = 0; exponent = 0; } /* nearer to 0 than any float */
  decimal_of(&d, high, low, exponent - 52);
  round_for(&d, in);
  return put_decimal(&d, sign, (char)('E' + small), in);
}

static int put_integer(struct field *in, va_list *arguments) {
  char digits[MOST_DIGITS], *at = digits + MOST_DIGITS, ten = 'a';
  const char *sign = "";
  uint32_t base = 10;
  int zeros = 0; /* before what the digits have room for */
  uint64_t v;
  if (in->kind == 'd' || in->kind == 'i') {
    int64_t s = in->wide > 1 ? va_arg(*arguments, int64_t) : va_arg(*arguments, int);
    if (in->wide < 0) s = in->wide == -1 ? (short)s : (signed char)s;
    sign = sign_of(s < 0, in->plus);
    v = s < 0 ? -(uint64_t)s : (uint64_t)s;
  } else {
    v = in->wide > 1 ? va_arg(*arguments, uint64_t) : va_arg(*arguments, unsigned);
    if (in->wide < 0) v = in->wide == -1 ? (unsigned short)v : (unsigned char)v;
    if (in->kind == 'o') base = 8;
    else if (in->kind != 'u') base = 16;
    if (in->kind == 'X') ten = 'A';
    if (in->other && base == 16 && v) sign = ten == 'A' ? "0X" : "0x";
  }
  if (in->decimals >= 0) in->zeros = 0;
  else in->decimals = 1;
  if (in->decimals > MOST_DIGITS - 1) {
    zeros = in->decimals - (MOST_DIGITS - 1);
    in->decimals = MOST_DIGITS - 1;
  }
  at = digits_of(v, base, in->decimals, ten, at);
  if (in->other && base == 8 && (at == digits + MOST_DIGITS || *at != '0')) *--at = '0';
  int length = (int)(digits + MOST_DIGITS - at), written = put_before(sign, zeros + length, in);
  put_some('0', zeros);
  put_text(at, length);
  put_some(' ', in->width);
  return written;
}

/* What stands after a %. Returns where its last letter is. */
static const char *field_of(const char *format, struct field *in, va_list *arguments) {
  *in = (struct field){0, 0, 0, -1, 0, 0, 0, 0};
  for (; *format == '-' || *format == '0' || *format == '+' || *format == ' ' || *format == '#'; ++format) {
    if (*format == '-') in->left = 1; else if (*format == '0') in->zeros = 1; else if (*format == '#') in->other = 1; else if (in->plus != '+') in->plus = *format;
  }
  if (*format == '*') { in->width = va_arg(*arguments, int); ++format; if (in->width < 0) { in->left = 1; in->width = -in->width; } }
  while (*format >= '0' && *format <= '9') in->width = in->width * 10 + (*format++ - '0');
  if (*format == '.') {
    in->decimals = 0;
    if (*++format == '*') { in->decimals = va_arg(*arguments, int); ++format; }
    while (*format >= '0' && *format <= '9') in->decimals = in->decimals * 10 + (*format++ - '0');
  }
  for (; *format == 'l' || *format == 'h' || *format == 'z' || *format == 't' || *format == 'j'; ++format) /* l is 32 bits, ll and j 64, h 16, hh 8 */
    in->wide += *format == 'l' ? 1 : *format == 'j' ? 2 : *format == 'h' ? -1 : 0;
  in->kind = *format;
  return format;
}

/* Of what is not known nobody knows which arguments it takes: it is printed as it stands, with all that comes after it. */
__attribute__((noinline)) static int format_of_one(const char *format, va_list *arguments) {
  int written = 0;
  for (; *format; ++format) {
    if (*format != '%') { put(*format); written++; continue; }
    struct field in;
    const char *begin = format;
    format = field_of(format + 1, &in, arguments);
    if (in.kind == 'd' || in.kind == 'i' || in.kind == 'u' || (in.kind | 32) == 'x' || in.kind == 'o' || in.kind == 'p') {
      written += put_integer(&in, arguments);
    } else if (in.kind == 'c') {
      char c = (char)va_arg(*arguments, int);
      in.zeros = 0;
      written += put_field(&c, 1, "", &in);
    } else if (in.kind == 's') {
      const char *text = va_arg(*arguments, const char *);
      if (!text) text = "(null)";
      in.zeros = 0;
      written += put_field(text, length_of(text, in.decimals), "", &in);
    } else if ((in.kind | 32) == 'a' || ((in.kind | 32) >= 'e' && (in.kind | 32) <= 'g')) {
      union { uint32_t words[2]; double value; } v;
      v.value = va_arg(*arguments, double);
      if ((in.kind | 32) == 'a' && ~v.words[1] & 0x7FF00000) written += put_hexadecimal(v.words[1], v.words[0], &in);
      else written += put_float(v.words[1], v.words[0], &in);
    } else if (in.kind == 'n') {
      void *count = va_arg(*arguments, void *);
      if (in.wide > 1) *(int64_t *)count = written;
      else if (in.wide >= 0) *(int *)count = written;
      else if (in.wide == -1) *(short *)count = (short)written;
      else *(signed char *)count = (signed char)written;
    } else if (in.kind == '%') {
      put('%');
      written++;
    } else {
      for (; *begin; ++begin, ++written) put(*begin);
      break;
    }
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
      written = format_of_one(format, &arguments);
      va_end(arguments);
    }
    vx_join(height);
  }
  return written;
}
#endif
