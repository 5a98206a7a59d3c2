"""Lane and warp masks: a 64-bit number, bit n for lane or warp n."""

from __future__ import annotations

import numpy as np

from warploom.machine.engine.unit import inlined, unit

EMPTY = np.uint64(0)


@inlined
def popcount(mask):
    """Number of ones in a 64-bit mask."""
    x = mask - ((mask >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@inlined
def bit(number):
    """The 64-bit mask with one bit."""
    return np.uint64(1) << np.uint64(number)


@inlined
def has(mask, number):
    """Whether a mask has a bit."""
    return mask & bit(number) != EMPTY


@inlined
def lowest(mask):
    """Number of the lowest one of a 64-bit mask; 64 when there is none."""
    low = mask & (~mask + np.uint64(1))
    return popcount(low - np.uint64(1)) if mask != EMPTY else np.int64(64)


@unit
def highest(mask):
    """Number of the highest one of a 64-bit mask that has one."""
    x = mask | (mask >> np.uint64(1))
    x = x | (x >> np.uint64(2))
    x = x | (x >> np.uint64(4))
    x = x | (x >> np.uint64(8))
    x = x | (x >> np.uint64(16))
    x = x | (x >> np.uint64(32))
    return popcount(x) - 1


@inlined
def rest(mask):
    """A mask without its lowest one."""
    return mask & (mask - np.uint64(1))


@inlined
def below(number):
    """The mask of all bits below bit `number`, 0 to 63."""
    return bit(number) - np.uint64(1)


@inlined
def ones(count):
    """The mask of the lowest `count` bits, 1 to 64 of them."""
    return below(count - 1) | bit(count - 1)


@unit
def after(mask, last, warps):
    """The first warp of a mask after warp `last`, going round; -1 when the mask is empty."""
    if mask == EMPTY:
        return np.int64(-1)
    start = last + 1
    if start < warps:
        above = mask & ~below(start)
        if above != EMPTY:
            return lowest(above)
    return lowest(mask)
