"""NumPy's functions of device arrays: their results as before, with a word on what they copy; methods of the host's arrays are named."""

import warnings

import numpy as np
import pytest

from warploom import cuda
from warploom.kernel.launch.launch import KernelWarning


def test_a_reduction_says_that_it_copies_to_the_host():
    a = cuda.to_device(np.arange(8, dtype=np.float32))
    with pytest.warns(
        KernelWarning, match=r"numpy\.sum copies 32 bytes of a device array to the host.*cuda\.reduce\(lambda a, b: a \+ b\)"
    ):
        assert np.sum(a) == 28
    with pytest.warns(KernelWarning, match=r"numpy\.argmax copies 32 bytes of a device array to the host, and works there$"):
        assert np.argmax(a) == 7


def test_other_functions_say_nothing():
    a = cuda.to_device(np.arange(8, dtype=np.float32))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(a, np.arange(8))
        assert np.concatenate([a, a]).shape == (16,)
        assert np.sqrt(a)[4] == 2
        with pytest.raises(TypeError):
            np.copyto(a, np.zeros(8, np.float32))  # never into a copy that nobody has


def test_a_method_of_the_hosts_arrays_names_the_way():
    a = cuda.to_device(np.zeros(8, np.float32))
    with pytest.raises(AttributeError, match=r"a device array has no sum: copy_to_host\(\)\.sum is the host's; cuda\.reduce"):
        a.sum()
    with pytest.raises(AttributeError, match="'DeviceArray' object has no attribute 'summ'"):
        a.summ()
    assert not hasattr(a, "sort")
