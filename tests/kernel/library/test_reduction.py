"""`cuda.reduce`: a function over all items of an array."""

import numpy as np
import pytest

from warploom import cuda
from warploom.kernel.launch.launch import KernelWarning
from warploom.kernel.library.reduction import regroups

total = cuda.reduce(lambda a, b: a + b)


@pytest.mark.every(3)
@pytest.mark.parametrize("count", [1, 2, 255, 256, 257, 700])
@pytest.mark.parametrize("dtype", [np.int64, np.float32])
def test_sums(count, dtype):
    x = (np.arange(count) * 7 % 31 - 9).astype(dtype)
    found = total(x)
    assert found == x.sum()
    assert found.dtype == dtype


def test_what_a_caller_may_say():
    @cuda.reduce
    def largest(a, b):
        return max(a, b)

    x = cuda.to_device(np.array([-5, -3, -9, 8]))
    assert largest(x, size=3, init=-100) == -3
    assert largest(x, size=3) == 0  # what init is when nobody says it takes part
    found = cuda.device_array(1, np.int64)
    assert total(x, res=found, init=10) is None
    assert found[0] == 1
    assert total(x[:0], init=4) == 4
    assert total(x[::2]) == -14


def test_one_dimension_is_wanted():
    with pytest.raises(TypeError, match=r"an array of 2 dimensions: what is reduced has one; ravel\(\) makes it so"):
        total(np.zeros((2, 2)))


@pytest.mark.parametrize("functor", [lambda a, b: a - b, lambda a, b: (a + b) / 2, lambda a, b: a**b])
def test_a_function_that_cares_about_grouping_is_warned_of(functor):
    with pytest.warns(KernelWarning, match="gives other results in another grouping"):
        cuda.reduce(functor)


@pytest.mark.parametrize("functor", [max, min, lambda a, b: a * b, lambda a, b: (a * a + b * b) ** 0.5, lambda a, b: a.field])
def test_others_are_not(functor):
    assert regroups(functor)
