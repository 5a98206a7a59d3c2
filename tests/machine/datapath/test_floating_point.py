"""Corners of the floating-point unit: NaN, signed zeros, saturation, and the one rounding of a fused multiply-add."""

import pytest

from tests.machine.datapath.alu_model import LARGEST, NAN, WORD, bits_of, compute

INFINITY, QUIET, SIGNALLING = 0x7F800000, 0x7FC12345, 0xFF800001
ZERO, MINUS_ZERO, ONE = 0, 0x80000000, bits_of(1.0)


@pytest.mark.parametrize("name", ["fadd", "fsub", "fmul", "fdiv", "fma", "fmad", "floor"])
@pytest.mark.parametrize("nan", [QUIET, SIGNALLING, 0xFFC00000, NAN])
def test_arithmetic_gives_the_canonical_nan_whatever_nan_goes_in(name, nan):
    others = [nan, ONE, QUIET]
    assert compute(name, [nan] * 3, others, [ONE] * 3) == [NAN] * 3


@pytest.mark.parametrize(
    ("name", "a", "b"),
    [("fsub", INFINITY, INFINITY), ("fmul", INFINITY, ZERO), ("fdiv", ZERO, MINUS_ZERO), ("fdiv", INFINITY, INFINITY)],
)
def test_an_invalid_operation_gives_the_canonical_nan(name, a, b):
    assert compute(name, [a], [b]) == [NAN]


@pytest.mark.parametrize(
    ("name", "a", "b", "result"),
    [
        ("fmin", ZERO, MINUS_ZERO, MINUS_ZERO),
        ("fmin", MINUS_ZERO, ZERO, MINUS_ZERO),
        ("fmax", ZERO, MINUS_ZERO, ZERO),
        ("fmax", MINUS_ZERO, ZERO, ZERO),
        ("fmin", QUIET, ONE, ONE),
        ("fmax", ONE, SIGNALLING, ONE),
        ("fmin", QUIET, SIGNALLING, NAN),
        ("feq", ZERO, MINUS_ZERO, 1),
        ("feq", NAN, NAN, 0),
        ("fle", NAN, ONE, 0),
        ("fdiv", ONE, MINUS_ZERO, 0xFF800000),
        ("fadd", LARGEST, LARGEST, INFINITY),
        ("fmul", 1, bits_of(0.5), 0),
        ("fmul", 3, bits_of(0.5), 2),
    ],
)
def test_a_corner_has_the_result_that_ieee_754_and_the_table_state(name, a, b, result):
    assert compute(name, [a], [b]) == [result]


@pytest.mark.parametrize(
    ("name", "number", "result"),
    [
        ("f2i", bits_of(2.0**31), 0x7FFFFFFF),
        ("f2i", bits_of(-(2.0**31)), 0x80000000),
        ("f2i", 0xFF7FFFFF, 0x80000000),
        ("f2i", QUIET, 0x7FFFFFFF),
        ("f2i", SIGNALLING, 0x7FFFFFFF),
        ("f2i", bits_of(-1.75), WORD),
        ("f2u", bits_of(-1.75), 0),
        ("f2u", bits_of(-0.5), 0),
        ("f2u", bits_of(2.0**32), WORD),
        ("f2u", bits_of(2.0**32 - 256), 0xFFFFFF00),
        ("f2u", 0xFF800000, 0),
        ("f2u", QUIET, WORD),
        ("i2f", 0x01000001, bits_of(2.0**24)),
        ("i2f", 0x01000003, bits_of(2.0**24 + 4)),
        ("u2f", WORD, bits_of(2.0**32)),
        ("i2f", WORD, bits_of(-1.0)),
        ("floor", MINUS_ZERO, MINUS_ZERO),
        ("floor", bits_of(-0.25), bits_of(-1.0)),
        ("floor", bits_of(8388607.5), bits_of(8388607.0)),
        ("floor", 0xFF800000, 0xFF800000),
    ],
)
def test_conversions_saturate_and_round_as_the_table_states(name, number, result):
    assert compute(name, [number]) == [result]


def test_every_class_has_its_own_bit():
    numbers = [0xFF800000, bits_of(-1.0), 0x80000001, MINUS_ZERO, ZERO, 1, ONE, INFINITY, 0x7F800001, NAN]
    assert compute("fclass", numbers) == [1 << rank for rank in range(10)]


def test_a_fused_multiply_add_keeps_what_two_roundings_lose():
    x = bits_of(1 + 2.0**-12)
    minus_square = bits_of(-(1 + 2.0**-11))
    assert compute("fma", [x], [x], [minus_square]) == [bits_of(2.0**-24)]
    assert compute("fmad", [x], [x], [minus_square]) == [0]


def test_every_16_bit_float_comes_back_from_32_bits():
    halves = list(range(1 << 16))
    there = compute("h2f", halves)
    nans = {half for half in halves if half & 0x7FFF > 0x7C00}
    assert compute("f2h", there) == [0x7E00 if half in nans else half for half in halves]
