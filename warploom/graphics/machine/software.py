"""Raster engine and output merger as software in the shader: what a machine without these units does, in the same buffers.

A shader in C is compiled with `warploom_software.h` in the units' place. Pictures are those of the units, in every bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.graphics.own_shader import in_python
from warploom.graphics.state import GraphicsError

UNITS, RASTER, ALL = "units", "raster", "all"
KINDS = (UNITS, RASTER, ALL)
SHADER = "lit"  # of meshes without one of their own: that of the units is assembly, made for them


def macros(kind: str) -> tuple[str, ...]:
    """What a shader is compiled with. kind: what is software, of KINDS."""
    return () if kind == UNITS else (f"WARPLOOM_SOFTWARE={KINDS.index(kind)}",)


def shader_for(fragment: Any, kind: str) -> Any:
    """The pixel shader that a pipeline has then. Raises GraphicsError."""
    if kind != UNITS and fragment is not None and in_python(fragment):
        raise GraphicsError("raster engine and merger are software in shaders in C alone: this one is in Python")
    return SHADER if kind != UNITS and fragment is None else fragment


def unit_words(places: dict[str, int], headers: int, log_tile: int, rule: str, scissor: tuple[int, int, int, int], width: int,
               merger: list[int]) -> np.ndarray:  # fmt: skip
    """`warploom_units_t`: uint32[29]. places: of buffers. merger: its registers."""
    first = [places["tiles"], headers, log_tile, int(rule == "inclusive"), *scissor, places["color"], places["depth"], width]
    return np.array([*first, *merger], np.uint32)
