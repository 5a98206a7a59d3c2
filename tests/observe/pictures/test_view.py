import numpy as np
import pytest

from tests.observe.pictures.runs import run
from warploom.observe.pictures.view import Columns, DrawingError, View, columns_of, sampled, view_of


def test_a_span_of_cycles_has_both_ends():
    result = run("guppy/if.guppy", "guppy")  # 11 cycles
    assert view_of(result) == View(0, 11)
    assert view_of(result, (2, 4)) == View(2, 5)
    assert view_of(result, (2, None)) == View(2, 11)
    assert view_of(result, (2, 1000), cores=[0], warps=[0]) == View(2, 11, (0,), (0,))


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ({"cycles": (11, None)}, "there is no cycle 11: the run has 11 cycles, numbered from 0"),
        ({"cycles": (5, 4)}, "cycles 5 to 4: the span ends before it begins"),
        ({"cores": [1]}, "there is no core 1: they are numbered 0 to 0"),
        ({"warps": [0, 3]}, "there is no warp slot 3: they are numbered 0 to 0"),
    ],
)
def test_what_there_is_not_is_said(part, message):
    with pytest.raises(DrawingError) as error:
        view_of(run("guppy/if.guppy", "guppy"), **part)
    assert str(error.value) == message


def test_columns_are_whole_cycles_and_as_many_as_fit():
    assert columns_of(View(0, 100), 100) == Columns(0, 100, 1)
    columns = columns_of(View(10, 111), 50)
    assert (columns.each, columns.count) == (3, 34)
    assert columns.edges()[[0, 1, -2, -1]].tolist() == [10, 13, 109, 111]


def test_sums_count_what_falls_into_a_column():
    columns = Columns(10, 20, 4)  # 10-13, 14-17, 18-19
    assert columns.sums(np.array([9, 10, 13, 14, 19, 20])).tolist() == [2, 1, 1]
    assert columns.sums(np.array([10, 18]), np.array([5, 7])).tolist() == [5, 0, 7]


def test_overlap_is_exact():
    columns = Columns(10, 20, 4)
    # 8-12: two cycles in the first; 13-19: 1, 4, 1; the second one counts three times.
    assert columns.overlap(np.array([8, 13]), np.array([12, 19]), np.array([1, 3])).tolist() == [2 + 3, 12, 3]
    assert columns.overlap(np.zeros(0, int), np.zeros(0, int)).tolist() == [0, 0, 0]


def test_overlap_agrees_with_counting_cycle_by_cycle():
    random = np.random.default_rng(1)
    start = random.integers(0, 200, 300)
    stop = start + random.integers(0, 50, 300)
    columns = Columns(30, 187, 7)
    each = np.zeros(300)
    for first, last in zip(start, stop, strict=True):
        each[first:last] += 1
    wanted = [each[low:high].sum() for low, high in zip(columns.edges()[:-1], columns.edges()[1:], strict=True)]
    assert columns.overlap(start, stop).tolist() == pytest.approx(wanted)


def test_sampled_finds_the_span_that_holds_a_cycle():
    start, stop = np.array([2, 5, 9]), np.array([5, 7, 10])
    assert sampled(start, stop, np.arange(11)).tolist() == [-1, -1, 0, 0, 0, 1, 1, -1, -1, 2, -1]
    assert sampled(start[:0], stop[:0], np.arange(2)).tolist() == [-1, -1]
