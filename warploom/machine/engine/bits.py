"""Lane and warp masks: a 64-bit number, bit n for lane or warp n."""

from __future__ import annotations

import numpy as np

from warploom.machine.engine.unit import inlined, native_form_of, unit

EMPTY = np.uint64(0)
ONE = np.uint64(1)

# Plain Python's: to make a number of NumPy's takes longer than to find it, and Python's own integers count bits at once.
BITS = tuple(ONE << np.uint64(number) for number in range(64))
NO_MASK = "Python integer {} out of bounds for uint64"  # in NumPy's words


@unit
def popcount(mask):
    """Number of ones in a 64-bit mask."""
    number = int(mask)
    if number < 0:
        raise OverflowError(NO_MASK.format(number))
    return number.bit_count()


@native_form_of(popcount)
@inlined
def popcount_in_parallel(mask):
    """Sums of neighbours: of single bits, of pairs, of fours, and of the bytes by a product. LLVM knows the idiom as one instruction."""
    x = mask - ((mask >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@unit
def bit(number):
    """The 64-bit mask with one bit, 0 to 63."""
    if not 0 <= number < 64:
        raise IndexError(f"there is no bit {number} in a mask")
    return BITS[number]


@native_form_of(bit)
@inlined
def shifted_bit(number):
    """The one, shifted to its place."""
    return ONE << np.uint64(number)


@inlined
def has(mask, number):
    """Whether a mask has a bit."""
    return mask & bit(number) != EMPTY


@unit
def lowest(mask):
    """Number of the lowest one of a 64-bit mask; 64 when there is none."""
    number = int(mask)
    if number < 0:
        raise OverflowError(NO_MASK.format(number))
    return (number & -number).bit_length() - 1 if number else 64


@native_form_of(lowest)
@inlined
def ones_below_lowest(mask):
    """The lowest one alone, less one: a one for each place below it."""
    low = mask & (~mask + ONE)
    return popcount(low - ONE) if mask != EMPTY else np.int64(64)


@unit
def highest(mask):
    """Number of the highest one of a 64-bit mask that has one."""
    number = int(mask)
    if number < 0:
        raise OverflowError(NO_MASK.format(number))
    return number.bit_length() - 1


@native_form_of(highest)
@unit
def ones_up_to_highest(mask):
    """The highest one spread to all places below it."""
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
    return mask & (mask - ONE)


@inlined
def below(number):
    """The mask of all bits below bit `number`, 0 to 63."""
    return bit(number) - ONE


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
