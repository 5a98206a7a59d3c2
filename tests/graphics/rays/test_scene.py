"""Closest hits through trees are those of a search through all triangles, bit for bit; nothing leaks; damaged trees end in a fault."""

import numpy as np
import pytest

from tests.graphics.rays.meshes import meshes, rays_at, sphere, targets
from warploom.graphics import GraphicsError
from warploom.graphics.rays import Instance, RayScene
from warploom.graphics.rays.scene import trace_rays, walk_of
from warploom.graphics.rays.tracing import H_FAULT, H_STATE, HIT, RAY, WORK
from warploom.machine.engine.native.loader import native
from warploom.machine.rays.walk import DONE, FAULT, FAULTS, TOO_DEEP

NAMES = list(meshes(np.random.default_rng(0)))


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one[:7], other[:7], strict=True))


@pytest.mark.every(2)
@pytest.mark.parametrize("name", NAMES)
def test_every_tree_and_stack_finds_the_hits_of_a_search(name):
    numbers = np.random.default_rng(NAMES.index(name))
    mesh = meshes(numbers)[name]
    origins, directions = rays_at(numbers, mesh, 1500)
    reference = RayScene(mesh).search(origins, directions, engine="native")
    assert reference.hit.sum() > 100 and (~reference.hit).sum() > 100
    for width in (2, 4, 6):
        scene = RayScene(mesh, width)
        for stack in (1, 2, 16):
            assert same(scene.trace(origins, directions, stack=stack, engine="native"), reference), (width, stack)
        along_a_curve = RayScene(mesh, width, builder="morton")
        assert same(along_a_curve.trace(origins, directions, engine="native"), reference), width


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_million_rays(name):
    numbers = np.random.default_rng(100 + NAMES.index(name))
    mesh = meshes(numbers)[name]
    origins, directions = rays_at(numbers, mesh, 1_000_000 // len(NAMES))
    reference = RayScene(mesh).search(origins, directions, engine="native")
    for width in (2, 4, 6):
        assert same(RayScene(mesh, width).trace(origins, directions, stack=3, engine="native"), reference)


def test_a_tree_along_a_curve_is_walked_slower():
    numbers = np.random.default_rng(11)
    mesh = np.concatenate([sphere(10), sphere(10, 0.1, (3, 0, 0))])
    rays = rays_at(numbers, mesh, 2000)
    work = [RayScene(mesh, 4, builder=builder).trace(*rays, engine="native").work[:, 0].sum() for builder in ("area", "morton")]
    assert work[0] < work[1]


def test_the_engines_agree():
    numbers = np.random.default_rng(5)
    mesh = meshes(numbers)["random"][:60]
    origins, directions = rays_at(numbers, mesh, 40)
    scene = RayScene(mesh, 6)
    plain, fast = (scene.trace(origins, directions, stack=2, engine=engine) for engine in ("python", "native"))
    assert same(plain, fast) and np.array_equal(plain.work, fast.work)
    assert same(scene.search(origins, directions, engine="python"), plain)


def test_a_short_stack_costs_visits_and_no_hit():
    numbers = np.random.default_rng(6)
    scene = RayScene(meshes(numbers)["random"], 4)
    rays = rays_at(numbers, scene.meshes[0], 500)
    deep, short = (scene.trace(*rays, stack=stack, engine="native") for stack in (32, 1))
    assert same(deep, short)
    nodes, boxes, triangles, leaves, restarts, again = short.work.sum(axis=0).tolist()
    assert restarts > 0 and again > 0 and nodes - again == deep.work[:, 0].sum()
    assert (triangles, leaves) == tuple(deep.work[:, 2:4].sum(axis=0).tolist()) and boxes > deep.work[:, 1].sum()


def test_nothing_leaks_out_of_a_closed_mesh_or_into_it():
    numbers = np.random.default_rng(7)
    scene = RayScene(sphere(16), 4)
    origins = numbers.uniform(-0.3, 0.3, (20_000, 3)).astype(np.float32)
    at = targets(numbers, scene.meshes[0], len(origins))
    inside = scene.trace(origins, at - origins, engine="native")
    assert inside.hit.all() and inside.back.all()
    far = origins * 3 + np.float32(2.5)
    outside = scene.trace(far, at * np.float32(0.99) - far, engine="native")
    assert outside.hit.all() and not outside.back.any()


def instances(numbers, count=12):
    made = []
    for number in range(count):
        turned, _ = np.linalg.qr(numbers.normal(size=(3, 3)))
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = turned * numbers.uniform(0.2, 3, (1, 3)), numbers.uniform(-3, 3, 3)
        made.append(Instance(number % 2, matrix, mask=1 << number % 3, custom=100 + number))
    return made


@pytest.mark.parametrize("width", [2, 4, 6])
def test_instances_are_found_as_by_a_search(width):
    numbers = np.random.default_rng(8)
    scene = RayScene([sphere(6), numbers.uniform(-1, 1, (20, 3, 3))], width, instances=instances(numbers))
    origins, directions = numbers.uniform(-5, 5, (2000, 3)), numbers.uniform(-1, 1, (2000, 3))
    reference = scene.search(origins, directions, engine="native")
    assert len(set(reference.instance[reference.hit].tolist())) == 12
    for stack in (1, 16):
        assert same(scene.trace(origins, directions, stack=stack, engine="native"), reference)
    masked = scene.trace(origins, directions, mask=2, engine="native")
    assert {number % 3 for number in masked.instance[masked.hit].tolist()} == {1}


def test_two_hits_at_the_same_t_are_one_hit_of_the_lowest_triangle():
    square = np.array([[[-1, -1, 0], [1, -1, 0], [1, 1, 0]], [[-1, -1, 0], [1, 1, 0], [-1, 1, 0]]])
    scene = RayScene(np.concatenate([square, square, square])[::-1], 2)
    found = scene.trace([[0, 0, 5]], [[0, 0, -1]], engine="python")
    assert (found.triangle.tolist(), found.t.tolist(), found.back.tolist()) == ([0], [5.0], [False])
    assert scene.trace([[0, 0, -5]], [[0, 0, 1]], engine="python").back.all()


def test_the_interval_is_open_and_rays_that_are_none_hit_nothing():
    scene = RayScene([[[-1, -1, 0], [1, -1, 0], [0, 1, 0]]])
    at = lambda **more: bool(scene.trace([[0, 0, 2]], [[0, 0, -1]], engine="python", **more).hit[0])  # noqa: E731
    assert at() and not at(tmax=2) and at(tmax=np.nextafter(np.float32(2), np.float32(3))) and not at(tmin=2) and not at(tmin=3, tmax=1)
    nan, big = np.nan, np.inf
    odd = [[0, 0, 0], [nan, 0, -1], [0, big, -1], [0, 0, -big]]
    assert not scene.trace([[0, 0, 2]], odd, engine="python").hit.any()
    assert not scene.trace([[0, nan, 2]], [[0, 0, -1]], engine="python").hit.any()


def test_a_program_decides_about_what_is_not_opaque():
    sheets = [[[-1, -1, z], [1, -1, z], [0, 1, z]] for z in (0, 1, 2)]
    scene = RayScene(sheets, 2, opaque=[True, False, False])
    seen = []

    def decide(walk, action):
        seen.append(walk.first)
        return action, 0.0

    ray = ([[0, 0, 5]], [[0, 0, -1]])
    for action, last, asked in ((0, 0, [2, 1]), (1, 2, [2]), (2, 2, [2])):
        seen.clear()
        found = scene.trace(*ray, decide=lambda walk, action=action: decide(walk, action))
        assert (found.triangle[0], seen) == (last, asked)
    assert scene.trace(*ray, flags=0x80, decide=lambda walk: decide(walk, 1)).triangle[0] == 0  # nothing that is not opaque
    assert scene.trace(*ray, flags=1, engine="python").triangle[0] == 2
    assert not scene.trace(*ray, flags=0x20, engine="python").hit[0]  # no front faces
    assert scene.trace(*ray, flags=0x10, engine="python").hit[0]
    assert not scene.trace(*ray, flags=0x100, engine="python").hit[0]  # no triangles
    first = scene.trace([[0, 0, -5]], [[0, 0, 1]], flags=4, engine="python")
    assert first.hit[0] and first.work[0, 2] == 1


def damaged(scene, numbers, count):
    """Trees with a few words changed, in rows."""
    made = np.repeat(scene.words[None], count, axis=0)
    for row in made:
        for _ in range(numbers.integers(1, 5)):
            place = numbers.integers(len(row)) if numbers.integers(3) else numbers.integers(20)
            kind = numbers.integers(4)
            row[place] = (
                numbers.integers(1 << 32) if kind == 0
                else row[place] ^ np.uint32(1 << int(numbers.integers(32))) if kind == 1
                else row[numbers.integers(len(row))] if kind == 2
                else int(64 * numbers.integers(len(row) // 16)) | int(numbers.integers(2)) << 31
            )  # fmt: skip
    return made


def test_damaged_trees_end_in_a_fault_or_an_answer():
    numbers = np.random.default_rng(9)
    plain = RayScene(numbers.uniform(-1, 1, (30, 3, 3)), 4)
    placed = RayScene([sphere(2), sphere(3)], 2, instances=instances(numbers, 4))
    rays = np.zeros((30, RAY), np.float32)
    rays[:, :6], rays[:, 7] = numbers.uniform(-1, 1, (30, 6)), np.inf
    places, results, work = np.zeros((30, 3), np.float32), np.zeros((30, HIT), np.int64), np.zeros((30, WORK), np.int64)
    entry = native().entry(
        trace_rays, (walk_of(plain.words, 2, 1, 255), plain.words, plain.words.view(np.float32), rays, 0, 30, places, results, work)
    )
    faults = set()
    for scene in (plain, placed):
        for words in damaged(scene, numbers, 250):
            entry(walk_of(words, 2, 1, 255), words, words.view(np.float32), rays, 0, 30, places, results, work)
            assert set(results[:, H_STATE].tolist()) <= {DONE, FAULT}
            faults |= set(results[:, H_FAULT].tolist())
    assert faults | {TOO_DEEP} == set(range(len(FAULTS)))


def test_a_tree_that_leads_back_to_its_root_ends():
    scene = RayScene(np.random.default_rng(3).uniform(-1, 1, (9, 3, 3)), 2)
    scene.words[16 + 5 : 16 + 7] = 64
    with pytest.raises(GraphicsError, match=r"^ray 0: the tree has more to visit than nodes and leaves, at byte 64$"):
        scene.trace([[0, 0, 0]], [[1, 1, 1]], engine="python")
    scene.words[2] = 1000
    with pytest.raises(GraphicsError, match=r"^ray 0: the tree has more than 64 levels, at byte 64$"):
        scene.trace([[0, 0, 0]], [[1, 1, 1]], engine="python")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: RayScene(np.zeros((1, 3, 3)), 3), "a node of 3 children: there are 2, 4 and 6"),
        (lambda: RayScene(np.zeros((1, 3, 3)), builder="fast"), "the builder 'fast': there are area, morton and kernels"),
        (lambda: RayScene(np.zeros((0, 3, 3))), "mesh 0 has no triangles"),
        (lambda: RayScene(np.zeros((3, 3))), "mesh 0 has corners [n, 3, 3], and these are [3, 3]"),
        (lambda: RayScene([[[0, 0, np.nan]] * 3]), "mesh 0: triangle 0 has a coordinate that is not a number up to 1e+12; scale the scene"),
        (lambda: RayScene([np.zeros((1, 3, 3))], instances=[]), "the scene has no instances"),
        (lambda: RayScene([np.zeros((1, 3, 3))], instances=[Instance(1, np.eye(4))]), "instance 0 is of mesh 1: there are 1"),
        (
            lambda: RayScene([np.zeros((1, 3, 3))], instances=[Instance(0, np.diag([1, 1, 1e-9, 1]))]),
            "instance 0: its matrix is 3 x 4 numbers, and scales no axis 1000 times as much as another",
        ),
        (
            lambda: RayScene(np.zeros((1, 3, 3))).trace([0, 0], [1, 1]),
            "rays are origins and directions of [n, 3] numbers, with tmin and tmax of one or n",
        ),
        (lambda: RayScene(np.zeros((1, 3, 3))).trace([0, 0, 0], [1, 1, 1], stack=0), "a stack of 0 entries: there are 1 to 32"),
        (lambda: RayScene(np.zeros((1, 3, 3)), opaque=[True, True]), "opaque says yes or no for each of 1 triangles, and this is [2]"),
    ],
)
def test_mistakes_are_sentences(make, said):
    with pytest.raises(GraphicsError) as found:
        make()
    assert str(found.value) == said
