/* Memory: the device's, the host's, and what both may access. */

/* What both may access: `host` and `device` hold the same before a launch and after it. */
struct Mirror {
    uint64_t device;
    size_t bytes;
    bool managed; /* it lies in the window; else it is the program's own memory or the runtime's */
};
static std::map<char *, Mirror> &mirrors()
{
    static std::map<char *, Mirror> *all = new std::map<char *, Mirror>;
    return *all;
}
struct Pinned {
    size_t bytes;
    unsigned int flags;
    bool registered;
};
static std::map<char *, Pinned> &pinned()
{
    static std::map<char *, Pinned> *all = new std::map<char *, Pinned>;
    return *all;
}
template <class Table> static auto around(Table &table, const void *place) -> decltype(table.begin())
{
    auto next = table.upper_bound((char *)place);
    if (next == table.begin()) return table.end();
    --next;
    return (char *)place < next->first + next->second.bytes ? next : table.end();
}
static const size_t PAGE = 4096;
static size_t pages(size_t bytes) { return (bytes + PAGE - 1) / PAGE * PAGE; }

static void to_device()
{
    for (auto &[host, mirror] : mirrors()) ask(WRITE, mirror.device, 0, 0, 0, host, mirror.bytes);
}
static void to_host()
{
    for (auto &[host, mirror] : mirrors()) ask(READ, mirror.device, mirror.bytes, 0, 0, 0, 0, 0, 0, host);
}

static void mirror_variable(char *host, uint64_t device, size_t bytes)
{
    mirrors()[host] = Mirror{device, bytes, false};
    ask(READ, device, bytes, 0, 0, 0, 0, 0, 0, host);
}

/* shared: how many of the bytes the program has asked for, where the host may access them; else 0. */
static cudaError_t allocate(void **place, size_t bytes, size_t align, size_t shared, const void *caller)
{
    IF_BROKEN_RETURN();
    if (!place) return ended(cudaErrorInvalidValue);
    *place = nullptr;
    if (!bytes) return cudaSuccess;
    Answer found = ask(ALLOCATE, bytes, align, shared, place_of(caller));
    if (found.status == cudaSuccess) *place = pointer_of(found.value);
    return ended(found.status);
}

/* How an address is reached. */
enum Side { HOST, DEVICE };
static Side side_of(const void *place, bool said_to_be_device)
{
    if (in_window(place)) return mirrors().count((char *)place) || around(mirrors(), place) != mirrors().end() ? HOST : DEVICE;
    return said_to_be_device && (uint64_t)place < WINDOW_BYTES && around(pinned(), place) == pinned().end() ? DEVICE : HOST;
}
static cudaError_t move(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    if (!bytes) return cudaSuccess;
    if ((unsigned)kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
    if (!to || !from) return cudaErrorInvalidValue;
    Side target = side_of(to, kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice);
    Side source = side_of(from, kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice);
    /* Pinned memory of the host is accessible from both sides; anything else has to be where the direction says. */
    auto wrong = [&](const void *place, Side side, bool device) {
        if (device) return side == HOST && around(pinned(), place) == pinned().end() && around(mirrors(), place) == mirrors().end();
        return side == DEVICE;
    };
    if (kind != cudaMemcpyDefault && (wrong(to, target, kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice) ||
                                      wrong(from, source, kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice)))
        return cudaErrorInvalidValue;
    if (target == HOST && source == HOST) return memmove(to, from, bytes), cudaSuccess;
    if (target == DEVICE && source == DEVICE) return ask(COPY, device_address(to), device_address(from), bytes).status;
    if (target == DEVICE) return ask(WRITE, device_address(to), 0, 0, 0, from, bytes).status;
    return ask(READ, device_address(from), bytes, 0, 0, 0, 0, 0, 0, to).status;
}
static cudaError_t fill(void *place, int value, size_t bytes)
{
    if (!bytes) return cudaSuccess;
    if (side_of(place, true) == HOST) {
        if (around(mirrors(), place) == mirrors().end() && around(pinned(), place) == pinned().end()) return cudaErrorInvalidValue;
        memset(place, value, bytes);
        return cudaSuccess;
    }
    return ask(FILL, device_address(place), value & 255, bytes).status;
}
static cudaError_t move_box(char *to, size_t toPitch, size_t toSlice, const char *from, size_t fromPitch, size_t fromSlice, size_t width, size_t height,
                            size_t depth, cudaMemcpyKind kind)
{
    if (width > toPitch || width > fromPitch) return cudaErrorInvalidPitchValue;
    if (width == toPitch && width == fromPitch && toSlice == fromSlice && toSlice == width * height) return move(to, from, width * height * depth, kind);
    for (size_t z = 0; z < depth; z++)
        for (size_t y = 0; y < height; y++)
            if (cudaError_t error = move(to + z * toSlice + y * toPitch, from + z * fromSlice + y * fromPitch, width, kind)) return error;
    return cudaSuccess;
}

extern "C" {
cudaError_t cudaMalloc(void **place, size_t bytes) { return allocate(place, bytes, 256, 0, __builtin_return_address(0)); }
cudaError_t cudaMallocAsync(void **place, size_t bytes, cudaStream_t) { return allocate(place, bytes, 256, 0, __builtin_return_address(0)); }
cudaError_t cudaMallocPitch(void **place, size_t *pitch, size_t width, size_t height)
{
    *pitch = (width + 511) / 512 * 512;
    return allocate(place, *pitch * height, 512, 0, __builtin_return_address(0));
}
cudaError_t cudaMalloc3D(cudaPitchedPtr *place, cudaExtent extent)
{
    place->pitch = (extent.width + 511) / 512 * 512;
    place->xsize = extent.width;
    place->ysize = extent.height;
    return allocate(&place->ptr, place->pitch * extent.height * extent.depth, 512, 0, __builtin_return_address(0));
}
cudaError_t cudaMallocManaged(void **place, size_t bytes, unsigned int)
{
    cudaError_t error = allocate(place, pages(bytes), PAGE, bytes, __builtin_return_address(0));
    if (error != cudaSuccess || !*place) return error;
    if (!open_to_host(*place, pages(bytes))) return ended(cudaErrorMemoryAllocation);
    mirrors()[(char *)*place] = Mirror{device_address(*place), bytes, true};
    return cudaSuccess;
}
cudaError_t cudaFree(void *place)
{
    cudaError_t error = waited();
    if (!place || error != cudaSuccess) return error;
    if (!in_window(place)) return ended(cudaErrorInvalidValue);
    auto mirror = mirrors().find((char *)place);
    if (mirror != mirrors().end()) {
        close_to_host(place, pages(mirror->second.bytes));
        mirrors().erase(mirror);
    }
    return ended(ask(FREE, device_address(place)).status);
}
cudaError_t cudaFreeAsync(void *place, cudaStream_t) { return cudaFree(place); }
cudaError_t cudaHostAlloc(void **place, size_t bytes, unsigned int flags)
{
    IF_BROKEN_RETURN();
    if (!place) return ended(cudaErrorInvalidValue);
    *place = nullptr;
    if (!bytes) return cudaSuccess;
    if (flags & cudaHostAllocMapped) { /* it is wanted from the device: as managed memory */
        cudaError_t error = cudaMallocManaged(place, bytes, cudaMemAttachGlobal);
        if (error == cudaSuccess) pinned()[(char *)*place] = Pinned{bytes, flags, false};
        return error;
    }
    if (posix_memalign(place, PAGE, pages(bytes))) return ended(cudaErrorMemoryAllocation);
    memset(*place, 0, bytes);
    pinned()[(char *)*place] = Pinned{bytes, flags, false};
    return cudaSuccess;
}
cudaError_t cudaMallocHost(void **place, size_t bytes) { return cudaHostAlloc(place, bytes, cudaHostAllocDefault); }
cudaError_t cudaFreeHost(void *place)
{
    if (!place) return cudaSuccess;
    auto found = pinned().find((char *)place);
    if (found == pinned().end() || found->second.registered) return ended(cudaErrorInvalidValue);
    pinned().erase(found);
    if (in_window(place)) return cudaFree(place);
    auto mirror = mirrors().find((char *)place);
    if (mirror != mirrors().end()) {
        ask(FREE, mirror->second.device);
        mirrors().erase(mirror);
    }
    free(place);
    return cudaSuccess;
}
cudaError_t cudaHostRegister(void *place, size_t bytes, unsigned int flags)
{
    if (!place || !bytes) return ended(cudaErrorInvalidValue);
    if (pinned().count((char *)place)) return ended(cudaErrorHostMemoryAlreadyRegistered);
    pinned()[(char *)place] = Pinned{bytes, flags, true};
    return cudaSuccess;
}
cudaError_t cudaHostUnregister(void *place)
{
    auto found = pinned().find((char *)place);
    if (found == pinned().end() || !found->second.registered) return ended(cudaErrorHostMemoryNotRegistered);
    pinned().erase(found);
    auto mirror = mirrors().find((char *)place);
    if (mirror != mirrors().end()) {
        ask(FREE, mirror->second.device);
        mirrors().erase(mirror);
    }
    return cudaSuccess;
}
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int)
{
    auto found = around(pinned(), host);
    if (found == pinned().end()) return ended(cudaErrorInvalidValue);
    if (in_window(host)) return *device = host, cudaSuccess;
    auto mirror = mirrors().find(found->first);
    if (mirror == mirrors().end()) { /* from now on the device has a copy of it before and after each launch */
        void *copy;
        cudaError_t error = allocate(&copy, found->second.bytes, 256, 0, __builtin_return_address(0));
        if (error != cudaSuccess) return error;
        mirror = mirrors().insert({found->first, Mirror{device_address(copy), found->second.bytes, false}}).first;
    }
    *device = pointer_of(mirror->second.device + (uint64_t)((char *)host - mirror->first));
    return cudaSuccess;
}
cudaError_t cudaHostGetFlags(unsigned int *flags, void *host)
{
    auto found = pinned().find((char *)host);
    if (found == pinned().end()) return ended(cudaErrorInvalidValue);
    *flags = found->second.flags;
    return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    IF_BROKEN_RETURN();
    *free_bytes = ask(MEMORY).value;
    *total_bytes = memory_bytes;
    return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *found, const void *place)
{
    *found = {};
    if (around(mirrors(), place) != mirrors().end() && in_window(place) && around(pinned(), place) == pinned().end())
        *found = {cudaMemoryTypeManaged, 0, (void *)place, (void *)place};
    else if (in_window(place) && around(pinned(), place) == pinned().end()) *found = {cudaMemoryTypeDevice, 0, (void *)place, nullptr};
    else if (around(pinned(), place) != pinned().end()) *found = {cudaMemoryTypeHost, 0, (void *)place, (void *)place};
    else *found = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, (void *)place};
    return cudaSuccess;
}
#define WAIT_FIRST() \
    if (cudaError_t broken = waited()) return broken
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    WAIT_FIRST();
    return ended(move(to, from, bytes, kind));
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t)
{
    WAIT_FIRST();
    return ended(move(to, from, bytes, kind));
}
cudaError_t cudaMemcpyPeer(void *to, int, const void *from, int, size_t bytes) { return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice); }
cudaError_t cudaMemcpyPeerAsync(void *to, int, const void *from, int, size_t bytes, cudaStream_t)
{
    return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}
cudaError_t cudaMemcpy2D(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width, size_t height, cudaMemcpyKind kind)
{
    WAIT_FIRST();
    return ended(move_box((char *)to, toPitch, toPitch * height, (const char *)from, fromPitch, fromPitch * height, width, height, 1, kind));
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t)
{
    return cudaMemcpy2D(to, toPitch, from, fromPitch, width, height, kind);
}
cudaError_t cudaMemset(void *place, int value, size_t bytes)
{
    WAIT_FIRST();
    return ended(fill(place, value, bytes));
}
cudaError_t cudaMemsetAsync(void *place, int value, size_t bytes, cudaStream_t) { return cudaMemset(place, value, bytes); }
cudaError_t cudaMemset2D(void *place, size_t pitch, int value, size_t width, size_t height)
{
    WAIT_FIRST();
    for (size_t y = 0; y < height; y++)
        if (cudaError_t error = fill((char *)place + y * pitch, value, width)) return ended(error);
    return cudaSuccess;
}
cudaError_t cudaMemset2DAsync(void *place, size_t pitch, int value, size_t width, size_t height, cudaStream_t)
{
    return cudaMemset2D(place, pitch, value, width, height);
}
cudaError_t cudaMemset3D(cudaPitchedPtr place, int value, cudaExtent extent)
{
    for (size_t z = 0; z < extent.depth; z++)
        if (cudaError_t error = cudaMemset2D((char *)place.ptr + z * place.pitch * place.ysize, place.pitch, value, extent.width, extent.height)) return error;
    return cudaSuccess;
}

static cudaError_t symbol_address(void **place, const void *symbol, size_t offset, size_t bytes)
{
    cudaError_t error;
    Variable *found = variable_of(symbol, &error);
    if (!found) return ended(error);
    if (offset + bytes > found->bytes) return ended(cudaErrorInvalidValue);
    *place = mirrors().count((char *)symbol) ? (char *)symbol + offset : pointer_of(found->address + offset); /* __managed__: the copy here */
    return cudaSuccess;
}
cudaError_t cudaGetSymbolAddress(void **place, const void *symbol) { return symbol_address(place, symbol, 0, 0); }
cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    cudaError_t error;
    Variable *found = variable_of(symbol, &error);
    if (found) *bytes = found->bytes;
    return ended(error);
}
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, cudaMemcpyKind kind)
{
    WAIT_FIRST();
    void *place;
    if (cudaError_t error = symbol_address(&place, symbol, offset, bytes)) return error;
    return ended(move(place, from, bytes, kind));
}
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, cudaMemcpyKind kind)
{
    WAIT_FIRST();
    void *place;
    if (cudaError_t error = symbol_address(&place, symbol, offset, bytes)) return error;
    return ended(move(to, place, bytes, kind));
}
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset, cudaMemcpyKind kind, cudaStream_t)
{
    return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset, cudaMemcpyKind kind, cudaStream_t)
{
    return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}
cudaError_t cudaDeviceReset()
{
    waited();
    for (auto &[place, mirror] : mirrors())
        if (mirror.managed) close_to_host(place, pages(mirror.bytes));
    mirrors().clear();
    ask(RESET);
    fault_of_kernel = known_fault = cudaSuccess;
    last_error = cudaSuccess;
    for (auto &[symbol, variable] : registry().variables) variable.address = 0;
    return cudaSuccess;
}
}
