"""Points on an edge, against whole fractions and against numbers of Direct3D's reference."""

import numpy as np
import pytest

from warploom.graphics.geometry.partitioning import HALF, ONE, PARTITIONINGS, Cut, cuts, placed
from warploom.graphics.state import GraphicsError


def of(factor, partitioning):
    return placed(cuts([factor], [1], partitioning)[0][0])


@pytest.mark.parametrize("factor", range(1, 65))
def test_whole_factors_cut_into_equal_parts(factor):
    wanted = np.arange(factor + 1, dtype=np.int64) * ONE / factor
    kinds = ["integer", "fractional_odd" if factor % 2 else "fractional_even"]
    for kind in kinds:
        got = of(factor, kind)
        assert len(got) == factor + 1
        assert np.abs(got - wanted).max() <= max(factor // 2, 1) / 2  # each multiple of a rounded reciprocal
    assert (of(factor - 0.3, "integer") == of(factor, "integer")).all()


@pytest.mark.parametrize("kind", PARTITIONINGS)
def test_points_are_symmetric_in_order_and_between_the_ends(kind):
    for factor in np.random.default_rng(1).uniform(0.5, 66, 400):
        got = of(factor, kind)
        assert (got + got[::-1] == ONE).all()
        assert got[0] == 0 and (np.diff(got) >= 0).all()
        assert len(got) % 2 == {"fractional_odd": 0, "fractional_even": 1, "integer": (int(np.ceil(np.clip(factor, 1, 64))) + 1) % 2}[kind]
        segments = np.unique(np.diff(got)[np.diff(got) > factor])
        assert len(segments) == 0 or segments.max() < 1.3 * ONE / (factor - 2 if factor > 4 else 1)


@pytest.mark.parametrize(("kind", "first"), [("fractional_odd", 1), ("fractional_even", 2)])
def test_no_point_jumps_while_a_factor_grows(kind, first):
    for least in range(first, 61, 2):
        before = of(least + 2.0**-16, kind)  # as many points as up to the next whole number of that kind
        assert (np.diff(before) <= 1).sum() == 2  # two segments begin to grow
        for factor in np.linspace(least + 2.0**-16, least + 2, 9):
            now = of(factor, kind)
            assert len(now) == len(before)
            assert np.abs(now - before).max() <= ONE * 0.25 / least + 2
            before = now
        assert (before == of(least + 2, kind)).all()


def test_numbers_of_the_reference():
    """Fractions of 1 / 65536, from its table of reciprocals and its rounding."""
    assert of(3, "integer").tolist() == [0, 0x5555, 0xAAAB, ONE]
    assert of(5, "fractional_odd").tolist() == [0, 0x3333, 0x6666, 0x999A, 0xCCCD, ONE]
    assert of(2, "fractional_even").tolist() == [0, HALF, ONE]
    assert of(3, "fractional_even").tolist() == [0, 0x6000, HALF, 0xA000, ONE]  # half way from HALF to 0x4000
    assert of(2, "fractional_odd").tolist() == [0, 0x2AAB, 0xD555, ONE]
    assert of(63.5, "fractional_odd").tolist() == of(63, "fractional_odd").tolist()


def test_what_leaves_a_patch_out_and_what_is_brought_into_range():
    for wrong in (0, -1, float("nan"), -0.0, float("-inf")):
        assert cuts([1, wrong], [1], "integer") is None
    edges, inside = cuts([1000, float("inf"), 0.01], [float("nan"), -3], "integer")
    assert edges == [Cut(64 * ONE, False), Cut(64 * ONE, False), Cut(ONE, True)]
    assert inside == [Cut(ONE, False), Cut(ONE, False)]  # one segment has no inside: two
    assert cuts([1, 1], [0], "fractional_even") == ([Cut(2 * ONE, False)] * 2, [Cut(2 * ONE, False)])
    assert cuts([1, 1.5], [0], "fractional_odd")[1] == [Cut(ONE + 1, True)]  # a frame without width
    assert cuts([1, 1], [0], "fractional_odd")[1] == [Cut(ONE, True)]
    with pytest.raises(GraphicsError, match="partitioning is 'odd'"):
        cuts([1], [1], "odd")
