// Directed rounding in double precision: compiled for sm_80 by nvcc 13.0 with -cubin.
extern "C" __global__ void directed(const double *a, const double *b, const double *c, double *o, int n)
{
    int i = threadIdx.x;
    o[i] = __dmul_ru(a[i], b[i]); o[n + i] = __dmul_rd(a[i], b[i]); o[2*n+i] = __dmul_rz(a[i], b[i]);
    o[3*n+i] = __dadd_ru(a[i], b[i]); o[4*n+i] = __dadd_rd(a[i], b[i]); o[5*n+i] = __fma_ru(a[i], b[i], c[i]); o[6*n+i] = __fma_rz(a[i], b[i], c[i]);
}
