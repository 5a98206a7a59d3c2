"""memmove and memcmp of the run-time, against Python's bytes. Lanes have different addresses and find different bytes, under masks too."""

import numpy as np
import pytest

from warploom.gpu import GPU
from warploom.isa import load
from warploom.isa.frontend import Options
from warploom.isa.launching import read_buffer

pytest.importorskip("ziglang", reason="C is compiled by the package ziglang: pip install 'warploom[cc]'")

THREADS, BYTES, MOVED = 21, 64, 20
SOURCE = """#include <warploom.h>
kernel void moves(const unsigned char *in, unsigned char *out, int *order) {
  int i = global_id();
  unsigned char *row = out + 64 * i;
  memmove(row, in + 64 * i, 64);
  memmove(row + i % 5, row + i * 3 % 7, 20);
  order[i] = memcmp(row, row + 20 + i % 3, 10);
}
"""


MACHINES = [("vortex-2022", "vortex-2022"), ("vortex-2024", "vortex-2024"), ("riscv", "sm")]
SLOW = [pytest.param(*machine, "0", marks=pytest.mark.slow) for machine in MACHINES[1:]]  # ten seconds and more


@pytest.mark.every(2)
@pytest.mark.parametrize("isa, gpu, level", [(*MACHINES[0], "0"), *SLOW, *((*machine, "2") for machine in MACHINES)])
def test_bytes_are_moved_and_compared_as_in_python(isa, gpu, level, tmp_path):
    path = tmp_path / "moves.c"
    path.write_text(SOURCE)
    given = np.random.default_rng(5).integers(0, 3, (THREADS, BYTES)).astype(np.uint8)
    buffers = {"in": given.ravel(), "out": np.zeros(THREADS * BYTES, np.uint8), "order": np.zeros(THREADS, np.int32)}
    options = Options(path=str(path), threads=THREADS, buffers=buffers, more={"optimise": level})
    result = GPU(gpu, engine="python").run(load(path, isa, options=options))
    assert result.status == "done", result.fault
    rows, order = (
        read_buffer(result.program, result.memory, "out").reshape(THREADS, BYTES),
        read_buffer(result.program, result.memory, "order"),
    )
    for i in range(THREADS):
        row = bytearray(given[i].tobytes())
        row[i % 5 : i % 5 + MOVED] = row[i * 3 % 7 : i * 3 % 7 + MOVED]
        assert rows[i].tobytes() == bytes(row)
        assert order[i] == next((a - b for a, b in zip(row[:10], row[20 + i % 3 :], strict=False) if a != b), 0)
