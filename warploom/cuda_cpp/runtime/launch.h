/* Launches. */

struct Configuration {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
};
static std::vector<Configuration> &pending()
{
    static thread_local std::vector<Configuration> all;
    return all;
}

/* An address of host memory that the device may access (pinned, registered, __managed__) becomes that of its copy on the device. */
static void translate(uint64_t *word)
{
    void *host = (void *)*word, *device;
    if (!host || in_window(host)) return;
    auto mirror = around(mirrors(), host);
    if (mirror != mirrors().end()) *word = (uint64_t)pointer_of(mirror->second.device + (uint64_t)((char *)host - mirror->first));
    else if (around(pinned(), host) != pinned().end() && cudaHostGetDevicePointer(&device, host, 0) == cudaSuccess) *word = (uint64_t)device;
}

static cudaError_t launch(const void *stub, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream, uint32_t flags, const void *caller)
{
    IF_BROKEN_RETURN();
    if (fault_of_kernel != cudaSuccess) return waited();
    cudaError_t error;
    Kernel *kernel = kernel_of(stub, &error);
    if (!kernel) return ended(error);
    std::vector<char> bytes(kernel->parameter_bytes);
    for (size_t k = 0; k + 1 < kernel->offsets.size(); k += 2) memcpy(bytes.data() + kernel->offsets[k], arguments[k / 2], kernel->offsets[k + 1]);
    for (size_t k = 0; k + 8 <= bytes.size(); k += 8) translate((uint64_t *)(bytes.data() + k));
    Launch form = {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, (uint32_t)shared, flags};
    if (shared > 0xffffffffu) return ended(cudaErrorInvalidValue);
    std::lock_guard<std::recursive_mutex> held(one_at_a_time());
    fflush(stdout); /* what the kernel prints comes after it */
    to_device();
    Answer answer = ask(LAUNCH, (uint64_t)kernel->number, (uint64_t)stream, place_of(caller), 0, &form, sizeof form, bytes.data(), bytes.size());
    to_host();
    if (answer.status >= cudaErrorIllegalAddress && answer.status != cudaErrorLaunchOutOfResources && answer.status != cudaErrorCooperativeLaunchTooLarge) {
        fault_of_kernel = answer.status; /* as on hardware: whoever waits for the kernel is told */
        return cudaSuccess;
    }
    return ended(answer.status);
}
static const void *function_error(const void *stub, cudaError_t *error, Kernel **kernel)
{
    *kernel = kernel_of(stub, error);
    return *kernel;
}

extern "C" {
unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream)
{
    pending().push_back({grid, block, shared, stream});
    return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    if (pending().empty()) return ended(cudaErrorMissingConfiguration);
    Configuration last = pending().back();
    pending().pop_back();
    *grid = last.grid;
    *block = last.block;
    *shared = last.shared;
    *(cudaStream_t *)stream = last.stream;
    return cudaSuccess;
}
cudaError_t cudaLaunchKernel(const void *stub, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream)
{
    return launch(stub, grid, block, arguments, shared, stream, 0, __builtin_return_address(0));
}
cudaError_t __cudaLaunchKernel(const void *stub, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream)
{
    return launch(stub, grid, block, arguments, shared, stream, 0, __builtin_return_address(0));
}
cudaError_t cudaLaunchCooperativeKernel(const void *stub, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream)
{
    return launch(stub, grid, block, arguments, shared, stream, COOPERATIVE, __builtin_return_address(0));
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *found, const void *stub)
{
    cudaError_t error;
    Kernel *kernel;
    if (!function_error(stub, &error, &kernel)) return ended(error);
    *found = {};
    found->numRegs = (int)kernel->about[0];
    found->sharedSizeBytes = kernel->about[1];
    found->constSizeBytes = kernel->about[2];
    found->localSizeBytes = kernel->about[3];
    found->maxThreadsPerBlock = (int)kernel->about[4];
    found->ptxVersion = found->binaryVersion = properties.major * 10 + properties.minor;
    found->maxDynamicSharedSizeBytes = (int)(properties.sharedMemPerBlock - kernel->about[1]);
    return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void *stub, cudaFuncAttribute attribute, int value)
{
    cudaError_t error;
    Kernel *kernel;
    if (!function_error(stub, &error, &kernel)) return ended(error);
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
    if (value < 0 || (size_t)value + kernel->about[1] > properties.sharedMemPerBlockOptin) return ended(cudaErrorInvalidValue);
    return ended(ask(LARGEST, (uint64_t)kernel->number, (uint64_t)value).status);
}
cudaError_t cudaFuncSetCacheConfig(const void *, cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaFuncSetSharedMemConfig(const void *, cudaSharedMemConfig) { return cudaSuccess; }
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *stub, int threads, size_t shared)
{
    cudaError_t error;
    Kernel *kernel;
    *blocks = 0;
    if (!function_error(stub, &error, &kernel)) return ended(error);
    Answer answer = ask(OCCUPANCY, (uint64_t)kernel->number, (uint64_t)threads, shared);
    *blocks = (int)answer.value;
    return ended(answer.status);
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *stub, int threads, size_t shared, unsigned int)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, stub, threads, shared);
}
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *stub, int blocks, int)
{
    cudaError_t error;
    Kernel *kernel;
    if (!function_error(stub, &error, &kernel)) return ended(error);
    size_t whole = properties.sharedMemPerMultiprocessor / (size_t)(blocks < 1 ? 1 : blocks);
    *bytes = whole > kernel->about[1] ? whole - kernel->about[1] : 0;
    return cudaSuccess;
}
}
