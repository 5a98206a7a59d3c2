"""Series: quantities over time, as panels, one above the other, that share an axis of cycles."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from warploom.observe.pictures.raster import hex_of, line_colour
from warploom.observe.pictures.sheet import LEFT, RIGHT, ROW, TOP, Page, Sheet, legend_rows
from warploom.observe.pictures.view import Columns
from warploom.observe.text.palette import Look
from warploom.observe.text.styled import counted, grouped

PANEL, GAP, AXIS = 128, 44, 50  # points: a panel, what lies above it, the axis of time
FEWEST_POINTS = 4  # points that a step of a line takes: most columns are room / FEWEST_POINTS


@dataclass(frozen=True, eq=False)
class Part:
    """One quantity: float64[columns]. name: of the legend. look: its colour. line: a line instead of an area on those before."""

    name: str
    look: Look
    values: np.ndarray
    line: bool = False


@dataclass(frozen=True, eq=False)
class Panel:
    """Quantities in one unit. areas are stacked. most: the top of the axis, None: as high as it comes. mark: a line with its name.

    What is not a number (a hit rate without lookups) is left out.
    """

    title: str
    unit: str
    parts: tuple[Part, ...]
    most: float | None = None
    mark: tuple[str, float] | None = None


@dataclass(frozen=True, eq=False)
class Series:
    """Panels over the same columns."""

    columns: Columns
    panels: tuple[Panel, ...]


def columns_for(room: int, cycles: int) -> int:
    """Columns of a sheet with so many points: one for each cycle where a cycle has a point or more."""
    return max(room if cycles <= room else room // FEWEST_POINTS, 2)


def draw(series: Series, page: Page) -> Sheet:
    """The sheet: every panel with its own legend, the axis of cycles under the last one."""
    room = page.room
    heights = [ROW * legend_rows(_entries(panel), room) for panel in series.panels]
    tall = sum(PANEL + GAP + height for height in heights)
    sheet = page.sheet(page.width, TOP + tall + AXIS - 12)
    edges = series.columns.edges()
    y = float(TOP - 8)
    for number, (panel, height) in enumerate(zip(series.panels, heights, strict=True)):
        last = number == len(series.panels) - 1
        sheet.text(LEFT, y + 10, panel.title, size=9.5, weight="bold")
        if panel.mark:
            sheet.text(page.width - RIGHT, y + 12, f"- - -  {panel.mark[0]}", size=8.5, align="right")
        sheet.legend(LEFT, y + 30, _entries(panel), room)
        ax = sheet.plot(LEFT, y + GAP - 8 + height, room, PANEL - 8)
        _panel(ax, panel, edges, sheet)
        if last:
            each = series.columns.each
            ax.set_xlabel("cycle" if each == 1 else f"cycle; a step is the mean over {counted(each, 'cycle')}", fontsize=9)
        else:
            ax.tick_params(labelbottom=False)
        y += PANEL + GAP + height
    return sheet


def _entries(panel: Panel) -> list[tuple[str, Look]]:
    return [(part.name, part.look) for part in panel.parts]


def _panel(ax: Any, panel: Panel, edges: np.ndarray, sheet: Sheet) -> None:
    below = np.zeros(len(edges) - 1)
    top = panel.mark[1] if panel.mark else 0.0
    for part in panel.parts:
        colour = hex_of(part.look, sheet.dark)
        if part.line:
            ax.stairs(part.values, edges, baseline=None, color=colour, linewidth=1.8)
            top = max(top, float(np.nanmax(part.values, initial=0)))
            continue
        values = np.nan_to_num(part.values)
        hatched = {"hatch": part.look.pattern * 3, "edgecolor": line_colour(colour)} if part.look.pattern else {}
        ax.stairs(below + values, edges, baseline=below, fill=True, facecolor=colour, linewidth=0, **hatched)
        below = below + values
        top = max(top, float(below.max(initial=0)))
    if panel.mark:
        ax.axhline(panel.mark[1], color=sheet.ground.text, linewidth=1, linestyle=(0, (5, 3)))
    ticks = importlib.import_module("matplotlib.ticker")
    ax.set_xlim(edges[0], edges[-1])
    ax.set_ylim(0, panel.most if panel.most is not None else max(top * 1.12, 1e-9))
    ax.set_ylabel(panel.unit, fontsize=8.5)
    ax.xaxis.set_major_formatter(lambda value, _: grouped(int(value)))
    ax.xaxis.set_major_locator(ticks.MaxNLocator(nbins=10, integer=True, steps=[1, 2, 5, 10]))
    ax.yaxis.set_major_locator(ticks.MultipleLocator(25) if panel.unit == "%" else ticks.MaxNLocator(nbins=4, steps=[1, 2, 5, 10]))
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
