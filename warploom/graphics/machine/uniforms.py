"""What a pixel shader of a user's own is given: words that are the same for all pixels, and planes of floats behind each triangle.

The layout is that of `uniforms_t` and of the planes in `isa/c/runtime/include/warploom_pixel.h`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.graphics.color import BYTE_FROM, DECODED, to_bytes
from warploom.graphics.draw_call import DrawCall
from warploom.graphics.original.setup import WORDS
from warploom.graphics.own_values import own_values, own_words
from warploom.graphics.pixel import Color, Place
from warploom.graphics.shading import ALPHA, NORMAL, RED, U
from warploom.graphics.texture import ADDRESS_MODES

STEPS = 4096  # of light, in the table of bytes
PLANES = ("red", "green", "blue", "alpha", "u", "v", "normal_x", "normal_y", "normal_z", "x", "y", "z")
STRIDE = 4 * (WORDS + 3 * len(PLANES) + 1)  # bytes of a triangle: edges, the original's planes, these, and whether its back is seen
POINTERS = ("srgb", "decoded", "primitives")


def shader_values(call: DrawCall) -> np.ndarray:
    """The values of PLANES at each corner: float64[n, 3, 12]."""
    attributes = call.attributes.astype(np.float64)
    positions = call.positions if call.positions is not None else call.corners[..., :3]
    colors = attributes[..., RED : ALPHA + 1] * np.array(call.shading.color)
    return np.concatenate([colors, attributes[..., U : U + 2], attributes[..., NORMAL : NORMAL + 3], positions], axis=-1)


def float_planes(values: np.ndarray, back: np.ndarray) -> np.ndarray:
    """The words behind a triangle's own: int32[n, 37]. values: float64[n, 3, 12]; back: bool[n]."""
    planes = np.stack([values[:, 0] - values[:, 2], values[:, 1] - values[:, 2], values[:, 2]], axis=-1)
    with np.errstate(over="ignore"):
        words = planes.astype(np.float32).reshape(len(values), -1).view(np.int32)
    return np.concatenate([words, back[:, None].astype(np.int32)], axis=1)


def tables(srgb: bool) -> dict[str, np.ndarray]:
    """Buffers of words. decoded: bytes of a texture as amounts of light, 256 floats. srgb: the byte at the beginning of each of STEPS steps
    of light, then the light from which on each byte is followed by the next one. A step is shorter than a byte is anywhere."""
    made = {"decoded": DECODED[int(srgb)].view(np.uint32)}
    if srgb:
        steps = np.repeat((np.arange(STEPS, dtype=np.float64) / (STEPS - 1) - 1e-6)[:, None], 4, axis=1)
        following = np.append(BYTE_FROM, np.float32(np.inf))
        made["srgb"] = np.concatenate([np.ascontiguousarray(to_bytes(steps, True)[:, 0]).view(np.uint32), following.view(np.uint32)])
    return made


def uniform_values(call: DrawCall, size: tuple[int, int]) -> dict[str, Any]:
    """`pixel.Uniforms` but its arrays, and shape: rows and columns of the texture, (1, 1) for none."""
    shading, light, texture, f, i = call.shading, call.light, call.shading.texture, np.float32, np.int32
    return {
        "light": Place(*map(f, light.towards)), "eye": Place(*map(f, call.eye)), "base": Color(*map(f, shading.color)),
        "strength": f(light.strength), "ambient": f(light.ambient), "cutoff": f(shading.cutoff), "width": i(size[0]), "height": i(size[1]),
        "lit": i(shading.lit), "two_sided": i(shading.two_sided), "textured": i(texture is not None),
        "linear": i(texture is not None and texture.mag_filter == "linear"),
        "wrap_u": i(ADDRESS_MODES.index(texture.address_mode_u) if texture else 0),
        "wrap_v": i(ADDRESS_MODES.index(texture.address_mode_v) if texture else 0),
        "own": own_values(call.pipeline.uniforms), "shape": texture.pixels.shape[:2] if texture else (1, 1),
    }  # fmt: skip


def uniform_words(call: DrawCall, size: tuple[int, int], texels: tuple[int, ...] | None, places: dict[str, int]) -> np.ndarray:
    """`uniforms_t`: uint32[41]. size: of the picture. texels: rows, columns, levels of the texture, or None. places: of buffers."""
    shading, light = call.shading, call.light
    floats = [*light.towards, *call.eye, *shading.color, light.strength, light.ambient, shading.cutoff]
    rows, columns, levels = texels if texels is not None else (0, 0, 1)
    numbers = [*size, int(shading.lit), int(shading.two_sided), int(texels is not None), columns, rows]
    pointers = [places.get("srgb", 0), places["decoded"], places["primitives"], STRIDE, levels]
    words = np.array([*numbers, *pointers], np.uint32)
    return np.concatenate([np.array(floats, np.float32).view(np.uint32), words, own_words(call.pipeline.uniforms)])
