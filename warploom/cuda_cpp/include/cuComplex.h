/* Complex numbers of C (cuComplex.h). */
#pragma once
#pragma GCC system_header
#include "cuda_runtime.h"
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;
#define __WARPLOOM_COMPLEX(type, base, suffix, sqrt, real, imag, conj, add, sub, mul, div, abs, fma, make) \
    __WARPLOOM_BOTH base real(type x) { return x.x; } \
    __WARPLOOM_BOTH base imag(type x) { return x.y; } \
    __WARPLOOM_BOTH type make(base x, base y) { type v = {x, y}; return v; } \
    __WARPLOOM_BOTH type conj(type x) { return make(x.x, -x.y); } \
    __WARPLOOM_BOTH type add(type x, type y) { return make(x.x + y.x, x.y + y.y); } \
    __WARPLOOM_BOTH type sub(type x, type y) { return make(x.x - y.x, x.y - y.y); } \
    __WARPLOOM_BOTH type mul(type x, type y) { return make(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x); } \
    __WARPLOOM_BOTH type div(type x, type y) \
    { \
        base s = 1 / ((y.x < 0 ? -y.x : y.x) + (y.y < 0 ? -y.y : y.y)), a = x.x * s, b = x.y * s, c = y.x * s, d = y.y * s, o = 1 / (c * c + d * d); \
        return make((a * c + b * d) * o, (b * c - a * d) * o); \
    } \
    __WARPLOOM_BOTH base abs(type x) { return sqrt(x.x * x.x + x.y * x.y); } \
    __WARPLOOM_BOTH type fma(type x, type y, type z) { return add(mul(x, y), z); }
__WARPLOOM_COMPLEX(cuFloatComplex, float, f, sqrtf, cuCrealf, cuCimagf, cuConjf, cuCaddf, cuCsubf, cuCmulf, cuCdivf, cuCabsf, cuCfmaf, make_cuFloatComplex)
__WARPLOOM_COMPLEX(cuDoubleComplex, double, , sqrt, cuCreal, cuCimag, cuConj, cuCadd, cuCsub, cuCmul, cuCdiv, cuCabs, cuCfma, make_cuDoubleComplex)
#undef __WARPLOOM_COMPLEX
__WARPLOOM_BOTH cuComplex make_cuComplex(float x, float y) { return make_cuFloatComplex(x, y); }
