"""Quads: how full the quads are that a raster engine hands out, over time. A pixel that is not covered is a helper lane's."""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.machine.run.result import RunResult
from warploom.observe.pictures.drawn import drawn_in
from warploom.observe.pictures.series import Panel, Part, Series, columns_for
from warploom.observe.pictures.view import DrawingError, View, columns_of
from warploom.observe.text.palette import LANES, REASONS, WARPS
from warploom.observe.text.styled import grouped, percent

PIXELS = 4
LOOKS = (REASONS["not_selected"], REASONS["lg_throttle"], REASONS["short_scoreboard"], LANES["active"])


def data(result: RunResult, view: View, *, most_columns: int = 1000) -> Series:
    """The quads of a run, by how many of their pixels are covered. Raises DrawingError where it took none."""
    quads = drawn_in(result, view, "a picture of quads").quads
    if not len(quads):
        raise DrawingError("no quad was taken in these cycles, so there is nothing to draw")
    columns = columns_of(view, columns_for(most_columns, view.cycles))
    covered = np.bitwise_count(quads["covered"]).astype(np.int64)
    widths = np.diff(columns.edges())
    counts = [columns.sums(quads["time"][covered == pixels]) for pixels in range(1, PIXELS + 1)]
    names = [f"{pixels} of 4 covered: {grouped(int(count.sum()))}" for pixels, count in enumerate(counts, 1)]
    parts = tuple(Part(name, look, count / widths) for name, look, count in zip(names, LOOKS, counts, strict=True))
    pixels = sum(number * count for number, count in enumerate(counts, 1))
    share = 100 * np.asarray(pixels, np.float64) / np.maximum(PIXELS * np.asarray(sum(counts), np.float64), 1)
    full = Part("covered pixels of quads", WARPS[0], share)
    return Series(columns, (Panel("Quads taken", "per cycle", parts), Panel("Lanes that are not helpers", "%", (full,), most=105)))


def _counts(series: Series) -> list[int]:
    return [int(part.name.rpartition(": ")[2].replace("\u202f", "").replace(" ", "")) for part in series.panels[0].parts]


def caption(series: Series) -> str:
    """What the picture says in a sentence."""
    counts = _counts(series)
    total, covered = sum(counts), sum(number * count for number, count in enumerate(counts, 1))
    return f"{grouped(total)} quads: {percent(covered / (PIXELS * total)).strip()} of their pixels covered"


def facts(series: Series) -> dict[str, Any]:
    """The picture in numbers."""
    counts = _counts(series)
    covered = sum(number * count for number, count in enumerate(counts, 1))
    return {
        "quads": sum(counts), "covered_pixels": covered, "helper_lanes": PIXELS * sum(counts) - covered,
        "by_covered": {str(number): count for number, count in enumerate(counts, 1)},
    }  # fmt: skip
