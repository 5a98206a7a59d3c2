"""Parallel sections of the run-time at their limits: as many cores as there may be, and local memory that a core has not."""

import numpy as np
import pytest

from warploom.gpu import GPU
from warploom.isa import load
from warploom.isa.frontend import Options
from warploom.isa.launching import read_buffer
from warploom.machine.accounting.status import LaunchError

pytest.importorskip("ziglang", reason="C is compiled by the package ziglang: pip install 'warploom[cc]'")

THREADS, GROUP = 2048, 16
SOURCE = """#include <warploom.h>
kernel void turns(const int *in, int *out) {
  int size = local_size(), l = local_id(), *row = local_memory(BYTES);
  row[l] = in[global_id()];
  barrier();
  out[global_id()] = row[size - 1 - l] + group_id();
}
"""


def ran(number, size, tmp_path, **settings):
    path = tmp_path / "turns.c"
    path.write_text(SOURCE.replace("BYTES", str(size)))
    buffers = {"in": np.arange(THREADS, dtype=np.int32), "out": np.zeros(THREADS, np.int32)}
    program = load(path, f"vortex-{number}", options=Options(path=str(path), threads=THREADS, block=GROUP, buffers=buffers))
    return GPU(f"vortex-{number}", engine="native", set={name.replace("__", "."): value for name, value in settings.items()}).run(program)


@pytest.mark.parametrize("number", [2022, 2024])
def test_each_of_64_cores_has_local_memory_of_its_own(number, tmp_path):
    result = ran(number, 4 * GROUP, tmp_path, gpu__cores=64)
    wanted = np.arange(THREADS).reshape(-1, GROUP)[:, ::-1] + np.arange(THREADS // GROUP)[:, None]
    assert np.array_equal(read_buffer(result.program, result.memory, "out"), wanted.ravel())


@pytest.mark.parametrize("number", [2022, 2024])
def test_more_cores_and_wider_warps_are_refused(number, tmp_path):
    with pytest.raises(LaunchError, match="on at most 64 cores, and the machine has 65"):
        ran(number, 4 * GROUP, tmp_path, gpu__cores=65)
    with pytest.raises(LaunchError, match="in warps of at most 32 lanes, and the machine has 33"):
        ran(number, 4 * GROUP, tmp_path, core__lanes=33)


@pytest.mark.parametrize("number", [2022, 2024])
def test_groups_that_need_more_local_memory_than_a_core_has_are_a_fault(number, tmp_path):
    """Four lanes a warp and 16 threads a group: one group a core at a time; in warps of 16 lanes there are four."""
    assert ran(number, 16384, tmp_path, gpu__cores=2).status == "done"
    result = ran(number, 8192, tmp_path, gpu__cores=2, core__lanes=16)
    if number == 2024:
        assert "where there is no memory; the nearest region is 'local'" in result.fault
    else:
        where = f"{tmp_path / 'turns.c'}:3, in warploom_local_memory of the run-time"
        said = "the groups that a core runs at the same time need more local memory than its 16384 bytes; ask for less"
        assert result.fault.startswith(f"{where} (.word 0x00000000): {said}")
