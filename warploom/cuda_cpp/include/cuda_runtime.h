/* The CUDA Runtime for C++: included in front of every .cu file. */
#pragma once
#pragma GCC system_header
#define __CUDA_RUNTIME_H__ /* by which headers of programs find out that it is there */
#include "warploom/attributes.h"
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__cplusplus)
#include <cmath>
#include <cstdlib>
#include <new>
#include <utility>
#endif
#include "cuda_runtime_api.h"
#include "vector_functions.h"
#if defined(__cplusplus)
#include "warploom/indices.h"
#include "warploom/library.h"
#include "warploom/math.h"
#include "warploom/intrinsics.h"
#include "warploom/warp.h"
#include "warploom/atomics.h"
#include "warploom/textures.h"
#include "driver_functions.h"

/* Typed forms; the line of a call is the user's. */
#define __WARPLOOM_TYPED template <class T> static inline __attribute__((always_inline, nodebug)) cudaError_t
__WARPLOOM_TYPED cudaMalloc(T **place, size_t bytes) { return ::cudaMalloc((void **)(void *)place, bytes); }
__WARPLOOM_TYPED cudaMallocAsync(T **place, size_t bytes, cudaStream_t stream) { return ::cudaMallocAsync((void **)(void *)place, bytes, stream); }
__WARPLOOM_TYPED cudaMallocManaged(T **place, size_t bytes, unsigned int flags = cudaMemAttachGlobal)
{
    return ::cudaMallocManaged((void **)(void *)place, bytes, flags);
}
__WARPLOOM_TYPED cudaMallocHost(T **place, size_t bytes, unsigned int flags = 0) { return ::cudaHostAlloc((void **)(void *)place, bytes, flags); }
__WARPLOOM_TYPED cudaHostAlloc(T **place, size_t bytes, unsigned int flags) { return ::cudaHostAlloc((void **)(void *)place, bytes, flags); }
__WARPLOOM_TYPED cudaHostGetDevicePointer(T **device, void *host, unsigned int flags)
{
    return ::cudaHostGetDevicePointer((void **)(void *)device, host, flags);
}
__WARPLOOM_TYPED cudaMallocPitch(T **place, size_t *pitch, size_t width, size_t height)
{
    return ::cudaMallocPitch((void **)(void *)place, pitch, width, height);
}
__WARPLOOM_TYPED cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return ::cudaMemcpyToSymbol((const void *)&symbol, from, bytes, offset, kind);
}
__WARPLOOM_TYPED cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return ::cudaMemcpyFromSymbol(to, (const void *)&symbol, bytes, offset, kind);
}
__WARPLOOM_TYPED cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                         cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0)
{
    return ::cudaMemcpyToSymbolAsync((const void *)&symbol, from, bytes, offset, kind, stream);
}
__WARPLOOM_TYPED cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                           cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0)
{
    return ::cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, bytes, offset, kind, stream);
}
__WARPLOOM_TYPED cudaGetSymbolAddress(void **place, const T &symbol) { return ::cudaGetSymbolAddress(place, (const void *)&symbol); }
__WARPLOOM_TYPED cudaGetSymbolSize(size_t *bytes, const T &symbol) { return ::cudaGetSymbolSize(bytes, (const void *)&symbol); }
__WARPLOOM_TYPED cudaLaunchKernel(T *function, dim3 grid, dim3 block, void **arguments, size_t shared = 0, cudaStream_t stream = 0)
{
    return ::cudaLaunchKernel((const void *)function, grid, block, arguments, shared, stream);
}
__WARPLOOM_TYPED cudaLaunchCooperativeKernel(T *function, dim3 grid, dim3 block, void **arguments, size_t shared = 0, cudaStream_t stream = 0)
{
    return ::cudaLaunchCooperativeKernel((const void *)function, grid, block, arguments, shared, stream);
}
__WARPLOOM_TYPED cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *function) { return ::cudaFuncGetAttributes(attributes, (const void *)function); }
__WARPLOOM_TYPED cudaFuncSetAttribute(T *function, cudaFuncAttribute attribute, int value)
{
    return ::cudaFuncSetAttribute((const void *)function, attribute, value);
}
__WARPLOOM_TYPED cudaFuncSetCacheConfig(T *function, cudaFuncCache config) { return ::cudaFuncSetCacheConfig((const void *)function, config); }
__WARPLOOM_TYPED cudaFuncSetSharedMemConfig(T *function, cudaSharedMemConfig config)
{
    return ::cudaFuncSetSharedMemConfig((const void *)function, config);
}
__WARPLOOM_TYPED cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T function, int threads, size_t shared)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)function, threads, shared);
}
__WARPLOOM_TYPED cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T function, int threads, size_t shared, unsigned int flags)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)function, threads, shared, flags);
}
__WARPLOOM_TYPED cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, T *function, int blocks, int threads)
{
    return ::cudaOccupancyAvailableDynamicSMemPerBlock(bytes, (const void *)function, blocks, threads);
}
#undef __WARPLOOM_TYPED
static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags) { return cudaEventCreateWithFlags(event, flags); }
/* cudaMemcpyToSymbol("name", ...), as programs from before CUDA 5 have it, is not there, as it is not in CUDA. */

/* The block size with the most warps on a multiprocessor: multiples of the warp, from the largest down; the first with the most. */
template <class Function, class Shared>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, Function function, Shared shared_of, int limit = 0)
{
    cudaFuncAttributes found;
    cudaDeviceProp device;
    cudaError_t error = ::cudaFuncGetAttributes(&found, (const void *)function);
    if (error == cudaSuccess) error = cudaGetDeviceProperties(&device, 0);
    if (error != cudaSuccess) return error;
    int most = found.maxThreadsPerBlock, best = 0;
    if (limit > 0 && limit < most) most = limit;
    for (int threads = (most + 31) / 32 * 32; threads > 0; threads -= 32) {
        int size = threads < most ? threads : most, blocks = 0;
        error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)function, size, shared_of(size));
        if (error != cudaSuccess) return error;
        if (blocks * size > best) {
            best = blocks * size;
            *block = size;
            *grid = blocks * device.multiProcessorCount;
        }
    }
    return best ? cudaSuccess : cudaErrorInvalidConfiguration;
}
template <class Function>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, Function function, size_t shared = 0, int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, function, [shared](int) { return shared; }, limit);
}
#endif
#ifdef __WARPLOOM_FUNCTIONS_ALONE /* of the host's pass: so that the file's device code is registered */
__device__ char __warploom_functions;
#endif
