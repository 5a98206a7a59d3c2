"""What a pixel shader in Python is given, and functions that it may call. It is compiled as a kernel is, so it runs on lanes.

from warploom.graphics.pixel import DISCARD, light_on, texture

def pixel(f, u):
    red, green, blue, alpha = texture(u, f.uv)
    light = light_on(f, u)
    return f.color.red * red * light, f.color.green * green * light, f.color.blue * blue * light, alpha
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from warploom.graphics.texture import ADDRESS_MODES

F = np.float32
ZERO, ONE, TWO, HALF = F(0), F(1), F(2), F(0.5)
BYTE = F(1 / 255)
SMALL = F(1e-30)
DISCARD = (ZERO, ZERO, ZERO, F(-1))  # given back in place of a colour: the pixel is not drawn
REPEAT, MIRROR = (ADDRESS_MODES.index(name) for name in ("repeat", "mirror-repeat"))


class Color(NamedTuple):
    """Amounts of light, or bytes / 255 where the scene says so; float32."""

    red: Any
    green: Any
    blue: Any
    alpha: Any


class Place(NamedTuple):
    """Three float32: a point or a direction in the world."""

    x: Any
    y: Any
    z: Any


class UV(NamedTuple):
    """Texture coordinates: 0 to 1 is the whole texture, v = 0 its upper edge; float32."""

    u: Any
    v: Any


class Fragment(NamedTuple):
    """A covered pixel. color: of the vertices times the material's. depth: 0 near to 1 far. front: 1 where the front is seen."""

    color: Color
    position: Place
    normal: Place
    uv: UV
    depth: Any
    x: Any
    y: Any
    front: Any
    triangle: Any


class Uniforms(NamedTuple):
    """What is the same for all pixels. light: towards the lamp. texels: uint32[rows, columns]. decoded: float32[256], light of bytes.
    own: what the pipeline's `uniforms` say, by name.
    """

    light: Place
    eye: Place
    base: Color
    strength: Any
    ambient: Any
    cutoff: Any
    width: Any
    height: Any
    lit: Any
    two_sided: Any
    textured: Any
    linear: Any
    wrap_u: Any
    wrap_v: Any
    texels: Any
    decoded: Any
    own: Any


def dot(a: Any, b: Any) -> Any:
    """The product of two directions."""
    return a.x * b.x + a.y * b.y + a.z * b.z


def normalize(a: Any) -> Any:
    """The direction, of length 1."""
    scale = ONE / F(math.sqrt(max(dot(a, a), SMALL)))
    return Place(a.x * scale, a.y * scale, a.z * scale)


def towards(a: Any, b: Any) -> Any:
    """The direction from one point to another, of length 1."""
    return normalize(Place(b.x - a.x, b.y - a.y, b.z - a.z))


def light_on(f: Any, u: Any) -> Any:
    """The light that the lamp throws on this pixel, and that from everywhere; 1 where the material wants none."""
    cosine = dot(normalize(f.normal), u.light)
    if u.two_sided != 0 and f.front == 0:
        cosine = -cosine
    return u.ambient + u.strength * max(cosine, ZERO) if u.lit != 0 else ONE


def wrapped(place: Any, size: Any, mode: Any) -> Any:
    """The texel that a whole number means, in a row of `size`."""
    if mode == REPEAT:
        return place % size
    if mode == MIRROR:
        place = place % (2 * size)
        return min(place, 2 * size - 1 - place)
    return min(max(place, 0), size - 1)


def floored(x: Any) -> Any:
    """The largest whole number that is not more than x: int32."""
    whole = np.int32(x)
    return whole - np.int32(F(whole) > x)


def _texel(u: Any, column: Any, row: Any) -> Any:
    rows, columns = u.texels.shape
    word = u.texels[wrapped(row, rows, u.wrap_v), wrapped(column, columns, u.wrap_u)]
    return Color(u.decoded[word >> 16 & 255], u.decoded[word >> 8 & 255], u.decoded[word & 255], F(word >> 24) * BYTE)


def _between(a: Any, b: Any, share: Any) -> Any:
    return Color(
        a.red + (b.red - a.red) * share, a.green + (b.green - a.green) * share, a.blue + (b.blue - a.blue) * share,
        a.alpha + (b.alpha - a.alpha) * share,
    )  # fmt: skip


def texture(u: Any, uv: Any) -> Any:
    """The texture at a place, a Color; white where there is none. It is computed: kernels in Python have no texture unit."""
    if u.textured == 0:
        return Color(ONE, ONE, ONE, ONE)
    rows, columns = u.texels.shape
    x, y = uv.u * F(columns), uv.v * F(rows)
    if u.linear == 0:
        return _texel(u, floored(x), floored(y))
    x, y = x - HALF, y - HALF
    left, top = floored(x), floored(y)
    right_share, lower_share = x - F(left), y - F(top)
    upper = _between(_texel(u, left, top), _texel(u, left + 1, top), right_share)
    lower = _between(_texel(u, left, top + 1), _texel(u, left + 1, top + 1), right_share)
    return _between(upper, lower, lower_share)
