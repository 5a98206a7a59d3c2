"""Rays from C: examples/vortex/rays.c, with the functions of vx_intrinsics.h, on a machine with a ray unit."""

import numpy as np
import pytest

from tests.places import EXAMPLES
from warploom.gpu import GPU
from warploom.graphics.rays import RayScene
from warploom.isa.c.compiler import compile_c
from warploom.isa.frontend import Options
from warploom.isa.frontends import load
from warploom.isa.launching import read_buffer

RAYS = 16
NAMES = ("scene", "rays", "hits", "statuses")


@pytest.fixture(scope="module")
def program():
    pytest.importorskip("ziglang", reason="C is compiled by the package ziglang: pip install 'warploom[cc]'")
    return compile_c([EXAMPLES / "vortex" / "rays.c"], "vortex-2024")


@pytest.mark.parametrize("flags", [1, 2], ids=["opaque", "the program decides"])
def test_hits_are_those_of_the_host(program, flags):
    numbers = np.random.default_rng(1)
    scene, origins = RayScene(numbers.uniform(-1, 1, (30, 3, 3)), 4), numbers.uniform(-2, 2, (RAYS, 3))
    directions = (numbers.uniform(-0.9, 0.9, (RAYS, 3)) - origins).astype(np.float32)
    rays = np.concatenate([origins, directions, np.zeros((RAYS, 1)), np.full((RAYS, 1), np.inf)], axis=1).astype(np.float32)
    empty = np.zeros(7 * RAYS, np.uint32)
    buffers = {"scene": scene.words, "rays": rays.view(np.uint32).ravel(), "hits": empty, "statuses": empty[:RAYS]}
    options = Options(path="rays.elf", buffers=buffers, arguments={name: name for name in NAMES} | {"flags": flags}, threads=RAYS)
    result = GPU("vortex-2026", engine="python", set={"core.divergence": "stack"}).run(load(program, "vortex-2024", options=options))
    assert result.status == "done", result.messages
    hits, statuses = (read_buffer(result.program, result.memory, name).view(np.uint32) for name in ("hits", "statuses"))
    hits = hits.reshape(RAYS, 7)

    def even(walk):
        return 1 - ((walk.first + walk.index) & 1), 0.0

    expected = scene.trace(origins, directions, flags=flags, decide=even if flags == 2 else None, engine="python")
    assert expected.hit.any() and statuses.tolist() == np.where(expected.hit, 0, 1).tolist()
    for column, wanted in ((0, expected.t), (1, expected.u), (2, expected.v)):
        assert np.array_equal(hits[expected.hit, column].view(np.float32), wanted[expected.hit])
    assert np.array_equal(hits[expected.hit, 3], expected.triangle[expected.hit])
