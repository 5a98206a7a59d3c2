"""16-bit floats in kernels: what NumPy computes, on all edges, by one instruction each."""

import itertools

import numpy as np
import pytest

import warploom
from warploom import cuda
from warploom.compiler.halves import half_bits
from warploom.isa.uop import ISSUE_LATENCY, L_CONVERT, L_HALF

# Zeros, the smallest subnormal and normal numbers and their neighbours, ties of rounding, the largest, infinities and NaN.
BITS = [0x0000, 0x0001, 0x0002, 0x03FF, 0x0400, 0x0401, 0x1400, 0x3555, 0x3800, 0x3BFF, 0x3C00, 0x3C01, 0x3E00, 0x4248, 0x6400, 0x6401,
        0x77FF, 0x7800, 0x7BFE, 0x7BFF, 0x7C00, 0x7E00]  # fmt: skip
EDGES = np.array([*BITS, *(bits | 0x8000 for bits in BITS)], np.uint16).view(np.float16)
PAIRS = np.array(list(itertools.product(EDGES, EDGES)), np.float16)
X, Y = np.ascontiguousarray(PAIRS[:, 0]), np.ascontiguousarray(PAIRS[:, 1])
HALF = np.float16


@cuda.jit
def arithmetic(x, y, out):
    i = cuda.grid(1)
    if i < x.size:
        a, b = x[i], y[i]
        out[0, i] = a + b
        out[1, i] = a - b
        out[2, i] = a * b
        out[3, i] = a / b
        out[4, i] = -a + abs(b)
        out[5, i] = a + np.float16(0.5)
        out[6, i] = np.float16(1.5) - a
        out[7, i] = min(a, b)
        out[8, i] = max(a, b)
        out[9, i] = (a if b < a else b) * a
        out[10, i] = -a
        out[11, i] = cuda.fp16.hfma(a, b, b)
        out[12, i] = cuda.fp16.hmin(a, b)
        out[13, i] = cuda.fp16.hmax(a, b)


@cuda.jit
def questions(x, y, out):
    i = cuda.grid(1)
    if i < x.size:
        a, b = x[i], y[i]
        out[0, i] = a < b
        out[1, i] = a <= b
        out[2, i] = a == b
        out[3, i] = a != b
        out[4, i] = a > b
        out[5, i] = a >= b


def launched(kernel, rows, dtype, engine, *arguments):
    out = np.zeros((rows, X.size), dtype)
    kernel.on(warploom.GPU("sm", engine=engine))[-(-X.size // 128), 128](*arguments, out)
    return out


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_arithmetic_rounds_once_as_ieee_754(engine):
    out = launched(arithmetic, 14, HALF, engine, X, Y)
    exact = X.astype(np.float64) * Y.astype(np.float64) + Y.astype(np.float64)
    assert out.dtype == HALF
    for row, expected in enumerate([X + Y, X - Y, X * Y, X / Y, -X + abs(Y), X + HALF(0.5), HALF(1.5) - X]):
        np.testing.assert_array_equal(out[row], expected)
    np.testing.assert_array_equal(out[12], np.fmin(X, Y))
    np.testing.assert_array_equal(out[13], np.fmax(X, Y))
    numbers = ~(np.isnan(X) | np.isnan(Y))
    np.testing.assert_array_equal(out[7][numbers], np.minimum(X, Y)[numbers])
    np.testing.assert_array_equal(out[8][numbers], np.maximum(X, Y)[numbers])
    np.testing.assert_array_equal(out[9], np.where(Y < X, X, Y) * X)
    np.testing.assert_array_equal(out[10].view(np.uint16), np.where(np.isnan(X), 0x7FFF, (-X).view(np.uint16)))
    np.testing.assert_array_equal(out[11], exact.astype(HALF))
    signs = ~np.isnan(out[:7])
    np.testing.assert_array_equal(np.signbit(out[:3])[signs[:3]], np.signbit(np.array([X + Y, X - Y, X * Y]))[signs[:3]])


@pytest.mark.parametrize("engine", ["python", "native"])
def test_comparisons_are_numpys(engine):
    out = launched(questions, 6, np.bool_, engine, X, Y)
    for row, expected in enumerate([X < Y, X <= Y, X == Y, X != Y, X > Y, X >= Y]):
        np.testing.assert_array_equal(out[row], expected)


@cuda.jit
def total(x, out):
    i = cuda.grid(1)
    found = np.float16(0.0)
    for k in range(i, x.size, 32):
        if x[k] > np.float16(0.0):
            found += x[k] * x[k]
    out[i] = found


@pytest.mark.parametrize("engine", ["python", "native"])
def test_a_sum_stays_a_half_through_a_loop(engine):
    x = np.arange(-300, 340, dtype=HALF) / HALF(64)
    out = np.zeros(32, HALF)
    run = total.on(warploom.GPU("sm", engine=engine))
    run[1, 32](x, out)
    expected = np.zeros(32, HALF)
    for row in x.reshape(-1, 32):
        expected = np.where(row > 0, expected + row * row, expected)
    np.testing.assert_array_equal(out, expected)


def test_operations_on_halves_are_instructions_of_their_class_without_conversions():
    """Of `total` a product, a sum and a test; of the arithmetic all but the division, which is of 32 bits."""
    for kernel, arguments, halves, conversions in (
        (total, (X, np.zeros(32, HALF)), 3, 0),
        (arithmetic, (X, Y, np.zeros((14, X.size), HALF)), 13, 3),
    ):
        run = kernel.on(warploom.GPU("sm", engine="python"))
        run[1, 32](*arguments)
        found = next(iter(run.programs.values())).program.code[:, ISSUE_LATENCY].tolist()
        assert (found.count(L_HALF), found.count(L_CONVERT)) == (halves, conversions)


@pytest.mark.parametrize(
    ("number", "bits"), [(1.0, 0x3C00), (-0.0, 0x8000), (65504.0, 0x7BFF), (65536.0, None), (0.1, None), (2.0**-24, 1), (2.0**-25, None)]
)
def test_a_constant_is_a_half_where_it_is_one_exactly(number, bits):
    assert half_bits(number) == bits
    assert half_bits(float("inf")) == 0x7C00 and half_bits(float("nan")) == 0x7E00
