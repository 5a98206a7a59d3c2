/* Devices: there is one. */

static unsigned int device_flags = cudaDeviceScheduleAuto;

static cudaError_t one_device(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }

extern "C" {
cudaError_t cudaGetDeviceCount(int *count) { *count = 1; return cudaSuccess; }
cudaError_t cudaGetDevice(int *device) { *device = 0; return cudaSuccess; }
cudaError_t cudaSetDevice(int device) { return ended(one_device(device)); }
cudaError_t cudaInitDevice(int device, unsigned int, unsigned int) { return ended(one_device(device)); }
cudaError_t cudaSetValidDevices(int *, int) { return cudaSuccess; }
cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *) { *device = 0; return cudaSuccess; }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *found, int device)
{
    connect_once();
    if (one_device(device) != cudaSuccess) return ended(cudaErrorInvalidDevice);
    *found = properties;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp *found, int device) { return cudaGetDeviceProperties(found, device); }
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device)
{
    connect_once();
    if (one_device(device) != cudaSuccess) return ended(cudaErrorInvalidDevice);
    const cudaDeviceProp &p = properties;
#define FIELD(name, number, field) \
    case name: *value = (int)(field); return cudaSuccess;
    switch (attribute) {
        __WARPLOOM_ATTRIBUTES(FIELD)
        default: return ended(cudaErrorInvalidValue);
    }
#undef FIELD
}
cudaError_t cudaDeviceSynchronize() { return waited(); }
cudaError_t cudaThreadSynchronize() { return waited(); }
cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit)
{
    if ((unsigned)limit >= 7) return ended(cudaErrorUnsupportedLimit);
    *value = limits[limit];
    return cudaSuccess;
}
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value)
{
    if ((unsigned)limit >= 7) return ended(cudaErrorUnsupportedLimit);
    limits[limit] = value;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *config) { *config = cudaFuncCachePreferNone; return cudaSuccess; }
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *config) { *config = cudaSharedMemBankSizeFourByte; return cudaSuccess; }
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) { *least = 0; *greatest = -5; return cudaSuccess; }
cudaError_t cudaDeviceGetPCIBusId(char *id, int length, int device)
{
    if (one_device(device) != cudaSuccess) return ended(cudaErrorInvalidDevice);
    snprintf(id, (size_t)length, "0000:00:00.0");
    return cudaSuccess;
}
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *) { *device = 0; return cudaSuccess; }
cudaError_t cudaSetDeviceFlags(unsigned int flags) { device_flags = flags; return cudaSuccess; }
cudaError_t cudaGetDeviceFlags(unsigned int *flags) { *flags = device_flags; return cudaSuccess; }
cudaError_t cudaDeviceCanAccessPeer(int *can, int, int) { *can = 0; return cudaSuccess; }
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned int) { return ended(cudaErrorInvalidDevice); }
cudaError_t cudaDeviceDisablePeerAccess(int) { return ended(cudaErrorPeerAccessNotEnabled); }
cudaError_t cudaDeviceGetP2PAttribute(int *value, cudaDeviceP2PAttr, int source, int target)
{
    *value = 0;
    return ended(one_device(source) != cudaSuccess || one_device(target) != cudaSuccess || source == target ? cudaErrorInvalidDevice : cudaSuccess);
}
/* Pools: allocations of a stream are ones of the device. */
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) { *pool = (cudaMemPool_t)1; return ended(one_device(device)); }
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) { return cudaDeviceGetDefaultMemPool(pool, device); }
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t) { return ended(one_device(device)); }
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *) { return cudaSuccess; }
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr attribute, void *value)
{
    if (attribute <= cudaMemPoolReuseAllowInternalDependencies) *(int *)value = 1;
    else *(uint64_t *)value = 0;
    return cudaSuccess;
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return cudaSuccess; }
cudaError_t cudaStreamSetAttribute(cudaStream_t, int, const void *) { return cudaSuccess; }
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus *status) { *status = cudaStreamCaptureStatusNone; return cudaSuccess; }
cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }
cudaError_t cudaDriverGetVersion(int *version) { *version = CUDART_VERSION; return cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int *version) { *version = CUDART_VERSION; return cudaSuccess; }
cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }
/* C's mathematics of 2023, which newer headers declare and older libraries lack. */
__attribute__((weak)) double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
__attribute__((weak)) float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
}
