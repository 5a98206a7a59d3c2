"""Overdraw: how many fragments come to each pixel of the picture, and how many of them are dropped there."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from warploom.machine.accounting.events import DRAWN
from warploom.machine.run.result import RunResult
from warploom.observe.pictures.drawn import drawn_in
from warploom.observe.pictures.sheet import LEFT, RIGHT, TOP, Page, Sheet
from warploom.observe.pictures.view import DrawingError, View
from warploom.observe.text.styled import counted, grouped

GAP, BAR = 60, 14  # points: between the two maps, and the scale's width
MOST_TALL = 700  # points of a map


@dataclass(frozen=True, eq=False)
class Overdraw:
    """The picture as data. fragments, dropped: int64[rows, columns], of each pixel."""

    fragments: np.ndarray
    dropped: np.ndarray


def data(result: RunResult, view: View, *, most_columns: int = 0) -> Overdraw:
    """The fragments of a run by pixel. Raises DrawingError where there are none."""
    found = drawn_in(result, view, "a picture of overdraw")
    if not len(found.fragments):
        raise DrawingError("no fragment came to an output merger in these cycles, so there is nothing to draw")
    fragments, dropped = np.zeros(found.shape, np.int64), np.zeros(found.shape, np.int64)
    of = found.fragments
    np.add.at(fragments, (of["y"], of["x"]), 1)
    lost = of["fate"] != DRAWN
    np.add.at(dropped, (of["y"][lost], of["x"][lost]), 1)
    return Overdraw(fragments, dropped)


def caption(found: Overdraw) -> str:
    """What the picture says in a sentence."""
    pixels = int((found.fragments > 0).sum())
    total, most = int(found.fragments.sum()), int(found.fragments.max())
    return f"{counted(total, 'fragment')} on {counted(pixels, 'pixel')}: {total / pixels:.2f} each, {most} at most"


def facts(found: Overdraw) -> dict[str, Any]:
    """The picture in numbers."""
    return {
        "width": found.fragments.shape[1], "height": found.fragments.shape[0], "fragments": int(found.fragments.sum()),
        "dropped": int(found.dropped.sum()), "pixels": int((found.fragments > 0).sum()), "most": int(found.fragments.max()),
    }  # fmt: skip


def draw(found: Overdraw, page: Page) -> Sheet:
    """The sheet: two maps of the picture, a scale beside each."""
    rows, columns = found.fragments.shape
    wide = (page.width - LEFT - RIGHT - GAP - 4 * BAR) / 2
    wide = min(wide, MOST_TALL * columns / rows)
    tall = wide * rows / columns
    sheet = page.sheet(page.width, int(TOP + 24 + tall + 44))
    for number, (name, values) in enumerate((("fragments", found.fragments), ("of these dropped by the merger", found.dropped))):
        left = LEFT / 2 + number * (wide + GAP + 2 * BAR)
        sheet.text(left, TOP - 6, f"{name}: {grouped(int(values.sum()))}", size=9.5, weight="bold")
        ax = sheet.axes(left, TOP + 16, wide, tall)
        image = ax.imshow(values, cmap="magma", interpolation="nearest", vmin=0, vmax=max(int(values.max()), 1), aspect="auto")
        ax.set_xlabel("column", fontsize=9)
        scale = sheet.axes(left + wide + 6, TOP + 16, BAR, tall)
        bar = sheet.figure.colorbar(image, cax=scale)
        bar.locator = importlib.import_module("matplotlib.ticker").MaxNLocator(nbins=6, integer=True)
        bar.update_ticks()
        scale.tick_params(colors=sheet.ground.text, labelsize=8.5)
    return sheet
