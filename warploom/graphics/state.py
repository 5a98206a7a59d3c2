"""The state of a pipeline: what happens to a draw call's triangles and fragments. Names and values are those of WebGPU.

Pipeline(depth=Depth("less", write=True), blend=ALPHA_BLENDING, cull_mode="back")
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from keyword import iskeyword
from numbers import Real
from typing import Any

import numpy as np

from warploom.isa.diagnostics import nearest
from warploom.machine.engine.unit import zeros
from warploom.machine.merger.registers import BLEND_MODES, COMPARES, FACTORS, LOGIC_OPERATIONS, STENCIL_OPERATIONS, Merger
from warploom.machine.raster.edges import RULES

CULL_MODES = ("none", "front", "back")
FRONT_FACES = ("ccw", "cw")
BYTE = 255
MOST_UNIFORMS = 16  # numbers
LARGEST = float(np.finfo(np.float32).max)


class GraphicsError(ValueError):
    """A scene, a state or a target that cannot be drawn; the message says why, and where."""


def chosen(what: str, value: str, among: Sequence[str]) -> int:
    """The number of a name in a table. Raises GraphicsError."""
    if value not in among:
        raise GraphicsError(f"{what} is {value!r}{nearest(str(value), among)}; there are {', '.join(among)}")
    return list(among).index(value)


@dataclass(frozen=True)
class Depth:
    """The depth test: a fragment is kept if "its depth `compare` the stored one". write: what is kept is stored."""

    compare: str = "less"
    write: bool = True


@dataclass(frozen=True)
class StencilFace:
    """The stencil test of front or back faces: "reference & mask `compare` stored & mask", and what each outcome stores."""

    compare: str = "always"
    pass_op: str = "keep"
    depth_fail_op: str = "keep"
    fail_op: str = "keep"
    reference: int = 0
    read_mask: int = BYTE
    write_mask: int = BYTE


@dataclass(frozen=True)
class BlendPart:
    """How colour, or alpha, is blended: `operation` of source * src_factor and destination * dst_factor."""

    operation: str = "add"
    src_factor: str = "one"
    dst_factor: str = "zero"


@dataclass(frozen=True)
class Blend:
    """Blending of a draw call. constant: red, green, blue, alpha, 0 to 255. logic: an operation on bits, in place of all else."""

    color: BlendPart = BlendPart()
    alpha: BlendPart = BlendPart()
    constant: tuple[int, int, int, int] = (0, 0, 0, 0)
    logic: str = ""


OPAQUE = Blend()
ALPHA_BLENDING = Blend(BlendPart("add", "src-alpha", "one-minus-src-alpha"), BlendPart("add", "one", "one-minus-src-alpha"))


@dataclass(frozen=True)
class Pipeline:
    """All that is fixed while a draw call runs.

    depth, stencil_front, stencil_back: None leaves the test out. write_mask: channels that are written, of "rgba". front_face: the
    winding of a front face as one sees it. fill_rule: "top-left" draws a pixel on a shared edge once, "inclusive" twice. early_depth:
    fragments that the depth test will drop are dropped before they are shaded, where that changes no result. fragment: the pixel shader, a
    file in C (`own_shader.py`); None: the one that lights and textures. vertex: the vertex shader, the same way; None: vertices are as the
    mesh has them. uniforms: numbers for these shaders by name, up to four a name.
    """

    depth: Depth | None = field(default_factory=Depth)
    stencil_front: StencilFace | None = None
    stencil_back: StencilFace | None = None
    blend: Blend = OPAQUE
    write_mask: str = "rgba"
    cull_mode: str = "none"
    front_face: str = "ccw"
    fill_rule: str = "top-left"
    tile: int = 32
    early_depth: bool = True
    fragment: Any = None
    vertex: Any = None
    uniforms: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        chosen("cull_mode", self.cull_mode, CULL_MODES)
        chosen("front_face", self.front_face, FRONT_FACES)
        chosen("fill_rule", self.fill_rule, list(RULES))
        if self.tile not in (8, 16, 32, 64, 128):
            raise GraphicsError(f"tile is {self.tile!r}: a tile is 8, 16, 32, 64 or 128 pixels wide")
        if wrong := set(self.write_mask) - set("rgba"):
            raise GraphicsError(f"write_mask is {self.write_mask!r}: it names channels of 'rgba', and {min(wrong)!r} is none")
        _check_uniforms(self.uniforms)
        merger_of(self)


def _check_uniforms(uniforms: Mapping[str, Any]) -> None:
    """Raise GraphicsError for what no shader can be given."""
    for name, value in uniforms.items():
        numbers = value if isinstance(value, tuple | list) else [value]
        good = 1 <= len(numbers) <= 4 and all(isinstance(one, Real) and abs(float(one)) <= LARGEST for one in numbers)
        if not (isinstance(name, str) and name.isidentifier() and not iskeyword(name) and not name.startswith("_")):
            raise GraphicsError(f"a uniform's name is a word as of a variable, and {name!r} is none")
        if not good:
            raise GraphicsError(f"the uniform {name} is {value!r}: a uniform is a number of 32 bits, or one to four of them")
    if (count := sum(len(one) if isinstance(one, tuple | list) else 1 for one in uniforms.values())) > MOST_UNIFORMS:
        raise GraphicsError(f"the uniforms are {count} numbers; there is room for {MOST_UNIFORMS}")


def shaded_here(pipeline: Pipeline) -> None:
    """Raise GraphicsError for a pipeline whose shader only a machine can run."""
    if pipeline.fragment is not None:
        raise GraphicsError(
            "a pixel shader of one's own runs on a machine: draw with graphics.machine.drawing.draw_on(GPU('vortex-2024', "
            "set={'core.divergence': 'stack'}), scene), or with `warploom draw`"
        )


def merger_of(pipeline: Pipeline) -> np.ndarray:
    """The output merger's settings: an array of one record. Raises GraphicsError."""
    made = zeros(1, Merger)
    unit = made[0]
    unit["color_write"] = sum(1 << {"b": 0, "g": 1, "r": 2, "a": 3}[channel] for channel in set(pipeline.write_mask))
    if pipeline.depth is not None:
        unit["depth_compare"] = chosen("depth compare", pipeline.depth.compare, COMPARES)
        unit["depth_write"] = int(pipeline.depth.write)
    for face, stencil in enumerate((pipeline.stencil_front, pipeline.stencil_back)):
        if stencil is not None:
            _set_stencil(unit, face, stencil)
    _set_blend(unit, pipeline.blend)
    return made


def _set_stencil(unit: np.void, face: int, stencil: StencilFace) -> None:
    unit["stencil_compare"][face] = chosen("stencil compare", stencil.compare, COMPARES)
    for name, value in (("pass", stencil.pass_op), ("depth_fail", stencil.depth_fail_op), ("fail", stencil.fail_op)):
        unit["stencil_" + name][face] = chosen(f"stencil {name}_op", value, STENCIL_OPERATIONS)
    for name, number in (("reference", stencil.reference), ("mask", stencil.read_mask), ("write", stencil.write_mask)):
        if not 0 <= number <= BYTE:
            raise GraphicsError(f"stencil {name} is {number}: a stencil value has 8 bits, 0 to {BYTE}")
        unit["stencil_" + name][face] = number


def _set_blend(unit: np.void, blend: Blend) -> None:
    for part, one in enumerate((blend.color, blend.alpha)):
        unit["blend_color"][part] = chosen("blend operation", "logic" if blend.logic else one.operation, BLEND_MODES)
        unit["source_factor"][part] = chosen("src_factor", one.src_factor, FACTORS)
        unit["destination_factor"][part] = chosen("dst_factor", one.dst_factor, FACTORS)
    if blend.logic:
        unit["logic_operation"] = chosen("blend logic", blend.logic, LOGIC_OPERATIONS)
    red, green, blue, alpha = blend.constant
    if any(not 0 <= value <= BYTE for value in blend.constant):
        raise GraphicsError(f"the blend constant is {blend.constant}: red, green, blue and alpha are 0 to {BYTE}")
    unit["blend_constant"] = alpha << 24 | red << 16 | green << 8 | blue
