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


@pytest.mark.parametrize("example", ["reduction", "prefix_sum"])
def test_examples_are_clean(example):
    x = np.arange(16, dtype=np.int32)
    assert findings(EXAMPLES / "vortex" / f"{example}.c", "vortex-2024", **{"in": x}, out=0 * x) == []


def test_what_helps_against_a_stray_access_is_said_in_c():
    path, x = EXAMPLES / "vortex" / "saxpy.elf", np.zeros(5, np.float32)
    options = Options(path=str(path), threads=12, arguments={"a": 2}, buffers={"x": x, "y": np.zeros(12, np.float32)})
    program = load(path, options=options)
    (found,) = run_checked(load_config("vortex-2024"), program, engine="python", schedule=False).findings
    assert (found.kind, found.fix) == ("bounds", "guard the access, as in: if (i < n)")
