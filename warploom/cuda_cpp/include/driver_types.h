/* Types of the runtime's calls (CUDA Runtime API, "Data types used by CUDA Runtime"), with NVIDIA's names and numbers. */
#pragma once
#pragma GCC system_header
#include <stddef.h>
#include <limits.h>
#include "vector_types.h"
#include "warploom/errors.h"

#define __DRIVER_TYPES_H__

#define __WARPLOOM_ERROR(name, number, text) name = number,
enum cudaError { __WARPLOOM_ERRORS(__WARPLOOM_ERROR) cudaErrorApiFailureBase = 10000 };
#undef __WARPLOOM_ERROR
typedef enum cudaError cudaError_t;

#define cudaHostAllocDefault 0x00
#define cudaHostAllocPortable 0x01
#define cudaHostAllocMapped 0x02
#define cudaHostAllocWriteCombined 0x04
#define cudaHostRegisterDefault 0x00
#define cudaHostRegisterPortable 0x01
#define cudaHostRegisterMapped 0x02
#define cudaHostRegisterIoMemory 0x04
#define cudaHostRegisterReadOnly 0x08
#define cudaPeerAccessDefault 0x00
#define cudaStreamDefault 0x00
#define cudaStreamNonBlocking 0x01
#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)
#define cudaEventDefault 0x00
#define cudaEventBlockingSync 0x01
#define cudaEventDisableTiming 0x02
#define cudaEventInterprocess 0x04
#define cudaEventRecordDefault 0x00
#define cudaEventWaitDefault 0x00
#define cudaDeviceScheduleAuto 0x00
#define cudaDeviceScheduleSpin 0x01
#define cudaDeviceScheduleYield 0x02
#define cudaDeviceScheduleBlockingSync 0x04
#define cudaDeviceBlockingSync 0x04
#define cudaDeviceScheduleMask 0x07
#define cudaDeviceMapHost 0x08
#define cudaDeviceLmemResizeToMax 0x10
#define cudaDeviceMask 0xff
#define cudaArrayDefault 0x00
#define cudaArrayLayered 0x01
#define cudaArraySurfaceLoadStore 0x02
#define cudaArrayCubemap 0x04
#define cudaArrayTextureGather 0x08
#define cudaMemAttachGlobal 0x01
#define cudaMemAttachHost 0x02
#define cudaMemAttachSingle 0x04
#define cudaOccupancyDefault 0x00
#define cudaOccupancyDisableCachingOverride 0x01
#define cudaCpuDeviceId ((int)-1)
#define cudaInvalidDeviceId ((int)-2)
#define cudaIpcMemLazyEnablePeerAccess 0x01
#define cudaCooperativeLaunchMultiDeviceNoPreSync 0x01
#define cudaCooperativeLaunchMultiDeviceNoPostSync 0x02
#define cudaInitDeviceFlagsAreValid 0x01

enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
};
enum cudaMemoryType { cudaMemoryTypeUnregistered = 0, cudaMemoryTypeHost = 1, cudaMemoryTypeDevice = 2, cudaMemoryTypeManaged = 3 };
enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1,
    cudaMemAdviseUnsetReadMostly = 2,
    cudaMemAdviseSetPreferredLocation = 3,
    cudaMemAdviseUnsetPreferredLocation = 4,
    cudaMemAdviseSetAccessedBy = 5,
    cudaMemAdviseUnsetAccessedBy = 6
};
enum cudaComputeMode { cudaComputeModeDefault = 0, cudaComputeModeExclusive = 1, cudaComputeModeProhibited = 2, cudaComputeModeExclusiveProcess = 3 };
enum cudaFuncCache { cudaFuncCachePreferNone = 0, cudaFuncCachePreferShared = 1, cudaFuncCachePreferL1 = 2, cudaFuncCachePreferEqual = 3 };
enum cudaSharedMemConfig { cudaSharedMemBankSizeDefault = 0, cudaSharedMemBankSizeFourByte = 1, cudaSharedMemBankSizeEightByte = 2 };
enum cudaSharedCarveout { cudaSharedmemCarveoutDefault = -1, cudaSharedmemCarveoutMaxL1 = 0, cudaSharedmemCarveoutMaxShared = 100 };
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9,
    cudaFuncAttributeClusterDimMustBeSet = 10,
    cudaFuncAttributeRequiredClusterWidth = 11,
    cudaFuncAttributeRequiredClusterHeight = 12,
    cudaFuncAttributeRequiredClusterDepth = 13,
    cudaFuncAttributeNonPortableClusterSizeAllowed = 14,
    cudaFuncAttributeClusterSchedulingPolicyPreference = 15,
    cudaFuncAttributeMax
};
enum cudaLimit {
    cudaLimitStackSize = 0,
    cudaLimitPrintfFifoSize = 1,
    cudaLimitMallocHeapSize = 2,
    cudaLimitDevRuntimeSyncDepth = 3,
    cudaLimitDevRuntimePendingLaunchCount = 4,
    cudaLimitMaxL2FetchGranularity = 5,
    cudaLimitPersistingL2CacheSize = 6
};
/* Which lines of L2 a stream would keep: a hint, which changes nothing here. */
enum cudaAccessProperty { cudaAccessPropertyNormal = 0, cudaAccessPropertyStreaming = 1, cudaAccessPropertyPersisting = 2 };
enum cudaSynchronizationPolicy { cudaSyncPolicyAuto = 1, cudaSyncPolicySpin = 2, cudaSyncPolicyYield = 3, cudaSyncPolicyBlockingSync = 4 };
struct cudaAccessPolicyWindow {
    void *base_ptr;
    size_t num_bytes;
    float hitRatio;
    enum cudaAccessProperty hitProp, missProp;
};
enum cudaStreamAttrID { cudaStreamAttributeAccessPolicyWindow = 1, cudaStreamAttributeSynchronizationPolicy = 3, cudaStreamAttributePriority = 8 };
union cudaStreamAttrValue {
    struct cudaAccessPolicyWindow accessPolicyWindow;
    enum cudaSynchronizationPolicy syncPolicy;
    int priority;
    char pad[64];
};
enum cudaDeviceP2PAttr {
    cudaDevP2PAttrPerformanceRank = 1,
    cudaDevP2PAttrAccessSupported = 2,
    cudaDevP2PAttrNativeAtomicSupported = 3,
    cudaDevP2PAttrCudaArrayAccessSupported = 4
};
enum cudaMemPoolAttr {
    cudaMemPoolReuseFollowEventDependencies = 1,
    cudaMemPoolReuseAllowOpportunistic = 2,
    cudaMemPoolReuseAllowInternalDependencies = 3,
    cudaMemPoolAttrReleaseThreshold = 4,
    cudaMemPoolAttrReservedMemCurrent = 5,
    cudaMemPoolAttrReservedMemHigh = 6,
    cudaMemPoolAttrUsedMemCurrent = 7,
    cudaMemPoolAttrUsedMemHigh = 8
};
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone = 0, cudaStreamCaptureStatusActive = 1, cudaStreamCaptureStatusInvalidated = 2 };
enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal = 0, cudaStreamCaptureModeThreadLocal = 1, cudaStreamCaptureModeRelaxed = 2 };
enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned = 0,
    cudaChannelFormatKindUnsigned = 1,
    cudaChannelFormatKindFloat = 2,
    cudaChannelFormatKindNone = 3
};
struct cudaChannelFormatDesc {
    int x, y, z, w;
    enum cudaChannelFormatKind f;
};
struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
};
struct cudaExtent {
    size_t width, height, depth;
};
struct cudaPos {
    size_t x, y, z;
};
typedef struct cudaArray *cudaArray_t;
typedef const struct cudaArray *cudaArray_const_t;
typedef struct cudaMipmappedArray *cudaMipmappedArray_t;
struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    struct cudaExtent extent;
    enum cudaMemcpyKind kind;
};
struct cudaPointerAttributes {
    enum cudaMemoryType type;
    int device;
    void *devicePointer, *hostPointer;
};
struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes, preferredShmemCarveout;
};
struct cudaUUID_t {
    char bytes[16];
};
typedef struct cudaUUID_t cudaUUID_t;
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
typedef struct CUfunc_st *cudaFunction_t;
typedef void(CUDART_CB *cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *userData);
typedef void(CUDART_CB *cudaHostFn_t)(void *userData);
struct cudaLaunchParams {
    void *func;
    dim3 gridDim, blockDim;
    void **args;
    size_t sharedMem;
    cudaStream_t stream;
};

enum cudaResourceType { cudaResourceTypeArray = 0, cudaResourceTypeMipmappedArray = 1, cudaResourceTypeLinear = 2, cudaResourceTypePitch2D = 3 };
enum cudaTextureAddressMode { cudaAddressModeWrap = 0, cudaAddressModeClamp = 1, cudaAddressModeMirror = 2, cudaAddressModeBorder = 3 };
enum cudaTextureFilterMode { cudaFilterModePoint = 0, cudaFilterModeLinear = 1 };
enum cudaTextureReadMode { cudaReadModeElementType = 0, cudaReadModeNormalizedFloat = 1 };
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
struct cudaResourceViewDesc {
    int format;
    size_t width, height, depth;
    unsigned int firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
};
struct cudaResourceDesc {
    enum cudaResourceType resType;
    union {
        struct {
            cudaArray_t array;
        } array;
        struct {
            cudaMipmappedArray_t mipmap;
        } mipmap;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
    } res;
};
struct cudaTextureDesc {
    enum cudaTextureAddressMode addressMode[3];
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned int maxAnisotropy;
    enum cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization;
};

/* The fields that programs read; in the order of CUDA 12's documentation. */
struct cudaDeviceProp {
    char name[256];
    cudaUUID_t uuid;
    char luid[8];
    unsigned int luidDeviceNodeMask;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode;
    int maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2], maxTexture2DMipmap[2], maxTexture2DLinear[3], maxTexture2DGather[2];
    int maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap, maxTexture1DLayered[2], maxTexture2DLayered[3], maxTextureCubemapLayered[2];
    int maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount, unifiedAddressing;
    int memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
    int singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported;
    int canUseHostPointerForRegisteredMem, cooperativeLaunch, cooperativeMultiDeviceLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported, timelineSemaphoreInteropSupported, memoryPoolsSupported;
    int gpuDirectRDMASupported, clusterLaunch, deferredMappingCudaArraySupported, ipcEventSupported, unifiedFunctionPointers;
};
typedef struct cudaDeviceProp cudaDeviceProp;

/* Attributes of a device: name, number (CUDA Runtime API, "enum cudaDeviceAttr"), and the field of cudaDeviceProp that says the same, or a value. */
#define __WARPLOOM_ATTRIBUTES(X) \
    X(cudaDevAttrMaxThreadsPerBlock, 1, p.maxThreadsPerBlock) \
    X(cudaDevAttrMaxBlockDimX, 2, p.maxThreadsDim[0]) \
    X(cudaDevAttrMaxBlockDimY, 3, p.maxThreadsDim[1]) \
    X(cudaDevAttrMaxBlockDimZ, 4, p.maxThreadsDim[2]) \
    X(cudaDevAttrMaxGridDimX, 5, p.maxGridSize[0]) \
    X(cudaDevAttrMaxGridDimY, 6, p.maxGridSize[1]) \
    X(cudaDevAttrMaxGridDimZ, 7, p.maxGridSize[2]) \
    X(cudaDevAttrMaxSharedMemoryPerBlock, 8, p.sharedMemPerBlock) \
    X(cudaDevAttrTotalConstantMemory, 9, p.totalConstMem) \
    X(cudaDevAttrWarpSize, 10, p.warpSize) \
    X(cudaDevAttrMaxPitch, 11, p.memPitch) \
    X(cudaDevAttrMaxRegistersPerBlock, 12, p.regsPerBlock) \
    X(cudaDevAttrClockRate, 13, p.clockRate) \
    X(cudaDevAttrTextureAlignment, 14, p.textureAlignment) \
    X(cudaDevAttrGpuOverlap, 15, p.deviceOverlap) \
    X(cudaDevAttrMultiProcessorCount, 16, p.multiProcessorCount) \
    X(cudaDevAttrKernelExecTimeout, 17, p.kernelExecTimeoutEnabled) \
    X(cudaDevAttrIntegrated, 18, p.integrated) \
    X(cudaDevAttrCanMapHostMemory, 19, p.canMapHostMemory) \
    X(cudaDevAttrComputeMode, 20, p.computeMode) \
    X(cudaDevAttrMaxTexture1DWidth, 21, p.maxTexture1D) \
    X(cudaDevAttrMaxTexture2DWidth, 22, p.maxTexture2D[0]) \
    X(cudaDevAttrMaxTexture2DHeight, 23, p.maxTexture2D[1]) \
    X(cudaDevAttrMaxTexture3DWidth, 24, p.maxTexture3D[0]) \
    X(cudaDevAttrMaxTexture3DHeight, 25, p.maxTexture3D[1]) \
    X(cudaDevAttrMaxTexture3DDepth, 26, p.maxTexture3D[2]) \
    X(cudaDevAttrSurfaceAlignment, 30, p.surfaceAlignment) \
    X(cudaDevAttrConcurrentKernels, 31, p.concurrentKernels) \
    X(cudaDevAttrEccEnabled, 32, p.ECCEnabled) \
    X(cudaDevAttrPciBusId, 33, p.pciBusID) \
    X(cudaDevAttrPciDeviceId, 34, p.pciDeviceID) \
    X(cudaDevAttrTccDriver, 35, p.tccDriver) \
    X(cudaDevAttrMemoryClockRate, 36, p.memoryClockRate) \
    X(cudaDevAttrGlobalMemoryBusWidth, 37, p.memoryBusWidth) \
    X(cudaDevAttrL2CacheSize, 38, p.l2CacheSize) \
    X(cudaDevAttrMaxThreadsPerMultiProcessor, 39, p.maxThreadsPerMultiProcessor) \
    X(cudaDevAttrAsyncEngineCount, 40, p.asyncEngineCount) \
    X(cudaDevAttrUnifiedAddressing, 41, p.unifiedAddressing) \
    X(cudaDevAttrPciDomainId, 50, p.pciDomainID) \
    X(cudaDevAttrTexturePitchAlignment, 51, p.texturePitchAlignment) \
    X(cudaDevAttrComputeCapabilityMajor, 75, p.major) \
    X(cudaDevAttrComputeCapabilityMinor, 76, p.minor) \
    X(cudaDevAttrStreamPrioritiesSupported, 78, p.streamPrioritiesSupported) \
    X(cudaDevAttrGlobalL1CacheSupported, 79, p.globalL1CacheSupported) \
    X(cudaDevAttrLocalL1CacheSupported, 80, p.localL1CacheSupported) \
    X(cudaDevAttrMaxSharedMemoryPerMultiprocessor, 81, p.sharedMemPerMultiprocessor) \
    X(cudaDevAttrMaxRegistersPerMultiprocessor, 82, p.regsPerMultiprocessor) \
    X(cudaDevAttrManagedMemory, 83, p.managedMemory) \
    X(cudaDevAttrIsMultiGpuBoard, 84, p.isMultiGpuBoard) \
    X(cudaDevAttrMultiGpuBoardGroupID, 85, p.multiGpuBoardGroupID) \
    X(cudaDevAttrHostNativeAtomicSupported, 86, p.hostNativeAtomicSupported) \
    X(cudaDevAttrSingleToDoublePrecisionPerfRatio, 87, p.singleToDoublePrecisionPerfRatio) \
    X(cudaDevAttrPageableMemoryAccess, 88, p.pageableMemoryAccess) \
    X(cudaDevAttrConcurrentManagedAccess, 89, p.concurrentManagedAccess) \
    X(cudaDevAttrComputePreemptionSupported, 90, p.computePreemptionSupported) \
    X(cudaDevAttrCanUseHostPointerForRegisteredMem, 91, p.canUseHostPointerForRegisteredMem) \
    X(cudaDevAttrCooperativeLaunch, 95, p.cooperativeLaunch) \
    X(cudaDevAttrCooperativeMultiDeviceLaunch, 96, p.cooperativeMultiDeviceLaunch) \
    X(cudaDevAttrMaxSharedMemoryPerBlockOptin, 97, p.sharedMemPerBlockOptin) \
    X(cudaDevAttrHostRegisterSupported, 99, p.hostRegisterSupported) \
    X(cudaDevAttrPageableMemoryAccessUsesHostPageTables, 100, p.pageableMemoryAccessUsesHostPageTables) \
    X(cudaDevAttrDirectManagedMemAccessFromHost, 101, p.directManagedMemAccessFromHost) \
    X(cudaDevAttrMaxBlocksPerMultiprocessor, 106, p.maxBlocksPerMultiProcessor) \
    X(cudaDevAttrMaxPersistingL2CacheSize, 108, p.persistingL2CacheMaxSize) \
    X(cudaDevAttrReservedSharedMemoryPerBlock, 111, p.reservedSharedMemPerBlock) \
    X(cudaDevAttrMemoryPoolsSupported, 115, p.memoryPoolsSupported) \
    X(cudaDevAttrClusterLaunch, 120, p.clusterLaunch)
#define __WARPLOOM_ATTRIBUTE(name, number, field) name = number,
enum cudaDeviceAttr { __WARPLOOM_ATTRIBUTES(__WARPLOOM_ATTRIBUTE) cudaDevAttrMax = 1000 };
#undef __WARPLOOM_ATTRIBUTE
