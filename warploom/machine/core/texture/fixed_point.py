"""Vortex's texture sampler of 2021: all in fixed point, as few gates as a sampler can have.

In hardware: coordinates are signed numbers of 12 whole and 20 fraction bits, 1.0 being the whole image. Sizes are powers of
two, so that "coordinate times size" is a shift, and wrapping is an AND, an XOR or a saturation. The filter works on
8-bit channels with 8-bit weights: two multipliers and an adder a channel and step, no floats anywhere. Source:
Tine et al., "Vortex: Extending the RISC-V ISA for GPGPU and 3D-graphics", MICRO 2021, and its RTL.

Two peculiarities of that RTL are kept, since programs can see them. The weights are the low 8 bits of the lower neighbour's
wrapped coordinate, whatever the size of the image, although the fraction between two texels lies further up unless
the image has 4096 texels a side. And a weight is at most 255 / 256, so the upper texel is never taken whole.

Texels are unpacked to four bytes, red lowest. Red is the highest field of r5g6b5 and the lowest of rgba4; alpha is the high byte
of l8a8. Narrower channels repeat their high bits below, luminance is red, green and blue alike, a channel that is not there is 255.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from warploom.machine.engine.unit import native_form_of, unit

FRACTION = 20
WHOLE = (1 << FRACTION) - 1  # the largest coordinate inside the image
HALF_IMAGE = 1 << (FRACTION - 1)

FIXED_FORMATS = ("rgba8", "r5g6b5", "rgba4", "l8a8", "l8", "a8")
X_RGBA8, X_R5G6B5, X_RGBA4, X_L8A8, X_L8, X_A8 = range(len(FIXED_FORMATS))
STRIDE_SHIFT = np.array([2, 1, 1, 1, 0, 0], np.int64)  # log2 of a texel's bytes

FIXED_WRAPS = ("clamp", "repeat", "mirror")
X_CLAMP, X_REPEAT, X_MIRROR = range(len(FIXED_WRAPS))


class FixedTexture(NamedTuple):
    """One level of a texture and how it is sampled: the unit's registers."""

    base: Any  # byte address: the texture's plus the level's offset; not negative, a multiple of a texel's bytes
    form: Any  # X_RGBA8 ...
    linear: Any  # 0: a point sample
    wrap_u: Any  # X_CLAMP ...
    wrap_v: Any
    log_width: Any  # log2 of the texels in a row, 0 .. 20
    log_height: Any


@unit
def fixed_wrap(coordinate, wrap):
    """A signed 32-bit coordinate brought into the image: 0 .. 2^20 - 1."""
    if wrap == X_CLAMP:
        return min(max(coordinate, 0), WHOLE)
    low = coordinate & WHOLE
    if wrap == X_MIRROR and (coordinate >> FRACTION) & 1 != 0:
        return low ^ WHOLE
    return low


@unit
def fixed_axis(coordinate, log_size, wrap, linear):
    """One axis: (lower texel, upper texel, weight of the upper one in 256ths).

    coordinate: a register's 32 bits, read as signed. log_size: log2 of the image's size, 0 .. 20. Sums wrap in 32 bits.
    """
    value = np.int64(np.uint32(coordinate))
    delta = (HALF_IMAGE >> log_size) if linear != 0 else 0
    low = (((value - delta) + 0x80000000) & 0xFFFFFFFF) - 0x80000000
    high = (((value + delta) + 0x80000000) & 0xFFFFFFFF) - 0x80000000
    low = fixed_wrap(low, wrap)
    high = fixed_wrap(high, wrap)
    return (low << log_size) >> FRACTION, (high << log_size) >> FRACTION, low & 0xFF


@unit
def fixed_unpack(bits, form):
    """A texel's bits (int64, those above its size are ignored) as four bytes: red lowest, alpha highest."""
    if form == X_RGBA8:
        return bits & 0xFFFFFFFF
    if form == X_R5G6B5:
        red = (bits >> 11) & 31
        green = (bits >> 5) & 63
        blue = bits & 31
        return ((red << 3) | (red >> 2)) | ((green << 2) | (green >> 4)) << 8 | ((blue << 3) | (blue >> 2)) << 16 | 0xFF000000
    if form == X_RGBA4:
        return (bits & 15) * 0x11 | ((bits >> 4) & 15) * 0x1100 | ((bits >> 8) & 15) * 0x110000 | ((bits >> 12) & 15) * 0x11000000
    if form == X_L8A8:
        return (bits & 0xFF) * 0x010101 | ((bits >> 8) & 0xFF) << 24
    if form == X_L8:
        return (bits & 0xFF) * 0x010101 | 0xFF000000
    return (bits & 0xFF) << 24 | 0xFFFFFF


@unit
def fixed_lerp(first, second, weight):
    """Four bytes: (first * (256 - weight) + second * weight) >> 8 in each."""
    result = np.int64(0)
    for shift in range(0, 32, 8):
        mixed = ((first >> shift) & 0xFF) * (256 - weight) + ((second >> shift) & 0xFF) * weight
        result |= (mixed >> 8) << shift
    return result


@native_form_of(fixed_lerp)
@unit
def fixed_lerp_in_pairs(first, second, weight):
    """The two even bytes share a multiplication, and so do the two odd ones: no product reaches the next byte but one."""
    other = 256 - weight
    even = ((first & 0xFF00FF) * other + (second & 0xFF00FF) * weight) >> 8
    odd = ((first >> 8) & 0xFF00FF) * other + ((second >> 8) & 0xFF00FF) * weight
    return (even & 0xFF00FF) | (odd & 0xFF00FF00)


@unit
def vortex_sample(memory, texture, u, v, address):
    """One lane's sample: four bytes as uint32, red lowest.

    memory: uint32[words]. texture: FixedTexture. u, v: 32-bit coordinates, 1.0 = 2^20. address: int64[4]; receives the byte addresses
    of the texels (-,-) (+,-) (-,+) (+,+). A point sample touches the first alone; the others are -1. A texel outside of memory is 0.
    """
    form = texture.form
    left, right, weight_u = fixed_axis(u, texture.log_width, texture.wrap_u, texture.linear)
    top, bottom, weight_v = fixed_axis(v, texture.log_height, texture.wrap_v, texture.linear)
    upper = np.int64(0)
    result = np.int64(0)
    for row in range(2 if texture.linear != 0 else 1):
        start = (top if row == 0 else bottom) << texture.log_width
        here = texture.base + ((start + left) << STRIDE_SHIFT[form])
        beside = texture.base + ((start + right) << STRIDE_SHIFT[form])
        first = fixed_unpack(np.int64(memory[here >> 2]) >> (8 * (here & 3)), form) if here >> 2 < memory.shape[0] else np.int64(0)
        second = fixed_unpack(np.int64(memory[beside >> 2]) >> (8 * (beside & 3)), form) if beside >> 2 < memory.shape[0] else np.int64(0)
        address[2 * row] = here
        address[2 * row + 1] = beside
        result = fixed_lerp(first, second, weight_u)
        if row == 0:
            upper = result
    if texture.linear == 0:
        address[1] = -1
        address[2] = -1
        address[3] = -1
        return np.uint32(upper)
    return np.uint32(fixed_lerp(upper, result, weight_v))
