/* How often z = z * z + c can be done before |z| > 2, for each pixel of a picture. A lane that is out waits until all are. */
#include <lanes.h>

kernel void mandelbrot(mask active, vint thread, int *steps, int width, int height, int most) {
  vfloat across = to_float(all_int(width)), down = to_float(all_int(height));
  vint y = to_int((to_float(thread) + 0.5f) / across); /* no instruction divides whole numbers */
  vint x = thread - y * width;
  vfloat re = to_float(x) * 3 / across - 2.25f, im = to_float(y) * 2.5f / down - 1.25f;
  vfloat zr = all_float(0), zi = all_float(0);
  vint count = all_int(0);
  mask inside = active;
  for (int n = 0; n < most && any(inside); n++) {
    vfloat rr = zr * zr, ii = zi * zi;
    inside = less_equal_float(inside, rr + ii, all_float(4));
    count = where(inside, count, count + 1);
    zi = 2 * zr * zi + im;
    zr = rr - ii + re;
  }
  put_row(active, steps + first(thread), count);
}
