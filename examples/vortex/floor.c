/* A textured floor that reaches to the horizon: a thread a pixel. The further away, the coarser the level of detail, and from one level to
   the next without a seam. In the right half every pixel is the mean of four samples along the line of sight, so that it stays sharp longer. */
#include <vx_texture.h>
#include <warploom.h>

kernel void floor_of(int width, int height, unsigned *out) {
  int i = global_id(), x = i % width, y = i / width;
  unsigned down = (unsigned)y + 1, far = (unsigned)height * 256 / down; /* distance, 256 in the lowest line */
  unsigned u = (unsigned)(x - width / 2) * far * 128 + VX_TEX_ONE / 2, v = far * (VX_TEX_ONE / 512);
  unsigned step = far * (VX_TEX_ONE / 512) / down;               /* in v, from one line to the next */
  unsigned lod = step >> 10 > 1280 ? 1280 : step >> 10;
  unsigned plain = vx_tex_trilinear(0, u, v, lod);
  unsigned sharp = vx_tex_anisotropic(0, u, v, 0, (int)(step / 4), lod > 512 ? lod - 512 : 0, 2);
  out[i] = 2 * x < width ? plain : sharp;
}
