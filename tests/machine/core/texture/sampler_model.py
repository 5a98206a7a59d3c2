"""A slow model of the texture unit: images are lists of pixels, and coordinates wrap by counting."""

import math

import numpy as np

from warploom.isa.views import (
    CLAMP,
    FORMAT_NUMBER,
    FORMATS,
    MIRROR,
    POINT,
    TRILINEAR,
    VIEW_BASE,
    VIEW_BYTES,
    VIEW_COLUMNS,
    VIEW_FORMAT,
    VIEW_HEIGHT,
    VIEW_LEVELS,
    VIEW_PITCH,
    VIEW_WIDTH,
)

F32 = np.float32
BASE = 64  # where the tests' textures lie
NAN, INF = float("nan"), float("inf")

# ---------------------------------------------------------------------------------------------------------
# Pixels as a person writes them: numbers by channel; the bytes as each format keeps them.

DEPTHS = {
    "rgba8": (8, 8, 8, 8), "r8": (8,), "rg8": (8, 8), "r5g6b5": (5, 6, 5), "rgba4": (4, 4, 4, 4), "r32f": (32,), "rgba32f": (32,) * 4,
}  # fmt: skip


def pixel_bytes(name, pixel):
    """First channel in the highest bits; floats one after the other."""
    if DEPTHS[name][0] == 32:
        return b"".join(F32(channel).tobytes() for channel in pixel)
    bits = "".join(f"{channel:0{depth}b}" for channel, depth in zip(pixel, DEPTHS[name], strict=True))
    return int(bits, 2).to_bytes(len(bits) // 8, "little")


def pixel_colour(name, pixel):
    depths = DEPTHS[name]
    present = [F32(c) if depth == 32 else F32(c) / F32((1 << depth) - 1) for c, depth in zip(pixel, depths, strict=True)]
    return present + [F32(0), F32(0), F32(0), F32(1)][len(present) :]


def random_pixel(name, random):
    if DEPTHS[name][0] == 32:
        return [
            random.choice([F32(random.normal()), F32(0), F32(-0.0), F32(1e38), F32(INF), F32(NAN)], p=[0.9] + [0.02] * 5)
            for _ in DEPTHS[name]
        ]
    return [int(random.integers(1 << depth)) for depth in DEPTHS[name]]


class Image:
    """A texture with its levels: levels[l][y][x] is a pixel; `memory` the same in words, `view` its row."""

    def __init__(self, name, width, height, levels=1, padding=0, seed=0):
        random = np.random.default_rng(seed)
        self.name, self.size = name, FORMATS[FORMAT_NUMBER[name]].bytes
        self.levels, data, self.address = [], b"\xee" * BASE, {}
        for level in range(levels):
            rows = [[random_pixel(name, random) for _ in range(width)] for _ in range(height)]
            for y, row in enumerate(rows):
                for x, pixel in enumerate(row):
                    self.address[level, x, y] = len(data)
                    data += pixel_bytes(name, pixel)
                data += b"\xee" * (padding * self.size if level == 0 else 0)
            self.levels.append(rows)
            width, height = max(1, width // 2), max(1, height // 2)
        self.memory = np.frombuffer(data + bytes(-len(data) % 4), np.uint32).copy()
        first = self.levels[0]
        self.view = np.zeros((1, VIEW_COLUMNS), np.int32)
        for column, value in {
            VIEW_BASE: BASE, VIEW_BYTES: len(data) - BASE, VIEW_FORMAT: FORMAT_NUMBER[name], VIEW_WIDTH: len(first[0]),
            VIEW_HEIGHT: len(first), VIEW_LEVELS: levels, VIEW_PITCH: (len(first[0]) + padding) * self.size,
        }.items():  # fmt: skip
            self.view[0, column] = value


# ---------------------------------------------------------------------------------------------------------
# The model.


def model_wrap(index, size, wrap):
    if wrap == CLAMP:
        return sorted((0, index, size - 1))[1]
    there_and_back = list(range(size)) + (list(reversed(range(size))) if wrap == MIRROR else [])
    return there_and_back[index % len(there_and_back)]


def model_axis(coordinate, size, wrap, filtering):
    """[(texel, weight)...]: each weight is 1 minus the distance to the texel's centre."""
    half = F32(0 if filtering == POINT else 0.5)
    x = F32(coordinate) * F32(size) - half
    if math.isnan(x) or (math.isinf(x) and wrap != CLAMP):
        x = -half
    if wrap == CLAMP:
        x = F32(np.clip(x, -1, size))
    floor = math.floor(float(x))
    if filtering == POINT:
        return [(model_wrap(floor, size, wrap), F32(1))]
    if abs(floor) >= 1 << 23:  # there are no fractions up here
        weights = F32(1), F32(0)
    else:
        weights = F32(1) - abs(x - F32(floor)), F32(1) - abs(x - F32(floor + 1))
    return [(model_wrap(floor + step, size, wrap), weight) for step, weight in enumerate(weights)]


def model_sample(image, filtering, wraps, u, v, detail):
    """(colour as bits, texels touched) of one lane."""
    last = len(image.levels) - 1
    detail = F32(0) if math.isnan(detail) else F32(min(max(F32(detail), F32(0)), F32(last)))
    if filtering == TRILINEAR:
        low = math.floor(detail)
        shares = [(low, F32(1) - (detail - F32(low))), (low + 1, detail - F32(low))]
    else:
        shares = [(math.floor(detail + F32(0.5)), F32(1))]
    total, touched = [F32(0)] * 4, []
    for level, share in shares:
        if share == 0:
            continue
        rows = image.levels[level]
        across = model_axis(u, len(rows[0]), wraps[0], filtering)
        down = model_axis(v, len(rows), wraps[1], filtering)
        corners = [(0, 0)] if filtering == POINT else [(0, 0), (1, 0), (1, 1), (0, 1)]
        for i, j in corners:
            x, y = across[i][0], down[j][0]
            weight = across[i][1] * down[j][1] * share
            total = [t + c * weight for t, c in zip(total, pixel_colour(image.name, rows[y][x]), strict=True)]
            touched.append(image.address[level, x, y])
    return [0x7FC00000 if math.isnan(t) else int(F32(t).view(np.uint32)) for t in total], touched
