"""Readers of a word: whichever of them a write is not in order with is found, however many there are."""

import numpy as np
import pytest

import warploom
from tests.checks.warps_in_part import races
from warploom import cuda
from warploom.kernel.device.context import CURRENT

READERS = {
    "the first of three": (["R0", "D50 R0 A1,3", "D90 R0 A1,3", "D300 B1,3 W0"], [(0, 3)]),
    "the second of three": (["R0 A1,3", "D50 R0", "D90 R0 A1,3", "D300 B1,3 W0"], [(1, 3)]),
    "the last of three": (["R0 A1,3", "D50 R0 A1,3", "D90 R0", "D300 B1,3 W0"], [(2, 3)]),
    "the second of four": (["R0 A1,4", "D50 R0", "D90 R0 A1,4", "D150 R0 A1,4", "D500 B1,4 W0"], [(1, 4)]),
    "none of three": (["R0 A1,4", "D50 R0 A1,4", "D90 R0 A1,4", "D300 B1,4 W0"], []),
    "one that has told nothing": (["R0 T1", "D50 R0", "D90 R0 T2", "D20 M1 M2 D600 W0"], [(1, 3)]),
    "three that have told": (["R0 T1", "D50 R0 T3", "D90 R0 T2", "D20 M1 M2 M3 W0"], []),
    "one that reads again": (["R0 A1,4 D200 R0", "D50 R0 A1,4", "D90 R0 A1,4", "D900 B1,4 W0"], [(0, 3)]),
    "two writes": (["R0 A1,3", "D50 R0", "D90 R0 A1,3", "D300 B1,3 W0 A2,2", "B2,2 W0"], [(1, 3), (1, 4)]),
}  # fmt: skip


@pytest.mark.every(3)
@pytest.mark.parametrize("case", READERS)
def test_a_write_meets_every_reader(case):
    warps, wanted = READERS[case]
    assert [one for one in races(warps) if one in wanted or not wanted] == wanted


def test_both_engines_find_the_same():
    for warps, _ in READERS.values():
        assert races(warps, engine="native") == races(warps)


def test_readers_of_bytes():
    """A word is read whole by three threads of three blocks, of which two tell; then its bytes are written one by one."""

    def kernel(x, words, flag):
        block = cuda.blockIdx.x
        if cuda.threadIdx.x != 0:
            return
        if block < 3:
            words[block + 1] = words[0]
            if block != 1:
                cuda.threadfence()
                cuda.atomic.add(flag, 0, 1)
        else:
            while cuda.atomic.add(flag, 0, 0) < 2:
                pass
            cuda.threadfence()
            for _ in range(200):
                cuda.atomic.add(flag, 1, 1)
            x[2] = 1

    CURRENT.use(warploom.GPU("sm", engine="python"))
    try:
        words = cuda.to_device(np.zeros(4, np.int32))
        report = cuda.jit(kernel).check[4, 32](words.view(np.int8), words, np.zeros(2, np.int32), schedule=False)
    finally:
        CURRENT.use(None)
    (found,) = report.findings
    assert found.kind == "race" and found.threads == ("thread 0 of block 3", "thread 0 of block 1")


def test_the_grid_s_barrier_makes_room_for_readers_after_it():
    """Of a read before it nothing is kept, so that a race of two warps after it is found."""

    def kernel(x, out):
        t, block = cuda.threadIdx.x, cuda.blockIdx.x
        grid = cuda.cg.this_grid()
        if block == 1 and t == 0:
            out[0] = x[0]
        grid.sync()
        if block == 0 and t % 32 == 0:
            for _ in range(t * 9):
                cuda.atomic.add(out, 2, 1)
            out[t // 32 + 4] = x[0]
            if t == 32:
                x[0] = 5

    function = cuda.jit(kernel).on(warploom.GPU("sm", engine="python"))
    report = function.check[2, 64](np.zeros(4, np.int32), np.zeros(8, np.int32), schedule=False)
    assert [one.threads for one in report.findings] == [("thread 32 of block 0", "thread 0 of block 0")]
