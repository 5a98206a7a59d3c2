// Kernels for tests of machine code: compiled for sm_80 and sm_90 by nvcc 13.0 with -cubin -lineinfo, listed by nvdisasm 13.5.
// None divides or takes a root: no cubin holds routines of a library.

extern "C" __global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

// C = A B, squares of n elements a side, n a multiple of 16.
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[16][16], bs[16][16];
    int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int tile = 0; tile < n; tile += 16) {
        as[threadIdx.y][threadIdx.x] = a[row * n + tile + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(tile + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

extern "C" __global__ void histogram(const unsigned *values, unsigned *bins, int n)
{
    __shared__ unsigned local[64];
    for (int k = threadIdx.x; k < 64; k += blockDim.x)
        local[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[values[i] & 63], 1u);
    __syncthreads();
    for (int k = threadIdx.x; k < 64; k += blockDim.x)
        atomicAdd(&bins[k], local[k]);
}

// Sum by shuffles within a warp, then by one atomic addition a warp.
extern "C" __global__ void reduce(const int *values, int *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = i < n ? values[i] : 0;
    for (int step = 16; step; step >>= 1)
        value += __shfl_down_sync(0xffffffffu, value, step);
    if ((threadIdx.x & 31) == 0)
        atomicAdd(sum, value);
}

// Steps of the Collatz sequence: lanes leave the loop one by one.
extern "C" __global__ void collatz(const unsigned *start, int *steps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned value = start[i];
    int count = 0;
    while (value != 1) {
        value = value & 1 ? 3 * value + 1 : value >> 1;
        count++;
    }
    steps[i] = count;
}

// Escape times of the Mandelbrot set: width x height pixels.
extern "C" __global__ void mandelbrot(int *out, int width, int height, float scale, int most)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float cx = x * scale - 2.0f, cy = y * scale - 1.0f, zx = 0, zy = 0;
    int count = 0;
    while (count < most && zx * zx + zy * zy < 4.0f) {
        float t = zx * zx - zy * zy + cx;
        zy = 2.0f * zx * zy + cy;
        zx = t;
        count++;
    }
    out[y * width + x] = count;
}

__constant__ float weights[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};

extern "C" __global__ void smooth(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 2 || i >= n - 2)
        return;
    float sum = 0;
    for (int k = 0; k < 5; k++)
        sum += weights[k] * x[i + k - 2];
    y[i] = sum;
}

extern "C" __global__ void doubles(const double *x, double *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = fma(x[i], 3.0, -0.1) + (x[i] > 0.5 ? x[i] * x[i] : (double)i);
}

// Bits, bytes, products of 64 bits, votes.
extern "C" __global__ void bits(const unsigned *x, unsigned long long *y, unsigned *votes, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = i < n ? x[i] : 0;
    unsigned ballot = __ballot_sync(0xffffffffu, value & 1);
    unsigned mixed = __byte_perm(value, __brev(value), 0x3715) ^ (__popc(value) << 8) ^ __clz(value) ^ __ffs(value);
    unsigned long long product = (unsigned long long)value * mixed + ((unsigned long long)ballot << 7);
    if (i < n)
        y[i] = product >> (value & 63);
    if ((threadIdx.x & 31) == 0)
        votes[i >> 5] = ballot;
}

extern __shared__ float dynamic[];

// The block's elements in reverse, through dynamic shared memory.
extern "C" __global__ void reverse(const float *x, float *y)
{
    dynamic[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    y[blockIdx.x * blockDim.x + threadIdx.x] = dynamic[blockDim.x - 1 - threadIdx.x];
}
