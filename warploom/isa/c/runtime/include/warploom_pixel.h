/* A pixel shader in C: include this, and write
     vec4 pixel(const fragment_t *f, const uniforms_t *u) { return f->color; }
   It is called for each covered pixel of each triangle, and gives red, green, blue, alpha, 0 to 1. `main` is in here: every lane of every
   warp takes quads from the raster engine until there are none, and hands the fragments of their covered pixels to the output merger.
   Words of vectors are clang's: v.xyz, v.rgba, a * b, a * 0.5f. */
#ifndef WARPLOOM_PIXEL_H
#define WARPLOOM_PIXEL_H
#include <vx_intrinsics.h>
#include <vx_spawn.h>
#include <warploom_inline.h>
#if WARPLOOM_VORTEX < 2023
#error "a pixel shader needs a raster engine: compile for vortex-2024"
#endif
#include <warploom_vectors.h>
#ifdef WARPLOOM_SOFTWARE
#include <warploom_software.h>
#endif

/* What is known of a covered pixel. All but x, y, front and triangle is interpolated, perspective-correct. */
typedef struct {
  vec4 color;        /* of the vertices, times the material's: amounts of light, without the lamp */
  vec3 position;     /* in the world */
  vec3 normal;       /* in the world; interpolated, so not of length 1 */
  vec2 uv;           /* 0 to 1 is the whole texture, v = 0 its upper edge */
  float lod;         /* how many times the texture is too fine here, as a level: from the differences of uv in the quad */
  float depth;       /* 0 near to 1 far */
  int x, y;          /* pixel, from the upper left one */
  int front;         /* 1: the triangle's front is seen */
  unsigned triangle; /* its number in the draw call, after clipping */
} fragment_t;

/* What is the same for all pixels of a draw call: words, as graphics/machine/uniforms.py writes them. */
typedef struct {
  float light[3], eye[3];          /* towards the lamp, of length 1; where the camera stands */
  float base[4];                   /* the material's colour, which `color` holds already */
  float strength, ambient, cutoff; /* of the lamp; of light from everywhere; less alpha than this is dropped */
  int width, height;               /* of the picture */
  int lit, two_sided;              /* 1: the material wants light; backs are lit as fronts are */
  int textured, columns, rows;     /* 1: there is a texture, of so many texels */
  const unsigned char *srgb;       /* bytes by 4096 steps of light, and the least light of each; 0: bytes are light */
  const float *decoded;            /* bytes of colours to light */
  const unsigned char *primitives;
  unsigned stride;
  int levels;                      /* of the texture: the largest, and smaller copies */
  float own[16];                   /* the pipeline's uniforms, one after the other as they were given */
#ifdef WARPLOOM_SOFTWARE
  warploom_units_t units;          /* what raster engine and merger know, where they are software */
#endif
} uniforms_t;

static vec4 pixel(const fragment_t *f, const uniforms_t *u);

/* Returned in place of a colour: the pixel is not drawn. */
#define DISCARD ((vec4){0, 0, 0, -1})

/* The texture at a place, by the texture unit, of this level: 0 is the largest. White where there is none. Colours are amounts of light. */
WARPLOOM_INLINE vec4 texture_level(const uniforms_t *u, vec2 uv, int level) {
  unsigned texel = 0xffffffffu;
  level = level < u->levels ? level : u->levels - 1;
  if (u->textured) texel = vx_tex(0, (unsigned)(int)(uv.x * 8388608.0f), (unsigned)(int)(uv.y * 8388608.0f), (unsigned)level);
  return (vec4){u->decoded[texel >> 16 & 255], u->decoded[texel >> 8 & 255], u->decoded[texel & 255], (float)(texel >> 24) * (1 / 255.0f)};
}
WARPLOOM_INLINE vec4 texture(const uniforms_t *u, vec2 uv) { return texture_level(u, uv, 0); }
/* Between two levels; with f->lod a texture that is far away does not flicker. */
WARPLOOM_INLINE vec4 texture_lod(const uniforms_t *u, vec2 uv, float lod) {
  int level = (int)lod;
  vec4 fine = texture_level(u, uv, level);
  return fine + (texture_level(u, uv, level + 1) - fine) * (lod - (float)level);
}

/* The light that the lamp throws on this pixel, and that from everywhere; 1 where the material wants none. */
WARPLOOM_INLINE float light_on(const fragment_t *f, const uniforms_t *u) {
  if (!u->lit) return 1;
  float cosine = dot(normalize(f->normal), as_vec3(u->light));
  if (u->two_sided && !f->front) cosine = -cosine;
  return u->ambient + u->strength * __builtin_fmaxf(cosine, 0);
}

/* ---- what is around a shader */

#define WARPLOOM_COLOR 0 /* planes of three floats, after 30 words of edges and of what the original's shader takes */
#define WARPLOOM_UV 4
#define WARPLOOM_NORMAL 6
#define WARPLOOM_POSITION 9
#define WARPLOOM_PLANES 120
#define WARPLOOM_BACK (WARPLOOM_PLANES + 12 * 12)
#define WARPLOOM_DEPTH_PLANE 36

WARPLOOM_INLINE float warploom_value(const unsigned char *triangle, int plane, float dx, float dy) {
  const float *p = (const float *)(triangle + WARPLOOM_PLANES) + 3 * plane;
  return p[0] * dx + p[1] * dy + p[2];
}

WARPLOOM_INLINE unsigned warploom_channel(float x, const unsigned char *srgb) {
  float one = saturate(x);
  if (srgb) { /* the byte at the beginning of its step, or the next one, which begins at this much light */
    unsigned byte = srgb[(int)(one * 4095.0f)];
    return byte + (one >= ((const float *)(srgb + 4096))[byte]);
  }
  return (unsigned)(int)(one * 255.0f + 0.5f);
}

/* u and v where the edges have these values. */
WARPLOOM_INLINE vec2 warploom_uv(const unsigned char *t, int e0, int e1, int e2) {
  float f0 = (float)e0, f1 = (float)e1, share = 1.0f / (f0 + f1 + (float)e2), dx = f0 * share, dy = f1 * share;
  return (vec2){warploom_value(t, WARPLOOM_UV, dx, dy), warploom_value(t, WARPLOOM_UV + 1, dx, dy)};
}

/* The level for a step of uv to the right and one down. log2 is a straight line between powers of two, as hardware has it. */
WARPLOOM_INLINE float warploom_lod(const uniforms_t *u, vec2 right, vec2 down) {
  float rx = right.x * (float)u->columns, ry = right.y * (float)u->rows, dx = down.x * (float)u->columns, dy = down.y * (float)u->rows;
  union { float value; int bits; } square = {clamp(__builtin_fmaxf(rx * rx + ry * ry, dx * dx + dy * dy), 1, 1e9f)};
  int level = ((square.bits >> 23) - 127) >> 1;
  square.bits -= level << 24;
  return __builtin_fminf((float)level + sqrtf(square.value) - 1, (float)(u->levels - 1));
}

WARPLOOM_INLINE void warploom_shade(const unsigned char *t, const uniforms_t *u, unsigned number, int e0, int e1, int e2, int x, int y, float lod) {
  float f0 = (float)e0, f1 = (float)e1, share = 1.0f / (f0 + f1 + (float)e2), dx = f0 * share, dy = f1 * share;
  const int *z = (const int *)(t + WARPLOOM_DEPTH_PLANE); /* in fixed point, as other shaders have it, so that all draw the same depths */
  int fx = (int)(dx * 16777216.0f), fy = (int)(dy * 16777216.0f);
  int depth = (int)((long long)z[1] * fy >> 24) + ((int)((long long)z[0] * fx >> 24) + z[2]);
  unsigned back = *(const unsigned *)(t + WARPLOOM_BACK);
  fragment_t f;
  f.color = (vec4){warploom_value(t, WARPLOOM_COLOR, dx, dy), warploom_value(t, WARPLOOM_COLOR + 1, dx, dy),
                   warploom_value(t, WARPLOOM_COLOR + 2, dx, dy), warploom_value(t, WARPLOOM_COLOR + 3, dx, dy)};
  f.uv = (vec2){warploom_value(t, WARPLOOM_UV, dx, dy), warploom_value(t, WARPLOOM_UV + 1, dx, dy)};
  f.normal = (vec3){warploom_value(t, WARPLOOM_NORMAL, dx, dy), warploom_value(t, WARPLOOM_NORMAL + 1, dx, dy),
                    warploom_value(t, WARPLOOM_NORMAL + 2, dx, dy)};
  f.position = (vec3){warploom_value(t, WARPLOOM_POSITION, dx, dy), warploom_value(t, WARPLOOM_POSITION + 1, dx, dy),
                      warploom_value(t, WARPLOOM_POSITION + 2, dx, dy)};
  f.depth = (float)(depth & 0xffffff) * (1 / 16777215.0f);
  f.lod = lod;
  f.x = x, f.y = y, f.front = (int)(back ^ 1), f.triangle = number;
  vec4 color = pixel(&f, u);
  if (!(color.w >= u->cutoff)) return;
  unsigned word = (unsigned)(int)(saturate(color.w) * 255.0f + 0.5f) << 24;
  word |= warploom_channel(color.x, u->srgb) << 16 | warploom_channel(color.y, u->srgb) << 8 | warploom_channel(color.z, u->srgb);
#if WARPLOOM_SOFTWARE > 1
  warploom_merge(&u->units, (unsigned)x, (unsigned)y, back, word, (unsigned)depth & 0xffffff);
#else
  vx_om((unsigned)x, (unsigned)y, back, word, (unsigned)depth & 0xffffff);
#endif
}

#ifdef WARPLOOM_SOFTWARE
WARPLOOM_INLINE int warploom_edge(const int *edge, int x, int y) { /* 32 bits that wrap, as in the raster engine */
  return (int)((unsigned)edge[0] * (unsigned)x + (unsigned)edge[1] * (unsigned)y + (unsigned)edge[2]);
}

/* A triangle at a quad: its covered pixels are shaded. */
static void warploom_triangle(const uniforms_t *u, unsigned number, int column, int row) {
  const unsigned char *t = u->primitives + number * u->stride;
  const int *edge = (const int *)t;
  const warploom_units_t *s = &u->units;
  int x[3], y[3], z[3]; /* edges at the quad's first pixel, its right and its lower neighbour */
  for (int p = 0; p < 3; ++p) {
    x[p] = warploom_edge(edge, column + (p & 1), row + (p >> 1));
    y[p] = warploom_edge(edge + 3, column + (p & 1), row + (p >> 1));
    z[p] = warploom_edge(edge + 6, column + (p & 1), row + (p >> 1));
  }
  vec2 uv = warploom_uv(t, x[0], y[0], z[0]);
  float lod = warploom_lod(u, warploom_uv(t, x[1], y[1], z[1]) - uv, warploom_uv(t, x[2], y[2], z[2]) - uv);
  for (int p = 0; p < 4; ++p) {
    int right = -(p & 1), down = -(p >> 1), at_x = column - right, at_y = row - down;
    int e0 = x[0] + ((x[1] - x[0]) & right) + ((x[2] - x[0]) & down), e1 = y[0] + ((y[1] - y[0]) & right) + ((y[2] - y[0]) & down);
    int e2 = z[0] + ((z[1] - z[0]) & right) + ((z[2] - z[0]) & down);
    if (at_x < s->left || at_x >= s->right || at_y < s->top || at_y >= s->bottom) continue;
    if (!warploom_inside(s, e0, edge[0], edge[1]) || !warploom_inside(s, e1, edge[3], edge[4]) || !warploom_inside(s, e2, edge[6], edge[7])) continue;
    warploom_shade(t, u, number, e0, e1, e2, at_x, at_y, lod);
  }
}

static void warploom_draw(int task, void *argument) {
  const uniforms_t *u = *(const uniforms_t *const *)argument;
  const warploom_units_t *s = &u->units;
  int side = s->log_tile - 1, quads = s->headers << 2 * side, tasks = vx_num_cores() * vx_num_warps() * vx_num_threads();
  for (int place = task; place < quads; place += tasks) {
    const unsigned *header = s->tiles + 2 * (place >> 2 * side), *list = header + 2 + (header[1] & 0xffff);
    int inside = place & ((1 << 2 * side) - 1), count = (int)(header[1] >> 16);
    int column = (int)((header[0] & 0xffff) << s->log_tile) + 2 * (inside & ((1 << side) - 1));
    int row = (int)((header[0] >> 16) << s->log_tile) + 2 * (inside >> side);
    if (column + 1 < s->left || column >= s->right || row + 1 < s->top || row >= s->bottom) count = 0;
    for (int k = 0; k < count; ++k) {
      const int *edge = (const int *)(u->primitives + list[k] * u->stride);
      int outside = 0; /* whether the quad is wholly outside of an edge: its value at the best of four pixels */
      for (int n = 0; n < 9; n += 3) {
        int best = warploom_edge(edge + n, column + (edge[n] > 0), row + (edge[n + 1] > 0));
        outside |= best < 0;
      }
      if (!outside) warploom_triangle(u, list[k], column, row);
    }
  }
}
#else
static void warploom_draw(int task, void *argument) {
  const uniforms_t *u = *(const uniforms_t *const *)argument;
  unsigned quad;
  (void)task;
  while ((quad = vx_rast()) != 0) {
    unsigned place = (unsigned)csr_read(VX_CSR_RASTER_POS_MASK), number = quad >> 1;
    int x0 = (int)csr_read(0x7C1), x1 = (int)csr_read(0x7C2), x2 = (int)csr_read(0x7C3);
    int y0 = (int)csr_read(0x7C5), y1 = (int)csr_read(0x7C6), y2 = (int)csr_read(0x7C7);
    int z0 = (int)csr_read(0x7C9), z1 = (int)csr_read(0x7CA), z2 = (int)csr_read(0x7CB);
    int column = (int)(place << 14 >> 18) * 2, row = (int)(place >> 18) * 2;
    const unsigned char *t = u->primitives + number * u->stride;
    vec2 uv = warploom_uv(t, x0, y0, z0); /* left out where a shader does not ask for lod */
    float lod = warploom_lod(u, warploom_uv(t, x1, y1, z1) - uv, warploom_uv(t, x2, y2, z2) - uv);
    for (int p = 0; p < 4; ++p) {
      if (place >> p & 1) {
        int right = -(p & 1), down = -(p >> 1); /* all ones: the pixel lies there */
        warploom_shade(t, u, number, x0 + ((x1 - x0) & right) + ((x2 - x0) & down), y0 + ((y1 - y0) & right) + ((y2 - y0) & down),
                       z0 + ((z1 - z0) & right) + ((z2 - z0) & down), column - right, row - down, lod);
      }
    }
  }
}

#endif

int main(void *argument) {
  vx_spawn_tasks(vx_num_cores() * vx_num_warps() * vx_num_threads(), warploom_draw, argument);
  return 0;
}
#endif
