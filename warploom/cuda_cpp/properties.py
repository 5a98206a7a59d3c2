"""What the device says of itself: the `cudaDeviceProp` of a configuration. `include/driver_types.h` has the same fields in the same order."""

from __future__ import annotations

import ctypes

from warploom.machine.config.schema import Config
from warploom.machine.occupancy.residency import limits_of

CAPABILITY = (8, 0)  # what device code is compiled for
USUAL_CLOCK = 1000  # MHz, of a preset that has none
BLOCK_THREADS = 1024  # CUDA C++ Programming Guide, technical specifications: of a block, and its extent in x and y
BLOCK_Z = 64  # the same
GRID = (2**31 - 1, 65535, 65535)  # the same
CONSTANT_BYTES = 65536  # the same
STATIC_SHARED = 49152  # the same: what a block may have without asking for more
PITCH = 512  # bytes: alignment of rows that cudaMallocPitch gives


def _ints(text: str) -> list[tuple[str, type]]:
    return [(name, ctypes.c_int) for name in text.split()]


class DeviceProperties(ctypes.Structure):
    """cudaDeviceProp."""

    _fields_ = [
        ("name", ctypes.c_char * 256), ("uuid", ctypes.c_char * 16), ("luid", ctypes.c_char * 8), ("luidDeviceNodeMask", ctypes.c_uint),
        ("totalGlobalMem", ctypes.c_size_t), ("sharedMemPerBlock", ctypes.c_size_t), *_ints("regsPerBlock warpSize"),
        ("memPitch", ctypes.c_size_t), ("maxThreadsPerBlock", ctypes.c_int), ("maxThreadsDim", ctypes.c_int * 3),
        ("maxGridSize", ctypes.c_int * 3), ("clockRate", ctypes.c_int), ("totalConstMem", ctypes.c_size_t), *_ints("major minor"),
        ("textureAlignment", ctypes.c_size_t), ("texturePitchAlignment", ctypes.c_size_t),
        *_ints("deviceOverlap multiProcessorCount kernelExecTimeoutEnabled integrated canMapHostMemory computeMode"),
        *_ints("maxTexture1D maxTexture1DMipmap maxTexture1DLinear"), ("maxTexture2D", ctypes.c_int * 2),
        ("maxTexture2DMipmap", ctypes.c_int * 2), ("maxTexture2DLinear", ctypes.c_int * 3), ("maxTexture2DGather", ctypes.c_int * 2),
        ("maxTexture3D", ctypes.c_int * 3), ("maxTexture3DAlt", ctypes.c_int * 3), ("maxTextureCubemap", ctypes.c_int),
        ("maxTexture1DLayered", ctypes.c_int * 2), ("maxTexture2DLayered", ctypes.c_int * 3),
        ("maxTextureCubemapLayered", ctypes.c_int * 2), ("maxSurface1D", ctypes.c_int), ("maxSurface2D", ctypes.c_int * 2),
        ("maxSurface3D", ctypes.c_int * 3), ("maxSurface1DLayered", ctypes.c_int * 2), ("maxSurface2DLayered", ctypes.c_int * 3),
        ("maxSurfaceCubemap", ctypes.c_int), ("maxSurfaceCubemapLayered", ctypes.c_int * 2), ("surfaceAlignment", ctypes.c_size_t),
        *_ints("concurrentKernels ECCEnabled pciBusID pciDeviceID pciDomainID tccDriver asyncEngineCount unifiedAddressing"),
        *_ints("memoryClockRate memoryBusWidth l2CacheSize persistingL2CacheMaxSize maxThreadsPerMultiProcessor"),
        *_ints("streamPrioritiesSupported globalL1CacheSupported localL1CacheSupported"),
        ("sharedMemPerMultiprocessor", ctypes.c_size_t),
        *_ints("regsPerMultiprocessor managedMemory isMultiGpuBoard multiGpuBoardGroupID hostNativeAtomicSupported"),
        *_ints("singleToDoublePrecisionPerfRatio pageableMemoryAccess concurrentManagedAccess computePreemptionSupported"),
        *_ints("canUseHostPointerForRegisteredMem cooperativeLaunch cooperativeMultiDeviceLaunch"),
        ("sharedMemPerBlockOptin", ctypes.c_size_t),
        *_ints("pageableMemoryAccessUsesHostPageTables directManagedMemAccessFromHost maxBlocksPerMultiProcessor"),
        *_ints("accessPolicyMaxWindowSize"), ("reservedSharedMemPerBlock", ctypes.c_size_t),
        *_ints("hostRegisterSupported sparseCudaArraySupported hostRegisterReadOnlySupported timelineSemaphoreInteropSupported"),
        *_ints("memoryPoolsSupported gpuDirectRDMASupported clusterLaunch deferredMappingCudaArraySupported ipcEventSupported"),
        *_ints("unifiedFunctionPointers"),
    ]  # fmt: skip


def device_properties(config: Config, memory_bytes: int) -> DeviceProperties:
    """What a configuration is to a CUDA program. memory_bytes: of the device."""
    limits = limits_of(config)
    block = most_block_threads(config)
    optin = most_shared(config)
    clock = (config.gpu.clock or USUAL_CLOCK) * 1000
    found = DeviceProperties()
    values = {
        "name": f"warploom {config.name}".encode(), "totalGlobalMem": memory_bytes, "sharedMemPerBlock": min(STATIC_SHARED, optin),
        "regsPerBlock": limits.registers or 65536, "warpSize": limits.lanes, "memPitch": 2**31 - 1, "maxThreadsPerBlock": block,
        "clockRate": clock, "totalConstMem": CONSTANT_BYTES, "major": CAPABILITY[0], "minor": CAPABILITY[1], "textureAlignment": 512,
        "texturePitchAlignment": 32, "multiProcessorCount": config.gpu.cores, "canMapHostMemory": 1, "maxTexture1D": 131072,
        "surfaceAlignment": 512, "unifiedAddressing": 1, "managedMemory": 1, "memoryClockRate": (config.dram.clock or config.gpu.clock) * 1000,
        "memoryBusWidth": config.dram.channels * max(config.dram.bandwidth, 1) * 4, "l2CacheSize": config.l2.bytes,
        "maxThreadsPerMultiProcessor": limits.threads or limits.warps * limits.lanes, "globalL1CacheSupported": 1,
        "localL1CacheSupported": 1, "sharedMemPerMultiprocessor": config.shared.bytes, "regsPerMultiprocessor": limits.registers or 65536,
        "singleToDoublePrecisionPerfRatio": 2, "canUseHostPointerForRegisteredMem": 0, "cooperativeLaunch": 1,
        "sharedMemPerBlockOptin": optin, "maxBlocksPerMultiProcessor": limits.blocks, "reservedSharedMemPerBlock": config.shared.reserved,
        "hostRegisterSupported": 1, "memoryPoolsSupported": 1, "streamPrioritiesSupported": 1, "concurrentKernels": 1, "asyncEngineCount": 1,
        "deviceOverlap": 1,
    }  # fmt: skip
    for name, value in values.items():
        setattr(found, name, value)
    for name, several in {"maxThreadsDim": (block, block, min(config.core.block_z or BLOCK_Z, block)), "maxGridSize": GRID,
                          "maxTexture2D": (131072, 65536), "maxTexture3D": (16384, 16384, 16384)}.items():  # fmt: skip
        getattr(found, name)[:] = several
    return found


def most_block_threads(config: Config) -> int:
    """Threads of the largest block."""
    limits = limits_of(config)
    return min(limits.block_threads or BLOCK_THREADS, limits.warps * limits.lanes, BLOCK_THREADS)


def most_shared(config: Config) -> int:
    """Bytes of shared memory that a block may have when it asks for more than the usual."""
    return (config.shared.block_bytes or config.shared.bytes) - config.shared.reserved
