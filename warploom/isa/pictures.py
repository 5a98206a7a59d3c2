"""Texels: formats in memory, test patterns, and PNG files.

A picture is an array uint8[height, width, 4], red first, row 0 at the top.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import numpy as np

from warploom.isa.reading import bytes_of
from warploom.isa.views import F_RGBA8, FORMATS

OPAQUE_BLACK = 0x000000FF
MOST_BYTES = 64 << 20  # of a picture's file
MOST_TEXELS = 1 << 24  # of a picture, 4096 x 4096
RANDOM_NUMBERS = 1 << 15  # random_numbers gives 0 .. RANDOM_NUMBERS - 1


class PictureError(ValueError):
    """A picture that cannot be read, written or made; the message says why."""


# ---------------------------------------------------------------------------------------------------------
# Formats


def pack(pixels: np.ndarray, form: int) -> np.ndarray:
    """A picture as bytes (uint8[height * width * bytes of a texel]) in format number `form` of FORMATS.

    A channel of fewer than eight bits is rounded to the nearest level; a float channel holds 0.0 to 1.0.
    """
    layout = FORMATS[form]
    if layout.fields[0][0] == 32:
        channels = sum(1 for bits, _ in layout.fields if bits)
        return np.ascontiguousarray(pixels[..., :channels] / np.float32(255), np.float32).view(np.uint8).ravel()
    texels = np.zeros(pixels.shape[:2], np.uint64)
    for channel, (bits, shift) in enumerate(layout.fields):
        top = (1 << bits) - 1
        texels |= ((pixels[..., channel].astype(np.uint64) * top + 127) // 255) << np.uint64(shift)
    return texels.astype(f"<u{layout.bytes}").view(np.uint8).ravel()


def unpack(data: np.ndarray, width: int, height: int, form: int = F_RGBA8) -> np.ndarray:
    """The picture that `pack` made into bytes, channels widened to eight bits again."""
    layout = FORMATS[form]
    pixels = np.zeros((height, width, 4), np.uint8)
    pixels[..., 3] = 255
    if layout.fields[0][0] == 32:
        values = np.ascontiguousarray(data).view("<f4").reshape(height, width, -1)
        pixels[..., : values.shape[2]] = np.rint(np.clip(np.nan_to_num(values), 0, 1) * 255)
        return pixels
    texels = np.ascontiguousarray(data).view(f"<u{layout.bytes}").reshape(height, width).astype(np.uint64)
    for channel, (bits, shift) in enumerate(layout.fields):
        if bits:
            top = (1 << bits) - 1
            pixels[..., channel] = (((texels >> np.uint64(shift)) & np.uint64(top)) * np.uint64(255) + np.uint64(top // 2)) // np.uint64(
                top
            )
    return pixels


# ---------------------------------------------------------------------------------------------------------
# Patterns


def _solid(width: int, height: int, color: int) -> np.ndarray:
    return np.broadcast_to(np.array([color >> 24, color >> 16, color >> 8, color], np.int64) & 255, (height, width, 4)).astype(np.uint8)


def _checkerboard(width: int, height: int, step: int) -> np.ndarray:
    y, x = np.mgrid[0:height, 0:width] // max(step, 1)
    white = (x + y) % 2 == 0
    return np.where(white[..., None], _solid(width, height, 0xFFFFFFFF), _solid(width, height, OPAQUE_BLACK))


def _gradient(width: int, height: int, step: int) -> np.ndarray:
    y, x = np.mgrid[0:height, 0:width]
    return np.stack([x * step, y * step, (x ^ y) * step, np.full_like(x, 255)], axis=-1).astype(np.uint8)


def _noise(width: int, height: int, seed: int) -> np.ndarray:
    values = random_numbers(width * height * 3, seed) & 255
    return np.dstack([values.reshape(height, width, 3), np.full((height, width, 1), 255, np.uint8)]).astype(np.uint8)


PATTERNS: dict[str, tuple[Callable[[int, int, int], np.ndarray], int, str]] = {
    "solid": (_solid, OPAQUE_BLACK, "one colour, 0xRRGGBBAA"),
    "checkerboard": (_checkerboard, 8, "white and black squares of so many texels"),
    "gradient": (_gradient, 1, "red x, green y, blue x XOR y, each times this number, modulo 256"),
    "noise": (_noise, 1, "a random colour a texel, from this seed"),
}


def pattern(name: str, width: int, height: int, argument: int | None = None) -> np.ndarray:
    """A test picture: a name of PATTERNS, and the one number that it takes. Raises PictureError."""
    if name not in PATTERNS:
        raise PictureError(f"there is no pattern {name!r}; there are {', '.join(PATTERNS)}")
    make, usual, _ = PATTERNS[name]
    return make(width, height, usual if argument is None else argument)


def random_numbers(count: int, seed: int = 1) -> np.ndarray:
    """`count` numbers 0 .. 32767 (int64): bits 16 and up of x' = (1103515245 x + 12345) mod 2^31 (ANSI C's example).

    The same on every platform and for ever, which a library's generator does not promise.
    """
    modulus = 1 << 31
    factor, addend = 1103515245, 12345
    states = np.array([(factor * seed + addend) % modulus], np.int64)
    while len(states) < count:  # each round makes as many again: factor and addend of a step of len(states)
        states = np.concatenate([states, (factor * states + addend) % modulus])
        factor, addend = factor * factor % modulus, (factor * addend + addend) % modulus
    return states[:count] >> 16


# ---------------------------------------------------------------------------------------------------------
# Files


def read_picture(path: str | Path) -> np.ndarray:
    """A picture file (PNG and whatever else Pillow reads). Raises PictureError."""
    from PIL import Image

    try:
        data = BytesIO(bytes_of(path, MOST_BYTES))
    except FileNotFoundError:
        raise PictureError(f"there is no file {str(path)!r}") from None
    except (OSError, ValueError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or str(error)
        raise PictureError(f"{str(path)!r} cannot be read as a picture: {reason}") from None
    try:
        with warnings.catch_warnings(action="ignore"), Image.open(data) as picture:
            width, height = picture.size
            if width * height <= MOST_TEXELS:
                return np.asarray(picture.convert("RGBA"))
    except Image.DecompressionBombError:
        width, height = 0, 0
    except Exception as error:  # a picture is read by code for many formats, which raises whatever it meets
        raise PictureError(f"{str(path)!r} cannot be read as a picture: {str(error).replace(repr(data), 'this')}") from None
    size = f"{width} x {height} points are" if width else "it has"
    raise PictureError(f"{str(path)!r}: {size} more than {MOST_TEXELS} points, the most that a picture may have")


def png(pixels: np.ndarray) -> bytes:
    """A picture as the bytes of a PNG file."""
    from PIL import Image

    whole = BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels, np.uint8)).save(whole, format="PNG")
    return whole.getvalue()


def write_picture(path: str | Path, pixels: np.ndarray) -> None:
    """Write a picture as PNG. Raises PictureError."""
    try:
        Path(path).write_bytes(png(pixels))
    except OSError as error:
        raise PictureError(f"{str(path)!r} cannot be written: {error}") from None
