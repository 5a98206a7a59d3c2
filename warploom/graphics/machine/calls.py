"""Draw calls of a scene as a host of Vortex of 2024 makes them: vertices lit, clipped and set up, buffers, registers.

What the machine's shader does not do is done here, for each vertex: base colour and lamp. Backs are culled before setup. Textures have
powers of two texels on a side, so others are resized.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Any

import numpy as np

from warploom.graphics.clip import clipped, distances
from warploom.graphics.color import to_bytes
from warploom.graphics.draw_call import DrawCall
from warploom.graphics.machine.shader import COLORED, TESTED, TEXTURED
from warploom.graphics.machine.software import unit_words
from warploom.graphics.machine.uniforms import STRIDE as OWN_STRIDE
from warploom.graphics.machine.uniforms import float_planes, shader_values, tables, uniform_values, uniform_words
from warploom.graphics.original.setup import STRIDE, Primitives, primitive_buffer, set_up_original, tile_buffer
from warploom.graphics.own_shader import in_python
from warploom.graphics.shading import ALPHA, NORMAL, RED, U
from warploom.graphics.state import GraphicsError, Pipeline, merger_of
from warploom.graphics.texture import ADDRESS_MODES, FILTERS, Texture, levels_of, words_of

BLOCK = 64  # bytes to which buffers are aligned
FIRST = 0x100000  # where the first buffer lies
DCR_TEXTURE, DCR_RASTER, DCR_MERGER = 6, 0x1C, 0x22
EARLY_DEPTH_ALLOWED = 1  # the register after the merger's: all shaders hand over the depth of their triangle's plane
MOST_LOG = 11  # of a texture's side
WRAPS = {"clamp-to-edge": 0, "repeat": 1, "mirror-repeat": 2}
MOST_TILES = 1 << 16
ROUNDING = 2.0**-20  # how far depths stay away from 0 and 1, beyond which 24 bits wrap around


@dataclass(frozen=True)
class MachineCall:
    """buffers: what lies in memory, by name and address. dcr: registers and values. arguments: of the shader. primitives: what was
    set up. fragment: the pixel shader of a user's own, or None. cut, face: of `shader.shader`. given:
    what a shader in Python has for all pixels."""

    buffers: dict[str, np.ndarray]
    dcr: list[int]
    arguments: dict[str, str | int]
    primitives: Primitives
    fragment: Any = None
    cut: int = 0
    face: int = 0
    given: Mapping[str, Any] = field(default_factory=dict)


def set_up_on_host(
    corners: np.ndarray, colors: np.ndarray, uv: np.ndarray, width: int, height: int, log_tile: int
) -> tuple[Primitives, np.ndarray, int]:
    """Triangles, the tile buffer, and the number of its headers."""
    primitives = set_up_original(corners, colors, uv, width, height, -1.0, 1.0)
    return primitives, *tile_buffer(primitives.boxes, log_tile)


def machine_call(
    call: DrawCall, width: int, height: int, colors: np.ndarray, depths: np.ndarray, log_tile: int, srgb: bool,
    set_up: Callable[..., tuple[Primitives, np.ndarray, int]] = set_up_on_host, rule: str = "inclusive",
) -> MachineCall:  # fmt: skip
    """A draw call for a target that holds `colors` and `depths`: uint32[height * width], the upper row first. Raises GraphicsError.

    set_up: what sets up and bins, as `set_up_on_host` does. rule: of pixels on an edge, for a raster engine that is software.
    """
    pipeline, shading, own = call.pipeline, call.shading, call.pipeline.fragment is not None
    faced = not own and pipeline.stencil_front != pipeline.stencil_back
    stride = OWN_STRIDE if own else STRIDE + 4 * faced
    corners, values = _clipped(call, shader_values(call) if own else _lit(call, srgb), width, height)
    kept, back = _faces(corners, pipeline)
    values, back = values[kept], back[kept]
    placed = _by_distance(corners[kept], call.planes)
    primitives, tiles, headers = set_up(placed, values[..., :4], values[..., 4:6], width, height, log_tile)
    if headers > MOST_TILES or len(tiles) - 2 * headers > MOST_TILES:
        raise GraphicsError(
            f"a draw call touches {headers} tiles and has {len(tiles) - 2 * headers} triangles in them; offsets in the tile buffer have "
            "16 bits: draw a smaller picture, use larger tiles, or cut the mesh"
        )
    contents = {
        "color": colors, "depth": depths, "tiles": tiles if len(tiles) else np.zeros(1, np.uint32),
        "primitives": _primitive_words(primitives, values, back, own, faced),
    }  # fmt: skip
    dcr, levels = [], []
    if shading.texture is not None:
        levels = _levels(shading.texture, pipeline.fragment, srgb)
        contents["texels"] = np.concatenate([level.ravel() for level in levels])
    if own:
        contents |= tables(srgb)
    places, at = {}, FIRST
    for name, data in contents.items():
        places[name] = at
        at += -(-data.nbytes // BLOCK) * BLOCK
    arguments: dict[str, str | int] = {"primitives": "primitives", "stride": stride}
    arguments["wants"] = COLORED | (TEXTURED if shading.texture else 0) | TESTED
    left, top, right, bottom = call.scissor or (0, 0, width, height)
    scissor = max(left, 0), max(top, 0), min(right, width), min(bottom, height)
    merger = merger_registers(pipeline, places["color"], places["depth"], width)
    if own:
        texels = (*levels[0].shape, len(levels)) if levels else None
        units = unit_words(places, headers, log_tile, rule, scissor, width, merger)
        places["uniforms"], contents["uniforms"] = at, np.concatenate([uniform_words(call, (width, height), texels, places), units])
        arguments = {"uniforms": "uniforms"}
    if shading.texture is not None and not in_python(pipeline.fragment):
        dcr += _texture_registers(shading.texture, places["texels"], levels)
    left, top, right, bottom = scissor
    raster = [places["tiles"] // BLOCK, headers, places["primitives"] // BLOCK, stride, right << 16 | left, bottom << 16 | top]
    dcr += _pairs(DCR_RASTER, raster)
    dcr += _pairs(DCR_MERGER, [*merger, EARLY_DEPTH_ALLOWED])
    buffers = {f"{name}@{places[name]:#x}": data.ravel() for name, data in contents.items()}
    return MachineCall(
        buffers,
        dcr,
        arguments,
        primitives,
        pipeline.fragment,
        _cut(shading.cutoff),
        STRIDE if faced else 0,
        uniform_values(call, (width, height)) if own else {},
    )


def _cut(cutoff: float) -> int:
    """The least alpha, as a byte of the machine's shader, that is drawn: it cuts off, so that an alpha of n / 255 is the byte n - 1."""
    return max(ceil(min(max(cutoff, 0.0), 2.0) * 255 - 1e-4) - 1, 0)


def _primitive_words(primitives: Primitives, values: np.ndarray, back: np.ndarray, own: bool, faced: bool) -> np.ndarray:
    """The primitive buffer: uint32[...]. values, back: of the triangles that were set up or not. own: a user's shader wants floats too;
    faced: and the merger which face is seen."""
    if len(primitives.edges) == 0:
        return np.zeros(1, np.uint32)
    words = primitive_buffer(primitives)
    if own:
        words = np.concatenate([words, float_planes(values[primitives.kept], back[primitives.kept])], axis=1)
    elif faced:
        words = np.concatenate([words, back[primitives.kept, None].astype(np.int32)], axis=1)
    return words.ravel().view(np.uint32)


def _pairs(first: int, values: list[int]) -> list[int]:
    return [word for number, value in enumerate(values, first) for word in (number, value)]


def _lit(call: DrawCall, srgb: bool) -> np.ndarray:
    """Red, green, blue, alpha, u, v of each corner: float64[n, 3, 6]."""
    attributes, shading, light, towards = call.attributes.astype(np.float64), call.shading, call.light, call.light.towards
    made = np.concatenate([attributes[..., RED : ALPHA + 1] * np.array(shading.color), attributes[..., U : U + 2]], axis=-1)
    if shading.lit:
        cosine = attributes[..., NORMAL : NORMAL + 3] @ towards
        if shading.two_sided:
            cosine = np.where(_backs(call.corners * [1, -1, 1, 1], call.pipeline)[:, None], -cosine, cosine)
        made[..., :3] *= (light.ambient + light.strength * np.maximum(cosine, 0))[..., None]
    made[..., :4] = np.clip(made[..., :4], 0, 1)
    if srgb:
        shape = made[..., :3].shape
        light_of = np.concatenate([made[..., :3], np.ones((*shape[:-1], 1))], axis=-1).reshape(1, -1, 4)
        made[..., :3] = to_bytes(light_of, True).reshape(*shape[:-1], 4)[..., :3] / 255
    made[..., :4] *= 1 - 2.0**-20  # 1 itself would be a byte of 256
    return made


def _clipped(call: DrawCall, values: np.ndarray, width: int, height: int) -> tuple[np.ndarray, np.ndarray]:
    """Triangles in front of the eye, y down, and their corners' values."""
    guard = 8.0
    far = distances(call.corners, guard)
    outside, whole = np.any(np.all(far < 0, axis=1), axis=1), (far >= 0).all(axis=(1, 2))
    parts = {int(number): [(call.corners[number], values[number])] for number in np.flatnonzero(whole)}
    for number in np.flatnonzero(~whole & ~outside):
        polygon = clipped(call.corners[number], values[number], guard)
        if polygon is not None:
            fan = [[0, k, k + 1] for k in range(1, len(polygon.corners) - 1)]
            parts[int(number)] = [(polygon.corners[three], polygon.attributes[three]) for three in fan]
    ordered = [part for number in sorted(parts) for part in parts[number]]
    if not ordered:
        return np.zeros((0, 3, 4)), np.zeros((0, 3, values.shape[-1]))
    corners = np.stack([part[0] for part in ordered])
    corners[..., 1] *= -1
    return corners, np.stack([part[1] for part in ordered])


def _faces(corners: np.ndarray, pipeline: Pipeline) -> tuple[np.ndarray, np.ndarray]:
    """Which triangles are not culled, and which show their backs. corners: y down."""
    back = _backs(corners, pipeline)
    kept = np.ones(len(corners), bool) if pipeline.cull_mode == "none" else back != (pipeline.cull_mode == "back")
    return kept, back


def _backs(corners: np.ndarray, pipeline: Pipeline) -> np.ndarray:
    """Which triangles show their backs: bool[n]. corners: y down."""
    with np.errstate(all="ignore"):
        turns = np.linalg.det(corners[..., [0, 1, 3]])  # positive: clockwise as one sees it
    return np.asarray((turns > 0) == (pipeline.front_face == "ccw"))


def _by_distance(corners: np.ndarray, planes: tuple[float, float] | None) -> np.ndarray:
    """Corners whose depth, z / w, is even in the distance: 0 at the near plane, 1 at the far one. planes: w there; None: as they are.

    The shader interpolates depths as it does colours, over the surface. That is right for a distance. What a projection makes of it is
    straight over the picture and not over the surface: a large triangle would hide what is in front of it.
    """
    if planes is None:
        return corners
    near, far = planes
    made = corners.copy()
    share = np.clip((made[..., 3] - near) / (far - near), 0, 1)
    made[..., 2] = made[..., 3] * (ROUNDING + (1 - 2 * ROUNDING) * share)
    return made


def _levels(texture: Texture, fragment: Any, srgb: bool) -> list[np.ndarray]:
    """The texture's levels that a shader reads: uint32[height, width] each. A texture unit has powers of two texels on a side, the nearest
    ones where the texture has others; the shader that lights and textures takes the largest level alone, one in Python as it is."""
    if in_python(fragment):
        return [words_of(np.asarray(texture.pixels))]
    pixels = np.asarray(texture.pixels)
    sides = [1 << min(max(side - 1, 0).bit_length(), MOST_LOG) for side in pixels.shape[:2]]
    rows, columns = (np.arange(side, dtype=np.int64) * size // side for side, size in zip(sides, pixels.shape[:2], strict=True))
    whole = replace(texture, pixels=np.ascontiguousarray(pixels[rows][:, columns]))
    return [words_of(level) for level in (levels_of(whole, srgb) if fragment is not None else [whole.pixels])]


def _texture_registers(texture: Texture, address: int, levels: list[np.ndarray]) -> list[int]:
    height, width = (side.bit_length() - 1 for side in levels[0].shape)
    wraps = [WRAPS[mode] for mode in (texture.address_mode_u, texture.address_mode_v)]
    assert set(WRAPS) == set(ADDRESS_MODES)
    offsets = np.cumsum([0, *(level.nbytes for level in levels[:-1])], dtype=np.int64).tolist()
    values = [0, address // BLOCK, height << 16 | width, 0, FILTERS.index(texture.mag_filter), wraps[1] << 16 | wraps[0], *offsets]
    return _pairs(DCR_TEXTURE, values)


def merger_registers(pipeline: Pipeline, color: int, depth: int, width: int) -> list[int]:
    """Eighteen registers of the output merger. color, depth: addresses of the buffers."""
    one = merger_of(pipeline)[0]

    def both(name: str) -> int:
        front, back = (int(value) for value in one[f"stencil_{name}"])
        return back << 16 | front

    (rgb, alpha), (s_rgb, s_alpha), (d_rgb, d_alpha) = (
        [int(value) for value in one[name]] for name in ("blend_color", "source_factor", "destination_factor")
    )
    stencil = [both(name) for name in ("compare", "pass", "depth_fail", "fail", "reference", "mask", "write")]
    return [
        color // BLOCK, 4 * width, int(one["color_write"]), depth // BLOCK, 4 * width, int(one["depth_compare"]), int(one["depth_write"]),
        *stencil, alpha << 16 | rgb, d_alpha << 24 | d_rgb << 16 | s_alpha << 8 | s_rgb, int(one["blend_constant"]),
        int(one["logic_operation"]),
    ]  # fmt: skip
