"""What rays have hit, shaded and merged as fragments are: the same shader, the same output merger."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.graphics.shading import ATTRIBUTES, level_of_detail, shade
from warploom.machine.engine.unit import unit
from warploom.machine.merger.fragment import merge

K_MATERIAL, K_BACK, K_CORNER = range(3)  # columns of kinds; K_CORNER: which pixel of its quad
KINDS = 3


@unit
def shade_hits(quads, lamps, materials, textures, texels, values, kinds, colors):
    """Shade n hits. values: float32[n, 4, ATTRIBUTES], at the pixels of each one's quad. kinds: int64[n, KINDS].

    Written: colors, int64[n], as `shade` gives them.
    """
    quad = quads[0]
    for row in range(kinds.shape[0]):
        for pixel in range(4):
            for k in range(ATTRIBUTES):
                quad.values[pixel, k] = values[row, pixel, k]
        material = materials[kinds[row, K_MATERIAL]]
        level = level_of_detail(quad, textures, material.texture)
        colors[row] = shade(quad, kinds[row, K_CORNER], material, lamps[0], textures, texels, level, kinds[row, K_BACK])
    return np.int64(0)


@unit
def merge_hits(mergers, colors, depths, fragments):
    """Fragments through the output merger. fragments: int64[n, 5]: merger, pixel, 1 for a back face, colour, depth."""
    for row in range(fragments.shape[0]):
        merge(mergers[fragments[row, 0]], colors, depths, fragments[row, 1], fragments[row, 2], fragments[row, 3], fragments[row, 4])
    return np.int64(0)
