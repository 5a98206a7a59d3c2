"""Views: bounded pieces of memory, and how a texture unit reads them. Formats and samplers too."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

VIEW_COLUMNS = 12
# Columns of a row of Program.views: a bounded piece of memory, and how to read it as a texture.
# BASE, BYTES: first byte and size. FORMAT: a number of FORMATS. WIDTH, HEIGHT: texels of level 0 (0 for a buffer).
# PITCH: bytes from row to row of level 0. Level l, when there are LEVELS > 1, follows level l - 1 without a gap: it has
# max(1, WIDTH >> l) x max(1, HEIGHT >> l) texels and its rows are packed.
(VIEW_BASE, VIEW_BYTES, VIEW_FORMAT, VIEW_WIDTH, VIEW_HEIGHT, VIEW_WRITABLE, VIEW_LEVELS, VIEW_PITCH) = range(8)


class ViewShape(NamedTuple):
    """What a buffer holds, in words of the source: an array of `shape`, with elements of `item_bytes`, the last index running fastest.

    A message about an access outside of the buffer names the element then. floats: the elements are floating-point numbers;
    whole: whole ones, of which signed ones may be below 0.
    """

    shape: tuple[int, ...]
    item_bytes: int
    floats: bool = False
    whole: bool = False
    signed: bool = False

    def element(self, byte: int) -> str:
        """The element at a byte of the buffer, or outside of it: `[12]`, `[-1, 63]`, `[()]`. The first index may be beyond the shape."""
        number, indices = byte // self.item_bytes, []
        if not self.shape and not number:
            return "[()]"
        for extent in reversed(self.shape[1:]):
            number, index = divmod(number, max(extent, 1))
            indices.append(index)
        return f"[{', '.join(map(str, [number, *reversed(indices)]))}]"

    @property
    def dtype(self) -> np.dtype[Any] | None:
        """The type of its elements; None where they are not numbers of 8 to 64 bits."""
        kind = "f" if self.floats else ("i" if self.signed else "u") if self.whole else ""
        known = self.item_bytes in ((2, 4, 8) if self.floats else (1, 2, 4, 8))
        return np.dtype(f"<{kind}{self.item_bytes}") if kind and known else None

    @property
    def extent(self) -> str:
        """How many elements it has: `10 elements`, `4 x 64 elements`."""
        return " x ".join(map(str, self.shape or (1,))) + (" element" if self.shape in ((), (1,)) else " elements")


class Format(NamedTuple):
    """How the texels of a view lie in memory; every number is little-endian.

    fields: (bits, shift) of red, green, blue and alpha inside the texel's unsigned number, which stands for
    number / (2^bits - 1); 0 bits for a channel that is not there. A format whose channels are 32 bits wide holds
    floats, one after the other: red first. A channel that is not there reads as 0, alpha as 1.
    """

    name: str
    bytes: int
    fields: tuple[tuple[int, int], tuple[int, int], tuple[int, int], tuple[int, int]]


FORMATS: tuple[Format, ...] = (
    Format("word", 4, ((0, 0), (0, 0), (0, 0), (0, 0))),  # a buffer of 32-bit words, no texture
    Format("rgba8", 4, ((8, 24), (8, 16), (8, 8), (8, 0))),  # red in the highest byte, as guppy's images are packed
    Format("r8", 1, ((8, 0), (0, 0), (0, 0), (0, 0))),
    Format("rg8", 2, ((8, 8), (8, 0), (0, 0), (0, 0))),
    Format("r32f", 4, ((32, 0), (0, 0), (0, 0), (0, 0))),
    Format("rgba32f", 16, ((32, 0), (32, 32), (32, 64), (32, 96))),
    Format("r5g6b5", 2, ((5, 11), (6, 5), (5, 0), (0, 0))),
    Format("rgba4", 2, ((4, 12), (4, 8), (4, 4), (4, 0))),
)
F_WORD, F_RGBA8, F_R8, F_RG8, F_R32F, F_RGBA32F, F_R5G6B5, F_RGBA4 = range(len(FORMATS))
FORMAT_NUMBER = {form.name: number for number, form in enumerate(FORMATS)}

SAMPLER_COLUMNS = 4
# Columns of a row of Program.samplers.
SAMPLER_FILTER, SAMPLER_WRAP_U, SAMPLER_WRAP_V = range(3)
FILTERS = ("point", "linear", "trilinear")  # trilinear: linear inside a level and between two levels
POINT, LINEAR, TRILINEAR = range(len(FILTERS))
WRAPS = ("repeat", "clamp", "mirror")
REPEAT, CLAMP, MIRROR = range(len(WRAPS))

# Registers of a fixed-point texture unit (`sample_fixed`), 32-bit words side by side in memory: which arithmetic it has; the texture's
# address; log2 of width and height of level 0; format; filter (0: point, 1: bilinear); wraps (0: clamp, 1: repeat, 2: mirror); by level,
# bytes from the address.
FIXED_LEVELS = 16
(FIXED_ARITHMETIC, FIXED_ADDRESS, FIXED_WIDTH, FIXED_HEIGHT, FIXED_FORMAT, FIXED_FILTER, FIXED_WRAP_U, FIXED_WRAP_V, FIXED_OFFSETS) = range(
    9
)
FIXED_WORDS = 32
FIXED_2021, FIXED_2022, FIXED_2024 = range(3)  # arithmetics: coordinates with 20 or 23 fraction bits, see machine/core/texture
