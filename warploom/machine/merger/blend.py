"""Blending: what a fragment's colour makes of the colour that is there.

In hardware: two multipliers and an adder a channel, in three stages. A channel has 8 bits, 255 stands for 1, so a product of two has to be
divided by 255, and rounded: (x + 128 + ((x + 128) >> 8)) >> 8, which is exact for all products of two bytes.

    add                source * S + destination * D     at most 255
    subtract           source * S - destination * D     at least 0
    reverse-subtract   destination * D - source * S     at least 0
    min, max           of source and destination, without factors
    logic              one of the 16 functions of two bits, on the whole word

S and D are factors such as "src-alpha" and "one-minus-src-alpha"; alpha has functions and factors of its own. The sum is rounded once, not
each product. Source: github.com/vortexgpgpu/skybox d06a998. "one-minus-constant-alpha" is 1 - the constant's alpha in every
channel, as in that hardware and in Vulkan; its C++ model takes 1 - the constant's own channel.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.engine.unit import unit
from warploom.machine.merger.registers import (
    ADD,
    F_CONSTANT,
    F_CONSTANT_ALPHA,
    F_DESTINATION,
    F_DESTINATION_ALPHA,
    F_NOT_CONSTANT,
    F_NOT_CONSTANT_ALPHA,
    F_NOT_DESTINATION,
    F_NOT_DESTINATION_ALPHA,
    F_NOT_SOURCE,
    F_NOT_SOURCE_ALPHA,
    F_ONE,
    F_SATURATED,
    F_SOURCE,
    F_SOURCE_ALPHA,
    F_ZERO,
    LOGIC,
    MAX,
    MIN,
    SUBTRACT,
)

ONE = 255
HALF = 0x80
MOST_SUM = 0xFF00  # what rounds to 255
ALPHA_SHIFT = 24
WORD = 0xFFFFFFFF


@unit
def blends(merger):
    """Whether blending is on: its functions are other than "source * 1 + destination * 0"."""
    for part in range(2):
        plain = merger.source_factor[part] == F_ONE and merger.destination_factor[part] == F_ZERO
        if merger.blend_color[part] != ADD or not plain:
            return True
    return False


@unit
def channel_of(color, shift):
    """The byte of a colour at bit `shift`."""
    return (np.int64(color) >> shift) & ONE


@unit
def factor(function, source, destination, constant, shift):
    """A factor, 0 to 255. function: F_ZERO ...; shift: of the channel that it is for, ALPHA_SHIFT for alpha; the others: colours."""
    if function == F_ZERO:
        return np.int64(0)
    if function == F_ONE:
        return np.int64(ONE)
    if function == F_SOURCE:
        return channel_of(source, shift)
    if function == F_NOT_SOURCE:
        return ONE - channel_of(source, shift)
    if function == F_DESTINATION:
        return channel_of(destination, shift)
    if function == F_NOT_DESTINATION:
        return ONE - channel_of(destination, shift)
    if function == F_SOURCE_ALPHA:
        return channel_of(source, ALPHA_SHIFT)
    if function == F_NOT_SOURCE_ALPHA:
        return ONE - channel_of(source, ALPHA_SHIFT)
    if function == F_DESTINATION_ALPHA:
        return channel_of(destination, ALPHA_SHIFT)
    if function == F_NOT_DESTINATION_ALPHA:
        return ONE - channel_of(destination, ALPHA_SHIFT)
    if function == F_CONSTANT:
        return channel_of(constant, shift)
    if function == F_NOT_CONSTANT:
        return ONE - channel_of(constant, shift)
    if function == F_CONSTANT_ALPHA:
        return channel_of(constant, ALPHA_SHIFT)
    if function == F_NOT_CONSTANT_ALPHA:
        return ONE - channel_of(constant, ALPHA_SHIFT)
    if function == F_SATURATED:
        return np.int64(ONE) if shift == ALPHA_SHIFT else min(channel_of(source, ALPHA_SHIFT), ONE - channel_of(destination, ALPHA_SHIFT))
    return np.int64(0)


@unit
def rounded(total):
    """A sum of products, + HALF, as a channel: divided by 255."""
    return (total + (total >> 8)) >> 8


@unit
def blend_channel(mode, source, source_factor, destination, destination_factor):
    """One channel: ADD ... of two bytes with their factors."""
    if mode == MIN:
        return min(source, destination)
    if mode == MAX:
        return max(source, destination)
    first, second = source * source_factor, destination * destination_factor
    if mode == ADD:
        return rounded(min(first + second + HALF, MOST_SUM))
    return rounded(max((first - second if mode == SUBTRACT else second - first) + HALF, 0))


@unit
def logic(operation, source, destination):
    """One of the 16 functions of two bits, on words: bit 0 of the number of OpenGL's table is what 1 and 1 give, bit 3 what 0 and 0 do.

    That table begins with CLEAR = 0, AND = 1, and ends with SET = 15.
    """
    result = np.int64(0)
    if operation & 1 != 0:
        result |= source & destination
    if operation & 2 != 0:
        result |= source & ~destination
    if operation & 4 != 0:
        result |= ~source & destination
    if operation & 8 != 0:
        result |= ~source & ~destination
    return result & WORD


@unit
def blended(merger, source, destination):
    """The colour that a fragment's makes of a pixel's, before the write mask. Colours: four bytes, alpha in the highest."""
    result = np.int64(0)
    for channel in range(4):
        shift = 8 * channel
        part = 1 if shift == ALPHA_SHIFT else 0
        mode = merger.blend_color[part]
        if mode == LOGIC:
            value = channel_of(logic(merger.logic_operation, np.int64(source), np.int64(destination)), shift)
        else:
            first = factor(merger.source_factor[part], source, destination, merger.blend_constant, shift)
            second = factor(merger.destination_factor[part], source, destination, merger.blend_constant, shift)
            value = blend_channel(mode, channel_of(source, shift), first, channel_of(destination, shift), second)
        result |= value << shift
    return result
