/* Arrays, textures and surfaces. An array lies in the device's memory row by row; a texture object is the address of its description there
   (texture_layout.h), which fetches read. */
#include "warploom/texture_layout.h"

struct cudaArray {
    void *place;
    cudaChannelFormatDesc desc;
    cudaExtent extent; /* texels, as it was asked for */
    size_t element;    /* bytes of a texel */
    unsigned int flags;
    size_t height() const { return extent.height ? extent.height : 1; }
    size_t depth() const { return extent.depth ? extent.depth : 1; }
    size_t pitch() const { return extent.width * element; }
    size_t slice() const { return pitch() * height(); }
    char *at(size_t x_bytes, size_t y, size_t z) const { return (char *)place + z * slice() + y * pitch() + x_bytes; }
};
static size_t element_bytes(const cudaChannelFormatDesc &d) { return (size_t)(d.x + d.y + d.z + d.w) / 8; }
/* The description of linear memory or of an array; false for a format that is none. */
static bool describe(__warploom_texture *t, const cudaChannelFormatDesc &d, const void *data, size_t pitch, size_t slice, size_t x, size_t y, size_t z)
{
    *t = {};
    t->data = (uint64_t)data;
    t->pitch = pitch;
    t->slice = slice;
    t->size[0] = (int)x;
    t->size[1] = (int)y;
    t->size[2] = (int)z;
    t->kind = d.f;
    t->bits = d.x;
    t->channels = (d.x > 0) + (d.y > 0) + (d.z > 0) + (d.w > 0);
    return (d.x == 8 || d.x == 16 || d.x == 32) && t->channels != 3 && d.f <= cudaChannelFormatKindFloat;
}
static cudaError_t described(__warploom_texture *t, const cudaResourceDesc *r)
{
    if (r->resType == cudaResourceTypeArray) {
        const cudaArray *a = r->res.array.array;
        if (!a) return cudaErrorInvalidValue;
        return describe(t, a->desc, a->place, a->pitch(), a->slice(), a->extent.width, a->height(), a->depth()) ? cudaSuccess : cudaErrorInvalidChannelDescriptor;
    }
    if (r->resType == cudaResourceTypeLinear) {
        const cudaChannelFormatDesc &d = r->res.linear.desc;
        size_t bytes = element_bytes(d);
        if (!r->res.linear.devPtr || !bytes) return cudaErrorInvalidValue;
        return describe(t, d, r->res.linear.devPtr, 0, 0, r->res.linear.sizeInBytes / bytes, 1, 1) ? cudaSuccess : cudaErrorInvalidChannelDescriptor;
    }
    if (r->resType == cudaResourceTypePitch2D) {
        if (!r->res.pitch2D.devPtr) return cudaErrorInvalidValue;
        return describe(t, r->res.pitch2D.desc, r->res.pitch2D.devPtr, r->res.pitch2D.pitchInBytes, 0, r->res.pitch2D.width, r->res.pitch2D.height, 1)
                   ? cudaSuccess
                   : cudaErrorInvalidChannelDescriptor;
    }
    return cudaErrorNotSupported; /* mipmapped arrays */
}
static cudaError_t new_object(unsigned long long *object, const __warploom_texture &t, const void *caller)
{
    void *place;
    cudaError_t error = allocate(&place, sizeof t, 256, sizeof t, caller);
    if (error != cudaSuccess) return error;
    *object = (unsigned long long)place;
    return ended(ask(WRITE, device_address(place), 0, 0, 0, &t, sizeof t).status);
}
/* What texture and surface objects were made of, for programs that ask. */
struct Described {
    cudaResourceDesc resource;
    cudaTextureDesc desc;
};
static std::mutex describing;
static std::map<unsigned long long, Described> &descriptions()
{
    static std::map<unsigned long long, Described> found;
    return found;
}
static void describe(unsigned long long object, const cudaResourceDesc *resource, const cudaTextureDesc *desc)
{
    std::lock_guard<std::mutex> alone(describing);
    descriptions()[object] = Described{*resource, desc ? *desc : cudaTextureDesc{}};
}
static cudaError_t description_of(unsigned long long object, cudaResourceDesc *resource, cudaTextureDesc *desc)
{
    std::lock_guard<std::mutex> alone(describing);
    auto found = descriptions().find(object);
    if (found == descriptions().end() || (!resource && !desc)) return ended(cudaErrorInvalidValue);
    if (resource) *resource = found->second.resource;
    if (desc) *desc = found->second.desc;
    return ended(cudaSuccess);
}
static cudaError_t destroy_object(unsigned long long object)
{
    {
        std::lock_guard<std::mutex> alone(describing);
        descriptions().erase(object);
    }
    return object ? ended(ask(FREE, device_address((void *)object)).status) : cudaSuccess;
}

extern "C" {
cudaError_t cudaMalloc3DArray(cudaArray_t *array, const cudaChannelFormatDesc *desc, cudaExtent extent, unsigned int flags)
{
    if (!array || !desc || !extent.width || !element_bytes(*desc)) return ended(cudaErrorInvalidValue);
    cudaArray made = {nullptr, *desc, extent, element_bytes(*desc), flags};
    cudaError_t error = allocate(&made.place, made.slice() * made.depth(), 512, 0, __builtin_return_address(0));
    if (error == cudaSuccess) *array = new cudaArray(made);
    return error;
}
cudaError_t cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *desc, size_t width, size_t height, unsigned int flags)
{
    if (!array || !desc || !width || !element_bytes(*desc)) return ended(cudaErrorInvalidValue);
    cudaArray made = {nullptr, *desc, {width, height, 0}, element_bytes(*desc), flags};
    cudaError_t error = allocate(&made.place, made.slice(), 512, 0, __builtin_return_address(0));
    if (error == cudaSuccess) *array = new cudaArray(made);
    return error;
}
cudaError_t cudaFreeArray(cudaArray_t array)
{
    if (!array) return cudaSuccess;
    cudaError_t error = cudaFree(array->place);
    delete array;
    return error;
}
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *desc, cudaExtent *extent, unsigned int *flags, cudaArray_t array)
{
    if (!array) return ended(cudaErrorInvalidResourceHandle);
    if (desc) *desc = array->desc;
    if (extent) *extent = array->extent;
    if (flags) *flags = array->flags;
    return cudaSuccess;
}
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *desc, cudaArray_const_t array)
{
    if (!array) return ended(cudaErrorInvalidResourceHandle);
    *desc = array->desc;
    return cudaSuccess;
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height, cudaMemcpyKind kind)
{
    WAIT_FIRST();
    if (!to || x + width > to->pitch() || y + height > to->height() * to->depth()) return ended(cudaErrorInvalidValue);
    return ended(move_box(to->at(x, y, 0), to->pitch(), 0, (const char *)from, pitch, 0, width, height, 1, kind));
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t)
{
    return cudaMemcpy2DToArray(to, x, y, from, pitch, width, height, kind);
}
cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height, cudaMemcpyKind kind)
{
    WAIT_FIRST();
    if (!from || x + width > from->pitch() || y + height > from->height() * from->depth()) return ended(cudaErrorInvalidValue);
    return ended(move_box((char *)to, pitch, 0, from->at(x, y, 0), from->pitch(), 0, width, height, 1, kind));
}
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t toX, size_t toY, cudaArray_const_t from, size_t fromX, size_t fromY, size_t width, size_t height, cudaMemcpyKind)
{
    WAIT_FIRST();
    if (!to || !from) return ended(cudaErrorInvalidValue);
    return ended(move_box(to->at(toX, toY, 0), to->pitch(), 0, from->at(fromX, fromY, 0), from->pitch(), 0, width, height, 1, cudaMemcpyDeviceToDevice));
}
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    WAIT_FIRST();
    if (!to || y * to->pitch() + x + bytes > to->slice() * to->depth()) return ended(cudaErrorInvalidValue);
    return ended(move(to->at(x, y, 0), from, bytes, kind));
}
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t)
{
    return cudaMemcpyToArray(to, x, y, from, bytes, kind);
}
cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes, cudaMemcpyKind kind)
{
    WAIT_FIRST();
    if (!from || y * from->pitch() + x + bytes > from->slice() * from->depth()) return ended(cudaErrorInvalidValue);
    return ended(move(to, from->at(x, y, 0), bytes, kind));
}
/* Where an array takes part, the extent counts its texels, and so do places in it. */
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *p)
{
    WAIT_FIRST();
    size_t element = p->dstArray ? p->dstArray->element : p->srcArray ? p->srcArray->element : 1;
    const cudaPitchedPtr &to = p->dstPtr, &from = p->srcPtr;
    char *target = p->dstArray ? p->dstArray->at(p->dstPos.x * element, p->dstPos.y, p->dstPos.z)
                               : (char *)to.ptr + (p->dstPos.z * to.ysize + p->dstPos.y) * to.pitch + p->dstPos.x;
    char *source = p->srcArray ? p->srcArray->at(p->srcPos.x * element, p->srcPos.y, p->srcPos.z)
                               : (char *)from.ptr + (p->srcPos.z * from.ysize + p->srcPos.y) * from.pitch + p->srcPos.x;
    bool arrays = p->dstArray || p->srcArray;
    size_t height = arrays && !p->extent.height ? 1 : p->extent.height, depth = arrays && !p->extent.depth ? 1 : p->extent.depth;
    return ended(move_box(target, p->dstArray ? p->dstArray->pitch() : to.pitch, p->dstArray ? p->dstArray->slice() : to.pitch * to.ysize, source,
                          p->srcArray ? p->srcArray->pitch() : from.pitch, p->srcArray ? p->srcArray->slice() : from.pitch * from.ysize,
                          p->extent.width * element, height, depth, p->kind));
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *p, cudaStream_t) { return cudaMemcpy3D(p); }

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const cudaResourceDesc *resource, const cudaTextureDesc *desc, const cudaResourceViewDesc *view)
{
    IF_BROKEN_RETURN();
    if (!object || !resource || !desc) return ended(cudaErrorInvalidValue);
    if (view) return ended(cudaErrorNotSupported);
    __warploom_texture t;
    if (cudaError_t error = described(&t, resource)) return ended(error);
    for (int k = 0; k < 3; k++) t.address[k] = desc->addressMode[k];
    t.linear = desc->filterMode == cudaFilterModeLinear && resource->resType != cudaResourceTypeLinear;
    t.as_float = t.kind != cudaChannelFormatKindFloat && desc->readMode == cudaReadModeNormalizedFloat;
    t.normalized = desc->normalizedCoords != 0;
    memcpy(t.border, desc->borderColor, sizeof t.border);
    if (t.as_float && t.bits == 32) return ended(cudaErrorInvalidNormSetting);
    if (t.linear && t.kind != cudaChannelFormatKindFloat && !t.as_float) return ended(cudaErrorInvalidFilterSetting);
    cudaError_t error = new_object(object, t, __builtin_return_address(0));
    if (error == cudaSuccess) describe(*object, resource, desc);
    return error;
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) { return destroy_object(object); }
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *resource, cudaTextureObject_t object) { return description_of(object, resource, nullptr); }
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc *desc, cudaTextureObject_t object) { return description_of(object, nullptr, desc); }
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const cudaResourceDesc *resource)
{
    IF_BROKEN_RETURN();
    if (!object || !resource || resource->resType != cudaResourceTypeArray) return ended(cudaErrorInvalidValue);
    __warploom_texture t;
    if (cudaError_t error = described(&t, resource)) return ended(error);
    cudaError_t error = new_object(object, t, __builtin_return_address(0));
    if (error == cudaSuccess) describe(*object, resource, nullptr);
    return error;
}
cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc *resource, cudaSurfaceObject_t object) { return description_of(object, resource, nullptr); }
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) { return destroy_object(object); }
}
