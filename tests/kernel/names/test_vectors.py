"""Vectors: numbers as one value."""

import numpy as np
import pytest

from tests.kernel.syntax.test_translator import refused
from warploom import cuda


@cuda.jit(device=True)
def doubled(v):
    return cuda.float32x3(2 * v.x, 2 * v.y, 2 * v.z)


def test_vectors_are_made_of_numbers_and_of_vectors():
    @cuda.jit
    def kernel(out):
        t = cuda.threadIdx.x
        v = cuda.float32x2(1, 2.5)
        w = cuda.float4(v, v)
        if t == 1:
            w = cuda.float4(9, cuda.float3(v, 7))
        out[t, 0], out[t, 1], out[t, 2], out[t, 3] = w.x, w.y, w.z, w.w
        d = doubled(cuda.float32x3(w.x, v))
        out[t, 4] = d.x + d.y + d.z
        out[t, 5] = cuda.uchar2(300, -1).x

    out = np.zeros((2, 6))
    kernel[1, 2](out)
    assert out.tolist() == [[1, 2.5, 1, 2.5, 9, 44], [9, 1, 2.5, 7, 25, 44]]


@pytest.mark.parametrize(
    ("name", "said"),
    [("float32x2", "float32x2 is made of 2 numbers, and this is an int64"), ("int8x1", "int8x1 is made of 1 number, and this is nothing")],
)
def test_a_vector_has_all_of_its_numbers(name, said):
    def two(out):
        out[0] = cuda.float32x2(1).x

    def none(out):
        out[0] = cuda.int8x1().x

    kernel = two if name == "float32x2" else none
    assert [one[2] for one in refused(kernel, np.zeros(1))] == [said]
