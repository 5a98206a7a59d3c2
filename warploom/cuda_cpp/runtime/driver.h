/* The Driver API, by the runtime's own calls: its handles are the runtime's streams and events, its kernels are registered when they are asked
   for. There is one context. */
#include "cuda.h"
#include <errno.h>

struct CUctx_st {
    int device;
};
static CUctx_st the_context;
static bool initialized = false;
#define IF_NOT_INITIALIZED_RETURN() \
    if (!initialized) return CUDA_ERROR_NOT_INITIALIZED

static CUresult result_of(cudaError_t error)
{
    last_error = cudaSuccess; /* the runtime's calls do not see errors of these */
    return error == cudaErrorInvalidDeviceFunction || error == cudaErrorInvalidSymbol ? CUDA_ERROR_NOT_FOUND
           : error == cudaErrorInvalidResourceHandle                                 ? CUDA_ERROR_INVALID_HANDLE
           : error == cudaErrorInvalidConfiguration                                  ? CUDA_ERROR_INVALID_VALUE
                                                                                     : (CUresult)error;
}
static void *to_pointer(CUdeviceptr place) { return (void *)place; }

extern "C" {
CUresult cuInit(unsigned int flags)
{
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    connect_once();
    initialized = true;
    return CUDA_SUCCESS;
}
CUresult cuDriverGetVersion(int *version) { *version = CUDA_VERSION; return CUDA_SUCCESS; }
CUresult cuGetErrorName(CUresult error, const char **text)
{
#define NAME(name, number) \
    case name: *text = #name; return CUDA_SUCCESS;
    switch (error) {
        __WARPLOOM_RESULTS(NAME)
        default: *text = nullptr; return CUDA_ERROR_INVALID_VALUE;
    }
#undef NAME
}
CUresult cuGetErrorString(CUresult error, const char **text)
{
    if (cuGetErrorName(error, text) != CUDA_SUCCESS) return CUDA_ERROR_INVALID_VALUE;
    *text = error == CUDA_ERROR_NOT_FOUND ? "named symbol not found" : error == CUDA_ERROR_INVALID_PTX ? "a PTX JIT compilation failed" : cudaGetErrorString((cudaError_t)error);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    IF_NOT_INITIALIZED_RETURN();
    *device = ordinal;
    return ordinal == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDeviceGetCount(int *count) { IF_NOT_INITIALIZED_RETURN(); *count = 1; return CUDA_SUCCESS; }
CUresult cuDeviceGetName(char *name, int length, CUdevice) { snprintf(name, (size_t)length, "%s", properties.name); return CUDA_SUCCESS; }
CUresult cuDeviceTotalMem(size_t *bytes, CUdevice) { *bytes = memory_bytes; return CUDA_SUCCESS; }
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) { return result_of(cudaDeviceGetAttribute(value, (cudaDeviceAttr)attribute, device)); }
CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice) { *major = properties.major; *minor = properties.minor; return CUDA_SUCCESS; }
CUresult cuCtxCreate(CUcontext *context, unsigned int, CUdevice device)
{
    IF_NOT_INITIALIZED_RETURN();
    *context = &the_context;
    return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuCtxDestroy(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxSynchronize() { IF_NOT_INITIALIZED_RETURN(); return result_of(waited()); }
CUresult cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxGetCurrent(CUcontext *context) { *context = &the_context; return CUDA_SUCCESS; }
CUresult cuCtxPushCurrent(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxPopCurrent(CUcontext *context) { if (context) *context = &the_context; return CUDA_SUCCESS; }
CUresult cuCtxGetDevice(CUdevice *device) { *device = 0; return CUDA_SUCCESS; }
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) { return cuCtxCreate(context, 0, device); }
CUresult cuDevicePrimaryCtxRelease(CUdevice) { return CUDA_SUCCESS; }

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    IF_NOT_INITIALIZED_RETURN();
    if (!module || !image) return CUDA_ERROR_INVALID_VALUE;
    if (!strstr((const char *)image, ".version")) { /* machine code, or a packed file: neither has a line of text like this one in front */
        static const char text[] = "error: a module of the driver API is PTX here: compile it with -ptx, or with `warploom nvcc -fatbin`";
        ask(MESSAGE, 0, 0, 0, 0, text, sizeof text - 1);
        return CUDA_ERROR_INVALID_IMAGE;
    }
    Module *made = new Module{strdup((const char *)image), -1};
    Answer answer = say(MODULE, 0, 0, 0, 0, made->text, strlen(made->text), 0, 0, 0);
    if (answer.status != cudaSuccess) return CUDA_ERROR_INVALID_PTX;
    made->number = (int64_t)answer.value;
    *module = (CUmodule)made;
    return CUDA_SUCCESS;
}
CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int, CUjit_option *, void **) { return cuModuleLoadData(module, image); }
CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image) { return cuModuleLoadData(module, image); }
CUresult cuModuleLoad(CUmodule *module, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) return CUDA_ERROR_FILE_NOT_FOUND;
    std::string text;
    char part[65536];
    for (size_t got; (got = fread(part, 1, sizeof part, file)) > 0;) text.append(part, got);
    fclose(file);
    return cuModuleLoadData(module, text.c_str());
}
CUresult cuModuleUnload(CUmodule) { return CUDA_SUCCESS; }
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    if (!module || !name) return CUDA_ERROR_INVALID_VALUE;
    const char *key = strdup(name);
    registry().kernels[key] = Kernel{(Module *)module, key, -1, {}, {}, 0};
    cudaError_t error;
    if (!kernel_of(key, &error)) return result_of(error);
    *function = (CUfunction)key;
    return CUDA_SUCCESS;
}
CUresult cuModuleGetGlobal(CUdeviceptr *place, size_t *bytes, CUmodule module, const char *name)
{
    if (!module || !name) return CUDA_ERROR_INVALID_VALUE;
    Answer answer = ask(SYMBOL, (uint64_t)((Module *)module)->number, 0, 0, 0, name, strlen(name));
    if (answer.status != cudaSuccess) return CUDA_ERROR_NOT_FOUND;
    if (place) *place = (CUdeviceptr)pointer_of(answer.value);
    if (bytes) memcpy(bytes, answer.data.data(), sizeof *bytes);
    return CUDA_SUCCESS;
}

CUresult cuMemGetInfo(size_t *free_bytes, size_t *total_bytes) { return result_of(cudaMemGetInfo(free_bytes, total_bytes)); }
CUresult cuMemAlloc(CUdeviceptr *place, size_t bytes)
{
    IF_NOT_INITIALIZED_RETURN();
    if (!place || !bytes) return CUDA_ERROR_INVALID_VALUE;
    return result_of(allocate((void **)place, bytes, 256, 0, __builtin_return_address(0)));
}
CUresult cuMemAllocPitch(CUdeviceptr *place, size_t *pitch, size_t width, size_t height, unsigned int) { return result_of(cudaMallocPitch((void **)place, pitch, width, height)); }
CUresult cuMemAllocManaged(CUdeviceptr *place, size_t bytes, unsigned int flags) { return result_of(cudaMallocManaged((void **)place, bytes, flags)); }
CUresult cuMemFree(CUdeviceptr place) { return result_of(cudaFree(to_pointer(place))); }
CUresult cuMemAllocHost(void **place, size_t bytes) { return result_of(cudaMallocHost(place, bytes)); }
CUresult cuMemHostAlloc(void **place, size_t bytes, unsigned int flags) { return result_of(cudaHostAlloc(place, bytes, flags)); }
CUresult cuMemFreeHost(void *place) { return result_of(cudaFreeHost(place)); }
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) { return result_of(cudaMemcpy(to_pointer(to), to_pointer(from), bytes, cudaMemcpyDefault)); }
CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) { return result_of(cudaMemcpy(to_pointer(to), from, bytes, cudaMemcpyHostToDevice)); }
CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) { return result_of(cudaMemcpy(to, to_pointer(from), bytes, cudaMemcpyDeviceToHost)); }
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) { return result_of(cudaMemcpy(to_pointer(to), to_pointer(from), bytes, cudaMemcpyDeviceToDevice)); }
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream) { return cuMemcpyHtoD(to, from, bytes); }
CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream) { return cuMemcpyDtoH(to, from, bytes); }
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream) { return cuMemcpyDtoD(to, from, bytes); }
CUresult cuMemsetD8(CUdeviceptr place, unsigned char value, size_t count) { return result_of(cudaMemset(to_pointer(place), value, count)); }
CUresult cuMemsetD16(CUdeviceptr place, unsigned short value, size_t count)
{
    std::vector<unsigned short> all(count, value);
    return cuMemcpyHtoD(place, all.data(), count * sizeof value);
}
CUresult cuMemsetD32(CUdeviceptr place, unsigned int value, size_t count)
{
    std::vector<unsigned int> all(count, value);
    return cuMemcpyHtoD(place, all.data(), count * sizeof value);
}
CUresult cuMemsetD8Async(CUdeviceptr place, unsigned char value, size_t count, CUstream) { return cuMemsetD8(place, value, count); }
CUresult cuMemsetD32Async(CUdeviceptr place, unsigned int value, size_t count, CUstream) { return cuMemsetD32(place, value, count); }

CUresult cuStreamCreate(CUstream *stream, unsigned int flags) { return result_of(cudaStreamCreateWithFlags(stream, flags)); }
CUresult cuStreamDestroy(CUstream stream) { return result_of(cudaStreamDestroy(stream)); }
CUresult cuStreamSynchronize(CUstream stream) { return result_of(cudaStreamSynchronize(stream)); }
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) { return result_of(cudaStreamWaitEvent(stream, event, flags)); }
CUresult cuEventCreate(CUevent *event, unsigned int flags) { return result_of(cudaEventCreateWithFlags(event, flags)); }
CUresult cuEventRecord(CUevent event, CUstream stream) { return result_of(cudaEventRecord(event, stream)); }
CUresult cuEventSynchronize(CUevent event) { return result_of(cudaEventSynchronize(event)); }
CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) { return result_of(cudaEventElapsedTime(milliseconds, start, end)); }
CUresult cuEventDestroy(CUevent event) { return result_of(cudaEventDestroy(event)); }

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function)
{
    cudaFuncAttributes found;
    cudaError_t error = cudaFuncGetAttributes(&found, (const void *)function);
    if (error != cudaSuccess) return result_of(error);
    switch (attribute) {
        case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = found.maxThreadsPerBlock; break;
        case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = (int)found.sharedSizeBytes; break;
        case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = (int)found.constSizeBytes; break;
        case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = (int)found.localSizeBytes; break;
        case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = found.numRegs; break;
        case CU_FUNC_ATTRIBUTE_PTX_VERSION: *value = found.ptxVersion; break;
        case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = found.binaryVersion; break;
        case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = found.maxDynamicSharedSizeBytes; break;
        default: return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) { return result_of(cudaFuncSetAttribute((const void *)function, (cudaFuncAttribute)attribute, value)); }
CUresult cuFuncSetCacheConfig(CUfunction, CUfunc_cache) { return CUDA_SUCCESS; }
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads, size_t shared) { return result_of(cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)function, threads, shared)); }
/* The largest multiple of a warp that fills a multiprocessor best, as the runtime's function of the name does it. */
CUresult cuOccupancyMaxPotentialBlockSize(int *least_grid, int *block, CUfunction function, CUoccupancyB2DSize shared_of, size_t shared, int limit)
{
    cudaFuncAttributes found;
    cudaError_t error = cudaFuncGetAttributes(&found, (const void *)function);
    if (error != cudaSuccess) return result_of(error);
    int most = limit > 0 && limit < found.maxThreadsPerBlock ? limit : found.maxThreadsPerBlock, best = 0;
    for (int threads = most; threads > 0; threads = threads % 32 ? threads - threads % 32 : threads - 32) {
        int blocks = 0;
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)function, threads, shared_of ? shared_of(threads) : shared);
        if (error != cudaSuccess) return result_of(error);
        if (blocks * threads <= best) continue;
        best = blocks * threads;
        *block = threads;
        *least_grid = blocks * properties.multiProcessorCount;
    }
    return CUDA_SUCCESS;
}
CUresult cuMemHostGetDevicePointer(CUdeviceptr *place, void *host, unsigned int flags) { return result_of(cudaHostGetDevicePointer((void **)place, host, flags)); }
CUresult cuStreamQuery(CUstream stream) { return result_of(cudaStreamQuery(stream)); }
CUresult cuEventQuery(CUevent event) { return result_of(cudaEventQuery(event)); }
CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice) { memcpy(uuid->bytes, &properties.uuid, sizeof uuid->bytes); return CUDA_SUCCESS; }
CUresult cuDevicePrimaryCtxReset(CUdevice) { return result_of(cudaDeviceReset()); }

static CUresult launched(CUfunction function, dim3 grid, dim3 block, unsigned int shared, CUstream stream, void **arguments, uint32_t flags, const void *caller)
{
    return result_of(launch((const void *)function, grid, block, arguments, shared, stream, flags, caller));
}
CUresult cuLaunchKernel(CUfunction function, unsigned int gridX, unsigned int gridY, unsigned int gridZ, unsigned int blockX, unsigned int blockY,
                        unsigned int blockZ, unsigned int shared, CUstream stream, void **arguments, void **extra)
{
    IF_NOT_INITIALIZED_RETURN();
    std::vector<void *> places;
    if (extra && !arguments) { /* all in one buffer, where PTX has them */
        cudaError_t error;
        Kernel *kernel = kernel_of((const void *)function, &error);
        if (!kernel) return result_of(error);
        char *buffer = nullptr;
        size_t bytes = 0;
        for (void **word = extra; *word != CU_LAUNCH_PARAM_END; word += 2) {
            if (*word == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = (char *)word[1];
            else if (*word == CU_LAUNCH_PARAM_BUFFER_SIZE) bytes = *(size_t *)word[1];
            else return CUDA_ERROR_INVALID_VALUE;
        }
        if (!buffer || bytes < kernel->parameter_bytes) return CUDA_ERROR_INVALID_VALUE;
        for (size_t k = 0; k + 1 < kernel->offsets.size(); k += 2) places.push_back(buffer + kernel->offsets[k]);
        arguments = places.data();
    }
    return launched(function, dim3(gridX, gridY, gridZ), dim3(blockX, blockY, blockZ), shared, stream, arguments, 0, __builtin_return_address(0));
}
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int gridX, unsigned int gridY, unsigned int gridZ, unsigned int blockX,
                                   unsigned int blockY, unsigned int blockZ, unsigned int shared, CUstream stream, void **arguments)
{
    IF_NOT_INITIALIZED_RETURN();
    return launched(function, dim3(gridX, gridY, gridZ), dim3(blockX, blockY, blockZ), shared, stream, arguments, COOPERATIVE, __builtin_return_address(0));
}
}
