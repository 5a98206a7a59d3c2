"""A fragment's way through the output merger: test, blend, write.

In hardware: the pixel's words are read through a cache of the merger's own, tested and blended, and written back. Two fragments of one
pixel must not overtake each other, or the later one blends with a colour that is out of date.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.engine.unit import unit
from warploom.machine.merger.blend import blended, blends
from warploom.machine.merger.depth_stencil import PASSED, depth_stencil_test, tests_depth, tests_stencil
from warploom.machine.merger.registers import FRONT

ALL_BYTES = 15
WORD = 0xFFFFFFFF


@unit
def reads_depth_stencil(merger, face):
    """Whether the merger needs the depth and stencil of a pixel."""
    return tests_depth(merger) or tests_stencil(merger, face)


@unit
def reads_color(merger):
    """Whether the merger needs the colour of a pixel: to blend, or to keep some bytes of it."""
    return merger.color_write != 0 and (merger.color_write != ALL_BYTES or blends(merger))


@unit
def written_color(merger, source, stored):
    """A pixel's colour after a fragment that has passed: blended, and of that the bytes that may be written."""
    result = blended(merger, source, stored) if blends(merger) else np.int64(source) & WORD
    mask = np.int64(0)
    for byte in range(4):
        if merger.color_write >> byte & 1 != 0:
            mask |= 0xFF << (8 * byte)
    return (result & mask) | (np.int64(stored) & ~mask & WORD)


@unit
def merge(merger, colors, depths, place, face, color, depth):
    """One fragment: colors[place] and depths[place] are what the pixel holds afterwards. Returns whether it has passed its tests.

    colors, depths: uint32, a word a pixel. face: FRONT or BACK. color: four bytes, alpha in the highest. depth: 24 bits.
    """
    if reads_depth_stencil(merger, face):
        tested = depth_stencil_test(merger, face, depths[place], depth)
        depths[place] = np.uint32(tested & WORD)
        if tested & PASSED == 0:
            return False
    if merger.color_write != 0:
        colors[place] = np.uint32(written_color(merger, color, colors[place]))
    return True


@unit
def merge_all(merger, colors, depths, places, fragments):
    """Fragments in order through the output merger. places: int64[n], of their pixels. fragments: int64[n, 2], colour and depth."""
    passed = 0
    for n in range(places.shape[0]):
        if merge(merger, colors, depths, places[n], np.int64(FRONT), fragments[n, 0], fragments[n, 1]):
            passed += 1
    return passed
