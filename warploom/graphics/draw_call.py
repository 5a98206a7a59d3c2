"""A draw call: triangles in clip space, through setup, raster engine, shader and merger, into a target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from warploom.graphics.rendering import draw_triangles
from warploom.graphics.setup import Triangles, Viewport, set_up
from warploom.graphics.shading import ATTRIBUTES, NO_TEXTURE, Lamp, Quad
from warploom.graphics.shading import Material as MaterialRow
from warploom.graphics.state import GraphicsError, Pipeline, merger_of, shaded_here
from warploom.graphics.target import Target, drawing_of
from warploom.graphics.texture import Texture, in_memory
from warploom.machine.engine.native.loader import native
from warploom.machine.engine.native.piece import entry_hook
from warploom.machine.engine.unit import mirror, zeros
from warploom.machine.raster.edges import RULES, Raster

ENGINES = ("auto", "native", "python")
WORTH_COMPILING = 30_000  # pixels of triangles' boxes: about what plain Python draws in the time that compiling takes
STEP = 60_000  # pixels of boxes between two calls of `progress`
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Shading:
    """What the built-in shader is given. color: base colour, red first, 0 to 1. texture: None for none. lit: lamp and ambient count.

    two_sided: backs are lit too. cutoff: fragments with less alpha are dropped.
    """

    color: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    texture: Texture | None = None
    lit: bool = False
    two_sided: bool = False
    cutoff: float = 0.0


@dataclass(frozen=True)
class Light:
    """A lamp that is infinitely far away. direction: towards it; None: from over the camera's shoulder.

    strength, ambient: amounts of light, 0 to 1.
    """

    direction: tuple[float, float, float] | None = None
    strength: float = 0.8
    ambient: float = 0.2

    @property
    def towards(self) -> np.ndarray:
        """The direction with the length 1: float64[3]. Raises GraphicsError."""
        direction = np.array(self.direction if self.direction is not None else (0.0, 0.0, 1.0), np.float64)
        with np.errstate(over="ignore"):
            length = np.sqrt((direction**2).sum())
        if not (direction.shape == (3,) and np.isfinite(length) and length > 0):
            raise GraphicsError(f"the light's direction is {self.direction}: it is three finite numbers, not all 0")
        return np.asarray(direction / length)


@dataclass
class DrawCall:
    """n triangles and all that they are drawn with.

    corners: float64[n, 3, 4], clip space. attributes: float32[n, 3, ATTRIBUTES]: u, v, colour, normal. scissor: left, top, right, bottom.
    positions: float64[n, 3, 3], the corners in the world, and eye, where the camera stands: for shaders that ask for them. planes: w at the
    near and at the far plane of a perspective.
    """

    corners: np.ndarray
    attributes: np.ndarray
    pipeline: Pipeline = field(default_factory=Pipeline)
    shading: Shading = field(default_factory=Shading)
    light: Light = field(default_factory=Light)
    scissor: tuple[int, int, int, int] | None = None
    positions: np.ndarray | None = None
    eye: tuple[float, float, float] = (0.0, 0.0, 0.0)
    planes: tuple[float, float] | None = None


def draw_call(target: Target, call: DrawCall, engine: str = "auto", progress: Progress | None = None) -> Triangles:
    """Draw; returns the triangles that were set up. progress: told how many of them are drawn, and of how many. Raises GraphicsError.

    engine: "python", "native", or "auto": native where it is compiled already or worth it. The result does not depend on it.
    """
    left, top, right, bottom = call.scissor or (0, 0, target.width, target.height)
    view = Viewport(target.width, target.height, max(left, 0), max(top, 0), min(right, target.width), min(bottom, target.height))
    if call.corners.ndim != 3 or call.corners.shape[1:] != (3, 4) or call.attributes.shape != (len(call.corners), 3, ATTRIBUTES):
        raise GraphicsError(f"corners are float64[n, 3, 4] and attributes float32[n, 3, {ATTRIBUTES}], and these are {call.corners.shape} "
                            f"and {call.attributes.shape}")  # fmt: skip
    if not np.isfinite(call.corners).all():
        raise GraphicsError(f"triangle {int(np.argwhere(~np.isfinite(call.corners))[0][0])} has a corner that is not a finite number")
    pipeline = call.pipeline
    shaded_here(pipeline)
    triangles = set_up(call.corners, call.attributes, view, pipeline.cull_mode, pipeline.front_face)
    early = pipeline.early_depth and pipeline.depth is not None and pipeline.stencil_front is None and pipeline.stencil_back is None
    drawing, raster = drawing_of(target, early), zeros(1, Raster)
    raster["rule"], raster["log_tile"] = RULES[pipeline.fill_rule], pipeline.tile.bit_length() - 1
    raster["left"], raster["top"], raster["right"], raster["bottom"] = view[2:]
    arguments = [drawing, raster, merger_of(pipeline), zeros(1, Quad), lamp_of(call.light, target), material_of(call.shading),
                 *_tables(triangles), *in_memory([call.shading.texture] if call.shading.texture else [], target.srgb),
                 target.color, target.depth_stencil, target.shaded, target.occupancy]  # fmt: skip
    _draw(arguments, _steps(triangles.boxes), engine, progress)
    target.add(drawing)
    return triangles


def _tables(triangles: Triangles) -> list[np.ndarray]:
    depths, area = triangles.depth, triangles.area[:, None]
    planes = np.concatenate([depths[:, :1], (depths[:, 1:] - depths[:, :1]) / area], axis=1)
    inverse_areas = (triangles.inverse_w / area).astype(np.float32)
    kinds = np.stack([np.zeros_like(triangles.back), triangles.back], axis=1)
    return [triangles.edges, triangles.boxes, planes, inverse_areas, triangles.attributes, kinds]


def material_of(shading: Shading) -> np.ndarray:
    """What the shader is given of a mesh: an array of one record."""
    made = zeros(1, MaterialRow)
    made["color"][0] = shading.color
    made["texture"] = 0 if shading.texture is not None else NO_TEXTURE
    made["lit"], made["two_sided"], made["cutoff"] = int(shading.lit), int(shading.two_sided), shading.cutoff
    return made


def lamp_of(light: Light, target: Target) -> np.ndarray:
    """What the shader is given of the lamp: an array of one record. Raises GraphicsError."""
    made = zeros(1, Lamp)
    made["direction"][0] = light.towards
    made["ambient"], made["strength"], made["srgb"] = light.ambient, light.strength, int(target.srgb)
    return made


def _steps(boxes: np.ndarray) -> np.ndarray:
    """Where to pause: numbers of triangles, from 0 to all, with about STEP pixels of boxes in between."""
    size = (boxes[:, 1] - boxes[:, 0] + 1) * (boxes[:, 3] - boxes[:, 2] + 1)
    total = np.concatenate([[0], np.cumsum(size, dtype=np.int64)])
    marks = np.searchsorted(total, np.arange(STEP, total[-1], STEP, dtype=np.int64))
    return np.unique(np.concatenate([[0], marks, [len(boxes)]])).astype(np.int64)


def _draw(arguments: list[np.ndarray], steps: np.ndarray, engine: str, progress: Progress | None) -> None:
    """Call the entry for each step. arguments: all but the last two."""
    if steps[-1] == 0:
        return
    call: Callable[..., Any]
    entry: Callable[..., Any] = draw_triangles
    if _is_native(arguments, engine):
        code = native()
        entry = code.entry(draw_triangles, (*arguments, 0, 0))
        placed = [code.place(argument) for argument in arguments]
        call = lambda first, last: entry(*placed, first, last)  # noqa: E731
    else:
        plain = [mirror(one) if one.dtype.names else one for one in arguments]

        def call(first: int, last: int) -> None:
            with np.errstate(all="ignore"):
                entry(*plain, first, last)

    for first, last in pairwise(steps):
        call(int(first), int(last))
        if progress is not None:
            progress(int(last), int(steps[-1]))


def _is_native(arguments: list[np.ndarray], engine: str) -> bool:
    if engine not in ENGINES:
        raise GraphicsError(f"engine is {engine!r}; there are {', '.join(ENGINES)}")
    if engine != "auto":
        return engine == "native"
    boxes = arguments[7]
    work = ((boxes[:, 1] - boxes[:, 0] + 1) * (boxes[:, 3] - boxes[:, 2] + 1)).sum()
    return bool(work > WORTH_COMPILING or native().is_compiled(entry_hook(draw_triangles, (*arguments, 0, 0))))
