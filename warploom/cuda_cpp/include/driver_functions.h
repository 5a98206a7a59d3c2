/* make_cudaExtent and its like. */
#pragma once
#pragma GCC system_header
#include "driver_types.h"
#if defined(__cplusplus)
static inline cudaPitchedPtr make_cudaPitchedPtr(void *place, size_t pitch, size_t xsize, size_t ysize) { return {place, pitch, xsize, ysize}; }
static inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) { return {width, height, depth}; }
static inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
static inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) { return {x, y, z, w, kind}; }
#endif
