/* Console output by the names that programs for Vortex use. */
#ifndef VX_PRINT_H
#define VX_PRINT_H
#include <vx_intrinsics.h>

WARPLOOM_C int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
WARPLOOM_C int putchar(int character);
#define vx_printf printf
#define vx_putchar putchar

/* base: 8, 10 or 16. */
WARPLOOM_INLINE void vx_putint(int value, int base) { printf(base == 16 ? "%x" : base == 8 ? "%o" : "%d", value); }
WARPLOOM_INLINE void vx_putfloat(float value, int decimals) { printf("%.*f", decimals, (double)value); }
#endif
