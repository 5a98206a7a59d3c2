"""`@vectorize(target="cuda")`: a function of numbers over arrays."""

import sys

import numba
import numpy as np
import pytest
from numba import float32, int64, vectorize
from numba.np.ufunc.decorators import GUVectorize, Vectorize

from warploom import cuda
from warploom.kernel.place import in_numbas_place


def made(signatures, function, **options):
    """What a program makes with Numba's decorator while warploom is in the place of numba.cuda."""
    with in_numbas_place():
        return vectorize(signatures, target="cuda", **options)(function)


@pytest.fixture(scope="module")
def add():
    return made(["float32(float32, float32)", "float64(float64, float64)"], lambda a, b: a + b)


def test_arrays_and_numbers(add):
    x = np.arange(150, dtype=np.float32)
    assert np.array_equal(add(x, x), x + x)
    assert add(x, x).dtype == np.float32
    assert np.array_equal(add(x, 2), x + 2)
    assert np.array_equal(add(0.5, x), x + np.float32(0.5))
    assert np.array_equal(add(np.float32(1), np.float32(2)), [3])
    assert add([1.0, 2.0], 1).tolist() == [2, 3]


def test_broadcast(add):
    y = np.arange(6.0)
    table = y[:, None] + y[None, :4]
    assert np.array_equal(add(y[:, None], y[:4]), table)
    assert np.array_equal(add(table.T, table.T[::-1]), table.T + table.T[::-1])
    assert np.array_equal(add(cuda.to_device(y[:, None]), cuda.to_device(y[:4])).copy_to_host(), table)
    assert add(y[:0], y[:0]).shape == (0,)
    assert add(np.array(2.0), np.array(3.0)).shape == ()
    with pytest.raises(ValueError, match="shape mismatch"):
        add(y, y[:4])


def test_device_arrays_stay(add):
    x = np.arange(40, dtype=np.float32)
    on_device = cuda.to_device(x)
    found = add(on_device, x)
    assert cuda.is_cuda_array(found)
    assert np.array_equal(found.copy_to_host(), x + x)
    assert np.array_equal(add(on_device[::2], on_device[1::2]).copy_to_host(), x[::2] + x[1::2])


def test_out(add):
    x = np.arange(6, dtype=np.float32)
    host, there = np.zeros(6, np.float32), cuda.to_device(np.zeros((6, 2), np.float32))
    assert add(x, x, out=host) is host
    assert np.array_equal(host, x + x)
    assert add(x, 1, out=there[:, 1]).copy_to_host().tolist() == [1, 2, 3, 4, 5, 6]
    assert np.array_equal(there.copy_to_host()[:, 0], np.zeros(6))
    assert there.copy_to_host()[5, 1] == 6
    assert not cuda.is_cuda_array(add(cuda.to_device(x), x, out=host))
    with pytest.raises(ValueError, match=r"out is float64 of shape \(6,\); the results are float32 of shape \(6,\)"):
        add(x, x, out=np.zeros(6))


def test_a_result_without_a_declared_type():
    half = made(["(int64,)", (float32,), int64(int64)], lambda v: v / 2)
    assert half(np.array([1.5], np.float32)).dtype == np.float64  # 2 has 64 bits
    assert half(np.array([5])).tolist() == [2]  # of two signatures for the same types the last counts
    assert made([(int64,)], lambda v: v > 2)(np.array([1, 3])).tolist() == [False, True]


def test_reduce(add):
    assert add.reduce(np.arange(300.0)) == 44850
    assert add.reduce(cuda.to_device(np.array([7.0]))) == 7
    with pytest.raises(TypeError, match="an array without items has no result"):
        add.reduce(np.zeros(0))
    with pytest.raises(TypeError, match="a function of two numbers reduces, not of 1"):
        made([float32(float32)], lambda v: v).reduce(np.zeros(2, np.float32))


def test_types_are_exact_as_on_a_gpu(add):
    with pytest.raises(
        TypeError, match=r"no signature for \(float32, float64\); there are: float32, float32; float64, float64\. .* astype"
    ):
        add(np.zeros(2, np.float32), np.zeros(2))
    with pytest.raises(TypeError, match=r"several signatures fit \(int64, int64\): .*Give a number its type, as np\.float32\(1\)"):
        add(1, 2)
    with pytest.raises(TypeError, match=r"takes 2 arguments, 1 are given"):
        add(1)


def test_what_is_refused():
    with pytest.raises(TypeError, match=r'needs signatures, as @vectorize\(\["float32\(float32\)"\], target="cuda"\)'):
        made([], lambda v: v)
    for options, name in (({"cache": True}, "cache"), ({"fastmath": True}, "fastmath")):
        with pytest.raises(TypeError, match=rf'vectorize\(target="cuda"\) has no option {name!r}'):
            made(["float32(float32)"], lambda v: v, **options)


def test_numba_is_left_as_it_was():
    tables = [
        Vectorize.target_registry,
        Vectorize.target_registry.ondemand,
        GUVectorize.target_registry,
        GUVectorize.target_registry.ondemand,
    ]
    before = [dict(one) for one in tables]
    module = sys.modules.get("numba.cuda.vectorizers")
    with in_numbas_place():
        from numba.cuda.vectorizers import CUDAVectorize

        assert Vectorize.target_registry["cuda"] is CUDAVectorize
        assert numba.vectorize(["int64(int64)"])(lambda v: v + 1)(np.array([1])).tolist() == [2]
    assert [dict(one) for one in tables] == before
    assert sys.modules.get("numba.cuda.vectorizers") is module


def test_a_result_that_lies_where_others_read(add):
    d = cuda.to_device(np.arange(1, 3001, dtype=np.float32))
    add(d[0:1], d, out=d)
    assert np.array_equal(d.copy_to_host(), np.arange(2, 3002, dtype=np.float32))
    add(d[::-1], d, out=(d,))
    assert np.array_equal(d.copy_to_host(), np.full(3000, 3003, np.float32))


@pytest.mark.parametrize("name", ["core", "cuda", "out", "item", "a0", "__name__"])
def test_a_function_may_have_any_name(name):
    def function(v):
        return v + 1

    function.__name__ = name
    assert made(["int64(int64)"], function)(np.arange(3)).tolist() == [1, 2, 3]


def test_mistakes_are_one_sentence(add):
    with pytest.raises(TypeError, match="out is an array of the host or of the device, and not list"):
        add(np.zeros(3), np.zeros(3), out=[0, 0, 0])
    with pytest.raises(TypeError, match=r"the signature float32\(float32\) has 1 arguments"):
        made(["float32(float32)"], lambda a, b: a)

    def nothing(a):
        pass

    def two(a):
        return a, a

    for function in (nothing, two):
        with pytest.raises(TypeError, match="vectorize wants a function that returns one number"):
            made(["(float32,)"], function)
    assert add.reduce([1.0, 2.0, 3.0]) == 6


def test_what_is_made_around_a_function_lies_in_one_place_of_its_own():
    def half(a):
        return a // 2

    functions = [made(["int64(int64)"], half) for _ in range(2)]
    for one in functions:
        assert one(np.arange(4)).tolist() == [0, 0, 1, 1]
    paths = [[source.path for source in one.kernel.result.program.sources] for one in functions]
    assert paths[0] == paths[1]
    assert [line.text.split()[0] == paths[0][0].split()[0] for line in functions[0].kernel.result.profile().lines()] == [True] * 3 + [False]
    assert cuda.get_current_device().uuid == cuda.gpus[0].uuid != ""
