"""Bands on a sheet: where they and the legend come to lie."""

import numpy as np
import pytest

from warploom.observe.pictures.bands import Band, cell_width, sheet_of
from warploom.observe.pictures.sheet import SCALE, Page
from warploom.observe.pictures.view import Columns
from warploom.observe.text.palette import LANES

pytest.importorskip("matplotlib")


@pytest.mark.parametrize("tall", [22, 23])
def test_the_legend_stays_on_the_sheet(tall):
    """48 bands of an odd number of pixels, half a point more each than whole points: the legend is still above the lower edge."""
    bands = [Band(f"warp {number}", np.zeros((tall, 100, 3), np.uint8), 2) for number in range(48)]
    sheet = sheet_of(Page("title", "subtitle"), bands, Columns(0, 100, 1), 1, "cycle", [("active", LANES["active"])])
    lowest = min(text.get_position()[1] for text in sheet.figure.texts) * sheet.height
    assert 20 <= lowest <= 40


def test_cells_fill_the_width_up_to_a_limit():
    page = Page("title", "subtitle", width=1200)
    assert cell_width(page, Columns(0, page.room * SCALE, 1)) == 1
    assert cell_width(page, Columns(0, 100, 1)) == page.room * SCALE // 100
    assert cell_width(page, Columns(0, 1, 1)) == 80
