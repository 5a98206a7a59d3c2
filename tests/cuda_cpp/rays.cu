/* Rays from a CUDA program: by the ray unit and by the same walk as a program, bit for bit; prints hits of either way. */
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <warploom/rays.h>

__global__ void by_unit(warploom::RayScene scene, const float3 *from, const float3 *to, warploom::Hit *found, int n, unsigned int flags)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) found[i] = scene.trace(from[i], to[i], 0.f, 1e9f, flags);
}

__global__ void by_program(warploom::RayScene scene, const float3 *from, const float3 *to, warploom::Hit *found, int n, unsigned int flags)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) found[i] = scene.walk(from[i], to[i], 0.f, 1e9f, flags);
}

static unsigned int state = 1;
static float number()
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) / (float)(1 << 24);
}

int main(int argc, char **argv)
{
    const int triangles = 60, n = 48;
    const int width = argc > 1 ? atoi(argv[1]) : 4;
    float nowhere[9] = {0, 0, 0, 1, 0, 0, 0, 1.f / 0, 0};
    warploom::RayScene scene;
    printf("%s\n", cudaGetErrorString(warploom::buildRayScene(&scene, nowhere, 1)));
    cudaGetLastError();
    std::vector<float> corners;
    for (int i = 0; i < 9 * triangles; i++) corners.push_back(number());
    if (cudaError_t error = warploom::buildRayScene(&scene, corners.data(), triangles, width)) return printf("%s\n", cudaGetErrorString(error)), 1;
    float3 *from, *to;
    warploom::Hit *found[2];
    cudaMallocManaged(&from, n * sizeof *from);
    cudaMallocManaged(&to, n * sizeof *to);
    for (warploom::Hit *&one : found) cudaMallocManaged(&one, n * sizeof *one);
    for (int i = 0; i < n; i++) {
        from[i] = make_float3(number(), number(), -1);
        to[i] = make_float3(number() - 0.5f, number() - 0.5f, i % 9 ? 1 : 0);
    }
    for (unsigned int flags : {0u, (unsigned int)warploom::RAY_CULL_BACK}) {
        by_unit<<<(n + 15) / 16, 16>>>(scene, from, to, found[0], n, flags);
        by_program<<<(n + 15) / 16, 16>>>(scene, from, to, found[1], n, flags);
        if (cudaError_t error = cudaDeviceSynchronize()) return printf("%s\n", cudaGetErrorString(error)), 1;
        for (int i = 0; i < n; i++)
            for (warploom::Hit *one : found)
                printf("%d %d %.9g %.9g %.9g %u\n", i, one[i].hit, one[i].hit ? one[i].t : 0, one[i].hit ? one[i].u : 0, one[i].hit ? one[i].v : 0, one[i].hit ? one[i].triangle : 0);
    }
    warploom::freeRayScene(scene);
}
