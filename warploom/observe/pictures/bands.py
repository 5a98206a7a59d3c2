"""Bands: stripes of cells above one another on one axis of time, each with its name at the left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from warploom.observe.pictures.raster import hex_of
from warploom.observe.pictures.sheet import LEFT, RIGHT, ROW, SCALE, TOP, Page, Sheet, legend_rows
from warploom.observe.pictures.view import Columns
from warploom.observe.text.palette import Look

LEAST_WIDTH = 760  # points of a sheet, though not more than it may have
WIDEST_CELL = 40  # points
GAP, CORE_GAP = 6, 14  # points between bands, and between those of two cores
AXIS = 52  # points that the axis of time takes with its label


@dataclass
class Band:
    """A stripe of cells: points with a name at their left. gap: points above it. minor: its name is written smaller.

    low, high: what its first and last row are, or of bars (minor) the values at their feet and at the top. mark: a colour beside the name.
    """

    name: str
    points: np.ndarray
    gap: int
    minor: bool = False
    low: str = ""
    high: str = ""
    mark: Look | None = None


def cell_width(page: Page, columns: Columns) -> int:
    """Pixels that a column of a sheet has."""
    return max(1, min(page.room * SCALE // max(columns.count, 1), WIDEST_CELL * SCALE))


def sheet_of(page: Page, bands: Sequence[Band], columns: Columns, across: int, label: str, entries: Sequence[tuple[str, Look]]) -> Sheet:
    """A sheet with the bands, the axis of time below the last one, and a legend. across: pixels of a column."""
    tall = -(-sum(band.points.shape[0] + band.gap * SCALE for band in bands) // SCALE)
    wide = max(across * columns.count // SCALE + LEFT + RIGHT, min(page.width, LEAST_WIDTH))
    top = TOP + 12
    sheet = page.sheet(wide, top + tall + AXIS + ROW * legend_rows(entries, wide - LEFT - RIGHT) + 10)
    y = float(top)
    for number, band in enumerate(bands):
        y += band.gap
        ax = sheet.image(LEFT, y, band.points)
        ax.set_xticks([])
        _name(sheet, band, y)
        y += band.points.shape[0] / SCALE
        if number == len(bands) - 1:
            sheet.time(ax, columns, across, label)
    sheet.legend(LEFT, y + AXIS, entries)
    return sheet


def _name(sheet: Sheet, band: Band, y: float) -> None:
    tall = band.points.shape[0] / SCALE
    quiet: dict[str, Any] = {"colour": sheet.ground.quiet, "align": "right", "size": 7.5}
    sheet.text(LEFT - 30, y + tall / 2, band.name, size=7.5 if band.minor else 9, align="right", va="center")
    if band.low and tall >= 26:
        upper, lower = (band.high, band.low) if band.minor else (band.low, band.high)
        sheet.text(LEFT - 7, y, upper, **quiet)
        sheet.text(LEFT - 7, y + tall, lower, **(quiet | {"va": "bottom"}))
    if band.mark is not None and tall >= 6:
        side = min(10.0, tall)
        box = sheet.axes(LEFT - 26, y + (tall - side) / 2, 5, side)
        box.set_facecolor(hex_of(band.mark, sheet.dark))
        box.set_xticks([])
        box.set_yticks([])
