"""Arrays of the host that can only be read."""

import numpy as np
import pytest

from tests.kernel.texts import of_text
from warploom import cuda
from warploom.isa.diagnostics import SourceError


@pytest.mark.parametrize("store", ["z[0] = 5", "z[:2][0] += 1", "cuda.atomic.add(z, 0, 1)", "z[:] = 3"])
def test_an_array_of_the_host_that_can_only_be_read_is_not_written(store):
    text = f"def writes(z, out):\n    {store}\n    out[0] = z[0]\n"
    kernel, z, out = of_text(text, "<writes>"), np.ones(4), np.zeros(1)
    z.flags.writeable = False
    with pytest.raises(SourceError, match=r"z(\[:2\])? can only be read"):
        kernel[1, 1](z, out)
    kernel[1, 1](cuda.to_device(z), out)  # the copy may be written
    assert z.tolist() == [1] * 4 and out[0] != 1
    z.flags.writeable = True
    kernel[1, 1](z, out)
    assert out[0] == z[0] != 1


def test_an_array_that_can_only_be_read_is_read():
    @cuda.jit
    def summed(x, out):
        for n in range(x.size):
            out[0] += x[n]

    out = np.zeros(1)
    summed[1, 1](np.broadcast_to(np.float64(2), (5,)), out)
    assert out[0] == 10
