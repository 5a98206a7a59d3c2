"""Kernels in Python give the bits that an H100 gave, those of a NaN too, but for the rows of these tables."""

from __future__ import annotations

import pytest

from tests.device_values import cases, difference, results

NEAR = "computed by formulas of ours: both are within NVIDIA's documented bounds of the correctly rounded result"
ROOTS = "near the roots of lgamma the error is bounded in absolute terms alone, as NVIDIA documents it"
# By case: the largest distance in units in the last place, and why the bits are not the same.
NOT_THE_SAME = {
    **dict.fromkeys(
        (
            "acosh.f32",
            "asin.f32",
            "atan.f32",
            "atan2.f32",
            "atan2.f64",
            "cbrt.f32",
            "cos.f64",
            "erf.f32",
            "exp2.f64",
            "hypot.f32",
            "log.f32",
            "log.f64",
            "log1p.f32",
            "log2.f32",
            "log2.f64",
            "pow.f32",
            "power.f32",
            "sin.f32",
        ),
        (1, NEAR),
    ),
    **dict.fromkeys(
        (
            "acos.f64",
            "asin.f64",
            "cosh.f32",
            "exp.f32",
            "exp2.f32",
            "expm1.f64",
            "hypot.f64",
            "log10.f64",
            "sinh.f32",
            "sinh.f64",
            "tan.f64",
            "tanh.f32",
        ),
        (2, NEAR),
    ),
    **dict.fromkeys(("asinh.f64", "atanh.f64", "erf.f64", "gamma.f32"), (3, NEAR)),
    "erfc.f64": (4, NEAR),
    "lgamma.f32": (25, ROOTS),
}
SIGN = "the sign of a NaN that a function of 64 bits gives outside of its domain depends on the steps of its formula"
LITERAL = "the function's own NaN, a literal of 32 bits that is widened"
NANS = {**dict.fromkeys(("asin.f64", "floordiv.f64", "mod.f64"), SIGN), "erf.f64": LITERAL}
EDGES = {"hypot.f64": "the device overflows where the result still has a place"}
OTHER = {"brev.i64": "numba-cuda reverses 32 bits of a signed number of 64; here all 64 are reversed"}


@pytest.mark.parametrize("name", sorted(cases().keys() - OTHER.keys()))
def test_an_expression_gives_the_devices_bits(name):
    case = cases()[name]
    found = difference(results(case), case.device)
    most, _ = NOT_THE_SAME.get(name, (0, ""))
    assert found.ulp <= most, (case.x[found.first], case.y[found.first])
    assert found.edge == 0 or name in EDGES
    assert found.nan == 0 or name in NANS, (case.x[found.first], case.y[found.first])


def test_no_row_is_left_that_is_not_needed():
    assert set(NOT_THE_SAME) | set(EDGES) | set(OTHER) | set(NANS) <= set(cases())
    for name in OTHER:
        assert not difference(results(cases()[name]), cases()[name].device).none
    for name in NANS:
        assert difference(results(cases()[name]), cases()[name].device).nan


@pytest.mark.parametrize("name", ["add.f32", "floordiv.f64", "shl.i64", "to_u32.f64", "min.f64", "clz.i64"])
def test_plain_python_gives_the_same_bits(name):
    case = cases()[name]
    few = slice(0, 256)
    assert results(case, "python", 256).tobytes() == results(case)[few].tobytes()
