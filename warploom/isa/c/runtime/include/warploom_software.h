/* Raster engine and output merger in software, in the shader: what a machine without these units does. Each lane owns quads of the picture and
   goes through the triangles of their tile in order, so the fragments of a pixel come in order too, and nobody else writes it.
   WARPLOOM_SOFTWARE is 1: the raster engine alone; 2: the merger too. Functions and their numbers are the units' (machine/merger). */
#ifndef WARPLOOM_SOFTWARE_H
#define WARPLOOM_SOFTWARE_H
#include <warploom_inline.h>

/* What the units have in device configuration registers, as graphics/machine/software.py writes it. */
typedef struct {
  const unsigned *tiles; /* the tile buffer */
  int headers, log_tile, inclusive, left, top, right, bottom;
  unsigned *color, *depth;
  int width;         /* pixels of a row */
  unsigned om[18];   /* registers of the output merger, from its first one on */
} warploom_units_t;

enum { WARPLOOM_COLOR_MASK = 2, WARPLOOM_DEPTH_FUNC = 5, WARPLOOM_DEPTH_WRITE, WARPLOOM_STENCIL_FUNC, WARPLOOM_ZPASS, WARPLOOM_ZFAIL, WARPLOOM_FAIL,
       WARPLOOM_REF, WARPLOOM_MASK, WARPLOOM_STENCIL_WRITE, WARPLOOM_MODE, WARPLOOM_FACTORS, WARPLOOM_CONSTANT, WARPLOOM_LOGIC };

/* Whether a pixel is on the inner side of an edge, whose value there is e. */
WARPLOOM_INLINE int warploom_inside(const warploom_units_t *s, int e, int a, int b) {
  return e > 0 || (e == 0 && (s->inclusive || a > 0 || (a == 0 && b > 0)));
}

static int warploom_passes(unsigned function, unsigned a, unsigned b) {
  switch (function) {
  case 0: return 1;
  case 1: return 0;
  case 2: return a < b;
  case 3: return a <= b;
  case 4: return a == b;
  case 5: return a >= b;
  case 6: return a > b;
  default: return a != b;
  }
}

static unsigned warploom_stencil(unsigned operation, unsigned stored, unsigned reference) {
  switch (operation) {
  case 0: return stored;
  case 1: return 0;
  case 2: return reference;
  case 3: return stored < 255 ? stored + 1 : 255;
  case 4: return stored ? stored - 1 : 0;
  case 5: return stored ^ 255;
  case 6: return (stored + 1) & 255;
  default: return (stored - 1) & 255;
  }
}

static int warploom_factor(unsigned function, unsigned source, unsigned stored, unsigned constant, int shift) {
  unsigned value = function >> 1; /* 1 source, 2 stored, 3 and 4 their alphas, 5 constant, 6 its alpha: each as it is, or 255 less it */
  if (function == 14) {
    int a = (int)(source >> 24), b = 255 - (int)(stored >> 24);
    return shift == 24 ? 255 : a < b ? a : b;
  }
  if (value == 0) return function ? 255 : 0;
  unsigned word = value == 1 || value == 3 ? source : value == 2 || value == 4 ? stored : constant;
  int byte = (int)(word >> (value == 3 || value == 4 || value == 6 ? 24 : shift) & 255);
  return function & 1 ? 255 - byte : byte;
}

static unsigned warploom_blend(const warploom_units_t *s, unsigned source, unsigned stored) {
  unsigned made = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    int part = shift == 24, a = (int)(source >> shift & 255), b = (int)(stored >> shift & 255), value;
    unsigned mode = s->om[WARPLOOM_MODE] >> 16 * part & 0xffff, factors = s->om[WARPLOOM_FACTORS] >> 8 * part;
    if (mode == 5) {
      unsigned f = s->om[WARPLOOM_LOGIC], word = (f & 1 ? source & stored : 0) | (f & 2 ? source & ~stored : 0);
      value = (int)((word | (f & 4 ? ~source & stored : 0) | (f & 8 ? ~source & ~stored : 0)) >> shift & 255);
    } else if (mode == 3) value = a < b ? a : b;
    else if (mode == 4) value = a > b ? a : b;
    else {
      int first = a * warploom_factor(factors & 255, source, stored, s->om[WARPLOOM_CONSTANT], shift);
      int second = b * warploom_factor(factors >> 16 & 255, source, stored, s->om[WARPLOOM_CONSTANT], shift);
      int sum = (mode == 0 ? first + second : mode == 1 ? first - second : second - first) + 128;
      sum = sum < 0 ? 0 : sum > 0xff00 ? 0xff00 : sum;
      value = (sum + (sum >> 8)) >> 8;
    }
    made |= (unsigned)value << shift;
  }
  return made;
}

/* One fragment, merged into its pixel. */
static void warploom_merge(const warploom_units_t *s, unsigned x, unsigned y, unsigned face, unsigned color, unsigned depth) {
  const unsigned *om = s->om;
  unsigned at = y * (unsigned)s->width + x, part = 16 * face;
#define WARPLOOM_FACE(name) (om[WARPLOOM_##name] >> part & 0xffff)
  int with_depth = om[WARPLOOM_DEPTH_FUNC] != 0 || om[WARPLOOM_DEPTH_WRITE] != 0;
  int with_stencil = WARPLOOM_FACE(STENCIL_FUNC) != 0 || WARPLOOM_FACE(ZPASS) != 0 || WARPLOOM_FACE(ZFAIL) != 0;
  if (with_depth || with_stencil) {
    unsigned word = s->depth[at], old = word & 0xffffff, stencil = word >> 24, reference = WARPLOOM_FACE(REF) & 255, operation = 0;
    int passed = 1;
    if (with_stencil) {
      unsigned mask = WARPLOOM_FACE(MASK) & 255;
      passed = warploom_passes(WARPLOOM_FACE(STENCIL_FUNC), reference & mask, stencil & mask);
      operation = passed ? WARPLOOM_FACE(ZPASS) : WARPLOOM_FACE(FAIL);
    }
    if (passed && with_depth) {
      passed = warploom_passes(om[WARPLOOM_DEPTH_FUNC], depth, old);
      if (!passed) operation = WARPLOOM_FACE(ZFAIL);
      else if (om[WARPLOOM_DEPTH_WRITE]) old = depth;
    }
    if (with_stencil) {
      unsigned written = WARPLOOM_FACE(STENCIL_WRITE) & 255;
      stencil = (stencil & ~written) | (warploom_stencil(operation, stencil, reference) & written);
    }
    s->depth[at] = stencil << 24 | old;
    if (!passed) return;
  }
#undef WARPLOOM_FACE
  unsigned bytes = om[WARPLOOM_COLOR_MASK], mask = (bytes & 1 ? 0xffu : 0) | (bytes & 2 ? 0xff00u : 0) | (bytes & 4 ? 0xff0000u : 0) | (bytes & 8 ? 0xff000000u : 0);
  int blends = om[WARPLOOM_MODE] != 0 || om[WARPLOOM_FACTORS] != 0x0101u;
  if (mask == 0) return;
  unsigned stored = blends || mask != 0xffffffffu ? s->color[at] : 0, made = blends ? warploom_blend(s, color, stored) : color;
  s->color[at] = (made & mask) | (stored & ~mask);
}
#endif
