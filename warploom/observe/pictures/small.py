"""The small picture that a Result shows of itself in a notebook."""

from __future__ import annotations

import base64
from html import escape

from warploom.machine.run.result import RunResult
from warploom.observe.pictures.picture import Picture, picture
from warploom.observe.pictures.view import DrawingError

WIDTH = 800  # points
MOST_EVENTS = 500_000  # of a run that is drawn without being asked
MOST_REPEATED = 2_000  # cycles of a run that is repeated for it


def small_picture(result: RunResult) -> str:
    """The masks of a run as an image of HTML; "" where they cannot be drawn, or not at once."""
    if not result.cycles:
        return ""
    if result.has.steps:
        if result.cycles > MOST_REPEATED:
            return ""
    elif result.detail.events is None or not 0 < len(result.detail.events) <= MOST_EVENTS:
        return ""
    try:
        return image(picture(result, "masks", width=WIDTH))
    except DrawingError:  # matplotlib is not installed
        return ""


def image(drawn: Picture) -> str:
    """A picture as an image of HTML, half as wide as its pixels."""
    data = base64.b64encode(drawn.png()).decode()
    return f"<img alt='{escape(drawn.title)}' style='max-width:{drawn.width}px;width:100%;height:auto' src='data:image/png;base64,{data}'>"
