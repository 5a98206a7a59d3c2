"""Pictures of how a picture was drawn: depth, overdraw, occupancy of quads."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from warploom.graphics.target import Target

# From few to many: dark violet, blue, green, yellow (after matplotlib's "viridis", every 32nd step).
SCALE = np.array(
    [
        [68, 1, 84],
        [71, 44, 122],
        [59, 81, 139],
        [44, 113, 142],
        [33, 144, 141],
        [39, 173, 129],
        [92, 200, 99],
        [170, 220, 50],
        [253, 231, 37],
    ],
    np.float64,
)
NOTHING = (16, 16, 20)


def scaled(values: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Numbers 0 to 1 as colours: uint8[h, w, 4]. drawn: where there is a number at all."""
    place = np.clip(values, 0, 1) * (len(SCALE) - 1)
    low = np.minimum(place.astype(np.int64), len(SCALE) - 2)
    share = (place - low)[..., None]
    made = np.full((*values.shape, 4), 255, np.uint8)
    made[..., :3] = np.where(drawn[..., None], np.rint(SCALE[low] * (1 - share) + SCALE[low + 1] * share), NOTHING)
    return made


def color(target: Target) -> np.ndarray:
    """The picture itself."""
    return target.pixels()


def depth(target: Target) -> np.ndarray:
    """Near is bright. The range of the depths that were drawn is spread over the scale."""
    values = target.depth()
    drawn = values < 1
    if not drawn.any():
        return scaled(values, drawn)
    low, high = values[drawn].min(), values[drawn].max()
    return scaled(1 - (values - low) / max(high - low, 1e-12), drawn)


def overdraw(target: Target) -> np.ndarray:
    """How many fragments were shaded at each pixel: 1 is dark, the most is bright."""
    counts = target.shaded.reshape(target.height, target.width).astype(np.float64)
    return scaled((counts - 1) / max(counts.max() - 1, 1), counts > 0)


def quads(target: Target) -> np.ndarray:
    """How full the quads of the shader were, the mean of all at a place: with one covered pixel of four dark, with four bright."""
    count, covered = (target.occupancy[:, k].reshape(target.quad_rows, target.quad_columns).astype(np.float64) for k in range(2))
    full = np.divide(covered, 4 * count, out=np.zeros_like(covered), where=count > 0)
    spread = [part.repeat(2, axis=0).repeat(2, axis=1)[: target.height, : target.width] for part in ((full - 0.25) / 0.75, count)]
    return scaled(spread[0], spread[1] > 0)


KINDS: dict[str, Callable[[Target], np.ndarray]] = {"color": color, "depth": depth, "overdraw": overdraw, "quads": quads}
