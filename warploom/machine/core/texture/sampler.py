"""Texture unit: samples an image at a fractional place, for all lanes of a warp.

In hardware: address generation (`address.py`), a separate cache that is laid out for two-dimensional neighbourhoods, format conversion
(`formats.py`) and a filter of some multipliers and adders. A unit serves a few lanes per cycle; NVIDIA's multiprocessors have four such
units, each one bilinear sample a cycle. Point sampling fetches one texel a lane, bilinear four, trilinear eight, and that is what a sample
costs; in return the shader is spared some fifty instructions.

A linear sample is the sum of the four texels around it, each times (1 - |dx|) (1 - |dy|), in the order
(-,-) (+,-) (+,+) (-,+), every step rounded to a 32-bit float, as github.com/aschrein/guppy does it (hardware uses 8 or 9 bits of
weight instead; `fixed_point.py` shows one that is published). Its errors are not repeated: texel numbers are floors for negative
coordinates too, and no coordinate makes the wrap run forever. A trilinear sample is the sum of the four texels of two levels, whose weights
are further multiplied by 1 - fraction and fraction of the level of detail; point and linear samplers take the level that is nearest to it.
Texels outside of the view or of memory are 0 in all channels.

`sample` is `locate` (which texels, with which weights) and then `filter_texels` (their weighted sum). When the texels
arrive is up to the cache that looks up the addresses.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.isa.uop import DST, IMM, NONE, VIEW, A, B, C
from warploom.isa.views import F_RGBA8, LINEAR, POINT, SAMPLER_FILTER, SAMPLER_WRAP_U, SAMPLER_WRAP_V, TRILINEAR, VIEW_FORMAT, VIEW_LEVELS
from warploom.machine.core.texture.address import HALF, describe, level_of, nearest, neighbours
from warploom.machine.core.texture.formats import BYTE_VALUE, FIELD_BITS, FIELD_SHIFT, ONE, TEXEL_BYTES, ZERO, inserted
from warploom.machine.datapath.register_file import source
from warploom.machine.engine.sizes import MAX_LANES
from warploom.machine.engine.unit import record, unit

TEXELS = 8  # texels that one sample can touch: two levels of four
NOT_A_NUMBER = np.float32(np.nan)

Texels = record(
    state=dict(
        address=("i8", (TEXELS, MAX_LANES)),  # row t, by lane: byte address of its texel t; -1 where there is none
        weight=("f4", (TEXELS, MAX_LANES)),   # row t, by lane: the texel's share of the sample
    ),
)  # fmt: skip


@unit
def sample(registers, uops, k, lanes, memory, views, samplers, texels):
    """Execute micro-op `k`, a `sample`, in the active lanes: registers DST .. DST + 3 = red, green, blue, alpha.

    registers: WarpRegisters. memory: uint32[words], global memory. views, samplers: Program's tables. texels: Texels;
    afterwards address[t, lane] is the byte address of texel t of a lane, or -1 if there is none (an inactive
    lane, a texel outside of the view, a second level without weight). Returns how many rows t were written: 1, 4 or 8 for
    point, linear and trilinear filters. Each row is one warp-wide access, as a load would make it.
    """
    rows = locate(registers, uops, k, lanes, memory.shape[0], views, samplers, texels)
    filter_texels(registers, uops, k, lanes, memory, views, texels, rows)
    return rows


@unit
def locate(registers, uops, k, lanes, memory_words, views, samplers, texels):
    """Find the texels of micro-op `k` and their weights; returns the number of rows (see `sample`)."""
    row = uops[k, VIEW]
    sampler = uops[k, IMM]
    filtering = samplers[sampler, SAMPLER_FILTER]
    wrap_u = samplers[sampler, SAMPLER_WRAP_U]
    wrap_v = samplers[sampler, SAMPLER_WRAP_V]
    levels = views[row, VIEW_LEVELS]
    has_detail = uops[k, C] != NONE and levels > 1
    u = registers.lane[source(registers, uops, k, A, 0, lanes)].view(np.float32)
    v = registers.lane[source(registers, uops, k, B, 1, lanes)].view(np.float32)
    detail = registers.lane[source(registers, uops, k, C, 2, lanes)].view(np.float32)
    base, limit, size, level_0 = describe(views, row, memory_words)
    last = limit - size  # the last address at which a texel can lie
    address = texels.address
    weight = texels.weight

    rows = 1 if filtering == POINT else 4 if filtering == LINEAR else TEXELS
    for t in range(rows):
        for lane in range(lanes):
            address[t, lane] = -1

    for lane in range(lanes):
        if registers.active[lane] != 0:
            level = np.int64(0)
            fraction = ZERO
            if has_detail:
                level, fraction = level_and_fraction(detail[lane], levels, filtering)
            share = np.float32(ONE - fraction)
            for t in range(0, rows, 4):
                if share == ZERO:
                    continue
                start, width, height, pitch = level_0 if level == 0 else level_of(level_0, size, level)
                if filtering == POINT:
                    where = start + nearest(v[lane], height, wrap_v) * pitch + nearest(u[lane], width, wrap_u) * size
                    address[t, lane] = where if base <= where <= last else -1
                    weight[t, lane] = ONE
                else:
                    left, right, left_weight, right_weight = neighbours(u[lane], width, wrap_u)
                    top, bottom, top_weight, bottom_weight = neighbours(v[lane], height, wrap_v)
                    upper = start + top * pitch
                    lower = start + bottom * pitch
                    where = upper + left * size
                    address[t, lane] = where if base <= where <= last else -1
                    where = upper + right * size
                    address[t + 1, lane] = where if base <= where <= last else -1
                    where = lower + right * size
                    address[t + 2, lane] = where if base <= where <= last else -1
                    where = lower + left * size
                    address[t + 3, lane] = where if base <= where <= last else -1
                    weight[t, lane] = np.float32(np.float32(left_weight * top_weight) * share)
                    weight[t + 1, lane] = np.float32(np.float32(right_weight * top_weight) * share)
                    weight[t + 2, lane] = np.float32(np.float32(right_weight * bottom_weight) * share)
                    weight[t + 3, lane] = np.float32(np.float32(left_weight * bottom_weight) * share)
                level += 1
                share = fraction
    return rows


@unit
def level_and_fraction(detail, levels, filtering):
    """(level, how far towards the next one) for a level of detail; what lies outside of the levels, or is not a number, is clamped."""
    last = np.float32(levels - 1)
    if not detail > ZERO:
        detail = ZERO
    elif detail > last:
        detail = last
    if filtering != TRILINEAR:
        return np.int64(np.floor(np.float32(detail + HALF))), ZERO
    level = np.float32(np.floor(detail))
    return np.int64(level), np.float32(detail - level)


@unit
def filter_texels(registers, uops, k, lanes, memory, views, texels, rows):
    """Registers DST .. DST + 3 of the active lanes = sum over `rows` texels of texel times weight, from 0, in their order.

    A sum that is not a number is the one quiet NaN 0x7fc00000.
    """
    form = views[uops[k, VIEW], VIEW_FORMAT]
    if form == F_RGBA8:
        filter_rgba8(registers, uops[k, DST], lanes, memory, texels, rows)
        return
    floats = memory.view(np.float32)
    for which in range(4):
        out = registers.lane[uops[k, DST] + which].view(np.float32)
        bits = FIELD_BITS[form, which]
        shift = FIELD_SHIFT[form, which]
        largest = (1 << bits) - 1
        for lane in range(lanes):
            if registers.active[lane] != 0:
                total = ZERO
                for t in range(rows):
                    address = texels.address[t, lane]
                    if address >= 0:
                        if bits == 0:
                            value = ONE if which == 3 else ZERO
                        elif bits == 32:
                            value = floats[(address + (shift >> 3)) >> 2]
                        else:
                            number = np.int64(memory[address >> 2]) >> (8 * (address & 3) + shift)
                            value = np.float32(np.float32(number & largest) / np.float32(largest))
                        total = np.float32(total + np.float32(value * texels.weight[t, lane]))
                out[lane] = total if total == total else NOT_A_NUMBER


@unit
def filter_rgba8(registers, destination, lanes, memory, texels, rows):
    """What `filter_texels` does, for the commonest format: all channels of a texel together."""
    red = registers.lane[destination].view(np.float32)
    green = registers.lane[destination + 1].view(np.float32)
    blue = registers.lane[destination + 2].view(np.float32)
    alpha = registers.lane[destination + 3].view(np.float32)
    for lane in range(lanes):
        if registers.active[lane] != 0:
            r, g, b, a = ZERO, ZERO, ZERO, ZERO
            for t in range(rows):
                address = texels.address[t, lane]
                if address >= 0:
                    word = np.int64(memory[address >> 2])
                    weight = texels.weight[t, lane]
                    r = np.float32(r + np.float32(BYTE_VALUE[word >> 24] * weight))
                    g = np.float32(g + np.float32(BYTE_VALUE[(word >> 16) & 255] * weight))
                    b = np.float32(b + np.float32(BYTE_VALUE[(word >> 8) & 255] * weight))
                    a = np.float32(a + np.float32(BYTE_VALUE[word & 255] * weight))
            red[lane] = r
            green[lane] = g
            blue[lane] = b
            alpha[lane] = a


@unit
def image_address(views, row, memory_words, x, y):
    """Byte address of texel (x, y) of level 0 of a view, or -1 if there is no such texel. x, y: lane registers' values."""
    base, limit, size, level_0 = describe(views, row, memory_words)
    column = np.int64(x)
    line = np.int64(y)
    _, width, height, pitch = level_0
    address = base + line * pitch + column * size
    if column >= width or line >= height or address < base or address + size > limit:
        return np.int64(-1)
    return address


@unit
def store_image(registers, uops, k, lanes, memory, views):
    """Execute micro-op `k`, a `store_image`: texel (A, B) of VIEW = the packed word C, in the order of the lanes.

    Texels narrower than a word take its low bits, wider ones hold it in their first four bytes. Lanes whose texel
    is not in the image do nothing. Writes memory and nothing else.
    """
    x = registers.lane[source(registers, uops, k, A, 0, lanes)]
    y = registers.lane[source(registers, uops, k, B, 1, lanes)]
    packed = registers.lane[source(registers, uops, k, C, 2, lanes)]
    row = uops[k, VIEW]
    size = TEXEL_BYTES[views[row, VIEW_FORMAT]]
    for lane in range(lanes):
        if registers.active[lane] != 0:
            address = image_address(views, row, memory.shape[0], x[lane], y[lane])
            if address >= 0:
                word = address >> 2
                memory[word] = inserted(memory[word], packed[lane], 8 * (address & 3), size)
