"""A tree that kernels build: the same hits as any other, and the same tree as along the curve on the host."""

import numpy as np
import pytest

import warploom
from tests.graphics.rays.meshes import meshes, rays_at
from warploom import cuda
from warploom.graphics.rays import Instance, RayScene
from warploom.graphics.rays.building import DIGITS, TILE, count, place, sum_before
from warploom.graphics.state import GraphicsError


@pytest.fixture(autouse=True)
def on_a_machine():
    cuda.use(warploom.GPU("sm"))
    yield
    cuda.use(None)


@pytest.mark.every(2)
@pytest.mark.parametrize("name", ["random", "degenerate", "flat", "small and far away", "one", "a thousand times the same"])
def test_hits_are_those_of_a_search(name):
    numbers = np.random.default_rng(3)
    mesh = np.asarray(meshes(numbers)[name][:40], np.float32)
    scene = RayScene(mesh, 2, builder="kernels")
    origins, directions = rays_at(numbers, mesh, 60)
    found, expected = scene.trace(origins, directions), scene.search(origins, directions)
    assert found.hit.tolist() == expected.hit.tolist() and found.hit.any()
    for one in ("t", "u", "v", "triangle"):
        np.testing.assert_array_equal(getattr(found, one)[found.hit], getattr(expected, one)[found.hit])
    visits = [RayScene(mesh, 2, builder=builder).trace(origins, directions).work[:, 0].sum() for builder in ("morton", "area")]
    assert found.work[:, 0].sum() <= 1.2 * visits[0]


def test_opaque_and_clear_triangles_are_told_apart():
    numbers = np.random.default_rng(4)
    mesh = numbers.uniform(-1, 1, (20, 3, 3)).astype(np.float32)
    clear = np.arange(20) % 3 == 0
    origins, directions = rays_at(numbers, mesh, 40)
    hits = {}
    for builder in ("kernels", "morton"):
        scene = RayScene(mesh, 2, opaque=~clear, builder=builder)
        hits[builder] = scene.trace(origins, directions, decide=lambda walk: (0, 0.0))  # none of them counts
    assert hits["kernels"].hit.tolist() == hits["morton"].hit.tolist()
    found = hits["kernels"].hit
    assert not clear[hits["kernels"].triangle[found]].any()
    np.testing.assert_array_equal(hits["kernels"].t[found], hits["morton"].t[found])


@pytest.mark.parametrize("items", [1, TILE, TILE + 1, 3 * TILE - 5])
def test_the_sort_keeps_the_order_of_what_is_the_same(items):
    codes = np.random.default_rng(items).integers(0, 40, items, dtype=np.int32)
    order = np.arange(items, dtype=np.int32)
    for shift in (0, 4):
        tiles = np.zeros((DIGITS, -(-items // TILE)), np.int32)
        count[tiles.shape[1], TILE](codes, shift, tiles)
        flat = np.ascontiguousarray(tiles.reshape(-1))
        sum_before[1, TILE](flat)
        after, after_order = np.zeros_like(codes), np.zeros_like(order)
        place[tiles.shape[1], TILE](codes, order, shift, flat.reshape(tiles.shape), after, after_order)
        codes, order = after, after_order
    first = np.random.default_rng(items).integers(0, 40, items, dtype=np.int32)
    np.testing.assert_array_equal(order, np.argsort(first, kind="stable"))
    np.testing.assert_array_equal(codes, np.sort(first))


def test_what_kernels_do_not_build_is_said():
    triangle = [[[0, 0, 0], [1, 0, 0], [0, 1, 0]]]
    with pytest.raises(GraphicsError, match="nodes of two children over one mesh: give width 2"):
        RayScene(triangle, 4, builder="kernels")
    with pytest.raises(GraphicsError, match="and no instances"):
        RayScene([triangle], 2, instances=[Instance(0, np.eye(4))], builder="kernels")
    with pytest.raises(GraphicsError, match="there are area, morton and kernels"):
        RayScene(triangle, builder="sah")


@pytest.mark.parametrize(("changes", "said"), [({"core.lanes": 16}, "16 and stack"), ({"core.divergence": "uniform"}, "32 and uniform")])
def test_a_machine_with_other_warps_is_refused(changes, said):
    cuda.use(warploom.GPU("sm", set=changes))
    with pytest.raises(GraphicsError, match=f"warps of 32 lanes and core.divergence=stack or its, and sm has {said}: make another GPU"):
        RayScene(np.eye(3)[None], 2, builder="kernels")
