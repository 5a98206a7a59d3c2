/* Checks of calls and the choice of a device, as programs in the style of NVIDIA's samples use them. */
#pragma once
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <helper_string.h>

#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif

static const char *_cudaGetErrorEnum(cudaError_t error) { return cudaGetErrorName(error); }
template <class T> void check(T result, char const *const call, const char *const file, int const line)
{
    if (!result) return;
    fprintf(stderr, "CUDA error at %s:%d code=%d(%s) \"%s\" \n", file, line, (unsigned)result, _cudaGetErrorEnum((cudaError_t)result), call);
    exit(EXIT_FAILURE);
}
#define checkCudaErrors(call) check((call), #call, __FILE__, __LINE__)
inline void __getLastCudaError(const char *message, const char *file, int line)
{
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s(%i) : getLastCudaError() CUDA error : %s : (%d) %s.\n", file, line, message, (int)error, cudaGetErrorString(error));
    exit(EXIT_FAILURE);
}
#define getLastCudaError(message) __getLastCudaError(message, __FILE__, __LINE__)
inline void __printLastCudaError(const char *message, const char *file, int line)
{
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) fprintf(stderr, "%s(%i) : getLastCudaError() CUDA error : %s : (%d) %s.\n", file, line, message, (int)error, cudaGetErrorString(error));
}
#define printLastCudaError(message) __printLastCudaError(message, __FILE__, __LINE__)

inline int ftoi(float value) { return (int)(value >= 0 ? value + 0.5f : value - 0.5f); }
/* Cores of a multiprocessor (CUDA C++ Programming Guide, throughput of float additions). */
inline int _ConvertSMVer2Cores(int major, int minor)
{
    switch (major * 10 + minor) {
        case 30: case 32: case 35: case 37: return 192;
        case 50: case 52: case 53: case 61: case 62: case 86: case 87: case 89: case 90: return 128;
        default: return major >= 9 ? 128 : 64;
    }
}
inline const char *_ConvertSMVer2ArchName(int major, int)
{
    switch (major) {
        case 3: return "Kepler";
        case 5: return "Maxwell";
        case 6: return "Pascal";
        case 7: return "Volta";
        case 8: return "Ampere";
        case 9: return "Hopper";
        default: return "Graphics Device";
    }
}
inline int gpuDeviceInit(int device)
{
    int count = 0;
    checkCudaErrors(cudaGetDeviceCount(&count));
    if (device < 0) device = 0;
    if (device >= count) {
        fprintf(stderr, "gpuDeviceInit (-device=%d) is not a valid GPU device: there are %d\n", device, count);
        return -device;
    }
    checkCudaErrors(cudaSetDevice(device));
    return device;
}
inline int gpuGetMaxGflopsDeviceId() { return 0; }
inline int findCudaDevice(int argc, const char **argv)
{
    int device = 0;
    if (checkCmdLineFlag(argc, argv, "device")) {
        device = gpuDeviceInit(getCmdLineArgumentInt(argc, argv, "device="));
        if (device < 0) exit(EXIT_FAILURE);
    }
    checkCudaErrors(cudaSetDevice(device));
    int major = 0, minor = 0;
    checkCudaErrors(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    checkCudaErrors(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
    printf("GPU Device %d: \"%s\" with compute capability %d.%d\n\n", device, _ConvertSMVer2ArchName(major, minor), major, minor);
    return device;
}
inline int findIntegratedGPU() { return -1; }
inline bool checkCudaCapabilities(int wanted, int minor_wanted)
{
    cudaDeviceProp found;
    checkCudaErrors(cudaGetDeviceProperties(&found, 0));
    return found.major > wanted || (found.major == wanted && found.minor >= minor_wanted);
}
