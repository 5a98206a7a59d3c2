"""Programs with a run-time of their own: tasks over cores, warps and lanes in both generations, pred, votes, cores that meet, counters."""

import struct
import subprocess
from functools import lru_cache

import numpy as np
import pytest

from tests.isa.vortex.test_foreign import COMPILER, HERE, IN_AT, OUT_AT
from warploom.gpu import GPU
from warploom.isa import load
from warploom.isa.frontend import Options
from warploom.isa.launching import read_buffer

pytest.importorskip("ziglang", reason="C is compiled by the package ziglang: pip install 'warploom[cc]'")

COUNT = 61  # no multiple of anybody's lanes
X = np.random.default_rng(8).integers(0, 100, COUNT).astype(np.int32)
TASKS, PRED, IN_TURN, VOTES, ATOMIC, CORES_MEET, GROUP, DUMP, ITEMS = range(20, 29)
BEFORE = IN_AT - 256  # words before the input that programs use
MACHINES = {"1c4w4t": (1, 4, 4), "2c2w8t": (2, 2, 8), "4c8w2t": (4, 8, 2)}


@lru_cache(maxsize=64)
def built(folder, program, generation, level="2"):
    """The bytes of an ELF file."""
    out = folder / f"{program}-{generation}-{level}.elf"
    given = ["-mcpu=generic_rv32+m+a+f", f"-O{level}", f"-DGENERATION={generation}", f"-DPROGRAM={program}", "-T", HERE / "own.ld"]
    subprocess.run([*COMPILER, *given, HERE / "start.S", HERE / "runtime.c", "-o", out], check=True, capture_output=True)
    return out.read_bytes()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("runtime")


def wanted(program, count, cores):
    """What is in the output: of the first `count` elements."""
    x, i = X[:count].astype(int), np.arange(count)
    return {
        TASKS: 5 * x - i,
        PRED: -(-x // 7),
        VOTES: x + 8,
        CORES_MEET: x + cores * (cores + 1) // 2,
        GROUP: x + x[: count // 2 * 2].reshape(-1, 2)[:, ::-1].ravel() if count % 2 == 0 else None,
        ATOMIC: x,
        ITEMS: x[(4 * i[:, None] + np.arange(4)) % count] @ [4, 3, 2, 1],
    }.get(program, x + 1)


def check(data, program, generation, machine="1c4w4t", mechanism="masks", engine="python"):
    cores, warps, lanes = MACHINES[machine]
    count = {VOTES: 32, GROUP: min(2 * lanes * cores, 60)}.get(program, COUNT)
    block = np.frombuffer(struct.pack("<IIQQ" if generation > 2023 else "<IIII", count, 0, IN_AT, OUT_AT), np.uint32)
    buffers = {"argument": block, f"before@{BEFORE:#x}": np.zeros(64, np.int32), f"in@{IN_AT:#x}": X, f"out@{OUT_AT:#x}": 0 * X}
    dcr = {"dcr": np.array([5, 1], np.uint32)} if program == DUMP and generation > 2023 else {}
    loaded = load(data, f"vortex-{generation}", options=Options(path="program.elf", buffers={**buffers, **dcr}))
    changes = {"gpu.cores": cores, "core.warps": warps, "core.lanes": lanes, "shared.banks": lanes, "core.divergence": mechanism}
    preset = "vortex-2022" if generation < 2023 else "vortex-2024"
    result = GPU(preset, set=changes, engine=engine).run(loaded, max_cycles=300_000)
    assert result.status == "done", result.fault
    found = read_buffer(result.program, result.memory, "out").view(np.int32)
    assert found[:count].tolist() == wanted(program, count, cores).tolist() and not found[count:].any()
    assert result.exit_code == program
    return result


CASES = [
    (TASKS, 2021, "2c2w8t"), (TASKS, 2022, "1c4w4t"), (TASKS, 2024, "4c8w2t"), (PRED, 2024, "2c2w8t"), (PRED, 2026, "1c4w4t"),
    (IN_TURN, 2022, "1c4w4t"), (IN_TURN, 2024, "1c4w4t"), (VOTES, 2026, "2c2w8t"), (ATOMIC, 2024, "4c8w2t"),
    (CORES_MEET, 2024, "4c8w2t"), (GROUP, 2024, "2c2w8t"),
]  # fmt: skip


@pytest.mark.every(3)
@pytest.mark.parametrize(("program", "generation", "machine"), CASES)
def test_a_program_with_its_own_run_time_runs(program, generation, machine, folder):
    result = check(built(folder, program, generation), program, generation, machine)
    if program == ATOMIC:
        counted = read_buffer(result.program, result.memory, "before").view(np.int32)[:8]
        assert counted.tolist() == np.bincount(X & 7, minlength=8).tolist()


@pytest.mark.parametrize("generation", [2022, 2024])
def test_items_of_a_work_group_in_loops(generation, folder):
    check(built(folder, ITEMS, generation, "3"), ITEMS, generation)


@pytest.mark.parametrize(("mechanism", "program", "generation"), [("stack", PRED, 2024), ("its", CORES_MEET, 2024), ("minpc", TASKS, 2022)])
def test_under_other_mechanisms(mechanism, program, generation, folder):
    """Unchanged: what switches lanes and warps is the program's own in all of them."""
    check(built(folder, program, generation), program, generation, "2c2w8t", mechanism)


@pytest.mark.parametrize(("generation", "at"), [(2022, 0xFF000000), (2024, 0x80)])
def test_a_program_dumps_its_counters_when_it_ends(generation, at, folder):
    """As the run-times of the originals do: 32 low halves and 32 high ones for each core."""
    result = check(built(folder, DUMP, generation), DUMP, generation, "2c2w8t")
    place = result.program.address_space(result.config.memory.bytes).place(at) // 4
    words = np.asarray(result.memory).view(np.uint32)[place : place + 128].reshape(2, 2, 32)
    low, high = words[:, 0].astype(int), words[:, 1]
    if generation > 2023:
        low[:, 2] = 0, 0  # where the exit code is
    assert (low[:, 0] < result.counters["cycles"]).all() and low[:, 0].all() and not high.any()
    loads = 10 if generation < 2023 else 13
    assert low[:, loads].min() > 0 and low[:, loads].sum() <= result.counters["thread_instructions"]
