"""Rays of a picture by a machine's ray unit: a thread for each, in launches of a kernel, one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.gpu import GPU
from warploom.graphics.rays.scene import Hits, RayScene
from warploom.graphics.rays.tracing import W_AGAIN, W_BOXES, W_NODES, W_RESTARTS, W_TRIANGLES, WORK
from warploom.graphics.state import GraphicsError
from warploom.kernel import cuda
from warploom.kernel.device.context import CURRENT
from warploom.result import Result

MOST_THREADS = 128  # of a block
DAMAGED = 128  # statuses from here on are faults
COUNTERS = {
    W_NODES: "ray_nodes", W_BOXES: "ray_boxes", W_TRIANGLES: "ray_triangles", W_RESTARTS: "ray_restarts", W_AGAIN: "ray_nodes_again",
}  # fmt: skip


@cuda.jit
def shoot(scene: Any, directions: Any, starts: Any, far: Any, places: Any, numbers: Any) -> None:
    """A ray a thread, from where the eye is. places: float32[n, 3], t, u, v. numbers: int32[n, 2], status and triangle."""
    i = cuda.grid(1)
    zero = np.float32(0)
    hit = scene.trace((zero, zero, zero), (directions[i, 0], directions[i, 1], directions[i, 2]), starts[i], far)
    places[i, 0], places[i, 1], places[i, 2] = hit.t, hit.u, hit.v
    numbers[i, 0], numbers[i, 1] = hit.status, hit.triangle


class MachineTracer:
    """Traces as `RayScene.trace` does, from the eye at 0, on a machine. results: of its launches."""

    def __init__(self, gpu: GPU) -> None:
        if gpu.config.rays.cores == 0:
            raise GraphicsError(f"rays need a ray unit, which {gpu.config.name} does not have; use --gpu vortex-2026")
        self.gpu, self.results = gpu, list[Result]()
        core = gpu.config.core
        self.block = max(core.lanes * min(core.warps, MOST_THREADS // core.lanes), core.lanes)

    @property
    def cycles(self) -> int:
        """The sum over all launches, which follow each other."""
        return sum(result.cycles for result in self.results)

    def counted(self, name: str) -> int:
        """A counter, over all launches."""
        return sum(result.counters.get(name, 0) for result in self.results)

    def trace(self, scene: RayScene, directions: np.ndarray, starts: np.ndarray, far: float) -> Hits:
        """The closest hits of rays, float[n, 3], that begin at `starts`. work: of all rays together, in the first row."""
        count = len(directions)
        blocks = -(-count // self.block)
        given, begins = np.ones((blocks * self.block, 3), np.float32), np.full(blocks * self.block, np.inf, np.float32)
        given[:count], begins[:count] = directions, starts
        places, numbers = np.zeros((len(given), 3), np.float32), np.zeros((len(given), 2), np.int32)
        before = {name: self.counted(name) for name in COUNTERS.values()}
        with CURRENT.watched(self.results.append, self.gpu):
            shoot[blocks, self.block](scene, given, begins, np.float32(far), places, numbers)
        if (numbers[:, 0] >= DAMAGED).any():
            raise GraphicsError("the tree is damaged: a ray's walk through it ended in a fault")
        work = np.zeros((count, WORK), np.int64)
        for place, name in COUNTERS.items():
            work[0, place] = self.counted(name) - before[name]
        hit, triangle = numbers[:count, 0] == 0, numbers[:count, 1].astype(np.int64)
        t, u, v = places[:count].T
        back = _from_behind(scene, np.where(hit, triangle, 0), directions)
        return Hits(hit, t, u, v, triangle, np.zeros(count, np.int64), back, work)


def _from_behind(scene: RayScene, triangle: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """Whether the corners run clockwise, seen from the ray's origin: bool[n]. The unit does not tell."""
    a, b, c = scene.meshes[0][triangle].astype(np.float64).transpose(1, 0, 2)
    return np.asarray(np.einsum("nk,nk->n", np.cross(b - a, c - a), directions) > 0)
