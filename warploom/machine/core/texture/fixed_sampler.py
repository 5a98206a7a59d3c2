"""Fixed-point texture unit: samples the texture that its registers describe, for all lanes of a warp.

In hardware: the registers, an address generator and a filter without floats, a few thousand gates. A program or the host writes the
registers before it samples; here each core has a separate block of memory words for them. The first says which arithmetic the filter has:
that of 2021 (`fixed_point.py`), or of 2022 or 2024 (`fixed_point_23.py`). Point sampling fetches one texel a lane, bilinear four. A sample
is `locate_fixed` (which texels, with which weights), then `filter_fixed`; between the two the memory stage looks up where the texels lie.

Source: Tine et al., MICRO 2021, section 4.4; github.com/vortexgpgpu/vortex, 2021-10, 2022-01, 2024-08.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.isa.uop import DST, A, B, C
from warploom.isa.views import (
    FIXED_2021,
    FIXED_2024,
    FIXED_ADDRESS,
    FIXED_ARITHMETIC,
    FIXED_FILTER,
    FIXED_FORMAT,
    FIXED_HEIGHT,
    FIXED_LEVELS,
    FIXED_OFFSETS,
    FIXED_WIDTH,
    FIXED_WRAP_U,
    FIXED_WRAP_V,
)
from warploom.machine.core.texture.fixed_point import FRACTION as FRACTION_20
from warploom.machine.core.texture.fixed_point import STRIDE_SHIFT, fixed_axis, fixed_lerp, fixed_unpack
from warploom.machine.core.texture.fixed_point_23 import ARGB_STRIDE_SHIFT, FRACTION, WORD, axis_23, lerp_argb, unpack_argb
from warploom.machine.datapath.register_file import source
from warploom.machine.engine.unit import unit

PLACES = 4  # row of `texels.address` from which on the memory stage writes where the four texels lie


@unit
def texel_shift(memory, block):
    """log2 of a texel's bytes. block: number of the first word of the unit's registers; as below."""
    form = np.int64(memory[block + FIXED_FORMAT])
    if memory[block + FIXED_ARITHMETIC] == FIXED_2021:
        return STRIDE_SHIFT[min(form, STRIDE_SHIFT.shape[0] - 1)]
    return ARGB_STRIDE_SHIFT[min(form, ARGB_STRIDE_SHIFT.shape[0] - 1)]


@unit
def locate_fixed(registers, uops, k, lanes, memory, block, texels):
    """Find the texels of micro-op `k`, a `sample_fixed`; returns how many a lane has, 1 or 4.

    Afterwards texels.address[t, lane] is the address of texel t, -1 in lanes that take no part, in the order (-,-) (+,-) (-,+) (+,+);
    texels.weight[0 and 1, lane] are the weights of + in u and v.
    """
    arithmetic = memory[block + FIXED_ARITHMETIC]
    linear = np.int64(memory[block + FIXED_FILTER]) & 1
    wrap_u = np.int64(memory[block + FIXED_WRAP_U]) & 3
    wrap_v = np.int64(memory[block + FIXED_WRAP_V]) & 3
    base = np.int64(memory[block + FIXED_ADDRESS])
    shift = texel_shift(memory, block)
    u = registers.lane[source(registers, uops, k, A, 0, lanes)]
    v = registers.lane[source(registers, uops, k, B, 1, lanes)]
    detail = registers.lane[source(registers, uops, k, C, 2, lanes)]
    address = texels.address
    rows = 4 if linear != 0 else 1
    for lane in range(lanes):
        for t in range(rows):
            address[t, lane] = -1
        if registers.active[lane] == 0:
            continue
        level = np.int64(detail[lane]) & (FIXED_LEVELS - 1)
        width = np.int64(memory[block + FIXED_WIDTH])
        height = np.int64(memory[block + FIXED_HEIGHT])
        if arithmetic == FIXED_2021:  # its registers describe one level
            width = min(width, np.int64(FRACTION_20))
            left, right, weight_u = fixed_axis(u[lane], width, wrap_u, linear)
            top, bottom, weight_v = fixed_axis(v[lane], min(height, np.int64(FRACTION_20)), wrap_v, linear)
            level = np.int64(0)
        else:
            newer = 1 if arithmetic >= FIXED_2024 else 0
            width = max(min(width, np.int64(FRACTION)) - level, np.int64(0))
            height = max(min(height, np.int64(FRACTION)) - level, np.int64(0))
            left, right, weight_u = axis_23(u[lane], width, wrap_u, linear, newer)
            top, bottom, weight_v = axis_23(v[lane], height, wrap_v, linear, newer)
        start = base + np.int64(memory[block + FIXED_OFFSETS + level])
        upper = top << width
        lower = bottom << width
        address[0, lane] = (start + ((upper + left) << shift)) & WORD
        if linear != 0:
            address[1, lane] = (start + ((upper + right) << shift)) & WORD
            address[2, lane] = (start + ((lower + left) << shift)) & WORD
            address[3, lane] = (start + ((lower + right) << shift)) & WORD
        texels.weight[0, lane] = np.float32(weight_u)
        texels.weight[1, lane] = np.float32(weight_v)
    return rows


@unit
def filter_fixed(registers, uops, k, lanes, memory, block, texels, rows):
    """DST of the active lanes = the texels' four bytes, filtered. The texels lie at the places in texels.address[PLACES + t, lane]."""
    arithmetic = memory[block + FIXED_ARITHMETIC]
    form = np.int64(memory[block + FIXED_FORMAT])
    out = registers.lane[uops[k, DST]]
    for lane in range(lanes):
        if registers.active[lane] == 0:
            continue
        first = texel_at(memory, texels.address[PLACES, lane], form, arithmetic)
        if rows == 1:
            out[lane] = np.uint32(first)
            continue
        second = texel_at(memory, texels.address[PLACES + 1, lane], form, arithmetic)
        third = texel_at(memory, texels.address[PLACES + 2, lane], form, arithmetic)
        fourth = texel_at(memory, texels.address[PLACES + 3, lane], form, arithmetic)
        u = np.int64(texels.weight[0, lane])
        v = np.int64(texels.weight[1, lane])
        if arithmetic == FIXED_2021:
            out[lane] = np.uint32(fixed_lerp(fixed_lerp(first, second, u), fixed_lerp(third, fourth, u), v))
        else:
            newer = 1 if arithmetic >= FIXED_2024 else 0
            upper = lerp_argb(first, second, u, newer)
            lower = lerp_argb(third, fourth, u, newer)
            out[lane] = np.uint32(lerp_argb(upper, lower, v, newer))


@unit
def texel_at(memory, place, form, arithmetic):
    """The four bytes of the texel at a place."""
    bits = np.int64(memory[place >> 2]) >> (8 * (place & 3))
    if arithmetic == FIXED_2021:
        return fixed_unpack(bits, form)
    return unpack_argb(bits, form, 1 if arithmetic >= FIXED_2024 else 0)
