// Textures and surfaces, __managed__ variables, bfloat16, atomic functions with an order, pinned memory by its host address.
#include <cuda_bf16.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
using namespace std;

static int wrong = 0;
#define EXPECT(what, ...) \
    if (!(__VA_ARGS__)) { printf("wrong: %s (line %d)\n", what, __LINE__); wrong++; }
#define CHECK(call) \
    if (cudaError_t e = call) { printf("line %d: %s\n", __LINE__, cudaGetErrorString(e)); exit(1); }

__managed__ int counter = 7;
__device__ __managed__ float table[4] = {1, 2, 3, 4};
__global__ void count(int *p)
{
    atomicAdd(&counter, 1);
    table[threadIdx.x & 3] *= 2;
    if (threadIdx.x == 0) *p += 100;
}
static void managed()
{
    counter += 3;
    count<<<1, 4>>>(&counter);
    CHECK(cudaDeviceSynchronize());
    EXPECT("__managed__", counter == 114 && table[3] == 8);
    int five = 5;
    CHECK(cudaMemcpyToSymbol(counter, &five, sizeof five));
    EXPECT("a symbol that is managed", counter == 5);
}

__global__ void sample2(cudaTextureObject_t t, const float *at, float *out, int n)
{
    for (int i = 0; i < n; i++) out[i] = tex2D<float>(t, at[2 * i], at[2 * i + 1]);
}
__global__ void samples(cudaTextureObject_t bytes, cudaTextureObject_t line, cudaTextureObject_t box, float *out)
{
    out[0] = tex2D<float>(bytes, 1.0f, 0.0f);
    uchar4 *raw = (uchar4 *)(out + 8);
    float4 mean = tex2D<float4>(bytes, 1.0f, 1.0f);
    out[1] = mean.x, out[2] = mean.w;
    out[3] = (float)tex1Dfetch<int>(line, 3);
    out[4] = (float)tex1Dfetch<int>(line, 99);
    out[5] = tex3D<float>(box, 1.5f, 0.5f, 1.0f);
    *raw = make_uchar4(1, 2, 3, 4);
}
__global__ void paint(cudaSurfaceObject_t s)
{
    float old;
    surf2Dread(&old, s, threadIdx.x * 4, threadIdx.y);
    surf2Dwrite(old * 2, s, threadIdx.x * 4, threadIdx.y);
    surf2Dwrite(99.0f, s, 1000, 1000, cudaBoundaryModeZero);
}
static cudaTextureObject_t texture_of(cudaArray_t array, cudaTextureAddressMode mode, cudaTextureFilterMode filter, cudaTextureReadMode read, bool normalized)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc desc = {};
    desc.addressMode[0] = desc.addressMode[1] = desc.addressMode[2] = mode;
    desc.filterMode = filter;
    desc.readMode = read;
    desc.normalizedCoords = normalized;
    cudaTextureObject_t made = 0;
    CHECK(cudaCreateTextureObject(&made, &resource, &desc, nullptr));
    return made;
}
static void textures()
{
    const int W = 4, H = 3;
    float picture[H][W];
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) picture[y][x] = 10 * y + x;
    cudaArray_t array;
    cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocArray(&array, &floats, W, H, cudaArraySurfaceLoadStore));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, picture, sizeof picture[0], sizeof picture[0], H, cudaMemcpyHostToDevice));
    float *out, host[16];
    CHECK(cudaMallocManaged(&out, 64));
    float *at;
    CHECK(cudaMallocManaged(&at, 64));
    auto run = [&](cudaTextureObject_t t, float x, float y) {
        at[0] = x, at[1] = y;
        sample2<<<1, 1>>>(t, at, out, 1);
        CHECK(cudaDeviceSynchronize());
        cudaDestroyTextureObject(t);
        return out[0];
    };
    EXPECT("point, clamp", run(texture_of(array, cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, false), 2.9f, 7.0f) == 22);
    EXPECT("point, border", run(texture_of(array, cudaAddressModeBorder, cudaFilterModePoint, cudaReadModeElementType, false), -0.1f, 0.0f) == 0);
    EXPECT("linear", run(texture_of(array, cudaAddressModeClamp, cudaFilterModeLinear, cudaReadModeElementType, false), 2.0f, 1.0f) == 6.5f);
    /* 0.3 is 77/256 in a fraction of 8 bits */
    EXPECT("8 bits of fraction", run(texture_of(array, cudaAddressModeClamp, cudaFilterModeLinear, cudaReadModeElementType, false), 0.8f, 0.5f) == 77.0f / 256);
    EXPECT("wrap", run(texture_of(array, cudaAddressModeWrap, cudaFilterModePoint, cudaReadModeElementType, true), 1.3f, -0.2f) == 21);
    EXPECT("mirror", run(texture_of(array, cudaAddressModeMirror, cudaFilterModePoint, cudaReadModeElementType, true), 1.1f, 0.1f) == 3);
    EXPECT("wrap, linear", run(texture_of(array, cudaAddressModeWrap, cudaFilterModeLinear, cudaReadModeElementType, true), 0.0f, 0.5f / 3) == 1.5f);

    uchar4 pixels[2][2] = {{{0, 0, 0, 0}, {255, 0, 0, 51}}, {{0, 0, 0, 0}, {0, 0, 0, 204}}};
    cudaArray_t colours;
    cudaChannelFormatDesc four = cudaCreateChannelDesc<uchar4>();
    CHECK(cudaMallocArray(&colours, &four, 2, 2));
    CHECK(cudaMemcpyToArray(colours, 0, 0, pixels, sizeof pixels, cudaMemcpyHostToDevice));
    cudaTextureObject_t bytes = texture_of(colours, cudaAddressModeClamp, cudaFilterModeLinear, cudaReadModeNormalizedFloat, false);
    int *numbers;
    CHECK(cudaMallocManaged(&numbers, 16));
    for (int i = 0; i < 4; i++) numbers[i] = -i * i;
    cudaResourceDesc linear = {};
    linear.resType = cudaResourceTypeLinear;
    linear.res.linear.devPtr = numbers;
    linear.res.linear.desc = cudaCreateChannelDesc<int>();
    linear.res.linear.sizeInBytes = 16;
    cudaTextureDesc plain = {};
    cudaTextureObject_t line;
    CHECK(cudaCreateTextureObject(&line, &linear, &plain, nullptr));
    cudaResourceDesc told;
    CHECK(cudaGetTextureObjectResourceDesc(&told, line));
    EXPECT("what a texture was made of", told.resType == linear.resType && told.res.linear.devPtr == linear.res.linear.devPtr);
    float cube[2][2][2] = {{{0, 1}, {2, 3}}, {{10, 11}, {12, 13}}};
    cudaArray_t volume;
    CHECK(cudaMalloc3DArray(&volume, &floats, make_cudaExtent(2, 2, 2)));
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(cube, 8, 2, 2);
    p.dstArray = volume;
    p.extent = make_cudaExtent(2, 2, 2);
    p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p));
    cudaTextureObject_t box = texture_of(volume, cudaAddressModeClamp, cudaFilterModeLinear, cudaReadModeElementType, false);
    samples<<<1, 1>>>(bytes, line, box, out);
    CHECK(cudaMemcpy(host, out, 64, cudaMemcpyDeviceToHost));
    EXPECT("bytes as numbers of 0 to 1", host[0] == 0.5f && host[1] == 0.25f && fabsf(host[2] - 0.25f) < 1e-6f);
    EXPECT("tex1Dfetch", host[3] == -9 && host[4] == 0);
    EXPECT("tex3D", host[5] == 6.0f);
    EXPECT("bytes of a vector", !memcmp(host + 8, "\1\2\3\4", 4));

    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    paint<<<1, dim3(W, H)>>>(surface);
    float back[H][W];
    CHECK(cudaMemcpy2DFromArray(back, sizeof back[0], array, 0, 0, sizeof back[0], H, cudaMemcpyDeviceToHost));
    EXPECT("surfaces", back[0][0] == 0 && back[2][3] == 46);
    CHECK(cudaFreeArray(array));
}

__global__ void brains(const __nv_bfloat16 *a, float *out)
{
    out[0] = (float)(a[0] + a[1]);
    out[1] = (float)__hfma(a[0], a[1], a[2]);
    out[2] = (float)(a[0] * a[1]);
    __nv_bfloat162 two = __floats2bfloat162_rn(1.00390625f, 1.01171875f); /* halfway: to the even one */
    out[3] = __low2float(two), out[4] = __high2float(two);
}
static void bfloats()
{
    __nv_bfloat16 a[3] = {__float2bfloat16(256.0f), __float2bfloat16(1.0f), __float2bfloat16(0x1p-20f)}, *device;
    float out[5], *result;
    CHECK(cudaMalloc(&device, sizeof a));
    CHECK(cudaMalloc(&result, sizeof out));
    CHECK(cudaMemcpy(device, a, sizeof a, cudaMemcpyHostToDevice));
    brains<<<1, 1>>>(device, result);
    CHECK(cudaMemcpy(out, result, sizeof out, cudaMemcpyDeviceToHost));
    EXPECT("bfloat16", out[0] == 256 && out[1] == 256 && out[2] == 256 && out[3] == 1.0f && out[4] == 1.015625f);
    EXPECT("NaN", __hisnan(__float2bfloat16(NAN)));
}

__global__ void ordered(unsigned *p, float angle, float *out)
{
    __nv_atomic_fetch_add(p, 5u, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    unsigned seen = __nv_atomic_load_n(p, __NV_ATOMIC_ACQUIRE);
    __nv_atomic_compare_exchange_n(p, &seen, 77u, false, __NV_ATOMIC_RELAXED, __NV_ATOMIC_RELAXED);
    *out = sinf(angle) + pow(angle, 2.0f) + fma(angle, 2.0f, 1.0f) + (isnan(angle) ? 1 : 0);
}
static void others()
{
    unsigned *p; /* pinned, and its address of the host goes to the kernel */
    float *out;
    CHECK(cudaMallocHost(&p, sizeof *p));
    CHECK(cudaHostAlloc(&out, sizeof *out, cudaHostAllocDefault));
    *p = 1;
    ordered<<<1, 1>>>(p, 0.5f, out);
    CHECK(cudaDeviceSynchronize());
    EXPECT("atomic functions with an order, on pinned memory", *p == 77);
    EXPECT("functions of std and of all", fabsf(*out - (sinf(0.5f) + 0.25f + 2.0f)) < 1e-6f);
    int can;
    EXPECT("a peer of its own", cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 0, 0) == cudaErrorInvalidDevice);
    cudaGetLastError();
}

int main()
{
    managed();
    textures();
    bfloats();
    others();
    printf("%d wrong\n", wrong);
    return wrong;
}
