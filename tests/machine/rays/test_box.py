"""The box test, against slabs in float32 as NumPy computes them; and that a box around a box is met wherever that is."""

import numpy as np

from tests.machine.two_engines import both
from warploom.machine.engine.unit import unit
from warploom.machine.rays.box import MARGIN, meets_box
from warploom.machine.rays.ray import Ray, prepare


@unit
def drive(rays, boxes, found, intervals):
    for row in range(boxes.shape[0]):
        ray = rays[row]
        prepare(ray)
        b = boxes[row]
        found[row] = 1 if meets_box(ray, b[0], b[1], b[2], b[3], b[4], b[5]) else 0
        intervals[row, 0], intervals[row, 1] = ray.near, ray.far
    return np.int64(0)


def rays_of(origins, directions, tmin=0, tmax=np.inf):
    made = np.zeros(len(origins), Ray)
    made["origin"], made["direction"], made["tmin"], made["tmax"] = origins, directions, tmin, tmax
    return made


def answers(rays, boxes):
    count = len(boxes)
    _, after = both(drive, rays, boxes.astype(np.float32), np.zeros(count, np.int64), np.zeros((count, 2), np.float32))
    return after[2] != 0, after[3]


def slabs(rays, boxes):
    """The same by NumPy."""
    with np.errstate(all="ignore"):
        one, most = np.float32(1), np.finfo(np.float32).max
        inverse = np.where(rays["direction"] == 0, most, np.clip(one / rays["direction"], -most, most))
        low, high = boxes[:, :3] - rays["origin"], boxes[:, 3:] - rays["origin"]
        margin = (np.maximum(np.abs(low), np.abs(high)).max(axis=1) * MARGIN)[:, None]
        first, second = (low - margin) * inverse, (high + margin) * inverse
    near = np.maximum(np.minimum(first, second).max(axis=1), rays["tmin"])
    far = np.minimum(np.maximum(first, second).min(axis=1), rays["tmax"])
    return near <= far, np.stack([near, far], axis=1)


def some(count, seed):
    numbers = np.random.default_rng(seed)
    boxes = np.sort(numbers.uniform(-1, 1, (count, 2, 3)).astype(np.float32), axis=1)
    directions = numbers.uniform(-1, 1, (count, 3)).astype(np.float32)
    directions[numbers.integers(4, size=count) == 0] *= np.array([1, 0, 1], np.float32)
    origins = numbers.uniform(-2, 2, (count, 3)).astype(np.float32)
    at = numbers.integers(2, size=count) == 0
    directions[at] = boxes[at].mean(axis=1) - origins[at]
    return rays_of(origins, directions, 0.25, 3), boxes.reshape(count, 6)


def test_the_interval_is_that_of_slabs():
    rays, boxes = some(400, 1)
    met, intervals = answers(rays, boxes)
    want, slab_intervals = slabs(rays, boxes)
    assert np.array_equal(met, want) and 40 < met.sum() < 360
    assert np.array_equal(intervals, slab_intervals)


def test_a_box_around_a_box_has_an_interval_around_its_interval():
    rays, boxes = some(400, 2)
    more = np.abs(np.random.default_rng(3).normal(size=boxes.shape)).astype(np.float32) * np.array([-1] * 3 + [1] * 3, np.float32)
    _, inner = answers(rays, boxes)
    _, outer = answers(rays, boxes + more * np.float32(1e-7))
    assert (outer[:, 0] <= inner[:, 0]).all() and (outer[:, 1] >= inner[:, 1]).all()


def test_a_ray_along_a_side_of_a_box_without_volume_meets_it():
    boxes = np.array([[0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 0, 0], [1, 1, -5, 1, 1, 5]], np.float32)
    rays = rays_of([[-1, 0, 0], [-1, -1, -1], [1, 1, 0]], [[1, 0, 0], [1, 1, 1], [0, 0, -1]])
    assert answers(rays, boxes)[0].all()
