"""Votes and shuffles of Vortex 2026 in C, by the names that programs for Vortex use, against the same in NumPy."""

import numpy as np
import pytest

from warploom.gpu import GPU
from warploom.isa import load
from warploom.isa.frontend import Options
from warploom.isa.launching import read_buffer

THREADS, LANES, RESULTS = 16, 4, 11
SOURCE = """#include <warploom.h>
kernel void f(const int *in, int *out) {
  int i = global_id(), n = global_size(), x = in[i], last = vx_num_threads() - 1;
  out[i] = vx_vote_all(x % 3 != 0);
  out[n + i] = vx_vote_any(x > 60);
  out[2 * n + i] = vx_vote_uni(x > 30);
  out[3 * n + i] = vx_vote_ballot(x & 1);
  out[4 * n + i] = vx_shfl_up(x, 1, 0, 0);
  out[5 * n + i] = vx_shfl_down(x, 1, last, 0);
  out[6 * n + i] = vx_shfl_bfly(x, 3, last, 0);
  out[7 * n + i] = vx_shfl_idx(x, 2, last, 0);
  out[8 * n + i] = vx_shfl_down(x, 1, last, last & ~1);
  int sum = x;
  for (int d = 1; d <= last; d <<= 1) sum += vx_shfl_bfly(sum, d, last, 0);
  out[9 * n + i] = sum;
  int odd = x & 1, v = 0, s = split(odd);
  if (odd) v = vx_vote_ballot(1); else v = vx_vote_ballot(x & 2);
  join(s);
  out[10 * n + i] = v;
}
"""


def wanted(x):
    warps, lane = x.reshape(-1, LANES), np.arange(LANES)

    def of_all(values):
        return np.repeat(values, LANES)

    def ballot(condition):
        return of_all((condition.reshape(-1, LANES) << lane).sum(axis=1))

    odd, second = x & 1, x >> 1 & 1
    uniform = (warps > 30).all(axis=1) | (warps <= 30).all(axis=1)
    voted = [of_all((warps % 3 != 0).all(axis=1)), of_all((warps > 60).any(axis=1)), of_all(uniform), ballot(odd)]
    moved = [np.maximum(lane - 1, 0), np.minimum(lane + 1, LANES - 1), lane ^ 3, [2] * LANES, lane | 1]
    parted = np.where(odd, ballot(odd), ballot((1 - odd) & second))
    return np.array([*voted, *(warps[:, source].ravel() for source in moved), of_all(warps.sum(axis=1)), parted])


@pytest.mark.parametrize("engine, mechanism", [("python", "masks"), ("native", "masks"), ("native", "stack"), ("native", "its")])
def test_votes_and_shuffles_by_their_names_in_c(engine, mechanism, tmp_path):
    pytest.importorskip("ziglang")
    path = tmp_path / "votes.c"
    path.write_text(SOURCE)
    x = np.array([1, 2, 4, 5, 61, 7, 3, 9, 40, 41, 50, 70, 6, 10, 2, 31], np.int32)
    options = Options(path=str(path), threads=THREADS, buffers={"in": x, "out": np.zeros(RESULTS * THREADS, np.int32)})
    program = load(path, "vortex", options=options)
    assert program.isa == "vortex-2026"  # found by the instructions
    result = GPU("vortex-2024", set={"core.divergence": mechanism}, engine=engine).run(program)
    assert result.status == "done", result.fault
    assert read_buffer(result.program, result.memory, "out").reshape(RESULTS, THREADS).tolist() == wanted(x).tolist()
