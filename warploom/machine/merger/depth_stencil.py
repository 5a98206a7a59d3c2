"""The depth and stencil test of a fragment.

In hardware: each pixel has a word of a buffer, stencil in bits 31 to 24, depth in bits 23 to 0 (smaller is nearer, as a rule). The stencil
is compared first, then the depth; which of the two fails first chooses one of three operations on the stencil. An operation works on the
stored stencil, not on the masked one, and what may be written of it is written even where the fragment is dropped. That is the use
of the stencil: to count fragments that are not seen. Source: github.com/vortexgpgpu/skybox d06a998, and Vulkan's "Fragment Operations".
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.engine.unit import unit
from warploom.machine.merger.compare import passes
from warploom.machine.merger.registers import (
    ALWAYS,
    DECREMENT_CLAMP,
    INCREMENT_CLAMP,
    INCREMENT_WRAP,
    INVERT,
    KEEP,
    REPLACE,
    ZERO,
)

DEPTH_BITS = 24
FARTHEST = (1 << DEPTH_BITS) - 1
STENCIL_MOST = 255
PASSED = 1 << 32  # above the word


@unit
def stencil_after(operation, stored, reference):
    """A stencil of 8 bits after an operation: KEEP ... of registers.py."""
    if operation == KEEP:
        return stored
    if operation == ZERO:
        return np.int64(0)
    if operation == REPLACE:
        return reference
    if operation == INCREMENT_CLAMP:
        return min(stored + 1, STENCIL_MOST)
    if operation == DECREMENT_CLAMP:
        return max(stored - 1, 0)
    if operation == INVERT:
        return stored ^ STENCIL_MOST
    if operation == INCREMENT_WRAP:
        return (stored + 1) & STENCIL_MOST
    return (stored - 1) & STENCIL_MOST


@unit
def tests_depth(merger):
    """Whether the depth test is on: it can drop a fragment, or it writes."""
    return merger.depth_compare != ALWAYS or merger.depth_write != 0


@unit
def tests_stencil(merger, face):
    """Whether the stencil test of a face is on. face: FRONT or BACK."""
    kept = merger.stencil_pass[face] == KEEP and merger.stencil_depth_fail[face] == KEEP
    return merger.stencil_compare[face] != ALWAYS or not kept


@unit
def passes_stencil(merger, face, stored):
    """Whether a fragment of a face passes the stencil test of a pixel, whose word is `stored`."""
    if not tests_stencil(merger, face):
        return True
    mask = np.int64(merger.stencil_mask[face])
    reference = np.int64(merger.stencil_reference[face]) & STENCIL_MOST
    return passes(merger.stencil_compare[face], reference & mask & STENCIL_MOST, (np.int64(stored) >> DEPTH_BITS & STENCIL_MOST) & mask)


@unit
def depth_stencil_test(merger, face, stored, depth):
    """A fragment's test: the pixel's word afterwards, + PASSED if its colour may be written.

    face: FRONT or BACK. stored: the pixel's word. depth: the fragment's, whose low 24 bits count.
    """
    new, old = np.int64(depth) & FARTHEST, np.int64(stored) & FARTHEST
    stencil = (np.int64(stored) >> DEPTH_BITS) & STENCIL_MOST
    after, operation, passed = stencil, np.int64(KEEP), True
    with_stencil = tests_stencil(merger, face)
    reference = np.int64(merger.stencil_reference[face]) & STENCIL_MOST
    if with_stencil:
        passed = passes_stencil(merger, face, stored)
        operation = np.int64(merger.stencil_pass[face] if passed else merger.stencil_fail[face])
    if passed and tests_depth(merger):
        passed = passes(merger.depth_compare, new, old)
        if not passed:
            operation = np.int64(merger.stencil_depth_fail[face])
        elif merger.depth_write != 0:
            old = new
    if with_stencil:
        written = np.int64(merger.stencil_write[face]) & STENCIL_MOST
        after = (stencil & ~written) | (stencil_after(operation, stencil, reference) & written)
    return after << DEPTH_BITS | old | (np.int64(PASSED) if passed else np.int64(0))
