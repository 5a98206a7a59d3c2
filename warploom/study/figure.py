"""A figure as data, and the one function that draws it.

Colours are those of Okabe and Ito ("Color Universal Design", 2008), which people with any of the common kinds of colour-blindness can
tell apart; every series has a marker, a hatch or a line style of its own too, so that a figure survives a printer without colours.
What others have published is drawn in black with open markers, ours in colour.
"""

from __future__ import annotations

import io
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from warploom.isa.numbers import grouped
from warploom.study.needs import StudyError, needed

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999999")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
HATCHES = ("", "//", "..", "xx", "\\\\", "++", "oo")
PUBLISHED_MARKERS = ("o", "s", "^", "D")
KINDS = ("line", "bar", "area", "points")
FORMATS = ("png", "svg", "pdf")
INCHES = (6.4, 4.4)  # of one panel
COINCIDE = 0.02  # of an axis: about as much as a line's marker covers


@dataclass(frozen=True)
class Series:
    """One line or set of bars. x: numbers or, in a panel of bars, names. published: not ours.

    errors: how far the interval of each value reaches to both sides; () or None where none is known.
    """

    name: str
    x: tuple[Any, ...]
    y: tuple[float | None, ...]
    published: bool = False
    errors: tuple[float | None, ...] = ()


@dataclass(frozen=True)
class Panel:
    """One pair of axes. kind: one of KINDS. labels say the unit. log_x, log_y: logarithmic axes, to base 2.

    y_from_zero: the axis begins at 0. legend: what the names of the series are of. ticks: the marks of the x axis; () for any.
    reference: a value that others are relative to, as a thin line.
    """

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    kind: str = "line"
    log_x: bool = False
    log_y: bool = False
    y_from_zero: bool = True
    legend: str = ""
    ticks: tuple[Any, ...] = ()
    reference: float | None = None


@dataclass(frozen=True)
class Figure:
    """Panels side by side, or (stacked) one above the other where they share an axis of time. wide: one panel with many bars.

    columns: panels side by side before the next row begins; 0: all.
    """

    title: str
    panels: tuple[Panel, ...]
    stacked: bool = False
    wide: bool = False
    columns: int = 0


def form_of(path: str) -> str:
    """The format that a file's name asks for. Raises StudyError for a name without one."""
    form = path.rpartition(".")[2].lower() if "." in path.rpartition("/")[2] else ""
    if form not in FORMATS:
        raise StudyError(f"{path}: a figure is drawn into a file that ends in {', '.join('.' + name for name in FORMATS)}")
    return form


def drawn(figure: Figure, form: str) -> bytes:
    """The picture file. The same figure gives the same bytes with the same version of matplotlib. Raises StudyError without matplotlib."""
    needed("matplotlib", "drawing a figure", "")
    from matplotlib import rc_context
    from matplotlib.figure import Figure as Canvas

    across = 1 if figure.stacked else min(figure.columns or len(figure.panels), len(figure.panels))
    down = -(-len(figure.panels) // across)
    size = (9.0, 2.6 * down + 0.8) if figure.stacked else (INCHES[0] * (1.6 if figure.wide else across), INCHES[1] * down)
    style = {"font.size": 11, "axes.spines.top": False, "axes.spines.right": False, "svg.hashsalt": "warploom", "svg.fonttype": "none"}
    out = io.BytesIO()
    with rc_context(style):
        canvas = Canvas(figsize=size, layout="constrained", dpi=150)
        axes = canvas.subplots(down, across, squeeze=False, sharex=figure.stacked).ravel()
        for ax, panel in zip(axes, figure.panels, strict=False):
            _panel(ax, panel, last=ax is axes[-1] or not figure.stacked)
        for ax in axes[len(figure.panels) :]:
            ax.set_visible(False)
        canvas.suptitle(figure.title, fontsize=13, fontweight="bold")
        canvas.savefig(out, format=form, metadata={} if form == "png" else {"Date": None} if form == "svg" else {"CreationDate": None})
    return out.getvalue()


def _panel(ax: Any, panel: Panel, *, last: bool) -> None:
    {"line": _lines, "bar": _bars, "area": _areas, "points": _points}[panel.kind](ax, panel)
    ax.set_title(panel.title, fontsize=11)
    ax.set_xlabel(panel.x_label if last else "")
    ax.set_ylabel(panel.y_label)
    ax.grid(axis="y", color="#dddddd", linewidth=0.8)
    ax.set_axisbelow(True)
    if panel.reference is not None:
        ax.axhline(panel.reference, color="#666666", linewidth=0.8, zorder=1)
    if panel.log_y:
        ax.set_yscale("log", base=2)
        ax.yaxis.set_major_formatter(_plain)
    elif panel.y_from_zero:
        ax.set_ylim(bottom=0)
    if panel.kind == "area":
        ax.margins(x=0)
    if len(panel.series) > 1 or panel.series[0].published:
        columns = 1
        if panel.kind == "bar":  # room above the bars
            columns = 2 if len(panel.series) > 3 else 1
            ax.set_ylim(top=ax.get_ylim()[1] * (1.1 + 0.07 * -(-len(panel.series) // columns)))
        place = "upper left" if panel.kind == "bar" else "best"
        ax.legend(frameon=False, fontsize=9, title=panel.legend or None, title_fontsize=9, loc=place, ncols=columns)


def _plain(value: float, _: Any = None) -> str:
    return f"{value:g}"


def _lines(ax: Any, panel: Panel) -> None:
    ours = theirs = 0
    for series in panel.series:
        errors = series.errors or (None,) * len(series.x)
        points = [(x, y, error) for x, y, error in zip(series.x, series.y, errors, strict=True) if y is not None]
        xs, ys = [x for x, _, _ in points], [y for _, y, _ in points]
        if series.published:
            marker = PUBLISHED_MARKERS[theirs % len(PUBLISHED_MARKERS)]
            look = {"linestyle": (":", "--", "-.")[theirs % 3], "linewidth": 1.2, "zorder": 3}
            ax.plot(xs, ys, color="black", marker=marker, markersize=9, markerfacecolor="none", label=series.name, **look)
            theirs += 1
        else:
            colour, marker = COLOURS[ours % len(COLOURS)], MARKERS[ours % len(MARKERS)]
            size = max(9 - 1.5 * ours, 4)  # where lines lie on one another, the lower markers still show
            ax.plot(xs, ys, color=colour, marker=marker, markersize=size, linewidth=1.8, label=series.name)
            ours += 1
        if series.errors:
            _intervals(ax, xs, ys, [error for _, _, error in points], "black" if series.published else colour)
    if panel.log_x:
        ax.set_xscale("log", base=2)
        ax.xaxis.set_major_formatter(_plain)
    if panel.ticks:
        ax.set_xticks(panel.ticks, [str(tick) for tick in panel.ticks])


def _intervals(ax: Any, xs: Sequence[float], ys: Sequence[float], errors: Sequence[float | None], colour: str) -> None:
    """A bar over each interval, with caps; none where it has no width."""
    known = [(x, y, error) for x, y, error in zip(xs, ys, errors, strict=True) if error]
    if known:
        places, heights, halves = zip(*known, strict=True)
        ax.errorbar(places, heights, halves, fmt="none", ecolor=colour, elinewidth=1.2, capsize=3, zorder=4)


def _bars(ax: Any, panel: Panel) -> None:
    names = list(dict.fromkeys(x for series in panel.series for x in series.x))
    width = 0.8 / len(panel.series)
    ours = 0
    for number, series in enumerate(panel.series):
        places = [names.index(x) + (number - (len(panel.series) - 1) / 2) * width for x in series.x]
        heights = [0 if y is None else y for y in series.y]
        if series.errors:
            _intervals(ax, places, heights, series.errors, "black")
        if series.published:
            ax.bar(places, heights, width, color="white", edgecolor="black", hatch="//", label=series.name)
        else:
            ax.bar(
                places, heights, width, color=COLOURS[ours % len(COLOURS)], edgecolor="white", hatch=HATCHES[ours % 7], label=series.name
            )
            ours += 1
    crowded = len(names) <= 20 and max(len(str(name)) for name in names) * len(names) > 60
    ax.set_xticks(range(len(names)), [str(name) for name in names], rotation=20 if crowded else 0, ha="right" if crowded else "center")


def _points(ax: Any, panel: Panel) -> None:
    """A point a series; the first series is a line that the best of them lie on."""
    line, *points = panel.series
    ax.plot(line.x, line.y, color="black", linestyle="--", linewidth=1.2, label=line.name, zorder=1)
    for number, series in enumerate(points):
        colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number // len(COLOURS) % len(MARKERS)]
        ax.plot(series.x, series.y, color=colour, marker=marker, markersize=9, linestyle="none", clip_on=False, zorder=3, label=series.name)
    ax.set_xlim(left=0)
    ax.xaxis.set_major_formatter(_grouped)
    ax.yaxis.set_major_formatter(_grouped)


def _grouped(value: float, _: Any = None) -> str:
    return grouped(int(value))


def _areas(ax: Any, panel: Panel) -> None:
    for number, series in enumerate(panel.series):
        colour = "black" if series.published else COLOURS[number % len(COLOURS)]
        heights = [0 if y is None else y for y in series.y]
        ax.fill_between(series.x, heights, step="post", color=colour, alpha=0.85, linewidth=0, label=series.name)


def numeric(values: Sequence[Any]) -> bool:
    """Whether values are numbers that an axis can have."""
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


def coincide(series: Sequence[Series]) -> bool:
    """Whether two lines differ, and lie so close to one another in all their points that a picture does not show it."""
    ours = [one for one in series if not one.published]
    top = max((y for one in ours for y in one.y if y is not None), default=0.0)
    for first, second in itertools.combinations(ours, 2):
        both = [(a, b) for a, b in zip(first.y, second.y, strict=True) if a is not None and b is not None]
        if both and 0 < max(abs(a - b) for a, b in both) < COINCIDE * top:
            return True
    return False


def doubling(values: Sequence[Any]) -> bool:
    """Whether numbers are so far apart that a logarithmic axis shows them better."""
    return len(values) > 2 and numeric(values) and min(values) > 0 and max(values) / min(values) >= 8
