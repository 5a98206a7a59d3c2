"""What a finding proposes fits the kernel that it is about."""

import numpy as np

from tests.checks.correct import ints, zeros
from warploom import cuda
from warploom.kernel.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32

TAPS = 4


def said(kernel, grid, block, *arguments, shared=0):
    """The one finding of a launch."""
    report = cuda.jit(kernel).check[grid, block, 0, shared](*arguments, schedule=False)
    assert len(report.findings) == 1, str(report)
    return report.findings[0]


def heat(u, out):
    i, k = cuda.grid(2)
    out[i, k] = u[i, k + 1]


def test_an_index_is_guarded_by_its_own_text():
    found = said(heat, 1, (4, 8), np.zeros((4, 8)), np.zeros((4, 8)))
    assert found.fix == "guard it: if k + 1 < 8"


def test_a_race_in_a_grid_that_meets_is_mended_by_its_barrier():
    def within(a, b):
        i = cuda.grid(1)
        b[i] = a[(i + 32) % 64]
        cuda.cg.this_grid().sync()
        a[i] = b[(i + 32) % 64]
        b[i] = 1

    found = said(within, 1, 64, ints(64), zeros(64))
    assert found.fix == "put the grid's sync() between the two, or cuda.syncthreads() where only threads of one block meet"
    found = said(within, 2, 32, ints(64), zeros(64))
    assert found.fix == "blocks have no order: put the grid's sync() between the two, or use an atomic"


def test_a_lock_without_fences_is_told_of_them():
    def guarded(lock, total):
        if cuda.threadIdx.x == 0:
            while cuda.atomic.cas(lock, 0, 0, 1) != 0:
                pass
            total[0] += 1
            cuda.atomic.exch(lock, 0, 0)

    found = said(guarded, 4, 32, zeros(1), zeros(1))
    assert found.fix.endswith("a lock needs cuda.threadfence() after it is taken and before it is given back")


def test_one_line_that_reads_and_writes_is_split():
    def scan(x):
        s = cuda.shared.array(64, np.int32)
        t = cuda.threadIdx.x
        s[t] = x[t]
        cuda.syncthreads()
        if t >= 1:
            s[t] += s[t - 1]

    found = said(scan, 1, 64, ints(64))
    assert found.fix == "split the line: read into a variable, then cuda.syncthreads() where all threads of the block pass, then write"


def test_dynamic_shared_memory_that_was_not_asked_for():
    def second_half(x, out):
        first = cuda.shared.array(0, np.int32)
        second = cuda.shared.array(0, np.float32)[64:]
        t = cuda.threadIdx.x
        first[t] = t
        second[t] = x[t]
        out[t] = second[t] + first[t]

    found = said(second_half, 1, 64, np.ones(64, np.float32), zeros(64), shared=256)
    assert "outside of second, which has 0 elements" in found.message
    assert found.fix == "the array is empty: ask for more dynamic shared memory in the launch"


def test_a_local_array_has_its_name():
    def taps(out):
        window = cuda.local.array(TAPS, np.float32)
        window[0] = 1
        total = np.float32(0)
        for k in range(TAPS):
            total += window[k]
        out[cuda.grid(1)] = total

    assert said(taps, 1, 32, zeros(32)).message == "thread 0 of block 0 reads an element of window, which nobody has written"


def shared_state(states, out):
    i = cuda.grid(1)
    out[i] = xoroshiro128p_uniform_float32(states, 0)


def test_what_a_function_of_the_library_does_is_found_where_it_is_called():
    states = create_xoroshiro128p_states(64, seed=1)
    report = cuda.jit(shared_state).check[1, 64](states, np.zeros(64, np.float32), schedule=False)
    assert [one.position.line for one in report.findings] == [shared_state.__code__.co_firstlineno + 2]
    assert "^~~~" in str(report) and len(report.program.sources) == 1
