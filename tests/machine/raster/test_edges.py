"""Edge functions and the rules for pixels on an edge."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.two_engines import both
from warploom.machine.engine.unit import mirror, unit
from warploom.machine.raster.edges import INCLUSIVE, TOP_LEFT, Raster, covers, edge_value, quad_mask, wrapped


def raster_with(rule, narrow=0, log_tile=5, scissor=(0, 0, 64, 64)):
    made = np.zeros(1, Raster)
    made["rule"], made["narrow"], made["log_tile"] = rule, narrow, log_tile
    made["left"], made["top"], made["right"], made["bottom"] = scissor
    return made


def square_edges():
    """The lower left half of the square from the centre of pixel (2, 2) to that of (6, 6), in pixels: corners, then edges as rows."""
    corners = [(2, 2), (6, 6), (2, 6)]
    row = []
    for a, b in ((1, 2), (2, 0), (0, 1)):
        (xa, ya), (xb, yb) = corners[a], corners[b]
        row += [-(yb - ya), xb - xa, (yb - ya) * xa - (xb - xa) * ya]
    return np.array([row], np.int64)


def drawn(rule):
    raster = mirror(raster_with(rule)[0].reshape(()))
    return {(x, y) for x in range(9) for y in range(9) if covers(raster, square_edges(), 0, x, y)}


def test_inclusive_takes_every_pixel_on_an_edge():
    assert drawn(INCLUSIVE) == {(x, y) for y in range(2, 7) for x in range(2, y + 1)}


def test_top_left_takes_left_and_top_edges_only():
    """The left side is kept. The diagonal, on the right, and the bottom are not; so the corner at the top is not either."""
    assert drawn(TOP_LEFT) == {(x, y) for y in range(3, 6) for x in range(2, y)}


@pytest.mark.parametrize(("value", "kept"), [(0, 0), (2**31 - 1, 2**31 - 1), (2**31, -(2**31)), (-(2**31) - 1, 2**31 - 1), (2**40 + 5, 5)])
def test_narrow_sums_wrap(value, kept):
    assert wrapped(value) == kept


@unit
def drive(rasters, edges, asked, answers):
    """Rows of `asked`: x, y. Answers: the three values, the mask."""
    for n in range(asked.shape[0]):
        for k in range(3):
            answers[n, k] = edge_value(rasters[0], edges, 0, k, asked[n, 0], asked[n, 1])
        answers[n, 3] = quad_mask(rasters[0], edges, 0, asked[n, 0], asked[n, 1])


coefficient = st.integers(-(2**31), 2**31 - 1)


@settings(max_examples=60, deadline=None)
@given(row=st.lists(coefficient, min_size=9, max_size=9), rule=st.sampled_from([INCLUSIVE, TOP_LEFT]), narrow=st.booleans())
def test_agrees_with_whole_numbers_on_both_engines(row, rule, narrow):
    places = [(x, y) for x in range(0, 8, 2) for y in range(0, 70, 14)]
    made = raster_with(rule, int(narrow), scissor=(1, 0, 7, 61))
    _, after = both(drive, made, np.array([row], np.int64), np.array(places, np.int64), np.zeros((len(places), 4), np.int64))
    for (x, y), got in zip(places, after[3].tolist(), strict=True):
        mask = 0
        for p in range(4):
            column, line = x + p % 2, y + p // 2
            inside = 1 <= column < 7 and 0 <= line < 61
            for k in range(3):
                a, b, c = row[3 * k : 3 * k + 3]
                value = a * column + b * line + c
                if narrow:
                    value = (value + 2**31) % 2**32 - 2**31
                if p == 0:
                    assert got[k] == value
                kept = value > 0 or (value == 0 and (rule == INCLUSIVE or a > 0 or (a == 0 and b > 0)))
                inside = inside and kept
            mask |= inside << p
        assert got[3] == mask
