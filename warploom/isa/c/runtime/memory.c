/* What a compiler takes for granted: it makes calls of these out of copies and loops. */
#include <stddef.h>

void *memcpy(void *to, const void *from, size_t bytes) {
  char *t = to;
  const char *f = from;
  for (size_t i = 0; i < bytes; i++) *(volatile char *)&t[i] = f[i];
  return to;
}

void *memset(void *to, int byte, size_t bytes) {
  char *t = to;
  for (size_t i = 0; i < bytes; i++) *(volatile char *)&t[i] = (char)byte;
  return to;
}
