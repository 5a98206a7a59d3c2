"""An access outside of its array does not hide what else is wrong, and changes nothing of what the other lanes do."""

import numpy as np
import pytest

from warploom import cuda
from warploom.checks.dropping import MOST_DROPPED


def ints(*shape):
    return np.arange(np.prod(shape), dtype=np.int32).reshape(shape)


def histogram(data, bins):
    i = cuda.grid(1)
    bins[data[i] % 8] += 1


def test_a_fault_of_some_threads_does_not_hide_a_lost_update():
    report = cuda.jit(histogram).check[2, 64](ints(100), np.zeros(8, np.int32), schedule=False)
    assert {one.kind for one in report.findings} == {"bounds", "lost-update"}, str(report)
    assert report.complete
    assert [one.times for one in report.findings if one.kind == "bounds"] == [28]


def shared_exchange(out):
    s = cuda.shared.array(64, np.int32)
    t = cuda.threadIdx.x
    s[t + 1] = t
    out[t] = s[63 - t]


def test_a_fault_in_shared_memory_does_not_hide_a_race():
    report = cuda.jit(shared_exchange).check[1, 64](np.zeros(64, np.int32), schedule=False)
    assert {"bounds", "race"} <= {one.kind for one in report.findings}, str(report)


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.int32, np.int64, np.float64])
def test_a_lane_that_is_dropped_loads_zeros_and_stores_nothing(kind):
    def moved(x, out, seen):
        t = cuda.threadIdx.x
        seen[t] = x[t + 7]
        out[t + 3] = 1

    x, out, seen = np.arange(1, 41).astype(kind), np.zeros(38, kind), np.full(40, 9, kind)
    report = cuda.jit(moved).check[1, 40](x, out, seen, schedule=False)
    assert [one.kind for one in report.findings] == ["bounds", "bounds"], str(report)
    assert seen.tolist() == [*range(8, 41), *[0] * 7]
    assert out.tolist() == [0] * 3 + [1] * 35


def counted(bins):
    cuda.atomic.add(bins, cuda.threadIdx.x % 8, 1)


def test_an_atomic_happens_once():
    bins = np.zeros(5, np.int32)
    report = cuda.jit(counted).check[1, 64](bins, schedule=False)
    assert [one.kind for one in report.findings] == ["bounds"], str(report)
    assert bins.tolist() == [8] * 5


def search(x, out):
    i = 0
    while x[i] != 77:
        i += 1
    out[0] = i


def test_a_search_beyond_the_end_is_stopped():
    report = cuda.jit(search).check[1, 32](ints(8), np.zeros(1, np.int32), schedule=False, max_cycles=10**9)
    assert [one.kind for one in report.findings if one.kind == "bounds"] == ["bounds"], str(report)
    assert report.result.status == "error"
    assert report.findings[0].times <= MOST_DROPPED + 64
