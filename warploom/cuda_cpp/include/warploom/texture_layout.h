/* What a texture or surface object points to, in the device's memory: the runtime writes it, and a fetch reads it. */
#pragma once
#pragma GCC system_header

struct __warploom_texture {
    unsigned long long data, pitch, slice; /* bytes from row to row, and from layer to layer */
    int size[3];                           /* texels along x, y, z; layers count in z */
    int kind, bits, channels;              /* cudaChannelFormatKind; bits of a channel */
    int address[3];                        /* cudaTextureAddressMode along x, y, z */
    int linear, as_float, normalized;      /* filter; integers as numbers of 0 .. 1; coordinates in 0 .. 1 */
    float border[4];
};
