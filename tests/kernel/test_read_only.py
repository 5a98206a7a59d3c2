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


RECORD = np.dtype([("a", np.float64), ("b", np.int32, (3,))], align=True)
STORES = (
    "z[0].a = 5", "z[0].b[1] = 5", "r = z[1]; r.a += 1", "cuda.atomic.add(z[0].b, 1, 3)",
    "z.a[0] = 5", "z[0]['a'] = 5", "z[0] = z[1]",
)  # fmt: skip


@pytest.mark.parametrize("store", STORES)
def test_records_of_the_host_that_can_only_be_read_are_not_written(store):
    kernel = of_text(f"def writes(z, out):\n    {store}\n    out[0] = z[0].a\n", "<writes>")
    z, out = np.zeros(2, RECORD), np.zeros(1)
    z.flags.writeable = False
    with pytest.raises(SourceError, match=r"z.* can only be read"):
        kernel[1, 1](z, out)
    z.flags.writeable = True
    kernel[1, 1](z, out)


@pytest.mark.parametrize("store", ["r.a = 5", "r.b[1] = 5", "cuda.atomic.add(r.b, 1, 3)"])
def test_a_record_of_the_host_that_can_only_be_read_is_not_written(store):
    kernel = of_text(f"def writes(r, out):\n    {store}\n    out[0] = r.a\n", "<writes>")
    z, out = np.zeros(2, RECORD), np.zeros(1)
    z.flags.writeable = False
    with pytest.raises(SourceError, match=r"r.* can only be read"):
        kernel[1, 1](z[0], out)
    z.flags.writeable = True
    kernel[1, 1](z[0], out)
    assert z[0].tobytes() != bytes(RECORD.itemsize)


def test_a_record_that_can_only_be_read_is_read():
    @cuda.jit
    def read(r, z, n, out):
        one = r if n else z[0]
        out[0] = one.a + r.b[1]

    z, out = np.zeros(2, RECORD), np.zeros(1)
    z["a"], z["b"] = 2, 3
    z.flags.writeable = False
    read[1, 1](z[0], np.zeros(1, RECORD), 1, out)
    assert out[0] == 5


def test_one_of_several_records_that_can_only_be_read_is_not_written():
    @cuda.jit
    def writes(x, z, n):
        one = x[0] if n else z[0]
        one.a = 3

    x, z = np.zeros((2, 1), RECORD)
    z.flags.writeable = False
    with pytest.raises(SourceError, match="can only be read"):
        writes[1, 1](x, z, 1)
