"""The library of mathematics agrees with C's, as plain Python and in a kernel."""

import math
from fractions import Fraction

import numpy as np
import pytest

from warploom import cuda
from warploom.kernel.mathematics import libm

ONE = {
    "exp": (-700, 700), "log": (1e-300, 1e300), "log2": (1e-5, 1e5), "log10": (1e-5, 1e5), "expm1": (-5, 5), "log1p": (-0.9, 50),
    "sin": (-50, 50), "cos": (-50, 50), "tan": (-50, 50), "asin": (-1, 1), "acos": (-1, 1), "atan": (-100, 100), "sinh": (-50, 50),
    "cosh": (-50, 50), "tanh": (-20, 20), "asinh": (-1e3, 1e3), "acosh": (1, 1e4), "atanh": (-0.99, 0.99), "erf": (-6, 6),
    "erfc": (-6, 20), "gamma": (0.1, 100), "lgamma": (3, 1e4), "cbrt": (-1e6, 1e6),
}  # fmt: skip
TWO = {"atan2": (-9, 9), "hypot": (-1e3, 1e3), "fmod": (-1e3, 1e3), "power": (0.1, 30), "remainder": (-50, 50)}


def close(found, expected):
    return (
        found == expected
        or abs(found - expected) <= (4e-14 if abs(expected) < 1e30 else 2e-13) * max(abs(expected), 1e-300)
        or abs(found - expected) < 2e-16
    )


@pytest.mark.parametrize("name", ONE)
def test_functions_of_one_number(name):
    low, high = ONE[name]
    reference = getattr(math, name)
    with np.errstate(all="ignore"):
        for x in np.linspace(low, high, 97):
            assert close(float(getattr(libm, name)(np.float64(x))), reference(x)), x


@pytest.mark.parametrize("name", TWO)
def test_functions_of_two_numbers(name):
    low, high = TWO[name]
    reference = {"power": math.pow}.get(name) or getattr(math, name)
    points = np.linspace(low, high, 17)
    with np.errstate(all="ignore"):
        for x in points:
            for y in points[:-1] + 0.123:
                assert close(float(getattr(libm, name)(np.float64(x), np.float64(y))), reference(x, y)), (x, y)


def test_powers_at_the_edges():
    values = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, 3.0, math.inf, -math.inf, math.nan]
    with np.errstate(all="ignore"):
        for x in values:
            for y in values:
                if y == 0.5:  # NumPy takes the root
                    continue
                np.testing.assert_equal(
                    float(libm.power(np.float64(x), np.float64(y))), float(np.power(np.float64(x), np.float64(y))), f"{x} {y}"
                )


@cuda.jit
def mathematics(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[0, i] = math.sin(x[i])
        out[1, i] = math.exp(x[i])
        out[2, i] = math.log(x[i])
        out[3, i] = math.sqrt(x[i])
        out[4, i] = x[i] ** 1.7
        out[5, i] = math.tanh(x[i])
        out[6, i] = math.floor(x[i])


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-14), (np.float32, 4e-7)])
def test_mathematics_in_a_kernel(dtype, tolerance):
    x = np.linspace(0.01, 9, 50, dtype=dtype)
    out = np.zeros((7, x.size), dtype)
    mathematics[2, 32](x, out)
    expected = [np.sin(x), np.exp(x), np.log(x), np.sqrt(x), np.power(x.astype(np.float64), 1.7), np.tanh(x), np.floor(x)]
    for found, one in zip(out, expected, strict=True):
        np.testing.assert_allclose(found, one, rtol=tolerance, atol=tolerance / 10)


@cuda.jit
def neighbours(x, y, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = math.nextafter(x[i], y[i])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_next_float(dtype):
    values = np.array([0.0, -0.0, 1.0, -1.0, 1.5, 2.0, math.inf, -math.inf, math.nan, 3e-40, 5e-324], dtype)
    x, y = (one.ravel() for one in np.meshgrid(values, values))
    out = np.zeros_like(x)
    neighbours[4, 32](x, y, out)
    expected = np.nextafter(x, y)
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(np.signbit(out)[out == 0], np.signbit(expected)[out == 0])


def test_half_turns_are_exact_where_the_result_is():
    for x, sine, cosine in (
        (1.0, 0.0, -1.0),
        (0.5, 1.0, 0.0),
        (-1.5, 1.0, 0.0),
        (1e15 + 0.5, 1.0, 0.0),
        (1e300, 0.0, 1.0),
        (-0.0, -0.0, 1.0),
    ):
        found = float(libm.sine_pi(np.float64(x))), float(libm.cosine_pi(np.float64(x)))
        assert found == (sine, cosine), x
        assert math.copysign(1, found[0]) == math.copysign(1, x if sine == 0 else sine)
    with np.errstate(invalid="ignore"):
        assert math.isnan(libm.sine_pi(np.float64(-math.inf)))


def test_the_last_bits_of_a_quotient():
    values = (7.0, -7.0, 2.5, 1e300, 5e-324, 0.75, 1.7e308)
    with np.errstate(all="ignore"):
        for x in values:
            for y in values:
                rest, quotient = libm.remquo(np.float64(x), np.float64(y))
                exact = round(Fraction(x) / Fraction(y))
                assert (float(rest), int(quotient)) == (math.remainder(x, y), int(math.copysign(abs(exact) % 8, x * y))), (x, y)
        assert math.isnan(libm.remquo(np.float64(1), np.float64(0))[0])


def test_exponents_of_edges():
    for x, whole in ((8.0, 3), (0.3, -2), (5e-324, -1074), (0.0, -(1 << 31)), (-math.inf, (1 << 31) - 1), (math.nan, -(1 << 31))):
        assert int(libm.ilogb(np.float64(x))) == whole
    assert [float(libm.logb(np.float64(x))) for x in (0.0, -math.inf, 5e-324)] == [-math.inf, math.inf, -1074.0]


def test_norms_do_not_overflow():
    for parts, wanted in (
        ((3e200, 4e200, 0, 0), 5e200),
        ((2e-200, 3e-200, 6e-200, 0), 7e-200),
        ((0, 0, 0, 0), 0),
        ((math.nan, math.inf, 1, 0), math.inf),
    ):
        assert abs(float(libm.norm(*(np.float64(x) for x in parts))) - wanted) <= 2 * np.spacing(wanted) or wanted == math.inf
