"""Texel formats: from the bits in memory to numbers, and back into memory.

In hardware: the stage between the texture cache and the filter, one per texel lane. Channels of 8 bits or less are widened by
wires and a small multiplier (a division by 2^bits - 1 is a multiplication by a constant); floats go straight
through. A narrow format costs nothing here and saves cache and bandwidth: r5g6b5 fetches half the bytes of rgba8.

The table of formats is `isa/program.py`'s FORMATS, here as arrays by format number and channel. A texel is named by its
byte address, a multiple of its size (wide texels: of 4), in a memory of 32-bit little-endian words.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.isa.views import FORMATS
from warploom.machine.engine.unit import unit

TEXEL_BYTES = np.array([form.bytes for form in FORMATS], np.int64)
FIELD_BITS = np.array([[bits for bits, _ in form.fields] for form in FORMATS], np.int64)
FIELD_SHIFT = np.array([[shift for _, shift in form.fields] for form in FORMATS], np.int64)
BYTE_VALUE = np.arange(256, dtype=np.float32) / np.float32(255)  # what a byte channel stands for

ZERO = np.float32(0)
ONE = np.float32(1)


@unit
def inserted(word, packed, shift, size):
    """The word after the texel of `size` bytes at bit `shift` has become the low bits of `packed`."""
    if size >= 4:
        return packed
    mask = ((1 << (8 * size)) - 1) << shift
    return np.uint32((np.int64(word) & ~mask) | ((np.int64(packed) << shift) & mask))
