"""Kernels in C whose lanes part and come to barriers apart, against the same in Python: on every mechanism that parts lanes itself."""

import numpy as np
import pytest

from warploom.gpu import GPU
from warploom.isa import load
from warploom.isa.frontend import Options
from warploom.isa.launching import read_buffer

THREADS, BLOCK, ROUNDS = 16, 8, 3

BOTH_SIDES = """#include <warploom.h>
kernel void f(int *out, const int *in, int rounds) {
  int *l = local_memory(4 * local_size()), i = global_id(), t = local_id(), n = local_size();
  l[t] = in[i];
  for (int r = 0; r < rounds; r++) {
    if (in[i] & 1) { int a = l[(t + 1) % n]; barrier(); l[t] = a + 1; barrier(); }
    else { int b = l[(t + n - 1) % n]; barrier(); l[t] = b * 2 & 1023; barrier(); }
  }
  out[i] = l[t];
}
"""

RETURNS = """#include <warploom.h>
static int step(int x, int r) {
  if (x & 1) { if (x > 40) return x - 9; return 3 * x + r; }
  if (x == 0) return r + 1;
  switch (x & 6) { case 2: return x / 2; case 4: return x - 1; }
  return x + 5;
}
static int from_others(int *l, int v, int r) {
  l[local_id()] = v;
  barrier();
  int other = l[(local_id() * 5 + 3) % local_size()];
  barrier();
  if (other > 60) return step(other & 63, r);
  return other;
}
kernel void f(int *out, const int *in, int rounds) {
  int *l = local_memory(4 * local_size()), i = global_id(), v = in[i];
  for (int r = 0; r < rounds; r++) { v = step(v, r); v = v + from_others(l, v, r) & 0xfff; }
  if (v & 1) { out[i] = v; return; }
  out[i] = -v;
}
"""


def both_sides(given):
    x = list(given)
    for _ in range(ROUNDS):
        x = [x[(t + 1) % BLOCK] + 1 if first & 1 else x[t - 1] * 2 & 1023 for t, first in enumerate(given)]
    return x


def step(x, r):
    if x & 1:
        return x - 9 if x > 40 else 3 * x + r
    return r + 1 if x == 0 else {2: x // 2, 4: x - 1}.get(x & 6, x + 5)


def returns(x):
    for r in range(ROUNDS):
        x = [step(one, r) for one in x]
        others = [x[(5 * t + 3) % BLOCK] for t in range(BLOCK)]
        x = [one + (step(other & 63, r) if other > 60 else other) & 0xFFF for one, other in zip(x, others, strict=True)]
    return [one if one & 1 else -one for one in x]


@pytest.mark.every(3)
@pytest.mark.parametrize("level, engine", [("0", "native"), ("3", "native"), ("3", "python")])
@pytest.mark.parametrize("mechanism", ["stack", "minpc", "its"])
@pytest.mark.parametrize("source, expected", [(BOTH_SIDES, both_sides), (RETURNS, returns)])
def test_lanes_come_to_barriers_apart(source, expected, mechanism, level, engine, tmp_path):
    pytest.importorskip("ziglang")
    path = tmp_path / "apart.c"
    path.write_text(source)
    given = np.random.default_rng(5).integers(0, 60, THREADS).astype(np.int32)
    wanted = [one for first in range(0, THREADS, BLOCK) for one in expected(given[first : first + BLOCK].tolist())]
    for isa in ("vortex-2024", "vortex-2022"):
        buffers = {"in": given, "out": 0 * given}
        options = Options(
            path=str(path), threads=THREADS, block=BLOCK, arguments={"rounds": ROUNDS}, buffers=buffers, more={"optimise": level}
        )
        result = GPU(isa, set={"core.divergence": mechanism}, engine=engine).run(load(path, isa, options=options))
        assert result.status == "done", result.fault
        assert read_buffer(result.program, result.memory, "out").view(np.int32).tolist() == wanted
