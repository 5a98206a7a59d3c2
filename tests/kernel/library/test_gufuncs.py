"""`@guvectorize(target="cuda")`: a function of small arrays over arrays of them."""

import numpy as np
import pytest
from numba import float32, guvectorize, int64

from warploom import cuda
from warploom.kernel.launch.launch import KernelWarning
from warploom.kernel.place import in_numbas_place


def made(signatures, layout, function, **options):
    """What a program makes with Numba's decorator while warploom is in the place of numba.cuda."""
    with in_numbas_place():
        return guvectorize(signatures, layout, target="cuda", **options)(function)


def product(a, b, c):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            c[i, j] = 0
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]


def shifted(x, y, result):
    for i in range(x.shape[0]):
        result[i] = x[i] + y


def bounds(x, low, high):
    low[0] = high[0] = x[0]
    for i in range(1, x.shape[0]):
        low[0] = min(low[0], x[i])
        high[0] = max(high[0], x[i])


@pytest.fixture(scope="module")
def shift():
    return made([(int64[:], int64, int64[:])], "(n),()->(n)", shifted)


def test_products_of_matrices():
    matmul = made([(float32[:, :], float32[:, :], float32[:, :])], "(m,n),(n,p)->(m,p)", product)
    a, b = np.arange(24, dtype=np.float32).reshape(4, 2, 3), np.arange(48, dtype=np.float32).reshape(4, 3, 4)
    assert np.array_equal(matmul(a, b), a @ b)
    assert np.array_equal(matmul(a, b[1]), a @ b[1])  # one for all calls
    assert np.array_equal(matmul(a[0], b[0]), a[0] @ b[0])
    found = matmul(cuda.to_device(a), b)
    assert cuda.is_cuda_array(found)
    assert np.array_equal(found.copy_to_host(), a @ b)
    out = np.zeros((4, 2, 4), np.float32)
    assert matmul(a, b, out) is out
    assert np.array_equal(out, a @ b)
    assert np.array_equal(matmul(a, b, out=cuda.to_device(out)).copy_to_host(), a @ b)
    with pytest.raises(ValueError, match=r"argument 1 has n = 4, an argument before it 3"):
        matmul(a, b.reshape(4, 4, 3))
    with pytest.raises(ValueError, match=r"argument 0 has 1 dimensions, a call takes 2 of them"):
        matmul(a[0, 0], b)
    with pytest.raises(ValueError, match=r"argument 1 has \(2,\) small arrays, another argument \(4,\)"):
        matmul(a, b[:2])


def test_numbers_beside_arrays(shift):
    assert shift(np.arange(3), 2).tolist() == [2, 3, 4]
    assert shift(np.arange(6).reshape(2, 3), np.array([10, 20])).tolist() == [[10, 11, 12], [23, 24, 25]]
    assert shift(np.arange(3, dtype=np.int8), 1).tolist() == [1, 2, 3]  # a type that becomes the signature's
    with pytest.raises(TypeError, match=r"no signature for \(float64, int64\); there are: int64, int64"):
        shift(np.zeros(3), 1)
    with pytest.raises(TypeError, match=r"takes 2 arguments and 1 for results, 1 are given"):
        shift(np.arange(3))
    with pytest.raises(ValueError, match=r"out is float64 of shape \(3,\); the results are int64 of shape \(3,\)"):
        shift(np.arange(3), 1, out=np.zeros(3))


def test_results_of_one_number_and_several_of_them():
    span = made(["void(int64[:], int64[:], int64[:])"], "(n)->(),()", bounds)
    low, high = span(np.array([[3, -1, 2], [5, 9, 7]]))
    assert (low.tolist(), high.tolist()) == ([-1, 5], [3, 9])
    places = cuda.to_device(np.zeros((2, 2), np.int64))
    span(np.array([[3, -1, 2], [5, 9, 7]]), out=(places[:, 0], places[:, 1]))
    assert places.copy_to_host().tolist() == [[-1, 3], [5, 9]]


def test_what_is_refused():
    with pytest.raises(TypeError, match=r'needs signatures, as @guvectorize\(\["void'):
        made([], "(n)->(n)", shifted)
    with pytest.raises(TypeError, match=r"wants functions that store their results"):
        made(["int64(int64[:], int64[:])"], "(n)->(n)", shifted)
    with pytest.raises(ValueError, match=r"has 2 arguments, the layout \(n\),\(\)->\(n\) has 3"):
        made(["void(int64[:], int64[:])"], "(n),()->(n)", shifted)
    with pytest.raises(ValueError, match=r"has 0 dimensions, the layout \(n\)->\(n\) gives it 1"):
        made([(int64, int64[:])], "(n)->(n)", shifted)
    for options, name in (({"cache": True}, "cache"), ({"writable_args": (0,)}, "writable_args"), ({"fastmath": True}, "fastmath")):
        with pytest.raises(TypeError, match=rf'guvectorize\(target="cuda"\) has no option {name!r}'):
            made([(int64[:], int64[:])], "(n)->(n)", shifted, **options)


def test_the_signature_that_loses_nothing_is_taken():
    signatures = ["void(int8[:], int8, int8[:])", "void(int64[:], int64, int64[:])", "void(float64[:], float64, float64[:])"]
    shift = made(signatures, "(n),()->(n)", shifted)
    assert shift(np.array([300], np.int32), np.int32(1)).tolist() == [301]
    assert shift(np.array([0.5], np.float32), np.int8(1)).dtype == np.float64
    with pytest.raises(TypeError, match="no signature for"):
        made(signatures[:1], "(n),()->(n)", shifted)(np.array([300]), 1)


def test_results_that_lie_where_others_read():
    d = cuda.to_device(np.arange(400).reshape(200, 2))
    shift = made(["void(int64[:], int64, int64[:])"], "(n),()->(n)", shifted)
    shift(d[::-1], 1, out=d)
    assert np.array_equal(d.copy_to_host(), np.arange(400).reshape(200, 2)[::-1] + 1)
    for out, message in (((), "out has 0 arrays, there are 1 results"), ([0], "out is an array .* not list")):
        with pytest.raises(TypeError, match=message):
            shift(d, 1, out=out)


def test_few_long_rows_are_warned_of():
    def last(x, result):
        result[0] = x[-1]

    rows = made(["void(float32[:], float32[:])"], "(n)->()", last)
    with pytest.warns(KernelWarning, match="each of the 2 small arrays is one thread's, which walks through 5000 items"):
        assert rows(np.ones((2, 5000), np.float32)).tolist() == [1, 1]


def test_an_argument_of_more_bits_is_cast_to_the_one_signature():
    matmul = made([(float32[:, :], float32[:, :], float32[:, :])], "(m,n),(n,p)->(m,p)", product)
    a, b = (
        np.arange(6, dtype=np.float64).reshape(2, 3) / 4,
        np.arange(12, dtype=np.float64).reshape(3, 4) / 8,
    )  # float64, as NumPy makes them
    found = matmul(a, b)
    assert found.dtype == np.float32
    assert found.tolist() == (a @ b).tolist()
