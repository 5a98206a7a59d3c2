"""What a launch with checks leaves unwritten is known to the next one, byte by byte."""

import numpy as np
import pytest

import warploom
from warploom import cuda
from warploom.kernel.device.context import CURRENT

BYTES = 300


@cuda.jit
def fill(out, start, step):
    i = start + step * cuda.grid(1)
    if i < out.size:
        out[i] = 1


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.int32, np.int64])
@pytest.mark.parametrize("stretches", [[(0, 1)], [(1, 1)], [(5, 1), (40, 1)], [(3, 2)], [(0, 1), (1, 3)]])
def test_bytes_that_nobody_has_written(kind, stretches):
    CURRENT.use(warploom.GPU("sm", engine="python"))
    CURRENT.context.memory_bytes = 1 << 16
    out = cuda.device_array(BYTES // np.dtype(kind).itemsize, kind)
    model = np.ones(out.nbytes, bool)
    for start, step in stretches:
        fill.check[1, 32](out, start, step, schedule=False)
        for thread in range(32):
            if start + step * thread < out.size:
                item = (start + step * thread) * out.dtype.itemsize
                model[item : item + out.dtype.itemsize] = False
        assert out.allocation.unwritten().tolist() == model.tolist()
