"""A walk that is put away after each step, with others in between, goes on as if it had not been."""

import numpy as np

from tests.machine.two_engines import both
from warploom.graphics.rays import RayScene
from warploom.graphics.rays.scene import walk_of
from warploom.graphics.rays.tracing import start_walk
from warploom.machine.engine.unit import unit, zeros
from warploom.machine.rays.context import Contexts, keep, take_up
from warploom.machine.rays.leaf import step
from warploom.machine.rays.walk import TREE


@unit
def in_turn(walks, stores, words, floats, rays, answers):
    """Rays make a step each, one after the other, until all have ended. answers: float32[n, 2]: 1 for a hit, t."""
    walk, contexts = walks[0], stores[0]
    for row in range(rays.shape[0]):
        start_walk(walk, rays, row)
        keep(walk, contexts, row)
    left = np.int64(rays.shape[0])
    while left > 0:
        left = np.int64(0)
        for row in range(rays.shape[0]):
            take_up(walk, contexts, row)
            if walk.state <= TREE:
                step(walk, words, floats)
                keep(walk, contexts, row)
                left += 1
    for row in range(rays.shape[0]):
        take_up(walk, contexts, row)
        answers[row, 0], answers[row, 1] = walk.hit, walk.t
    return np.int64(0)


def test_walks_in_turn_are_walks_one_after_the_other():
    numbers = np.random.default_rng(1)
    scene = RayScene(numbers.uniform(-1, 1, (40, 3, 3)), 2)
    rays = np.zeros((12, 8), np.float32)
    rays[:, :6], rays[:, 7] = numbers.uniform(-1, 1, (12, 6)), np.inf
    store = zeros(1, Contexts, {"contexts": 12})
    walks = walk_of(scene.words, 1, 1, 255)
    _, after = both(in_turn, walks, store, scene.words, scene.words.view(np.float32), rays, np.zeros((12, 2), np.float32))
    hits = scene.trace(rays[:, :3], rays[:, 3:6], stack=1, engine="python")
    assert hits.work[:, 4].sum() > 0  # restarts, which follow a trail
    assert np.array_equal(after[5][:, 0] != 0, hits.hit) and np.array_equal(after[5][hits.hit, 1], hits.t[hits.hit])
