"""The built-in pixel shader: from a place in a triangle to a colour.

    colour = vertex colour * base colour * texture, lit by one lamp

It runs on quads of 2 x 2 pixels, as on every GPU: the level of detail of a texture comes from how far apart the four texture
coordinates are. Pixels of the quad that the triangle does not cover are computed too, as *helper lanes*, and thrown away.

Numbers are float32, in a fixed order of operations, so that every engine gives the same bytes.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.graphics.color import BYTE_FROM, DECODED
from warploom.graphics.texture import T_FIRST, T_HEIGHT, T_LEVELS, T_LINEAR, T_MIP_LINEAR, T_WIDTH, T_WRAP_U, T_WRAP_V
from warploom.isa.views import CLAMP, MIRROR, REPEAT
from warploom.machine.core.texture.address import nearest, neighbours
from warploom.machine.engine.unit import record, unit
from warploom.machine.raster.edges import edge_value

U, V, RED, GREEN, BLUE, ALPHA, NORMAL = range(7)
ATTRIBUTES = NORMAL + 3
ZERO, ONE, HALF, MOST = np.float32(0), np.float32(1), np.float32(0.5), np.float32(255)
FOUR = np.float32(4)
MOST_ALPHA_SHIFT = 24
WRAPS = np.array([CLAMP, REPEAT, MIRROR], np.int64)  # in the order of texture.ADDRESS_MODES
NO_TEXTURE = -1

Material = record(
    settings=dict(
        color=("f4", 4),       # base colour, red first
        texture="i8",          # row of the texture table, or NO_TEXTURE
        lit="i8",              # 1: the lamp counts; 0: the colour is what is seen
        two_sided="i8",        # 1: the back is lit as the front is
        cutoff="f4",           # fragments with less alpha are dropped; 0: none is
    ),
)  # fmt: skip

Lamp = record(
    settings=dict(
        direction=("f4", 3),   # towards the lamp, of length 1
        ambient="f4",          # share of light that comes from everywhere
        strength="f4",         # and from the lamp
        srgb="i8",             # 1: bytes of textures and of the target are sRGB
    ),
)  # fmt: skip

Quad = record(
    state=dict(
        weights=("f4", (4, 3)),    # by pixel and corner: share of the corner's attribute
        values=("f4", (4, ATTRIBUTES)),
        color=("f4", 4),
        texel=("f4", 4),
    ),
)  # fmt: skip


@unit
def find_weights(quad, raster, edges, inverse_areas, row, x, y):
    """The weights of the corners at the four pixels of a quad; perspective-correct. inverse_areas: 1 / (area * w), float32[n, 3]."""
    for p in range(4):
        total = ZERO
        for k in range(3):
            value = np.float32(edge_value(raster, edges, row, k, x + (p & 1), y + (p >> 1)))
            quad.weights[p, k] = np.float32(value * inverse_areas[row, k])
            total = np.float32(total + quad.weights[p, k])
        inverse = np.float32(ONE / total) if total != ZERO else ZERO
        for k in range(3):
            quad.weights[p, k] = np.float32(quad.weights[p, k] * inverse)


@unit
def interpolate(quad, attributes, row):
    """The attributes at the four pixels. attributes: float32[n, 3, ATTRIBUTES], of the corners."""
    for p in range(4):
        for k in range(ATTRIBUTES):
            start = np.float32(quad.weights[p, 0] * attributes[row, 0, k])
            more = np.float32(start + np.float32(quad.weights[p, 1] * attributes[row, 1, k]))
            quad.values[p, k] = np.float32(more + np.float32(quad.weights[p, 2] * attributes[row, 2, k]))


@unit
def level_of_detail(quad, textures, which):
    """How many times the texture is too fine, as a level: 0 where a pixel steps over one texel or less; float32.

    From the differences to the neighbours at the right and below. log2 is taken as hardware does, a straight line between powers of two.
    """
    if which == NO_TEXTURE:
        return ZERO
    width, height = np.float32(textures[which, T_WIDTH]), np.float32(textures[which, T_HEIGHT])
    most = ZERO
    for p in range(1, 3):
        du = np.float32(np.float32(quad.values[p, U] - quad.values[0, U]) * width)
        dv = np.float32(np.float32(quad.values[p, V] - quad.values[0, V]) * height)
        square = np.float32(np.float32(du * du) + np.float32(dv * dv))
        most = max(most, square)
    last = np.float32(textures[which, T_LEVELS] - 1)
    level = ZERO
    while most >= FOUR and level < last:
        most = np.float32(most / FOUR)
        level = np.float32(level + ONE)
    if level >= last or not most > ONE:
        return level
    return np.float32(level + np.float32(np.float32(np.sqrt(most)) - ONE))


@unit
def add_level(quad, textures, texels, which, level, u, v, srgb, share):
    """Add a sample of one level, times `share`, to quad.texel."""
    place, width, height = textures[which, T_FIRST], textures[which, T_WIDTH], textures[which, T_HEIGHT]
    for _ in range(level):
        place += width * height
        width = max(width >> 1, 1)
        height = max(height >> 1, 1)
    wrap_u, wrap_v = WRAPS[textures[which, T_WRAP_U]], WRAPS[textures[which, T_WRAP_V]]
    if textures[which, T_LINEAR] == 0:
        _add_texel(quad, texels[place + nearest(v, height, wrap_v) * width + nearest(u, width, wrap_u)], srgb, share)
        return
    left, right, left_share, right_share = neighbours(u, width, wrap_u)
    top, bottom, top_share, bottom_share = neighbours(v, height, wrap_v)
    upper, lower = np.float32(top_share * share), np.float32(bottom_share * share)
    _add_texel(quad, texels[place + top * width + left], srgb, np.float32(left_share * upper))
    _add_texel(quad, texels[place + top * width + right], srgb, np.float32(right_share * upper))
    _add_texel(quad, texels[place + bottom * width + left], srgb, np.float32(left_share * lower))
    _add_texel(quad, texels[place + bottom * width + right], srgb, np.float32(right_share * lower))


@unit
def _add_texel(quad, texel, srgb, share):
    word = np.int64(texel)
    for channel in range(3):
        byte = (word >> (16 - 8 * channel)) & 255
        quad.texel[channel] = np.float32(quad.texel[channel] + np.float32(DECODED[srgb, byte] * share))
    quad.texel[3] = np.float32(quad.texel[3] + np.float32(DECODED[0, word >> MOST_ALPHA_SHIFT] * share))


@unit
def sample_texture(quad, textures, texels, which, level, u, v, srgb):
    """quad.texel = the texture at (u, v), by its filters."""
    for channel in range(4):
        quad.texel[channel] = ZERO
    whole = np.int64(np.floor(level))
    share = np.float32(level - np.float32(whole))
    if textures[which, T_MIP_LINEAR] == 0:
        whole = np.int64(np.floor(np.float32(level + HALF)))
        share = ZERO
    add_level(quad, textures, texels, which, whole, u, v, srgb, np.float32(ONE - share))
    if share > ZERO:
        add_level(quad, textures, texels, which, whole + 1, u, v, srgb, share)


@unit
def light_on(quad, p, lamp, two_sided, back):
    """How much light falls on pixel p of a quad: the cosine of the angle to the lamp, and the share from everywhere."""
    square = ZERO
    cosine = ZERO
    for axis in range(3):
        part = quad.values[p, NORMAL + axis]
        square = np.float32(square + np.float32(part * part))
        cosine = np.float32(cosine + np.float32(part * lamp.direction[axis]))
    if square > ZERO:
        cosine = np.float32(cosine / np.float32(np.sqrt(square)))
    if two_sided != 0 and back != 0:
        cosine = np.float32(-cosine)
    if not cosine > ZERO:
        cosine = ZERO
    return np.float32(lamp.ambient + np.float32(lamp.strength * cosine))


@unit
def shade(quad, p, material, lamp, textures, texels, level, back):
    """The colour of pixel p as a word, alpha in the highest byte; -1 where its alpha is below the cutoff."""
    for channel in range(4):
        quad.color[channel] = np.float32(quad.values[p, RED + channel] * material.color[channel])
    if material.texture != NO_TEXTURE:
        sample_texture(quad, textures, texels, material.texture, level, quad.values[p, U], quad.values[p, V], lamp.srgb)
        for channel in range(4):
            quad.color[channel] = np.float32(quad.color[channel] * quad.texel[channel])
    if quad.color[3] < material.cutoff:
        return np.int64(-1)
    light = light_on(quad, p, lamp, material.two_sided, back) if material.lit != 0 else ZERO
    word = as_byte(quad.color[3]) << MOST_ALPHA_SHIFT
    for channel in range(3):
        amount = np.float32(quad.color[channel] * light) if material.lit != 0 else quad.color[channel]
        word |= (as_srgb_byte(amount) if lamp.srgb != 0 else as_byte(amount)) << (16 - 8 * channel)
    return word


@unit
def as_byte(value):
    """The nearest byte of a number from 0 to 1; what lies outside is clamped, and what is not a number is 0."""
    if not value > ZERO:
        return np.int64(0)
    value = min(value, ONE)
    return np.int64(np.floor(np.float32(np.float32(value * MOST) + HALF)))


@unit
def as_srgb_byte(value):
    """The nearest sRGB byte of an amount of light from 0 to 1: a search among the amounts at which the byte changes."""
    if not value >= BYTE_FROM[0]:
        return np.int64(0)
    low = np.int64(0)
    high = np.int64(BYTE_FROM.shape[0])
    while high - low > 1:
        middle = (low + high) >> 1
        if value >= BYTE_FROM[middle]:
            low = middle
        else:
            high = middle
    return low + 1
