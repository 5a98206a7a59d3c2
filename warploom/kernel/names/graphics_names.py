"""Raster engine and output merger in kernels: `cuda.take_quad()` and `cuda.merge_fragment(...)`, of machines that have these units.

numba.cuda has neither; they are what Vortex of 2024 has as `vx_rast` and `vx_om`. What is drawn and where to, the host has written into
device configuration registers (`isa/vortex/graphics.py`).
"""

from __future__ import annotations

import ast
from typing import Any

from warploom.kernel.syntax.arithmetic import whole
from warploom.kernel.syntax.known_names import function
from warploom.kernel.syntax.translator import Translator
from warploom.kernel.types import types as ty
from warploom.kernel.types.values import Number


@function(
    "cuda.take_quad", "", "this lane's next quad of the raster engine: row << 50 | column << 36 | covered << 32 | triangle << 1 | 1, or 0"
)
def take_quad(t: Translator, node: ast.Call) -> Number:
    """`cuda.take_quad()`. row, column: of quads of 2 x 2 pixels. covered: a bit a pixel."""
    return Number(ty.UINT64, t.b.effect("take_quad", type="u64"))


@function(
    "cuda.merge_fragment", "where, color, depth", "the output merger takes a fragment at y << 16 | x << 1 | back, with 4 bytes of colour"
)
def merge_fragment(t: Translator, node: ast.Call, where: Any, color: Any, depth: Any) -> None:
    """`cuda.merge_fragment(where, color, depth)`. color: alpha in the highest byte. depth: 24 bits."""
    t.b.effect("merge", *(whole(t, one, node, name) for one, name in ((where, "a place"), (color, "a colour"), (depth, "a depth"))))
