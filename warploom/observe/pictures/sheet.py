"""Sheet: a page that a picture is drawn on, with title, axes of time and a legend, placed in points. matplotlib draws it.

A point is a pixel of a screen; a PNG has SCALE pixels a point each way, so that it is sharp in print too.
"""

from __future__ import annotations

import importlib
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from warploom.observe.pictures.raster import hex_of, line_colour
from warploom.observe.pictures.view import Columns, DrawingError
from warploom.observe.text.needs import MissingPackage, needed
from warploom.observe.text.palette import DARK, LIGHT, Look
from warploom.observe.text.styled import grouped

SCALE = 2
DPI = 100  # points an inch
FORMATS = ("png", "svg", "pdf")
WIDTH = 1200  # of a sheet
LEFT, RIGHT, TOP = 104, 24, 66  # of what is drawn
MARGIN = 16  # of the titles
PART = "   |   "  # between the two parts of a subtitle, which have a line each where one line is too short
ROW, ENTRY = 20, 26  # of the legend: height of a row, width of an entry without its text
LETTER = 6.6  # width of a letter at the legend's size


class Sheet:
    """A figure of matplotlib, measured in points from its upper left corner. Raises DrawingError where matplotlib is not installed."""

    def __init__(self, width: int, height: int, title: str, subtitle: str, *, dark: bool = False) -> None:
        drawing_library()
        figures = importlib.import_module("matplotlib.figure")
        self.width, self.height, self.dark = width, height, dark
        self.ground = DARK if dark else LIGHT
        self.figure = figures.Figure(figsize=(width / DPI, height / DPI), dpi=DPI, facecolor=self.ground.background)
        room = width - 2 * MARGIN
        self.text(MARGIN, 14, title, size=_fitting(title, 12, 0.73, room), weight="bold")
        lines = [subtitle] if _fitting(subtitle, 9, 0.6, room) == 9 else subtitle.split(PART)
        size = min(_fitting(line, 9, 0.6, room) for line in lines)
        for number, line in enumerate(lines):
            self.text(MARGIN, 35 + 14 * number, line, size=size, colour=self.ground.quiet)

    def text(self, x: float, y: float, text: str, *, size: float = 9, colour: str = "", align: str = "left", **more: Any) -> None:
        """Write, with the upper left (or right) corner of the text at (x, y)."""
        place = (x / self.width, 1 - y / self.height)
        more = {"va": "top"} | more
        self.figure.text(*place, text, fontsize=size, color=colour or self.ground.text, ha=align, parse_math=False, **more)

    def axes(self, x: float, y: float, width: float, height: float) -> Any:
        """Axes with their upper left corner at (x, y)."""
        box = (x / self.width, 1 - (y + height) / self.height, width / self.width, height / self.height)
        ax = self.figure.add_axes(box, facecolor=self.ground.background)
        for side in ax.spines.values():
            side.set_color(self.ground.quiet)
            side.set_linewidth(0.8)
        ax.tick_params(colors=self.ground.text, labelsize=8.5, width=0.8, length=3.5)
        ax.xaxis.label.set_color(self.ground.text)
        ax.yaxis.label.set_color(self.ground.text)
        return ax

    def plot(self, x: float, y: float, width: float, height: float) -> Any:
        """Axes for lines and areas: no frame above and on the right, a quiet grid behind."""
        ax = self.axes(x, y, width, height)
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(axis="y", color=self.ground.line, linewidth=0.7)
        ax.set_axisbelow(True)
        return ax

    def image(self, x: float, y: float, points: np.ndarray) -> Any:
        """Axes that an image fills, a pixel of it to a pixel of the PNG."""
        height, width = points.shape[0] / SCALE, points.shape[1] / SCALE
        ax = self.axes(x, y, width, height)
        ax.imshow(points, extent=(0, points.shape[1], points.shape[0], 0), aspect="auto", interpolation="nearest")
        ax.set_yticks([])
        return ax

    def legend(self, x: float, y: float, entries: Sequence[tuple[str, Look]], width: float | None = None) -> None:
        """Squares with their texts, in rows from (x, y) on; `legend_rows` says how many."""
        patches = importlib.import_module("matplotlib.patches")
        for (text, look), (column, row) in zip(entries, _places(entries, (width or self.width - x - RIGHT)), strict=True):
            left, top = x + column, y + row * ROW
            box = (left / self.width, 1 - (top + 12) / self.height)
            edge = self.ground.quiet
            colour = hex_of(look, self.dark)
            square = patches.Rectangle(
                box, 14 / self.width, 12 / self.height, facecolor=colour, edgecolor=edge, linewidth=0.6, transform=self.figure.transFigure
            )
            square.set_hatch(look.pattern * 3 or None)
            self.figure.add_artist(square)
            self.text(left + 20, top - 1, text, size=8.5)

    def bar(self, ax: Any, row: float, start: int, stop: int, look: Look, tall: float) -> None:
        """A stretch of cycles `start` to `stop` (not included) in axes of time. row: where its middle is. tall: its part of a row."""
        if stop > start:
            colour = hex_of(look, self.dark)
            edge = line_colour(colour)
            ax.barh(row, stop - start, tall, left=start, color=colour, hatch=look.pattern * 3 or None, edgecolor=edge, linewidth=0.5)

    def cycles(self, ax: Any, start: int, stop: int) -> None:
        """Number the x axis of a plot in cycles, `start` to `stop`."""
        ax.set_xlim(start, stop)
        ax.grid(axis="x", color=self.ground.line, linewidth=0.6)
        ticks = importlib.import_module("matplotlib.ticker")
        ax.xaxis.set_major_locator(ticks.MaxNLocator(nbins=12, integer=True, steps=[1, 2, 5, 10]))
        ax.xaxis.set_major_formatter(lambda value, _: grouped(int(value)))
        ax.set_xlabel("cycle", fontsize=9)

    def time(self, ax: Any, columns: Columns, cell: float, label: str) -> None:
        """Number the x axis of an image in cycles. cell: pixels of a column."""
        ticks = importlib.import_module("matplotlib.ticker")
        whole = ticks.MaxNLocator(nbins=max(4, columns.count * cell / SCALE // 90), integer=True, steps=[1, 2, 5, 10])
        marks = [mark for mark in whole.tick_values(columns.start, columns.stop - 1) if columns.start <= mark < columns.stop]
        middle = 0.5 if columns.each == 1 else 0.0
        ax.set_xticks([((mark - columns.start) / columns.each + middle) * cell for mark in marks], [grouped(int(mark)) for mark in marks])
        ax.set_xlabel(label, fontsize=9)

    def bytes(self, form: str) -> bytes:
        """The file, of one of FORMATS. The same picture gives the same bytes with the same version of matplotlib."""
        rc_context = drawing_library().rc_context
        out = io.BytesIO()
        about = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[form]
        with rc_context({"svg.hashsalt": "warploom", "svg.fonttype": "none", "hatch.linewidth": 0.6}):
            self.figure.savefig(out, format=form, dpi=DPI * SCALE, metadata=about, facecolor=self.ground.background)
        return _smaller(out) if form == "png" else out.getvalue()


def _fitting(text: str, size: float, each: float, room: float) -> float:
    """The size of letters for which a text fits into so many points, `size` at most. each: width of a letter of size 1."""
    return min(size, room * 72 / DPI / max(len(text) * each, 1))


def _smaller(png: io.BytesIO) -> bytes:
    """A PNG of the 256 colours that it needs most: a third of the size, and nothing but the edges of letters differs, by a trace."""
    image = importlib.import_module("PIL.Image")
    out = io.BytesIO()
    with image.open(png) as full:
        dots = round(DPI * SCALE)
        full.convert("RGB").quantize(256, method=image.Quantize.MEDIANCUT, dither=image.Dither.NONE).save(
            out, "PNG", optimize=True, dpi=(dots, dots)
        )
    return out.getvalue()


def drawing_library() -> Any:
    """matplotlib. Raises DrawingError where it is not installed."""
    try:
        return needed("matplotlib", "a picture")
    except MissingPackage as error:
        raise DrawingError(str(error)) from None


@dataclass(frozen=True)
class Page:
    """What a sheet is asked to be. title, subtitle: its texts. width: points that it may have. dark: a dark background."""

    title: str
    subtitle: str
    width: int = WIDTH
    dark: bool = False

    @property
    def room(self) -> int:
        """Points between the margins: the columns that a picture may have."""
        return self.width - LEFT - RIGHT

    def sheet(self, width: int, height: int) -> Sheet:
        """An empty sheet of this size. Raises DrawingError where matplotlib is not installed."""
        return Sheet(width, height, self.title, self.subtitle, dark=self.dark)


def legend_rows(entries: Sequence[tuple[str, Look]], width: float) -> int:
    """Rows that a legend takes in so many points."""
    places = _places(entries, width)
    return places[-1][1] + 1 if places else 0


def _places(entries: Sequence[tuple[str, Look]], width: float) -> list[tuple[float, int]]:
    """(x, row) of each entry."""
    x, row, found = 0.0, 0, []
    for text, _ in entries:
        wide = ENTRY + LETTER * len(text) + 14
        if x > 0 and x + wide > width:
            x, row = 0.0, row + 1
        found.append((x, row))
        x += wide
    return found
