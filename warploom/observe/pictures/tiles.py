"""Tiles by time: when quads of each tile of the picture are taken, a row a tile in the order of the raster engine's walk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from warploom.machine.run.result import RunResult
from warploom.observe.pictures.drawn import drawn_in
from warploom.observe.pictures.sheet import LEFT, RIGHT, TOP, Page, Sheet
from warploom.observe.pictures.view import Columns, DrawingError, View, columns_of
from warploom.observe.text.styled import counted, grouped

ROW, TALL = 14, 640  # points of a tile's row, and of all of them at most
STEP = 4  # points of a column
NAMED = 11  # points that a tile's name needs


@dataclass(frozen=True, eq=False)
class Tiles:
    """The picture as data. tiles: int64[n, 2], column and row of each, in the order in which they were first worked on. quads: int64[n,
    columns], taken. last: by tile, the cycle in which its last quad was taken; first likewise. side: pixels of a tile."""

    columns: Columns
    tiles: np.ndarray
    quads: np.ndarray
    first: np.ndarray
    last: np.ndarray
    side: int


def data(result: RunResult, view: View, *, most_columns: int = 1000) -> Tiles:
    """The tiles of a run. Raises DrawingError where it took no quads."""
    quads = drawn_in(result, view, "a picture of tiles").quads
    if not len(quads):
        raise DrawingError("no quad was taken in these cycles, so there is nothing to draw")
    side = int(result.config["raster.tile"])
    columns = columns_of(view, max(min(most_columns // STEP, view.cycles), 1))
    places = np.stack([quads["x"] // side, quads["y"] // side], axis=1)
    tiles, begins, number = np.unique(places, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(begins, kind="stable")
    number = number.ravel()
    counts = [columns.sums(quads["time"][number == tile]) for tile in order]
    last = np.array([quads["time"][number == tile].max() for tile in order], np.int64)
    return Tiles(columns, tiles[order], np.array(counts, np.int64), quads["time"][begins[order]], last, side)


def caption(found: Tiles) -> str:
    """What the picture says in a sentence."""
    quads, most = found.quads.sum(axis=1), int(found.quads.sum(axis=1).argmax())
    x, y = found.tiles[most].tolist()
    tiles = counted(len(found.tiles), "tile")
    return f"{tiles} of {found.side} pixels: most work in {x},{y}, with {grouped(int(quads[most]))} of {counted(int(quads.sum()), 'quad')}"


def facts(found: Tiles) -> dict[str, Any]:
    """The picture in numbers."""
    rows = zip(found.tiles.tolist(), found.quads.sum(axis=1).tolist(), found.first.tolist(), found.last.tolist(), strict=True)
    tiles = [{"tile": tile, "quads": quads, "first": first, "last": last} for tile, quads, first, last in rows]
    return {"side": found.side, "quads": int(found.quads.sum()), "tiles": tiles}


def draw(found: Tiles, page: Page) -> Sheet:
    """The sheet: a row a tile, a column some cycles, bright where many quads are taken."""
    count = len(found.tiles)
    row = min(ROW, TALL / count)
    sheet = page.sheet(page.width, int(TOP + 20 + max(row * count, 2 * ROW) + 56))
    ax = sheet.axes(LEFT, TOP + 10, page.width - LEFT - RIGHT - 60, max(row * count, 2 * ROW))
    edges = found.columns.edges()
    shown = np.ma.masked_equal(found.quads, 0)
    image = ax.pcolormesh(edges, np.arange(count + 1, dtype=np.int64), shown, cmap="viridis", vmin=0, vmax=max(int(found.quads.max()), 1))
    ax.set_ylim(count, 0)
    every = max(1, int(np.ceil(NAMED / row)))
    ax.set_yticks([number + 0.5 for number in range(0, count, every)], [f"{x},{y}" for x, y in found.tiles[::every].tolist()])
    ax.set_ylabel("tile", fontsize=9)
    ax.xaxis.set_major_formatter(lambda value, _: grouped(int(value)))
    each = found.columns.each
    ax.set_xlabel("cycle" if each == 1 else f"cycle; a column is {counted(each, 'cycle')}", fontsize=9)
    scale = sheet.axes(page.width - RIGHT - 48, TOP + 10, 12, max(row * count, 2 * ROW))
    sheet.figure.colorbar(image, cax=scale)
    scale.tick_params(colors=sheet.ground.text, labelsize=8.5)
    sheet.text(page.width - RIGHT - 56, TOP - 8, "quads", size=8.5)
    return sheet
