/* Random numbers in kernels (cuRAND, "Device API"). Philox 4x32-10 as published (Salmon et al., "Parallel random numbers: as easy as
   1, 2, 3", SC 2011), so its words are cuRAND's. XORWOW by Marsaglia's recurrence ("Xorshift RNGs", 2003), seeded here by Philox: its
   statistics are XORWOW's, its words are not cuRAND's. */
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
#endif
