/* Error codes: the last one of a thread, and the fault of a kernel, which every later call reports. */

static thread_local cudaError_t last_error = cudaSuccess;
static std::atomic<int> fault_of_kernel{cudaSuccess}; /* has happened; a call that waits for the device finds out */
static std::atomic<int> known_fault{cudaSuccess};     /* has been found out */

static cudaError_t ended(cudaError_t error)
{
    if (error != cudaSuccess) last_error = error;
    return error;
}
/* Wait for the device, which has ended: a fault comes to light. */
static cudaError_t waited()
{
    if (fault_of_kernel != cudaSuccess) known_fault = fault_of_kernel.load();
    return ended((cudaError_t)known_fault.load());
}
#define IF_BROKEN_RETURN() \
    if (known_fault != cudaSuccess) return ended((cudaError_t)known_fault.load())

extern "C" {
cudaError_t cudaGetLastError()
{
    cudaError_t found = known_fault != cudaSuccess ? (cudaError_t)known_fault.load() : last_error;
    last_error = cudaSuccess;
    return found;
}
cudaError_t cudaPeekAtLastError() { return known_fault != cudaSuccess ? (cudaError_t)known_fault.load() : last_error; }
const char *cudaGetErrorString(cudaError_t error)
{
#define TEXT(name, number, text) \
    case name: return text;
    switch (error) {
        __WARPLOOM_ERRORS(TEXT)
        default: return "unrecognized error code";
    }
#undef TEXT
}
const char *cudaGetErrorName(cudaError_t error)
{
#define NAME(name, number, text) \
    case name: return #name;
    switch (error) {
        __WARPLOOM_ERRORS(NAME)
        default: return "unrecognized error code";
    }
#undef NAME
}
}
