"""Means with their intervals, and geometric means: against figures of the literature and sums by hand."""

import pytest

from warploom.study.samples import Estimate, estimate, geometric_mean, student


def test_an_interval_is_students():
    """1 to 5: mean 3, deviation the root of 2.5, t(4) = 2.776."""
    found = estimate([1, 2, 3, 4, 5])
    assert found.mean == 3
    assert found.half == pytest.approx(2.776 * 2.5**0.5 / 5**0.5)


def test_one_value_has_no_interval_and_none_no_mean():
    assert estimate([7.0]) == Estimate(7.0)
    assert estimate([]) is None
    assert estimate([4, 4, 4]) == Estimate(4, 0)


@pytest.mark.parametrize(("freedom", "published"), [(1, 12.706), (10, 2.228), (30, 2.042), (40, 2.021), (60, 2.000), (120, 1.980)])
def test_students_t_is_that_of_the_tables(freedom, published):
    assert student(freedom) == pytest.approx(published, abs=0.003)


def test_a_geometric_mean():
    assert geometric_mean([1, 4]) == pytest.approx(2)
    assert geometric_mean([2, 0.5, 1]) == pytest.approx(1)


@pytest.mark.parametrize("values", [[], [1, None], [0, 2]])
def test_there_is_no_geometric_mean_of_what_is_missing_or_zero(values):
    assert geometric_mean(values) is None
