"""Colours: bytes of a picture and amounts of light.

A byte of an ordinary picture (sRGB) does not say how much light there is: the steps are finer in the dark, as they are in the eye.
Light can be added and averaged, such bytes cannot, so a shader that lights a surface turns bytes into light first and back at the end.
Source: IEC 61966-2-1.
"""

from __future__ import annotations

import numpy as np

MOST = 255


def _light(value: np.ndarray) -> np.ndarray:
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


LIGHT_OF_BYTE = _light(np.arange(MOST + 1, dtype=np.float64) / MOST).astype(np.float32)
PLAIN_OF_BYTE = (np.arange(MOST + 1, dtype=np.float64) / MOST).astype(np.float32)
DECODED = np.array([PLAIN_OF_BYTE, LIGHT_OF_BYTE], np.float32)  # by whether bytes are sRGB, by byte
BYTE_FROM = _light((np.arange(MOST, dtype=np.float64) + 0.5) / MOST).astype(np.float32)  # least light that becomes byte n + 1


def to_light(pixels: np.ndarray, srgb: bool) -> np.ndarray:
    """Bytes as numbers 0 to 1, of light where they are sRGB. Alpha, the last channel, is never sRGB. float32[..., 4]."""
    values = DECODED[int(srgb)][pixels]
    values[..., 3] = PLAIN_OF_BYTE[pixels[..., 3]]
    return values


def to_bytes(values: np.ndarray, srgb: bool) -> np.ndarray:
    """The nearest bytes of numbers 0 to 1: the way back. uint8[..., 4]."""
    plain = np.floor(np.clip(values, 0, 1) * MOST + 0.5).astype(np.uint8)
    if srgb:
        plain[..., :3] = np.searchsorted(BYTE_FROM, np.clip(values[..., :3], 0, 1), side="right").astype(np.uint8)
    return plain
