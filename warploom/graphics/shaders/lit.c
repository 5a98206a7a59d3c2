/* What the host's shader does: the two levels of the texture that fit, and light for each pixel. `--shader lit` draws with it. */
#include <warploom_pixel.h>

vec4 pixel(const fragment_t *f, const uniforms_t *u) {
  vec4 color = f->color;
  if (u->textured) color *= texture_lod(u, f->uv, f->lod);
  color.rgb *= light_on(f, u);
  return color;
}
