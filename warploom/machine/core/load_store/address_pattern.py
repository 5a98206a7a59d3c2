"""Address patterns: what holds for the addresses of all lanes of a warp together.

In hardware: comparators between neighbouring lanes. Most accesses lie side by side, or at least close together, and are then handled
without looking at one lane after the other.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.engine.comparators import PLACES, extremes
from warploom.machine.engine.unit import inlined, native_form_of, unit

LARGEST = np.uint32(0xFFFFFFFF)


@unit
def is_run(addresses, active, stride, lanes):
    """Whether every lane is active and lies `stride` bytes beyond the lane before it, modulo 2**32.

    addresses: u4[lanes], bytes. active: u4[lanes], non-zero in the lanes that take part.
    """
    for lane in range(lanes):
        if active[lane] == 0 or (np.int64(addresses[lane]) - np.int64(addresses[0]) - lane * stride) & 0xFFFFFFFF != 0:
            return False
    return True


@native_form_of(is_run)
@inlined
def is_run_without_branches(addresses, active, stride, lanes):
    """All differences in one word, in 32 bits: several lanes are compared together."""
    start = addresses[0]
    step = np.uint32(stride & 0xFFFFFFFF)
    found = np.uint32(0)
    for lane in range(lanes):
        expected = np.uint32(start + np.uint32(np.uint32(lane) * step))
        found = np.uint32(found | np.uint32(active[lane] == 0) | np.uint32(addresses[lane] - expected))
    return found == 0


@unit
def address_range(addresses, active, lanes):
    """(lowest, highest) address of the active lanes, as int64; the lowest is above the highest when no lane is active."""
    lowest = np.int64(LARGEST)
    highest = np.int64(0)
    for lane in range(lanes):
        if active[lane] != 0:
            lowest = min(lowest, np.int64(addresses[lane]))
            highest = max(highest, np.int64(addresses[lane]))
    return lowest, highest if lowest <= highest else np.int64(-1)


@native_form_of(address_range)
@inlined
def address_range_without_branches(addresses, active, lanes):
    """Masks instead of branches: several lanes are compared together. An inactive lane stands as the largest address, or as 0."""
    lowest = LARGEST
    highest = np.uint32(0)
    for lane in range(lanes):
        off = np.uint32(np.uint32(active[lane] != 0) - np.uint32(1))
        on = np.uint32(np.uint32(active[lane] == 0) - np.uint32(1))
        lowest = min(lowest, np.uint32(addresses[lane] | off))
        highest = max(highest, np.uint32(addresses[lane] & on))
    return np.int64(lowest), np.int64(highest) if lowest <= highest else np.int64(-1)


@unit
def extent(base, offset, active, lanes):
    """(lowest, highest) address of the active lanes, and the OR of them all, as int64; the highest is -1 when no lane is active.

    An address is a base, u4, and the offset of all, modulo 2**32. Of a whole warp: `active` is all ones or 0, and 0 beyond `lanes` too.
    """
    lowest = LARGEST
    highest = np.uint32(0)
    bits = np.uint32(0)
    found = False
    for lane in range(lanes):
        if active[lane] != 0:
            address = np.uint32(np.int64(base[lane]) + np.int64(offset) & 0xFFFFFFFF)
            lowest = min(lowest, address)
            highest = max(highest, address)
            bits = np.uint32(bits | address)
            found = True
    return np.int64(lowest), np.int64(highest) if found else np.int64(-1), np.int64(bits)


@native_form_of(extent)
@inlined
def extent_of_groups(base, offset, active, lanes):
    """Several lanes together."""
    lowest, highest, bits = extremes(base, offset, active)
    for start in range(PLACES, lanes, PLACES):
        low, high, some = extremes(base[start:], offset, active[start:])
        lowest, highest, bits = min(lowest, low), max(highest, high), bits | some
    return lowest, highest if lowest <= highest else np.int64(-1), bits
