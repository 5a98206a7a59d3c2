"""Render targets: a colour and a depth-stencil buffer, a word a pixel each, and what was counted while they were drawn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from warploom.graphics.rendering import Drawing
from warploom.graphics.state import BYTE, GraphicsError
from warploom.graphics.texture import pixels_of
from warploom.machine.engine.unit import zeros
from warploom.machine.merger.depth_stencil import DEPTH_BITS, FARTHEST

MOST_PIXELS = 8192  # of a side: positions in 1/256 pixel then leave room for edges in 64 bits
COUNTERS = ("triangles", "tiles", "quads", "fragments", "helpers", "early", "cut", "late", "written")


class Target:
    """A picture to draw into.

    color: uint32[height * width]; alpha, red, green, blue from the highest byte on. depth_stencil: the same; stencil in the highest byte,
    depth below. shaded: uint32, fragments that were shaded at each pixel. occupancy: uint32[quads, 2], quads of the shader at each 2 x 2
    pixels, and the covered pixels in them. srgb: the bytes are sRGB, so a shader's colours are amounts of light.
    """

    def __init__(self, width: int, height: int, *, srgb: bool = False) -> None:
        if not (1 <= width <= MOST_PIXELS and 1 <= height <= MOST_PIXELS):
            raise GraphicsError(f"a target of {width} x {height} pixels: each side is 1 to {MOST_PIXELS}")
        self.width, self.height, self.srgb = width, height, srgb
        self.color = zeros(width * height, np.uint32)
        self.depth_stencil = zeros(width * height, np.uint32)
        self.shaded = zeros(width * height, np.uint32)
        self.occupancy = zeros((self.quad_rows * self.quad_columns, 2), np.uint32)
        self.counts = dict.fromkeys(COUNTERS, 0)
        self.clear()

    @property
    def quad_columns(self) -> int:
        """Quads in a row."""
        return (self.width + 1) // 2

    @property
    def quad_rows(self) -> int:
        """Rows of quads."""
        return (self.height + 1) // 2

    def clear(self, color: Sequence[int] = (0, 0, 0, BYTE), depth: float = 1.0, stencil: int = 0) -> None:
        """Fill both buffers. color: red, green, blue, alpha, 0 to 255; depth: 0 to 1; stencil: 0 to 255. Raises GraphicsError."""
        if len(color) != 4 or any(not 0 <= value <= BYTE for value in color):
            raise GraphicsError(f"the clear colour is {tuple(color)}: it is red, green, blue and alpha, each 0 to {BYTE}")
        if not (0 <= depth <= 1 and 0 <= stencil <= BYTE):
            raise GraphicsError(f"cleared to depth {depth} and stencil {stencil}: depth is 0 to 1, stencil 0 to {BYTE}")
        red, green, blue, alpha = (int(value) for value in color)
        self.color[:] = alpha << 24 | red << 16 | green << 8 | blue
        self.depth_stencil[:] = stencil << DEPTH_BITS | int(np.floor(depth * FARTHEST + 0.5))

    def pixels(self) -> np.ndarray:
        """The picture: uint8[height, width, 4], red first, the upper row first."""
        return pixels_of(self.color.reshape(self.height, self.width))

    def depth(self) -> np.ndarray:
        """Depths 0 (near) to 1: float64[height, width]."""
        return (self.depth_stencil.reshape(self.height, self.width) & FARTHEST) / FARTHEST

    def stencil(self) -> np.ndarray:
        """Stencil values: uint8[height, width]."""
        return (self.depth_stencil.reshape(self.height, self.width) >> DEPTH_BITS).astype(np.uint8)

    def add(self, counted: np.ndarray) -> None:
        """Add what a draw call has counted. counted: an array of one `Drawing`."""
        for name in COUNTERS:
            self.counts[name] += int(counted[name][0])


def drawing_of(target: Target, early: bool) -> np.ndarray:
    """The record that a draw call counts in."""
    made = zeros(1, Drawing)
    made["width"], made["tests_early"] = target.width, int(early)
    return made
