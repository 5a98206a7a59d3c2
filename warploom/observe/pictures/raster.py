"""Raster: cells as coloured points, with the patterns that tell states apart where colours do not. NumPy alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from warploom.isa.counts import numbers
from warploom.observe.text.palette import ACROSS, CROSSED, DOTTED, FALLING, RISING, SOLID, SQUARED, UPRIGHT, Look

PERIOD = 8  # points from line to line of a pattern
STROKE = 2  # points that a line is wide
STRENGTH = 0.28  # how far a line's colour goes towards black, or towards white on dark colours
GAMMA = 2.2  # of a screen's numbers against light
LEAST_CELL = 4  # points of a cell's side, below which its pattern is left out


def rgb(colour: str) -> np.ndarray:
    """uint8[3] of a hex string."""
    return np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)], np.uint8)


def hex_of(look: Look, dark: bool) -> str:
    """The colour of a look on a light or a dark background."""
    return look.dark if dark else look.light


def painted(cells: np.ndarray, looks: Sequence[Look], across: int, down: int, *, dark: bool = False) -> np.ndarray:
    """uint8[rows * down, columns * across, 3]: every cell as a rectangle of points. cells: numbers of `looks`."""
    large = np.repeat(np.repeat(cells, down, axis=0), across, axis=1)
    return coloured(large, looks, dark=dark, patterns=min(across, down) >= LEAST_CELL)


def coloured(numbers: np.ndarray, looks: Sequence[Look], *, dark: bool = False, patterns: bool = True) -> np.ndarray:
    """uint8[height, width, 3]: every point in the colour, and the pattern, of its look. numbers: of `looks`."""
    colours = np.stack([rgb(hex_of(look, dark)) for look in looks])
    points = colours[numbers]
    for number, look in enumerate(looks):
        if patterns and look.pattern != SOLID and (numbers == number).any():
            points[(numbers == number) & _pattern(look.pattern, *numbers.shape)] = stroke(colours[number])
    return points


def stacked(shares: np.ndarray, looks: Sequence[Look], across: int, tall: int, *, dark: bool = False, patterns: bool = True) -> np.ndarray:
    """uint8[tall, columns * across, 3]: every column divided from below as its shares say.

    shares: float[looks - 1, columns], whose sum is 1 at most; what is missing to 1 has the last look.
    """
    heights = np.repeat(np.rint(np.cumsum(shares, axis=0, dtype=np.float64) * tall).astype(np.int64), across, axis=1)
    row = tall - 1 - numbers(tall)[:, None]
    found = np.zeros((tall, heights.shape[1]), np.int64)
    for height in heights:
        found += row >= height
    return coloured(found, looks, dark=dark, patterns=patterns)


def blended(shares: np.ndarray, looks: Sequence[Look], across: int, down: int, *, dark: bool = False) -> np.ndarray:
    """uint8[rows * down, columns * across, 3]: every cell in the mean of the colours that it has shares of, without patterns.

    shares: float[rows, looks, columns], whose sum over the looks is 1. The mean is one of light, not of the numbers that stand for it.
    """
    light = np.stack([(rgb(hex_of(look, dark)) / 255.0) ** GAMMA for look in looks])
    mean = np.einsum("rlc,lk->rck", np.clip(shares, 0, 1), light)
    points = np.rint(255 * np.clip(mean, 0, 1) ** (1 / GAMMA)).astype(np.uint8)
    return np.repeat(np.repeat(points, down, axis=0), across, axis=1)


def ruled(points: np.ndarray, across: int, down: int, colour: str) -> None:
    """Draw a thin line at the right and lower edge of every cell, into the points themselves."""
    points[:, across - 1 :: across] = rgb(colour)
    points[down - 1 :: down] = rgb(colour)


def stroke(colour: np.ndarray) -> np.ndarray:
    """uint8[3]: the colour of a pattern's lines on this one."""
    bright = colour.astype(float) @ (0.299, 0.587, 0.114) > 110
    towards = 0.0 if bright else 255.0
    return (colour + (towards - colour) * STRENGTH).astype(np.uint8)


def line_colour(colour: str) -> str:
    """The colour of a pattern's lines on this one, as a hex string."""
    red, green, blue = stroke(rgb(colour)).tolist()
    return f"#{red:02X}{green:02X}{blue:02X}"


def _pattern(name: str, height: int, width: int) -> np.ndarray:
    """bool[height, width]: where a pattern has its lines or dots."""
    y, x = np.ogrid[:height, :width]
    rising, falling = (x + y) % PERIOD < STROKE, (x - y) % PERIOD < STROKE
    upright, across = (x % PERIOD < STROKE) & (y >= 0), (y % PERIOD < STROKE) & (x >= 0)
    return {
        RISING: rising,
        FALLING: falling,
        ACROSS: across,
        UPRIGHT: upright,
        CROSSED: rising | falling,
        SQUARED: upright | across,
        DOTTED: (x % (PERIOD // 2) < STROKE) & (y % (PERIOD // 2) < STROKE),
    }[name]
