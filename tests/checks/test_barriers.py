"""Barriers that ended threads never come to, kernels that end only where lanes run on their own, and divisions by zero."""

import warnings

import numpy as np
import pytest

import warploom
from tests.checks.warps_in_part import races
from warploom import cuda
from warploom.kernel.device.context import CURRENT


def checked(kernel, grid, block, *arguments):
    CURRENT.use(warploom.GPU("sm", engine="python"))
    CURRENT.context.memory_bytes = 1 << 20
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return cuda.jit(kernel).check[grid, block](*arguments, max_cycles=300_000)
    finally:
        CURRENT.use(None)


def line_of(report, finding):
    return report.program.sources[finding.position.file].lines[finding.position.line - 1].strip()


def whole_warp_stays_away(out):
    t = cuda.threadIdx.x
    if t < 32:
        out[t] = t
        cuda.syncthreads()
    else:
        out[t] = 1


def returned_before(out, n):
    i = cuda.grid(1)
    if i >= n:
        return
    out[i] = i
    cuda.syncthreads()
    out[i] += 1


@pytest.mark.parametrize(("kernel", "arguments"), [(whole_warp_stays_away, ()), (returned_before, (50,))])
def test_threads_that_ended_before_a_barrier_are_a_warning(kernel, arguments):
    report = checked(kernel, 1, 64, np.zeros(64, np.int64), *arguments)
    assert report.clean and report.complete
    (found,) = report.warnings
    assert found.kind == "barrier" and "runs on today's GPUs" in found.message and line_of(report, found) == "cuda.syncthreads()"
    assert "warning: " in str(report) and "ends here" in str(report)


def whole_warps_at_two_barriers(out):
    t = cuda.threadIdx.x
    if t < 32:
        out[t] = 1
        cuda.syncthreads()  # first
    else:
        out[t] = 2
        cuda.syncthreads()  # second
    out[t] += out[63 - t]


def test_whole_warps_at_different_barriers_are_a_warning_and_meet_there():
    report = checked(whole_warps_at_two_barriers, 1, 64, np.zeros(64, np.int64))
    (found,) = report.warnings
    assert found.kind == "barrier" and "runs on today's GPUs" in found.message
    assert line_of(report, found) == "cuda.syncthreads()  # second"
    assert {one.kind for one in report.findings} == {"race"}  # at the last line, not across the barrier
    assert {line_of(report, one) for one in report.findings} == {"out[t] += out[63 - t]"}


def test_a_barrier_of_ptx_is_its_number():
    assert races(("W0 E0", "E0 R0")) == []
    assert races(("W0 E1", "E1 R0")) == []


def test_threads_that_end_after_the_last_barrier_are_not():
    def kernel(out, n):
        i = cuda.grid(1)
        cuda.syncthreads()
        if i >= n:
            return
        out[i] = i

    report = checked(kernel, 2, 64, np.zeros(128), 100)
    assert report.clean and not report.warnings


def test_a_grid_whose_barrier_some_blocks_never_come_to():
    def kernel(out):
        if cuda.blockIdx.x % 2 == 1:
            return
        grid = cuda.cg.this_grid()
        out[cuda.grid(1)] = 1
        grid.sync()
        out[cuda.grid(1)] += 1

    report = checked(kernel, 4, 32, np.zeros(128))
    (found,) = report.findings
    assert found.kind == "barrier" and "the barrier of the whole grid" in found.message and line_of(report, found) == "grid.sync()"


def test_a_grid_that_comes_to_its_barrier_twice():
    def kernel(out):
        grid = cuda.cg.this_grid()
        out[cuda.grid(1)] = 1
        grid.sync()
        out[127 - cuda.grid(1)] += 1
        grid.sync()
        out[cuda.grid(1)] += 1

    report = checked(kernel, 4, 32, np.zeros(128))
    assert report.clean and not report.warnings


def lock_in_a_warp(lock, count):
    while cuda.atomic.cas(lock, 0, 0, 1) != 0:
        pass
    cuda.threadfence()
    count[0] += 1
    cuda.threadfence()
    cuda.atomic.exch(lock, 0, 0)


def test_a_lock_in_a_warp_ends_where_lanes_run_on_their_own():
    count = np.zeros(1, np.int32)
    report = checked(lock_in_a_warp, 1, 4, np.zeros(1, np.int32), count)
    assert report.complete and count[0] == 4
    (found,) = [one for one in report.warnings if one.kind == "forward-progress"]
    assert "as on Volta and later" in found.message and "while" in line_of(report, found)


def test_a_lane_that_waits_for_nobody_is_a_deadlock():
    def kernel(flag):
        while cuda.atomic.add(flag, 0, 0) == 0:
            pass

    report = checked(kernel, 1, 4, np.zeros(1, np.int32))
    assert [one.kind for one in report.findings] == ["deadlock"] and not report.warnings and not report.complete


def test_a_whole_number_divided_by_zero():
    def kernel(a, b, out):
        i = cuda.grid(1)
        out[i] = a[i] // b[i]
        out[i] += a[i] % (b[i] - 1)

    report = checked(kernel, 1, 4, np.arange(4, dtype=np.int32), np.arange(4, dtype=np.int32), np.zeros(4, np.int32))
    assert [(one.kind, one.element) for one in report.findings] == [("division", "b[i]"), ("division", "b[i] - 1")]
    assert report.findings[0].fix == "guard it: if b[i] != 0"


def test_a_division_that_is_guarded():
    def kernel(a, b, out):
        i = cuda.grid(1)
        out[i] = a[i] // b[i] if b[i] != 0 else -1
        if b[i] != 0 and a[i] % b[i] == 0:
            out[i] += 1
        out[i] += a[i] % (i + 1) + a[i] // 3

    report = checked(kernel, 1, 4, np.arange(4, dtype=np.int32), np.arange(4, dtype=np.int32), np.zeros(4, np.int32))
    assert report.clean


IN_PART = {
    "two of four": (["W0 B1,2", "B1,2 R0", "", ""], []),
    "one arrival": (["W0 B1,2", "D200 B1,2", "D50 R0"], [(0, 2)]),
    "two groups": (["W0 B1,2", "B1,2 R0", "W1 B2,2 D100 R0", "B2,2 R1"], [(0, 2)]),
    "over a third": (["W0 B1,2", "B1,2 B2,2", "D100 B2,2 R0"], []),
    "over a third, in the wrong order": (["W0 B1,2", "B2,2 B1,2", "B2,2 D200 R0"], [(0, 2)]),
    "what comes after the barrier": (["B1,2 W0", "B1,2 D100 R0"], [(0, 1)]),
    "one number, others each time": (["W0 B1,2", "B1,2 D100 B1,2", "D200 B1,2 R0"], []),
    "a producer that only arrives": (["W0 A1,2", "B1,2 R0"], []),
    "who only arrives learns nothing": (["A1,2 D99 R0", "W0 B1,2"], [(0, 1)]),
    "a producer and a consumer": (["B2,2 W0 A1,2 B2,2 W0", "A2,2 B1,2 R0 A2,2"], []),
    "a producer that does not wait": (["W0 A1,2 D99 W0", "B1,2 R0"], [(0, 1)]),
    "barrier 0 with a count": (["W0 B0,2", "B0,2 R0", "D80 R0"], [(0, 2)]),
    "all of a block": (["W0 E1 R1", "W1 E1 R2", "W2 E1 R0"], []),
    "all, of which one ends": (["W0 E1", "E1 R0", "D90 X"], []),
    "told what a barrier has told": (["W0 B1,2", "B1,2 T1", "M1 R0"], []),
    "told before the barrier": (["D20 W0 B1,2", "T1 B1,2", "M1 D100 R0"], [(0, 2)]),
    "a barrier tells what was met": (["W0 T1", "m1 B1,2", "B1,2 R0"], []),
    "a barrier of others tells nothing": (["W0 T1", "M1", "D200 B2,2 R0", "B2,2"], [(0, 2)]),
}  # fmt: skip


@pytest.mark.parametrize("case", IN_PART)
def test_a_barrier_for_some_warps_orders_those_who_come(case):
    warps, wanted = IN_PART[case]
    assert races(warps) == wanted


@pytest.mark.every(3)
@pytest.mark.parametrize("case", ["two groups", "a producer and a consumer", "told before the barrier"])
@pytest.mark.parametrize("more", [{"short": 5}, {"core__divergence": "its"}, {"engine": "native"}], ids=str)
def test_so_in_ragged_blocks_with_own_lanes_and_natively(case, more):
    warps, wanted = IN_PART[case]
    assert races(warps, **more) == wanted
