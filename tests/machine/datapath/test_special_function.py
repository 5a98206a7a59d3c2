"""The special-function unit against 64-bit mathematics, and the bits of 2/pi against their own computation."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.datapath.alu_model import EDGES, NAN, WORD, bits_of, compute
from tests.machine.datapath.alu_model import value as float_of
from warploom.isa.uop import NUMBER
from warploom.machine.datapath.register_file import WarpRegisters
from warploom.machine.datapath.special_function import TWO_OVER_PI, cosine_series, sine_series, special
from warploom.machine.engine.native.loader import native
from warploom.machine.engine.unit import zeros

INFINITY, MINUS_INFINITY = 0x7F800000, 0xFF800000
ACCURACY = 0.501  # units in the last place

REFERENCE = {
    "frsqrt": lambda x: math.sqrt(1 / x),
    "fsin": math.sin,
    "fcos": math.cos,
    "fexp2": lambda x: 2.0**x,
    "flog2": math.log2,
}
DOMAIN = {"frsqrt": lambda x: x > 0, "flog2": lambda x: x > 0, "fexp2": lambda x: (x >= -149) & (x < 128)}


def error(got, exact):
    """How far a 32-bit result is from the exact one, in units in the last place of that."""
    exponent = max(math.frexp(exact)[1] - 1, -126)
    return abs(float_of(got) - exact) / 2.0 ** (exponent - 23)


def in_domain(name, word):
    return math.isfinite(float_of(word)) and DOMAIN.get(name, lambda x: x == x)(float_of(word))


@pytest.mark.parametrize("name", sorted(REFERENCE))
@settings(deadline=None, max_examples=100)
@given(words=st.lists(st.one_of(st.integers(0, WORD), st.floats(-200, 200, width=32).map(bits_of), st.sampled_from(EDGES)), min_size=1))
def test_results_are_within_the_stated_accuracy_on_both_engines(name, words):
    words = [word for word in words if in_domain(name, word)]
    for word, got in zip(words, compute(name, words), strict=True):
        assert error(got, REFERENCE[name](float_of(word))) <= ACCURACY


@pytest.mark.parametrize("name", sorted(REFERENCE))
def test_results_are_within_the_stated_accuracy_over_the_whole_range(name):
    """Half a million arguments, natively, against NumPy's 64-bit functions."""
    random = np.random.default_rng(5)
    words = np.concatenate(
        [
            random.integers(0, 1 << 32, 1 << 18, dtype=np.uint64).astype(np.uint32),
            random.uniform(-140, 128, 1 << 18).astype(np.float32).view(np.uint32),
        ]
    )
    with np.errstate(all="ignore"):
        numbers = words.view(np.float32).astype(np.float64)
        inside = np.isfinite(numbers) & DOMAIN.get(name, lambda x: x == x)(numbers)
    words = words[inside][: inside.sum() // 64 * 64]
    numbers = words.view(np.float32).astype(np.float64)
    functions = {"frsqrt": lambda x: np.sqrt(1 / x), "fsin": np.sin, "fcos": np.cos, "fexp2": np.exp2, "flog2": np.log2}
    exact = functions[name](numbers)
    registers = zeros(1, WarpRegisters)
    run = native().entry(special, (registers[0][()], NUMBER[name], 1, 0, 64))
    got = np.zeros_like(words)
    for start in range(0, len(words), 64):
        registers["lane"][0, 1] = words[start : start + 64]
        run(registers[0][()], NUMBER[name], 1, 0, 64)
        got[start : start + 64] = registers["result"][0]
    exponent = np.maximum(np.frexp(exact)[1] - 1, -126)
    errors = np.abs(got.view(np.float32).astype(np.float64) - exact) / 2.0 ** (exponent - 23)
    assert errors.max() <= ACCURACY


@pytest.mark.parametrize("name", ["flog2", "fexp2"])
def test_results_between_two_floats_are_the_nearer_one_where_the_choice_is_hard(name):
    """Of arguments near 1 those whose exact result is closest to a half between two floats, but for the promised part of a place."""
    words = np.arange(bits_of(0.7), bits_of(1.42), 61, np.uint32)
    exact = (np.log2 if name == "flog2" else np.exp2)(words.view(np.float32).astype(np.float64))
    places = exact / 2.0 ** (np.frexp(exact)[1] - 24)  # in units in the last place
    beside = np.abs(places - np.floor(places) - 0.5)  # of a half
    hard = np.argsort(np.where(beside < ACCURACY - 0.5, 1, beside))[:192]
    for word, got in zip(words[hard].tolist(), compute(name, words[hard].tolist()), strict=True):
        assert error(got, REFERENCE[name](float_of(word))) < 0.5, word


@pytest.mark.parametrize(
    ("name", "number", "result"),
    [
        ("fsqrt", bits_of(-1.0), NAN),
        ("fsqrt", 0x80000000, 0x80000000),
        ("frcp", 0x80000000, MINUS_INFINITY),
        ("frcp", MINUS_INFINITY, 0x80000000),
        ("frsqrt", 0, INFINITY),
        ("frsqrt", 0x80000000, MINUS_INFINITY),
        ("frsqrt", bits_of(-2.0), NAN),
        ("frsqrt", INFINITY, 0),
        ("fsin", 0x80000000, 0x80000000),
        ("fsin", 1, 1),
        ("fsin", INFINITY, NAN),
        ("fcos", MINUS_INFINITY, NAN),
        ("fcos", 0x80000000, bits_of(1.0)),
        ("fexp2", INFINITY, INFINITY),
        ("fexp2", MINUS_INFINITY, 0),
        ("fexp2", bits_of(128.0), INFINITY),
        ("fexp2", bits_of(-149.0), 1),
        ("fexp2", bits_of(-150.0), 0),
        ("fexp2", 0x7F7FFFFF, INFINITY),
        ("flog2", 0, MINUS_INFINITY),
        ("flog2", 0x80000000, MINUS_INFINITY),
        ("flog2", bits_of(-1.0), NAN),
        ("flog2", INFINITY, INFINITY),
        ("flog2", 1, bits_of(-149.0)),
        ("flog2", bits_of(1.0), 0),
    ],
)
def test_a_corner_has_the_result_that_the_table_states(name, number, result):
    assert compute(name, [number]) == [result]


@pytest.mark.parametrize("name", ["fsqrt", "frcp", *sorted(REFERENCE)])
def test_every_nan_becomes_the_canonical_one(name):
    assert compute(name, [0x7FC12345, 0xFF800001, 0xFFFFFFFF]) == [NAN] * 3


def test_whole_powers_of_two_are_exact():
    powers = list(range(-149, 128))
    numbers = [bits_of(math.ldexp(1.0, power)) for power in powers]
    assert compute("fexp2", [bits_of(float(power)) for power in powers]) == numbers
    assert compute("flog2", numbers) == [bits_of(float(power)) for power in powers]


@pytest.mark.parametrize(("series", "exact", "promised"), [(sine_series, math.sin, 2.0**-43), (cosine_series, math.cos, 2.0**-39)])
def test_a_series_is_as_exact_as_it_says_up_to_an_eighth_of_a_turn(series, exact, promised):
    for number in range(1, 513):
        for angle in (number / 512 * math.pi / 4, -number / 512 * math.pi / 4):
            assert abs(float(series(np.float64(angle))) / exact(angle) - 1) <= promised, angle


@pytest.mark.parametrize(("series", "first"), [(sine_series, 1), (cosine_series, 0)])
def test_a_series_is_taylors_up_to_the_13th_order_but_for_the_rounding_of_64_bits(series, first):
    for number in range(-16, 17):
        angle = number / 16 * math.pi / 4
        terms = [(-1) ** (order // 2) * Fraction(angle) ** order / math.factorial(order) for order in range(first, 14, 2)]
        assert abs(Fraction(float(series(np.float64(angle)))) - sum(terms)) <= Fraction(1, 1 << 51), angle


def test_the_bits_of_two_over_pi_are_those_that_machins_formula_gives():
    def arc_tangent_of_inverse(n, one):
        term, total, k = one // n, 0, 0
        while term:
            total += (-term if k % 2 else term) // (2 * k + 1)
            term, k = term // (n * n), k + 1
        return total

    one = 1 << 400
    pi = 4 * (4 * arc_tangent_of_inverse(5, one) - arc_tangent_of_inverse(239, one))
    bits = (2 * one << 224) // pi
    assert sum(int(word) << 32 * (7 - k) for k, word in enumerate(TWO_OVER_PI)) == bits


@pytest.mark.parametrize(
    ("order", "words"),
    [
        (15, (0x3F35A438, 0x3FB45F67, 0x3FB4C825, 0x3F35D745)),
        (13, (0x3FB4F4E9, 0x3FB4C3B3, 0x3FB4A808, 0x3F36143B, 0x3F3541C1, 0x3FB4B9B4, 0x3FB4D77F, 0x3F355626)),
        (11, (0x3F350D19, 0x3F351183, 0x3F350883, 0x3F35318C, 0x3F350B0C, 0x3F3506AA, 0x3F350C45, 0x3F351106)),
    ],
)
def test_the_nearest_logarithm_takes_the_series_up_to_its_15th_order(order, words):
    """Numbers whose logarithm lies so close to the middle of two floats that a term of this order decides which is nearer."""
    for word, got in zip(words, compute("flog2", list(words)), strict=True):
        assert error(got, math.log2(float_of(word))) < 0.5, (order, hex(word))
