"""Operators of kernels give what NumPy and Python give, on all edges of 32 and 64 bits."""

import itertools
import operator

import numpy as np
import pytest

from warploom import cuda

EDGES = [0, 1, -1, 2, -2, 3, -3, 7, 10, -10, 31, 32, 2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 2**32 - 1, 2**32, 2**33 + 5,
         -(2**33) - 5, 10**12, -(10**12),
         2**53 + 1, 2**62, -(2**62), 2**63 - 1, -(2**63), -(2**63) + 1, 123456789012345678, -98765432109876543]  # fmt: skip
SMALL = [0, 1, -1, 2, -2, 7, -7, 100, 32767, -32768, 2**31 - 1, -(2**31)]


def wrapped(number, bits=64):
    return (number + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)


@cuda.jit
def seven(x, y, out):
    i = cuda.grid(1)
    if i < x.size:
        a = x[i]
        b = y[i]
        out[0, i] = a + b
        out[1, i] = a - b
        out[2, i] = a * b
        out[3, i] = a & b
        out[4, i] = a | b
        out[5, i] = a ^ b
        out[6, i] = -a


@cuda.jit
def compared(x, y, out):
    i = cuda.grid(1)
    if i < x.size:
        out[0, i] = x[i] < y[i]
        out[1, i] = x[i] <= y[i]
        out[2, i] = x[i] == y[i]
        out[3, i] = x[i] != y[i]
        out[4, i] = min(x[i], y[i]) == x[i]
        out[5, i] = max(x[i], y[i]) == x[i]


@cuda.jit
def divided(x, y, out):
    i = cuda.grid(1)
    if i < x.size:
        out[0, i] = x[i] // y[i]
        out[1, i] = x[i] % y[i]


@cuda.jit
def shifted(x, n, out):
    i = cuda.grid(1)
    if i < x.size:
        out[0, i] = x[i] << n[i]
        out[1, i] = x[i] >> n[i]


def pairs(values, dtype, without_zero=False):
    found = [(p, q) for p, q in itertools.product(values, values) if q or not without_zero]
    return np.array([p for p, _ in found]).astype(dtype), np.array([q for _, q in found]).astype(dtype)


def launched(kernel, x, y, rows, dtype):
    out = np.zeros((rows, x.size), dtype)
    kernel[-(-x.size // 128), 128](x, y, out)
    return out


@pytest.mark.parametrize(
    ("dtype", "values"), [(np.int64, EDGES), (np.int32, SMALL), (np.int8, [0, 1, -1, 127, -128])], ids=["64", "32", "8"]
)
def test_sums_products_and_bits(dtype, values):
    x, y = pairs(values, dtype)
    out = launched(seven, x, y, 7, np.int64)

    def own(p, q):
        """Minus p in its own width, as Numba's."""
        return int(-np.array(p, dtype)) if np.dtype(dtype).kind == "i" else -p

    for place, op in enumerate((operator.add, operator.sub, operator.mul, operator.and_, operator.or_, operator.xor, own)):
        assert out[place].tolist() == [wrapped(op(p, q)) for p, q in zip(x.tolist(), y.tolist(), strict=True)]


@pytest.mark.parametrize("dtypes", [(np.int64, np.int64), (np.int32, np.int32), (np.int64, np.uint64), (np.int32, np.uint32)], ids=str)
def test_comparisons_are_mathematical_but_those_of_a_uint64_and_a_signed_number(dtypes):
    """Which Numba compares as float64s, so that neighbours above 2**53 are equal."""
    x, y = pairs(EDGES, np.int64)
    x, y = x.astype(dtypes[0]), y.astype(dtypes[1])
    out = launched(compared, x, y, 4 + 2, np.bool_)
    for place, op in enumerate((operator.lt, operator.le, operator.eq, operator.ne)):
        seen = float if dtypes == (np.int64, np.uint64) else int
        assert out[place].tolist() == [op(seen(p), seen(q)) for p, q in zip(x.tolist(), y.tolist(), strict=True)]


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint64, np.uint32], ids=str)
def test_division_rounds_down(dtype):
    x, y = pairs(EDGES if np.dtype(dtype).itemsize == 8 else SMALL, dtype, without_zero=True)
    keep = y != 0
    out = launched(divided, x[keep], y[keep], 2, np.uint64 if np.dtype(dtype).kind == "u" else np.int64)

    def wrap(n):
        """The one quotient that has no place is 0 in Numba."""
        return 0 if n == 1 << 63 and np.dtype(dtype).kind == "i" else n

    both = list(zip(x[keep].tolist(), y[keep].tolist(), strict=True))
    assert out[1].tolist() == [p % q for p, q in both]
    assert [n for n, (p, q) in zip(out[0].tolist(), both, strict=True) if not (p == -(2**31) and q == -1)] == [
        wrap(p // q) for p, q in both if not (p == -(2**31) and q == -1)
    ]


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.int32], ids=str)
def test_shifts_move_across_the_words(dtype):
    values = [value for value in EDGES if dtype != np.int32 or abs(value) < 2**31]
    found = [(p, n) for p in values for n in (0, 1, 5, 31, 32, 33, 62, 63)]
    x, n = np.array([p for p, _ in found]).astype(dtype), np.array([q for _, q in found], np.int64)
    result = np.uint64 if dtype == np.uint64 else np.int64
    out = launched(shifted, x, n, 2, result)
    wrap = (lambda number: number % 2**64) if dtype == np.uint64 else wrapped
    assert out[0].tolist() == [wrap(p << q) for p, q in zip(x.tolist(), n.tolist(), strict=True)]
    assert out[1].tolist() == [p >> q for p, q in zip(x.tolist(), n.tolist(), strict=True)]


@cuda.jit
def casts(x, f, d, i, u, h):
    n = cuda.grid(1)
    if n < x.size:
        f[n] = x[n]
        d[n] = x[n]
        i[n] = np.int32(x[n])
        u[n] = np.uint8(x[n])
        h[n] = np.float16(x[n])


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.int32], ids=str)
def test_conversions_are_numpys(dtype):
    x = np.array(EDGES).astype(dtype)
    made = [np.zeros(x.size, one) for one in (np.float32, np.float64, np.int32, np.uint8, np.float16)]
    casts[1, 64](x, *made)
    with np.errstate(over="ignore"):
        for found in made:
            np.testing.assert_array_equal(found, x.astype(found.dtype))


@cuda.jit
def floats(x, y, out):
    i = cuda.grid(1)
    if i < x.size:
        out[0, i] = x[i] + y[i]
        out[1, i] = x[i] * y[i]
        out[2, i] = x[i] / y[i]
        out[3, i] = x[i] // y[i]
        out[4, i] = x[i] % y[i]
        out[5, i] = -x[i]
        out[6, i] = abs(x[i]) ** 2


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=str)
def test_floats_are_pythons_but_for_rests_and_quotients_of_infinities(dtype):
    """There a device's `x - trunc(x / y) * y` is not a number."""
    x, y = pairs([0.0, -0.0, 1.5, -1.5, 3.0, -7.25, 1e10, 1e-10, np.inf, -np.inf, np.nan], dtype)
    out = launched(floats, x, y, 7, dtype)
    with np.errstate(all="ignore"):
        expected = [x + y, x * y, x / y, np.floor_divide(x, y), np.mod(x, y), -x, np.abs(x) ** 2]
    for place, one in enumerate(expected):
        if place in (3, 4):
            with np.errstate(all="ignore"):
                plain = np.isfinite(x) & np.isfinite(y) & (np.abs(x / y) < 1 << 20)  # a quotient that the type has digits for
            assert plain.sum() > 20
            np.testing.assert_array_equal(out[place][plain], one[plain])
        else:
            np.testing.assert_array_equal(out[place], one)


ORDERED = (np.less, np.less_equal, np.greater, np.greater_equal)
EXTREMES = (np.maximum, np.minimum, np.fmax, np.fmin)


@cuda.jit
def complex_order(x, y, ordered, extreme):
    i = cuda.grid(1)
    if i < x.size:
        ordered[0, i] = np.less(x[i], y[i])
        ordered[1, i] = np.less_equal(x[i], y[i])
        ordered[2, i] = np.greater(x[i], y[i])
        ordered[3, i] = np.greater_equal(x[i], y[i])
        extreme[0, i] = np.maximum(x[i], y[i])
        extreme[1, i] = np.minimum(x[i], y[i])
        extreme[2, i] = np.fmax(x[i], y[i])
        extreme[3, i] = np.fmin(x[i], y[i])


def test_numpys_order_of_complex_numbers():
    nan = float("nan")
    values = np.array([0, 1, 2j, 1 + 1j, 1 - 1j, nan, complex(1, nan), complex(nan, 2), float("inf")])
    x, y = (one.ravel() for one in np.meshgrid(values, values))
    ordered, extreme = np.zeros((4, x.size), np.bool_), np.zeros((4, x.size), complex)
    complex_order[3, 32](x, y, ordered, extreme)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(ordered, [one(x, y) for one in ORDERED])
        np.testing.assert_array_equal(extreme, [one(x, y) for one in EXTREMES])


def test_a_view_has_items_of_any_size():
    @cuda.jit
    def kernel(data, words, whole):
        words[0] = data[4:12].view(np.int32)[1]
        whole[0] = data.view(np.int64).size

    data = np.arange(16, dtype=np.uint8)
    words, whole = np.zeros(1, np.int32), np.zeros(1, np.int32)
    kernel[1, 1](data, words, whole)
    assert words[0] == data[8:12].view(np.int32)[0]
    assert whole[0] == 2


@cuda.jit
def casts_of_what_changes(x, out):
    """A cast keeps the number that it was made of, whatever the variable is later; lanes leave the loop one by one."""
    i = cuda.grid(1)
    if i < x.size:
        count = x[i]
        before = np.uint32(count)
        word = np.uint32(0)
        while count < 40:
            word = np.uint32(count)
            count, before = count + np.int32(i) + 1, word + before
        out[0, i] = word
        out[1, i] = count
        out[2, i] = before


def test_a_cast_keeps_its_number_when_the_variable_changes():
    x = (np.arange(32, dtype=np.int32) * 7) % 41 - 3
    out = np.zeros((3, 32), np.int64)
    casts_of_what_changes[1, 32](x, out)
    for i, start in enumerate(x.tolist()):
        count, word, before = start, 0, start % 2**32
        while count < 40:
            word = count % 2**32
            count, before = count + i + 1, word + before
        assert (out[0, i], out[1, i], out[2, i] % 2**32) == (word, count, before % 2**32), i
