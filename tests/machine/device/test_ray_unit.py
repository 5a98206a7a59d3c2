"""The ray unit in the machine: hits of random rays are those of the host's walk, whatever the number of warps, the cache and the stack."""

import numpy as np
import pytest

from tests.isa.vortex.programs import START
from warploom.gpu import GPU
from warploom.graphics.rays import Instance, RayScene
from warploom.isa import load
from warploom.isa.frontend import Options
from warploom.isa.launching import read_buffer
from warploom.machine.device.check import LaunchError

SCENE, RAYS, OUT, HIT = 0x20000, 0x100000, 0x200000, 32
RAY = "\n".join(f"    flw f{k}, {4 * k}(t1)" for k in range(8))
# Every thread traces ray after ray, and writes its answer: status, t, u, v, triangle, instance, geometry, custom.
TRACE = f"""
    csrr s0, mhartid
    li s1, {{count}}
loop:
    slli t1, s0, 5
    li t2, {RAYS:#x}
    add t1, t1, t2
{RAY}
    li a1, {SCENE:#x}
    li a0, {{flags}}
    vx_rt_trace a2, a0, a1
    addi s3, s0, {{step}}
    vx_rt_wait a3, a2
{{decide}}
    vx_rt_getf f0, a3, 14, 3
    vx_rt_get t3, a3, 21, 4
    slli t1, s0, 5
    li t2, {OUT:#x}
    add t1, t1, t2
    sw a3, 0(t1)
    fsw f0, 4(t1)
    fsw f1, 8(t1)
    fsw f2, 12(t1)
    sw t3, 16(t1)
    sw t4, 20(t1)
    sw t5, 24(t1)
    sw t6, 28(t1)
    mv s0, s3
    blt s0, s1, loop
    vx_tmc zero
"""
OWN_UNITS = {"gpu__cores": 2, "rays__cores": 1, "rays__mshrs": 1}


class Traced:
    """Answers of a machine: uint32[n, 8], and the run."""

    def __init__(self, words, rays, count, *, engine="python", text=TRACE, flags=0xFF0001, decide="", **settings):
        changes = {"core.lanes": 4, "core.warps": 2} | {name.replace("__", "."): value for name, value in settings.items()}
        step = changes["core.lanes"] * changes["core.warps"] * changes.get("gpu.cores", 1)
        assert count % step == 0
        buffers = {
            f"scene@{SCENE:#x}": words,
            f"rays@{RAYS:#x}": rays.astype(np.float32).view(np.uint32).ravel(),
            f"out@{OUT:#x}": np.zeros(8 * count, np.uint32),
        }
        source = START[2024] + text.format(count=count, step=step, flags=flags, decide=decide)
        loaded = load(source.encode(), "vortex-2024", options=Options(path="a.vx", buffers=buffers))
        self.result = GPU("vortex-2026", set=changes, engine=engine).run(loaded, max_cycles=100_000_000)
        assert self.result.status == "done", self.result.messages
        self.answers = read_buffer(self.result.program, self.result.memory, "out").view(np.uint32).reshape(count, 8)

    def counter(self, name):
        return self.result.counters[name]


def rays_of(numbers, count):
    origins = numbers.uniform(-2, 2, (count, 3))
    rays = np.concatenate([origins, numbers.uniform(-1, 1, (count, 3)) - origins * 0.7, np.zeros((count, 1))], axis=1)
    return np.concatenate([rays, np.full((count, 1), np.inf)], axis=1).astype(np.float32)


def is_as_on_the_host(traced, scene, rays, instances=False):
    hits = scene.trace(rays[:, :3], rays[:, 3:6], engine="python" if len(rays) < 500 else "native")
    answers, hit = traced.answers, hits.hit
    assert hit.any() and not hit.all()
    assert np.array_equal(answers[:, 0], np.where(hit, 0, 1))
    for column, expected in ((1, hits.t), (2, hits.u), (3, hits.v)):
        assert np.array_equal(answers[hit, column].view(np.float32), expected[hit])
    assert np.array_equal(answers[hit, 4], hits.triangle[hit])
    assert np.array_equal(answers[hit, 5], hits.instance[hit])
    assert traced.counter("rays") == len(rays)
    assert traced.counter("ray_triangles") == hits.work[:, 2].sum()
    assert traced.counter("ray_nodes") - traced.counter("ray_nodes_again") == (hits.work[:, 0] - hits.work[:, 5]).sum()


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"rays__warps": 1, "rays__stack": 1},
        {"rays__bytes": 0},
        {"gpu__cores": 2},
        {"gpu__cores": 2, "rays__cores": 1, "rays__mshrs": 1},
    ],
    ids=["two warps", "one at a time, short stack", "no cache", "two cores share", "a unit each"],
)
def test_hits_are_those_of_the_host(settings):
    numbers = np.random.default_rng(1)
    scene, rays = RayScene(numbers.uniform(-1, 1, (40, 3, 3)), 4), rays_of(numbers, 32)
    traced = Traced(scene.words, rays, 32, **settings)
    is_as_on_the_host(traced, scene, rays)
    assert traced.counter("ray_steps") > 0 and traced.counter("ray_lanes") >= traced.counter("ray_steps")
    assert (traced.counter("ray_restarts") > 0) == (settings.get("rays__stack") == 1)


@pytest.mark.slow
@pytest.mark.parametrize(("warps", "width"), [(1, 2), (2, 4), (3, 6), (4, 4)])
def test_ten_thousand_rays_for_every_number_of_warps(warps, width):
    numbers = np.random.default_rng(warps)
    scene, rays = RayScene(numbers.uniform(-1, 1, (300, 3, 3)), width), rays_of(numbers, 10_240)
    is_as_on_the_host(Traced(scene.words, rays, 10_240, engine="native", core__warps=4, rays__warps=warps), scene, rays)


def test_instances_of_any_width():
    numbers = np.random.default_rng(2)
    placed = [Instance(k % 2, np.vstack([np.eye(3), numbers.uniform(-1, 1, 3)]).T, custom=70 + k) for k in range(5)]
    for width in (2, 6):
        scene = RayScene([numbers.uniform(-0.5, 0.5, (8, 3, 3)), numbers.uniform(-0.5, 0.5, (3, 3, 3))], width, instances=placed)
        rays = rays_of(numbers, 16)
        traced = Traced(scene.words, rays, 16)
        is_as_on_the_host(traced, scene, rays)
        hit = traced.answers[:, 0] == 0
        assert np.array_equal(traced.answers[hit, 7], traced.answers[hit, 5] + 70) and traced.counter("ray_instances") > 0


def test_more_warps_in_the_unit_and_a_cache_save_time():
    numbers = np.random.default_rng(3)
    scene, rays = RayScene(numbers.uniform(-1, 1, (40, 3, 3)), 4), rays_of(numbers, 32)
    cycles = [
        Traced(scene.words, rays, 32, **more).result.cycles for more in ({}, {"rays__warps": 1}, {"rays__bytes": 0}, {"rays__box": 60})
    ]
    assert cycles[0] < min(cycles[1:])


def test_a_triangle_that_is_not_opaque_goes_to_the_program():
    """Nothing is opaque: the program turns down what it is offered until the walk has ended, or takes the first offer and no other."""
    numbers = np.random.default_rng(4)
    scene, rays = RayScene(numbers.uniform(-1, 1, (20, 3, 3)), 4), rays_of(numbers, 8)
    hits = scene.trace(rays[:, :3], rays[:, 3:6], engine="python")
    refuse = "again:\n    andi a4, a3, 2\n    beqz a4, over\n    li a5, {action}\n    vx_rt_continue a5, f0, zero\n    vx_rt_wait a3, a2\n"
    # one lane and one warp, so that a loop needs no split
    for action, status in ((0, [1] * 8), (1, np.where(hits.hit, 0, 1).tolist())):
        decide = refuse.format(action=action) + "    j again\nover:"
        traced = Traced(scene.words, rays, 8, flags=0xFF0002, decide=decide, core__lanes=1, core__warps=1)
        assert traced.answers[:, 0].tolist() == status
        if action:
            assert np.array_equal(traced.answers[hits.hit, 4], hits.triangle[hits.hit])
            assert np.array_equal(traced.answers[hits.hit, 1].view(np.float32), hits.t[hits.hit])
            assert np.array_equal(traced.answers[hits.hit, 2].view(np.float32), hits.u[hits.hit])


def test_damaged_trees_are_a_status_and_a_remark():
    numbers = np.random.default_rng(5)
    scene, rays = RayScene(numbers.uniform(-1, 1, (20, 3, 3)), 4), rays_of(numbers, 8)
    for place, value, fault in ((0, 0x7FFFFF00, 1), (1, 77, 2), (16, 9, 3), (2, 0, 5)):
        words = scene.words.copy()
        words[place] = value
        words[3] = 0 if fault == 5 else words[3]
        traced = Traced(words, rays, 8)
        assert traced.answers[:, 0].tolist() == [128 + fault] * 8
        assert traced.counter("ray_faults") == 8 and "8 rays met a damaged tree" in traced.result.messages[-1]


def test_a_handle_that_nobody_has_is_an_error_status():
    numbers = np.random.default_rng(6)
    scene, rays = RayScene(numbers.uniform(-1, 1, (5, 3, 3)), 4), rays_of(numbers, 8)
    traced = Traced(scene.words, rays, 8, text=TRACE.replace("vx_rt_wait a3, a2", "li a2, 9\n    vx_rt_wait a3, a2"))
    assert traced.answers[:, 0].tolist() == [128] * 8


def test_the_trace_of_2026_takes_scene_and_flags_from_lanes():
    numbers = np.random.default_rng(7)
    scene, rays = RayScene(numbers.uniform(-1, 1, (20, 3, 3)), 4), rays_of(numbers, 16)
    gather = """
    csrr t0, thread_id
    addi t0, t0, -1
    snez t1, t0
    neg t1, t1
    and a0, a0, t1
    addi t1, t1, 1
    neg t1, t1
    and a1, a1, t1
    or a1, a1, a0
    vx_rt_wtrace a2, a1"""  # lane 1 has the scene, the others flags and mask
    traced = Traced(scene.words, rays, 16, text=TRACE.replace("    vx_rt_trace a2, a0, a1", gather))
    is_as_on_the_host(traced, scene, rays)


def test_a_machine_without_the_unit_says_so():
    loaded = load((START[2024] + "    vx_rt_wait a3, a2\n    vx_tmc zero\n").encode(), "vortex-2024", options=Options(path="a.vx"))
    with pytest.raises(
        LaunchError,
        match=r"vx_rt_wait needs a ray unit, which this machine does not have; use --gpu vortex-2026, or add --set rays\.cores=1",
    ):
        GPU("vortex-2024", engine="python").run(loaded)
