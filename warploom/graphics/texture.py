"""Textures: pictures with their smaller levels, side by side in one array, as a texture unit finds them in memory.

A level has half of the width and height of the one before, rounded down, at least 1. Each texel of it is the mean of the four (or two)
that it stands for: of light, not of bytes, where the bytes are sRGB.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from warploom.graphics.color import to_bytes, to_light
from warploom.graphics.state import GraphicsError, chosen

FILTERS = ("nearest", "linear")
ADDRESS_MODES = ("clamp-to-edge", "repeat", "mirror-repeat")
MOST_SIZE = 8192
T_FIRST, T_WIDTH, T_HEIGHT, T_LEVELS, T_LINEAR, T_MIP_LINEAR, T_WRAP_U, T_WRAP_V = range(8)
COLUMNS = 8


@dataclass(frozen=True, eq=False)
class Texture:
    """A picture on a surface. pixels: uint8[height, width, 4], red first, row 0 at the top, where v is 0.

    mag_filter: "nearest" or "linear" between texels; mipmap_filter: between levels; address_mode_u, v: what lies outside of 0 to 1.
    mipmaps: false leaves the smaller levels out. name: for messages.
    """

    pixels: np.ndarray
    mag_filter: str = "linear"
    mipmap_filter: str = "linear"
    address_mode_u: str = "repeat"
    address_mode_v: str = "repeat"
    mipmaps: bool = True
    name: str = "texture"

    def __post_init__(self) -> None:
        chosen(f"mag_filter of {self.name}", self.mag_filter, FILTERS)
        chosen(f"mipmap_filter of {self.name}", self.mipmap_filter, FILTERS)
        chosen(f"address_mode_u of {self.name}", self.address_mode_u, ADDRESS_MODES)
        chosen(f"address_mode_v of {self.name}", self.address_mode_v, ADDRESS_MODES)
        shape = np.shape(self.pixels)
        if len(shape) != 3 or shape[2] != 4 or np.asarray(self.pixels).dtype != np.uint8:
            raise GraphicsError(
                f"{self.name}: pixels are uint8[height, width, 4], and these are {np.asarray(self.pixels).dtype}{list(shape)}"
            )
        if not (1 <= shape[0] <= MOST_SIZE and 1 <= shape[1] <= MOST_SIZE):
            raise GraphicsError(f"{self.name} has {shape[1]} x {shape[0]} texels: each side is 1 to {MOST_SIZE}")


def levels_of(texture: Texture, srgb: bool) -> list[np.ndarray]:
    """All levels, the largest first, as uint8[h, w, 4]."""
    levels = [np.ascontiguousarray(texture.pixels)]
    while texture.mipmaps and max(levels[-1].shape[:2]) > 1:
        last = to_light(levels[-1], srgb)
        height, width = (max(size // 2, 1) for size in last.shape[:2])
        rows = last[: 2 * height] if last.shape[0] > 1 else last.repeat(2, axis=0)
        both = rows[:, : 2 * width] if last.shape[1] > 1 else rows.repeat(2, axis=1)
        levels.append(to_bytes(both.reshape(height, 2, width, 2, 4).mean(axis=(1, 3)), srgb))
    return levels


def in_memory(textures: Sequence[Texture], srgb: bool) -> tuple[np.ndarray, np.ndarray]:
    """Rows of T_FIRST ... (int64), and the texels of all (uint32, alpha in the highest byte, blue in the lowest)."""
    rows, parts, place = np.zeros((max(len(textures), 1), COLUMNS), np.int64), [], 0
    for row, texture in zip(rows, textures, strict=False):
        levels = levels_of(texture, srgb)
        height, width = levels[0].shape[:2]
        row[:] = (
            place, width, height, len(levels), FILTERS.index(texture.mag_filter), FILTERS.index(texture.mipmap_filter),
            ADDRESS_MODES.index(texture.address_mode_u), ADDRESS_MODES.index(texture.address_mode_v),
        )  # fmt: skip
        parts += [words_of(level).ravel() for level in levels]
        place += sum(level.shape[0] * level.shape[1] for level in levels)
    return rows, np.concatenate(parts) if parts else np.zeros(1, np.uint32)


def words_of(pixels: np.ndarray) -> np.ndarray:
    """Pixels uint8[h, w, 4], red first, as words uint32[h, w], alpha in the highest byte, blue in the lowest."""
    return np.ascontiguousarray(pixels[..., [2, 1, 0, 3]]).view("<u4")[..., 0].astype(np.uint32)


def pixels_of(words: np.ndarray) -> np.ndarray:
    """The pixels that `words_of` made into words."""
    return np.ascontiguousarray(words.astype("<u4")[..., None]).view(np.uint8)[..., [2, 1, 0, 3]]
