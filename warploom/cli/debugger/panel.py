"""A panel of the screen: lines that are made for its size when it is drawn, so that it may stand for any length of memory or source."""

from __future__ import annotations

from textwrap import wrap
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.widget import Widget

from warploom.cli.debugger.debugger import Debugger
from warploom.observe.text.styled import TITLE, Line

BORDER = 2  # characters of the border beside its title


class Panel(Widget, can_focus=True):
    """Shows a part of what a debugger holds, from line `first` on."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "scroll(-1)", show=False),
        Binding("down", "scroll(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("home", "edge(-1)", show=False),
        Binding("end", "edge(1)", show=False),
    ]

    def __init__(self, debugger: Debugger) -> None:
        super().__init__(id=type(self).__name__.lower().removesuffix("panel"), classes="panel")
        self.debugger = debugger
        self.first = 0
        self.above = 0  # lines of a title that does not fit into the border
        self._drawn = Text()

    # ---- what a kind of panel says

    def heading(self) -> str:
        """The title in its border."""
        return ""

    def length(self) -> int:
        """How many lines there are."""
        return 0

    def lines(self, first: int, width: int, height: int) -> list[Line]:
        """Those from `first` on that fit."""
        return []

    def last_first(self, width: int, height: int) -> int:
        """The first line where the last ones are shown."""
        return self.length() - height

    # ---- drawing and scrolling

    def render(self) -> Text:
        """The lines as they fit now; while a run is under way, which is neither here nor there, what was drawn before it."""
        if self.app.busy:  # type: ignore[attr-defined]
            return self._drawn
        width, height = self.content_size.width, self.content_size.height
        above = self._head(self.heading(), width)
        self.above, height = len(above), max(height - len(above), 1)
        self.first = max(min(self.first, self.last_first(width, height)), 0)
        shown = [*above, *self.lines(self.first, width, height)[:height]]
        text = Text(no_wrap=True, overflow="crop", end="")
        for number, line in enumerate(shown):
            row = Text.assemble(*line, end="")
            row.truncate(width)
            text.append_text(row)
            if number + 1 < len(shown):
                text.append("\n")
        self._drawn = text
        return text

    def _head(self, heading: str, width: int) -> list[Line]:
        """The title goes into the border; one that is too long for it stands below it, in as many lines as it needs."""
        fits = len(heading) <= width - BORDER
        self.border_title = heading if fits else ""
        return [] if fits else [[(text, TITLE)] for text in wrap(heading, max(width, 1))]

    def follow(self) -> None:
        """Show what a move has changed, and draw anew."""
        self.refresh()

    def reveal(self, line: int) -> None:
        """Scroll so that a line can be seen with some around it."""
        height = max(self.content_size.height - self.above, 1)
        margin = min(2, (height - 1) // 2)
        if line - margin < self.first:
            self.first = max(line - margin, 0)
        elif line + margin >= self.first + height:
            self.first = line + margin - height + 1

    def action_scroll(self, lines: int) -> None:
        """By lines."""
        self.first += lines
        self.refresh()

    def action_page(self, pages: int) -> None:
        """By what fits."""
        self.action_scroll(pages * max(self.content_size.height - 1, 1))

    def action_edge(self, end: int) -> None:
        """To the first line or the last."""
        self.first = self.length() if end > 0 else 0
        self.refresh()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel."""
        event.stop()
        self.action_scroll(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel."""
        event.stop()
        self.action_scroll(-3)

    def row_at(self, event: events.Click) -> int | None:
        """The line under the mouse."""
        offset = event.get_content_offset(self)
        return None if offset is None or offset.y < self.above else self.first + offset.y - self.above
