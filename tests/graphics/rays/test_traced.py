"""Rays in kernels: by the ray unit and by the walk as a program, against the host's walk, bit for bit."""

import numpy as np
import pytest
from PIL import Image

import warploom
from tests.graphics.rays.meshes import meshes, rays_at, sphere
from tests.places import EXAMPLES
from warploom import cuda
from warploom.graphics.rays import Instance, RayScene
from warploom.graphics.rays.kernel_walk import LOOPS, TOO_DEEP
from warploom.isa.diagnostics import SourceError
from warploom.kernel.script import run_script
from warploom.machine.accounting.status import LaunchError

FAR = np.float32(3e38)
FIRST_HIT, CULL_BACK, CULL_FRONT, NO_TRIANGLES = 4, 16, 32, 256


@cuda.jit
def by_unit(scene, origins, directions, tmin, tmax, flags, mask, places, numbers):
    i = cuda.grid(1)
    if i < origins.shape[0]:
        origin, direction = (origins[i, 0], origins[i, 1], origins[i, 2]), (directions[i, 0], directions[i, 1], directions[i, 2])
        hit = scene.trace(origin, direction, tmin, tmax, flags, mask=mask)
        numbers[i, 0], numbers[i, 1], numbers[i, 2] = hit.status, hit.triangle, hit.instance
        places[i, 0], places[i, 1], places[i, 2] = hit.t, hit.u, hit.v


def by_program(loop):
    @cuda.jit
    def walk(scene, origins, directions, tmin, tmax, flags, mask, places, numbers):
        i = cuda.grid(1)
        if i < origins.shape[0]:
            origin, direction = (origins[i, 0], origins[i, 1], origins[i, 2]), (directions[i, 0], directions[i, 1], directions[i, 2])
            hit = scene.walk(origin, direction, tmin, tmax, flags, mask=mask, loop=loop)
            numbers[i, 0], numbers[i, 1], numbers[i, 2] = hit.status, hit.triangle, hit.instance
            places[i, 0], places[i, 1], places[i, 2] = hit.t, hit.u, hit.v

    return walk


@pytest.fixture(autouse=True)
def with_a_unit():
    cuda.use(warploom.GPU("sm", set={"rays.cores": 1, "core.warps": 8}))
    yield
    cuda.use(None)


def same(kernel, scene, origins, directions, tmin=0.0, tmax=FAR, flags=0, mask=255):
    """What a kernel finds is what the host finds."""
    origins, directions = (np.ascontiguousarray(one, np.float32) for one in (origins, directions))
    places, numbers = np.full((len(origins), 3), 9, np.float32), np.full((len(origins), 3), -1, np.int64)
    kernel[-(-len(origins) // 32), 32](scene, origins, directions, np.float32(tmin), np.float32(tmax), flags, mask, places, numbers)
    expected = scene.trace(origins, directions, tmin, tmax, flags=flags, mask=mask)
    assert numbers[:, 0].tolist() == np.where(expected.hit, 0, 1).tolist()
    found = places[expected.hit]
    np.testing.assert_array_equal(found, np.stack([expected.t, expected.u, expected.v], axis=1)[expected.hit])
    np.testing.assert_array_equal(numbers[expected.hit, 1:], np.stack([expected.triangle, expected.instance], axis=1)[expected.hit])
    return int(expected.hit.sum())


KERNELS = pytest.mark.parametrize("kernel", [by_unit, *map(by_program, LOOPS)], ids=["unit", *LOOPS])


@pytest.mark.every(3)
@KERNELS
@pytest.mark.parametrize(
    ("name", "width"), [("random", 4), ("degenerate", 2), ("touching, each twice", 6), ("small and far away", 4), ("one", 2)]
)
def test_hits_are_those_of_the_host(kernel, name, width):
    numbers = np.random.default_rng(5)
    mesh = meshes(numbers)[name][:60]
    assert same(kernel, RayScene(mesh, width), *rays_at(numbers, mesh, 64)) > 5


@KERNELS
def test_instances_masks_and_flags(kernel):
    numbers = np.random.default_rng(6)
    ball = sphere(4)
    turn = np.eye(4)
    turn[:3, :3], turn[:3, 3] = [[0, -2, 0], [1, 0, 0.5], [0, 0, -1]], (1.5, 0, 0)
    scene = RayScene(
        [ball, ball[::2]],
        instances=[Instance(0, np.eye(4), mask=1), Instance(1, turn, mask=2, custom=7, flags=2), Instance(0, turn, mask=4)],
    )
    origins, directions = rays_at(numbers, ball, 64)
    for flags, mask in ((0, 255), (0, 2), (CULL_BACK, 7), (CULL_FRONT, 3), (FIRST_HIT, 255)):
        assert same(kernel, scene, origins, directions, 0.25, 4.0, flags, mask) > 2
    assert same(kernel, scene, origins, directions, flags=NO_TRIANGLES) == 0


@KERNELS
def test_a_ray_that_is_none_hits_nothing(kernel):
    odd = [(0, 0, 0), (np.nan, 0, 1), (np.inf, 0, 0), (0, 0, -0.0), (1, 0, 0)]
    assert same(kernel, RayScene(sphere(4)), np.zeros((5, 3)), odd) == 1
    assert same(kernel, RayScene(sphere(4)), np.zeros((5, 3)), np.ones((5, 3)), 2.0, 1.0) == 0


def test_other_work_goes_on_between_start_and_wait():
    @cuda.jit
    def two(scene, apart, out):
        i = cuda.grid(1)
        x = np.float32(i) / np.float32(16) - np.float32(1)
        if apart:
            first = scene.start((x, 0.0, -5.0), (0.0, 0.0, 1.0), 0.0, 100.0)
            second = scene.start((x, 0.5, -5.0), (0.0, 0.0, 1.0), 0.0, 100.0)
            a, b = scene.wait(first), scene.wait(second)
        else:
            a = scene.trace((x, 0.0, -5.0), (0.0, 0.0, 1.0), 0.0, 100.0)
            b = scene.trace((x, 0.5, -5.0), (0.0, 0.0, 1.0), 0.0, 100.0)
        out[i, 0], out[i, 1] = a.t if a.hit else -1, b.t if b.hit else -1

    scene, cycles, found = RayScene(sphere(8)), {}, {}
    for apart in (False, True):
        out = np.zeros((32, 2), np.float32)
        two[1, 32](scene, apart, out)
        cycles[apart], found[apart] = two.result.cycles, out
    np.testing.assert_array_equal(found[False], found[True])
    expected = scene.trace(np.stack([np.arange(32) / 16 - 1, np.zeros(32), np.full(32, -5.0)], axis=1), (0, 0, 1), 0.0, 100.0)
    np.testing.assert_array_equal(found[True][:, 0], np.where(expected.hit, expected.t, np.float32(-1)))
    assert cycles[True] < cycles[False]


def test_a_machine_without_the_unit_says_so_and_walks():
    cuda.use("sm")
    origins, directions = rays_at(np.random.default_rng(1), sphere(2), 8)
    with pytest.raises(LaunchError, match=r"trace_ray needs a ray unit, which this machine does not have; add --set rays\.cores=1$"):
        same(by_unit, RayScene(sphere(2)), origins, directions)
    assert same(by_program("nested"), RayScene(sphere(2)), origins, directions) > 0


@pytest.mark.parametrize("loop", LOOPS)
def test_a_tree_that_is_too_deep_for_the_stack_is_said(loop, monkeypatch):
    monkeypatch.setattr("warploom.graphics.rays.kernel_walk.STACK", 2)
    numbers = np.random.default_rng(2)
    origins, directions = np.tile(np.float32([-5, 0, 0]), (8, 1)), np.tile(np.float32([1, 0, 0]), (8, 1))
    places, found = np.zeros((8, 3), np.float32), np.zeros((8, 3), np.int64)
    scene = RayScene(numbers.uniform(-1, 1, (40, 3, 3)), 6)
    by_program(loop)[1, 8](scene, origins, directions, np.float32(0), FAR, 0, 255, places, found)
    assert set(found[:, 0].tolist()) == {TOO_DEEP}


def test_what_is_no_scene_is_refused():
    @cuda.jit
    def wrong(words, out):
        out[0] = cuda.trace_ray(words, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0)

    with pytest.raises(SourceError, match="a scene is an array of uint32"):
        wrong[1, 1](np.zeros(4, np.float32), np.zeros(1, np.int64))


def test_the_example_draws_the_same_picture_either_way(tmp_path):
    for how in ("unit", "walk"):
        run_script(EXAMPLES / "graphics" / "ray_kernel.py", [str(tmp_path / how), "12", how], gpu=warploom.GPU("sm", set={"rays.cores": 1}))
    assert (tmp_path / "unit").read_bytes() == (tmp_path / "walk").read_bytes()
    grey = np.asarray(Image.open(tmp_path / "unit"))[:, :, 0]
    assert len(set(grey.ravel().tolist())) > 10  # the sky, the shadow, and what the lamp shines on
