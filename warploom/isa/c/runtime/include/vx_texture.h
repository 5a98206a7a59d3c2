/* Filters that the texture unit does not have, as sequences of its samples, and its registers of 2022.
   Coordinates have 23 fraction bits, 1 << 23 being the whole image; a level of detail here has 8. Texels are four bytes, alpha highest. */
#ifndef VX_TEXTURE_H
#define VX_TEXTURE_H
#include <vx_intrinsics.h>

#define VX_TEX_ONE (1 << 23)
#define VX_TEX_INLINE static inline __attribute__((always_inline))

/* Four bytes, f 256ths of the way from one texel to the other: two of them in one multiplication. */
VX_TEX_INLINE unsigned vx_lerp8888(unsigned a, unsigned b, unsigned f) {
  unsigned even = ((a & 0x00FF00FF) * (256 - f) + (b & 0x00FF00FF) * f) >> 8 & 0x00FF00FF;
  unsigned odd = (a >> 8 & 0x00FF00FF) * (256 - f) + (b >> 8 & 0x00FF00FF) * f;
  return even | (odd & 0xFF00FF00);
}

/* Between two levels of detail: two samples. lod: level << 8 | 256ths towards the next one. */
VX_TEX_INLINE unsigned vx_tex_trilinear(int unit, unsigned u, unsigned v, unsigned lod) {
  unsigned level = lod >> 8;
  return vx_lerp8888(vx_tex(unit, u, v, level), vx_tex(unit, u, v, level + 1), lod & 255);
}

/* The mean of 1 << log_samples trilinear samples from (u, v) on, each (du, dv) further: for a footprint that is longer than it is wide. At most 256 samples. */
VX_TEX_INLINE unsigned vx_tex_anisotropic(int unit, unsigned u, unsigned v, int du, int dv, unsigned lod, unsigned log_samples) {
  unsigned even = 0, odd = 0;
  for (unsigned i = 0; i < 1u << log_samples; ++i, u += (unsigned)du, v += (unsigned)dv) {
    unsigned texel = vx_tex_trilinear(unit, u, v, lod);
    even += texel & 0x00FF00FF;
    odd += texel >> 8 & 0x00FF00FF;
  }
  return (even >> log_samples & 0x00FF00FF) | (odd >> log_samples & 0x00FF00FF) << 8;
}

#if WARPLOOM_VORTEX < 2023
/* A register of a unit: 1 address, 2 log2 width, 3 log2 height, 4 format, 5 filter, 6 wrap in u, 7 in v, 8 + l offset of level l. From 2023 on the host sets them. */
#define vx_tex_set(unit, number, value) do { csr_write(0xFD0, unit); csr_write(0xFD0 + (number), value); } while (0)
#endif
#endif
