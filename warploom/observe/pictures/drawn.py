"""What a run has drawn in a part of its cycles, for the pictures of it."""

from __future__ import annotations

import numpy as np

from warploom.machine.run.result import RunResult
from warploom.observe.facts.events import events_of
from warploom.observe.facts.fragments import Drawing, drawing
from warploom.observe.pictures.view import DrawingError, View


def drawn_in(result: RunResult, view: View, purpose: str) -> Drawing:
    """The quads and fragments of a part of a run. purpose: what needs them. Raises DrawingError where the run has drawn nothing."""
    if not result.has.events:
        raise DrawingError(f"{purpose} is of machines with warps and a raster engine: run it with --gpu vortex-2024")
    events_of(result, purpose)
    try:
        found = drawing(result)
    except ValueError as error:
        raise DrawingError(str(error)) from None
    return Drawing(_part(found.quads, view), _part(found.fragments, view))


def _part(rows: np.ndarray, view: View) -> np.ndarray:
    keep = (rows["time"] >= view.start) & (rows["time"] < view.stop)
    for name, chosen in (("core", view.cores), ("warp", view.warps)):
        if chosen is not None:
            keep &= np.isin(rows[name], chosen)
    return rows[keep]
