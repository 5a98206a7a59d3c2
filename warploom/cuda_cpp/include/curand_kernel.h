/* Random numbers in kernels (cuRAND, "Device API"). Philox 4x32-10 as published (Salmon et al., "Parallel random numbers: as easy as
   1, 2, 3", SC 2011), so its words are cuRAND's. XORWOW by Marsaglia's recurrence ("Xorshift RNGs", 2003), seeded here by Philox: its
   statistics are XORWOW's, its words are not cuRAND's; the same holds for MRG32k3a. */
#pragma once
#pragma GCC system_header
#include "cuda_runtime.h"

#if defined(__CUDA__)
struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned int place;
    int kept;
    float normal;
};
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
struct curandStateXORWOW {
    unsigned int d, v[5];
    int kept;
    float normal;
};
typedef curandStateXORWOW curandStateXORWOW_t;
typedef curandStateXORWOW curandState_t;
typedef curandStateXORWOW curandState;
struct curandStateMRG32k3a {
    unsigned int s1[3], s2[3];
    int kept;
    float normal;
};
typedef curandStateMRG32k3a curandStateMRG32k3a_t;

__WARPLOOM_DEVICE uint4 __warploom_philox(uint4 c, uint2 key)
{
    for (int round = 0; round < 10; round++) {
        unsigned int h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x, h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
        c = make_uint4(h1 ^ c.y ^ key.x, l1, h0 ^ c.w ^ key.y, l0);
        key.x += 0x9E3779B9u;
        key.y += 0xBB67AE85u;
    }
    return c;
}
/* Counters count blocks of four words; a subsequence has 2^64 of them. */
__WARPLOOM_DEVICE void __warploom_skip(curandStatePhilox4_32_10 *s, unsigned long long n)
{
    unsigned long long low = (unsigned long long)s->ctr.y << 32 | s->ctr.x, sum = low + n;
    s->ctr.x = (unsigned int)sum;
    s->ctr.y = (unsigned int)(sum >> 32);
    if (sum < low && ++s->ctr.z == 0) s->ctr.w++;
}
__WARPLOOM_DEVICE void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10 *s)
{
    unsigned long long high = ((unsigned long long)s->ctr.w << 32 | s->ctr.z) + n;
    s->ctr.z = (unsigned int)high;
    s->ctr.w = (unsigned int)(high >> 32);
    s->output = __warploom_philox(s->ctr, s->key);
}
__WARPLOOM_DEVICE void skipahead(unsigned long long n, curandStatePhilox4_32_10 *s)
{
    s->place += (unsigned int)(n & 3);
    n /= 4;
    if (s->place > 3) {
        n++;
        s->place -= 4;
    }
    __warploom_skip(s, n);
    s->output = __warploom_philox(s->ctr, s->key);
}
__WARPLOOM_DEVICE void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStatePhilox4_32_10 *s)
{
    s->ctr = make_uint4(0, 0, 0, 0);
    s->key = make_uint2((unsigned int)seed, (unsigned int)(seed >> 32));
    s->place = 0;
    s->kept = 0;
    s->normal = 0;
    skipahead_sequence(subsequence, s);
    skipahead(offset, s);
}
__WARPLOOM_DEVICE unsigned int curand(curandStatePhilox4_32_10 *s)
{
    unsigned int found = s->place == 0 ? s->output.x : s->place == 1 ? s->output.y : s->place == 2 ? s->output.z : s->output.w;
    if (++s->place == 4) {
        s->place = 0;
        __warploom_skip(s, 1);
        s->output = __warploom_philox(s->ctr, s->key);
    }
    return found;
}
__WARPLOOM_DEVICE uint4 curand4(curandStatePhilox4_32_10 *s)
{
    uint4 now = s->output;
    __warploom_skip(s, 1);
    uint4 next = s->output = __warploom_philox(s->ctr, s->key);
    switch (s->place) {
        case 0: return now;
        case 1: return make_uint4(now.y, now.z, now.w, next.x);
        case 2: return make_uint4(now.z, now.w, next.x, next.y);
        default: return make_uint4(now.w, next.x, next.y, next.z);
    }
}
__WARPLOOM_DEVICE void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStateXORWOW *s)
{
    uint2 key = make_uint2((unsigned int)seed, (unsigned int)(seed >> 32));
    uint4 a = __warploom_philox(make_uint4((unsigned int)subsequence, (unsigned int)(subsequence >> 32), (unsigned int)offset, (unsigned int)(offset >> 32)), key);
    uint4 b = __warploom_philox(make_uint4(a.x, a.y, a.z, ~a.w), key);
    s->v[0] = a.x;
    s->v[1] = a.y;
    s->v[2] = a.z;
    s->v[3] = a.w;
    s->v[4] = b.x | 1;
    s->d = b.y;
    s->kept = 0;
    s->normal = 0;
}
__WARPLOOM_DEVICE unsigned int curand(curandStateXORWOW *s)
{
    unsigned int t = s->v[0] ^ s->v[0] >> 2;
    s->v[0] = s->v[1];
    s->v[1] = s->v[2];
    s->v[2] = s->v[3];
    s->v[3] = s->v[4];
    s->v[4] = s->v[4] ^ s->v[4] << 4 ^ t ^ t << 1;
    s->d += 362437;
    return s->v[4] + s->d;
}
/* Steps of a recurrence: as many as are skipped. */
__WARPLOOM_DEVICE void skipahead(unsigned long long n, curandStateXORWOW *s)
{
    while (n--) curand(s);
}
/* L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number generators", 1999. */
__WARPLOOM_DEVICE void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStateMRG32k3a *s)
{
    curandStateXORWOW from;
    curand_init(seed, subsequence, offset, &from);
    for (int k = 0; k < 3; k++) {
        s->s1[k] = from.v[k] % 4294967086u + 1;
        s->s2[k] = (from.v[(k + 3) % 5] ^ from.d * (k + 1)) % 4294944442u + 1;
    }
    s->kept = 0;
    s->normal = 0;
}
__WARPLOOM_DEVICE unsigned int curand(curandStateMRG32k3a *s)
{
    const unsigned long long m1 = 4294967087ull, m2 = 4294944443ull;
    unsigned long long p = (1403580ull * s->s1[1] % m1 + (m1 - 810728ull * s->s1[0] % m1)) % m1;
    unsigned long long q = (527612ull * s->s2[2] % m2 + (m2 - 1370589ull * s->s2[0] % m2)) % m2;
    s->s1[0] = s->s1[1];
    s->s1[1] = s->s1[2];
    s->s1[2] = (unsigned int)p;
    s->s2[0] = s->s2[1];
    s->s2[1] = s->s2[2];
    s->s2[2] = (unsigned int)q;
    return (unsigned int)(p > q ? p - q : p + m1 - q);
}
__WARPLOOM_DEVICE void skipahead(unsigned long long n, curandStateMRG32k3a *s)
{
    while (n--) curand(s);
}
/* In (0, 1]: 2^-32 times the word and a half. */
__WARPLOOM_DEVICE float __warploom_uniform(unsigned int x) { return x * 2.3283064e-10f + 2.3283064e-10f / 2.0f; }
__WARPLOOM_DEVICE float2 __warploom_box_muller(unsigned int x, unsigned int y)
{
    float u = x * 2.3283064e-10f + 2.3283064e-10f / 2.0f, v = y * (2.3283064e-10f * 6.2831855f) + 2.3283064e-10f * 6.2831855f / 2.0f;
    float r = sqrtf(-2.0f * logf(u)), s, c;
    sincosf(v, &s, &c);
    return make_float2(r * s, r * c);
}
template <class State> __WARPLOOM_DEVICE float curand_uniform(State *s) { return __warploom_uniform(curand(s)); }
template <class State> __WARPLOOM_DEVICE double curand_uniform_double(State *s)
{
    unsigned int x = curand(s), y = curand(s);
    return ((unsigned long long)x ^ (unsigned long long)y << (53 - 32)) * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2.0;
}
__WARPLOOM_DEVICE float4 curand_uniform4(curandStatePhilox4_32_10 *s)
{
    uint4 x = curand4(s);
    return make_float4(__warploom_uniform(x.x), __warploom_uniform(x.y), __warploom_uniform(x.z), __warploom_uniform(x.w));
}
template <class State> __WARPLOOM_DEVICE float2 curand_normal2(State *s)
{
    unsigned int x = curand(s), y = curand(s);
    return __warploom_box_muller(x, y);
}
template <class State> __WARPLOOM_DEVICE float curand_normal(State *s)
{
    if (s->kept) {
        s->kept = 0;
        return s->normal;
    }
    float2 found = curand_normal2(s);
    s->normal = found.y;
    s->kept = 1;
    return found.x;
}
__WARPLOOM_DEVICE float4 curand_normal4(curandStatePhilox4_32_10 *s)
{
    uint4 x = curand4(s);
    float2 a = __warploom_box_muller(x.x, x.y), b = __warploom_box_muller(x.z, x.w);
    return make_float4(a.x, a.y, b.x, b.y);
}
template <class State> __WARPLOOM_DEVICE float curand_log_normal(State *s, float mean, float deviation) { return expf(mean + deviation * curand_normal(s)); }
template <class State> __WARPLOOM_DEVICE float2 curand_log_normal2(State *s, float mean, float deviation)
{
    float2 x = curand_normal2(s);
    return make_float2(expf(mean + deviation * x.x), expf(mean + deviation * x.y));
}
__WARPLOOM_DEVICE float4 curand_log_normal4(curandStatePhilox4_32_10 *s, float mean, float deviation)
{
    float4 x = curand_normal4(s);
    return make_float4(expf(mean + deviation * x.x), expf(mean + deviation * x.y), expf(mean + deviation * x.z), expf(mean + deviation * x.w));
}
template <class State> __WARPLOOM_DEVICE double2 curand_normal2_double(State *s)
{
    double r = sqrt(-2.0 * log(curand_uniform_double(s))), x, y;
    sincospi(2.0 * curand_uniform_double(s), &x, &y);
    return make_double2(r * x, r * y);
}
template <class State> __WARPLOOM_DEVICE double curand_normal_double(State *s) { return curand_normal2_double(s).x; }
template <class State> __WARPLOOM_DEVICE double curand_log_normal_double(State *s, double mean, double deviation) { return exp(mean + deviation * curand_normal_double(s)); }
template <class State> __WARPLOOM_DEVICE double2 curand_log_normal2_double(State *s, double mean, double deviation)
{
    double2 x = curand_normal2_double(s);
    return make_double2(exp(mean + deviation * x.x), exp(mean + deviation * x.y));
}
__WARPLOOM_DEVICE double2 curand_uniform2_double(curandStatePhilox4_32_10 *s)
{
    double x = curand_uniform_double(s);
    return make_double2(x, curand_uniform_double(s));
}
/* Knuth, "The Art of Computer Programming", volume 2, 3.4.1: a product of uniform numbers; from a mean of 64 on a rounded normal number. */
template <class State> __WARPLOOM_DEVICE unsigned int curand_poisson(State *s, double mean)
{
    if (mean >= 64.0) {
        double found = floor(mean + sqrt(mean) * curand_normal_double(s) + 0.5);
        return found > 0.0 ? (unsigned int)found : 0;
    }
    double least = exp(-mean), product = curand_uniform_double(s);
    unsigned int count = 0;
    while (product > least) {
        product *= curand_uniform_double(s);
        count++;
    }
    return count;
}
#endif
