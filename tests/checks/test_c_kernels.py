"""Races in kernels in C: found with their lines and threads, and not where a barrier or a start of warps is between."""

import numpy as np
import pytest

from tests.places import EXAMPLES
from warploom.checks.check import run_checked
from warploom.isa import load
from warploom.isa.frontend import Options
from warploom.machine.config.presets import load_config

pytest.importorskip("ziglang", reason="C is compiled by the package ziglang: pip install 'warploom[cc]'")

NEIGHBOURS = """#include <warploom.h>
kernel void neighbours(const int *in, int *out) {
  int *shared = local_memory(4 * 8);
  shared[local_id()] = in[global_id()];
  BETWEEN;
  out[global_id()] = shared[local_id() ^ 4];
}
"""


def findings(path, name, **buffers):
    program = load(path, name, options=Options(path=str(path), threads=16, block=8, buffers=buffers))
    return list(run_checked(load_config(name), program, engine="python", schedule=False).findings)


def written(tmp_path, between):
    path = tmp_path / "neighbours.c"
    path.write_text(NEIGHBOURS.replace("BETWEEN", between))
    return path


@pytest.mark.parametrize("name", ["vortex-2022", "vortex-2024"])
def test_a_missing_barrier_is_a_race_with_its_lines_and_threads(name, tmp_path):
    x = np.arange(16, dtype=np.int32)
    (found,) = findings(written(tmp_path, ""), name, **{"in": x}, out=0 * x)
    assert found.kind == "race"
    assert sorted((found.position.line, found.other_position.line)) == [4, 6]
    numbers = sorted(int(thread.removeprefix("thread ")) for thread in found.threads)
    assert numbers[1] // 4 != numbers[0] // 4  # lanes of different warps
    assert found.fix == "put a barrier between the two, where all threads of the block pass"


@pytest.mark.parametrize("name", ["vortex-2022", "vortex-2024"])
def test_with_the_barrier_nothing_is_found(name, tmp_path):
    x = np.arange(16, dtype=np.int32)
    assert findings(written(tmp_path, "barrier()"), name, **{"in": x}, out=0 * x) == []


ACROSS = """#include <warploom.h>
kernel void across(const int *in, int *half, int *out) {
  half[global_id()] = in[global_id()] / 2;
  barrier();
  out[global_id()] = half[global_id() ^ 8];
}
"""


@pytest.mark.parametrize("name", ["vortex-2022", "vortex-2024"])
def test_a_barrier_of_a_group_orders_no_other_group(name, tmp_path):
    """Each group of two warps reads what the other one has written, and either has come to its own barrier."""
    path, x = tmp_path / "across.c", np.arange(16, dtype=np.int32)
    path.write_text(ACROSS)
    (found,) = findings(path, name, **{"in": x}, half=0 * x, out=0 * x)
    assert found.kind == "race" and found.element.startswith("half[")
    assert sorted((found.position.line, found.other_position.line)) == [3, 5]
    numbers = sorted(int(thread.removeprefix("thread ")) for thread in found.threads)
    assert [number // 8 for number in numbers] == [0, 1]
    assert found.fix == "blocks have no order: use an atomic, an array for each block, or a kernel of its own after this one"
    path.write_text(ACROSS.replace("^ 8", "^ 4"))
    assert findings(path, name, **{"in": x}, half=0 * x, out=0 * x) == []


SHAPES = {"4w4t": (1, 4, 4), "2w8t": (1, 2, 8), "8w2t": (1, 8, 2), "2c4w4t": (2, 4, 4)}
EXAMPLES_OF_GROUPS = {"reduction": 8, "prefix_sum": 8, "sgemm_tiled": 16}


@pytest.mark.every(3)
@pytest.mark.parametrize("name", ["vortex-2022", "vortex-2024"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("example", EXAMPLES_OF_GROUPS)
def test_examples_with_barriers_are_clean_on_machines_of_all_shapes(example, shape, name):
    cores, warps, lanes = SHAPES[shape]
    path, x, block = EXAMPLES / "vortex" / f"{example}.c", np.arange(64, dtype=np.int32), EXAMPLES_OF_GROUPS[example]
    buffers = {"in": x, "out": 0 * x}
    if example == "sgemm_tiled":
        buffers = {letter: np.ones(64, np.float32) for letter in "abc"}
    arguments = {"n": 8} if example == "sgemm_tiled" else {}
    program = load(path, name, options=Options(path=str(path), threads=64, block=block, arguments=arguments, buffers=buffers))
    config = load_config(name, {"gpu.cores": cores, "core.warps": warps, "core.lanes": lanes, "shared.banks": lanes})
    report = run_checked(config, program, engine="native", schedule=False)
    assert report.complete and report.clean


@pytest.mark.parametrize("name", ["vortex-2022", "vortex-2024"])
@pytest.mark.parametrize("cores", [1, 2])
def test_all_threads_wait_for_each_other(cores, name):
    """On one core they count themselves, from 2023 on, and load the count by atomics."""
    n, path = 16 * cores, EXAMPLES / "vortex" / "pipeline.c"
    x = np.arange(n, dtype=np.int32)
    buffers = {"in": x, "first": 0 * x, "second": 0 * x, "out": 0 * x}
    program = load(path, name, options=Options(path=str(path), threads=n, arguments={"n": n}, buffers=buffers))
    report = run_checked(load_config(name, {"gpu.cores": cores}), program, engine="python", schedule=False)
    assert report.complete and report.clean


LOCK = """#include <warploom.h>
kernel void counted(int *lock, int *count) {
  int first = split(local_id() == 0);
  if (local_id() == 0) {
    TAKE;
    *count = *count + 1;
    GIVE;
  }
  join(first);
}
"""
EXCHANGE = "while (__atomic_exchange_n(lock, 1, __ATOMIC_{}))"
COMPARE = "for (int free = 0; !__atomic_compare_exchange_n(lock, &free, 1, 0, __ATOMIC_{}, __ATOMIC_RELAXED); free = 0)"
GIVEN = "__atomic_exchange_n(lock, 0, __ATOMIC_{})"
FENCE = "__atomic_thread_fence(__ATOMIC_SEQ_CST)"


def of_a_lock(tmp_path, take, give):
    path = tmp_path / "counted.c"
    path.write_text(LOCK.replace("TAKE", take).replace("GIVE", give))
    return findings(path, "vortex-2024", lock=np.zeros(1, np.int32), count=np.zeros(1, np.int32))


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("take", "give"),
    [
        (EXCHANGE.format("ACQUIRE"), GIVEN.format("RELEASE")),
        (EXCHANGE.format("ACQUIRE"), f"{FENCE}; {GIVEN.format('RELAXED')}"),
        (f"{EXCHANGE.format('RELAXED')}; {FENCE}", GIVEN.format("RELEASE")),
        (EXCHANGE.format("ACQ_REL"), GIVEN.format("ACQ_REL")),
        (COMPARE.format("ACQUIRE"), GIVEN.format("RELEASE")),
        (EXCHANGE.format("ACQUIRE"), "__atomic_store_n(lock, 0, __ATOMIC_RELEASE)"),
        ("while (__sync_lock_test_and_set(lock, 1))", "__sync_lock_release(lock)"),
    ],
    ids=["aq and rl", "aq and a fence", "a fence and rl", "both", "a reservation with aq", "a store that releases", "the older names"],
)
def test_a_lock_whose_atomics_have_an_order_is_right(take, give, tmp_path):
    assert of_a_lock(tmp_path, take, give) == []


@pytest.mark.parametrize(
    ("take", "give"),
    [
        (EXCHANGE.format("RELAXED"), GIVEN.format("RELEASE")),
        (EXCHANGE.format("ACQUIRE"), GIVEN.format("RELAXED")),
        (COMPARE.format("RELAXED"), GIVEN.format("RELEASE")),
    ],
    ids=["no aq", "no rl", "a reservation without aq"],
)
def test_a_lock_whose_atomic_has_no_order_is_a_race(take, give, tmp_path):
    assert {one.position.line for one in of_a_lock(tmp_path, take, give)} == {6}


def test_an_element_is_named_by_its_buffer_and_other_memory_by_its_address(tmp_path):
    path = tmp_path / "k.c"
    path.write_text("#include <warploom.h>\nkernel void k(const float *x, float *y) { y[global_id() / 2] += x[global_id()]; }\n")
    x = np.ones(16, np.float32)
    (found,) = findings(path, "vortex-2024", x=x, y=0 * x)
    assert found.kind == "lost-update" and found.element.startswith("y[")
    (found,) = findings(written(tmp_path, ""), "vortex-2024", **{"in": np.arange(16, dtype=np.int32)}, out=np.zeros(16, np.int32))
    assert 0xFFFF0000 <= int(found.element.removeprefix("byte ").removesuffix(" of memory"), 0) < 0xFFFF0040  # local memory


@pytest.mark.parametrize("example", ["reduction", "prefix_sum"])
def test_examples_are_clean(example):
    x = np.arange(16, dtype=np.int32)
    assert findings(EXAMPLES / "vortex" / f"{example}.c", "vortex-2024", **{"in": x}, out=0 * x) == []


@pytest.mark.parametrize("engine", ["python", "native"])
def test_memory_that_each_core_has_of_its_own_is_watched(engine):
    """Until 2022 that is where stacks lie: of a second core beyond all other memory."""
    path, x = EXAMPLES / "vortex" / "sort.c", np.arange(37, dtype=np.int32)[::-1].copy()
    options = Options(path=str(path), threads=37, arguments={"n": 37}, buffers={"in": x, "out": 0 * x})
    config = load_config("vortex-2022", {"gpu.cores": 2})
    report = run_checked(config, load(path, "vortex-2022", options=options), engine=engine, schedule=False)
    assert report.complete and report.clean


def test_what_helps_against_a_stray_access_is_said_in_c():
    path, x = EXAMPLES / "vortex" / "saxpy.elf", np.zeros(5, np.float32)
    options = Options(path=str(path), threads=12, arguments={"a": 2}, buffers={"x": x, "y": np.zeros(12, np.float32)})
    program = load(path, options=options)
    (found,) = run_checked(load_config("vortex-2024"), program, engine="python", schedule=False).findings
    assert (found.kind, found.fix) == ("bounds", "guard the access, as in: if (i < n)")


OF_THE_RUNTIME = """#include <warploom.h>
kernel void waits(int *out) {
  int first = local_id() < 2, s = split(first);
  if (first) {
    barrier();
  }
  join(s);
}
kernel void moves(int *out) {
  memcpy(out + 8, out, 4 * local_size());
  memcpy(out + (local_id() << 24), out, 4 * local_size());
}
kernel void clears(int *out) {
  memset(out, 1 + global_id(), 4 * local_size());
}
"""


def of_the_runtime(tmp_path, kernel, name, block=8):
    path = tmp_path / "k.c"
    path.write_text(OF_THE_RUNTIME)
    options = Options(path=str(path), threads=block, block=block, buffers={"out": np.zeros(64, np.int32)}, more={"launch": kernel})
    report = run_checked(load_config(name), load(path, name, options=options), engine="python", schedule=False)
    return report, report.findings[0]


@pytest.mark.parametrize("name", ["vortex-2022", "vortex-2024"])
def test_a_barrier_that_not_all_come_to_is_named_by_its_line(name, tmp_path):
    """The warps that do not come to it wait in the run-time, or have ended."""
    report, found = of_the_runtime(tmp_path, "waits", name)
    assert (found.kind, found.position.line) == ("deadlock", 5)
    assert f"(core 0, lanes 0-1) at {tmp_path / 'k.c'}:5 (vx_bar" in report.result.fault


@pytest.mark.parametrize("name", ["vortex-2022", "vortex-2024"])
def test_what_a_function_of_the_runtime_does_is_at_the_line_that_calls_it(name, tmp_path):
    report, found = of_the_runtime(tmp_path, "moves", name)
    assert (found.kind, found.position.line) == ("bounds", 11)
    assert report.result.fault.startswith(f"{tmp_path / 'k.c'}:11, in memcpy of the run-time (sb ")
    assert found.message.startswith("in memcpy of the run-time: lane 1 accesses address 0x40")
    _, found = of_the_runtime(tmp_path, "clears", name)
    assert (found.kind, found.position.line, found.other_position.line) == ("race", 14, 14)
    assert found.message.startswith("in memset of the run-time: thread ")
