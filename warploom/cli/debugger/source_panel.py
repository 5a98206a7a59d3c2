"""The panel of the source: a cursor in it says where a breakpoint is set."""

from __future__ import annotations

from textual import events

from warploom.cli.debugger import source
from warploom.cli.debugger.debugger import Debugger
from warploom.cli.debugger.panel import Panel
from warploom.observe.text.styled import Line

GUTTER = 6  # characters on the left: a click into them sets a breakpoint
MARGIN = 2  # rows that are seen around the cursor


class SourcePanel(Panel):
    """The source, or the instructions where there is none."""

    cursor = 0
    shown: list[int]  # the row that each line on the screen belongs to

    def __init__(self, debugger: Debugger) -> None:
        super().__init__(debugger)
        self.shown = []

    def heading(self) -> str:
        """The file."""
        return source.heading(self.debugger)

    def length(self) -> int:
        """Lines."""
        return len(source.rows(self.debugger.program))

    def lines(self, first: int, width: int, height: int) -> list[Line]:
        """The lines, the cursor's underlined; a row that is too long for one takes several."""
        listing = source.Listing(self.debugger, width, unicode=True)
        found: list[Line] = []
        self.shown = []
        for row in range(first, self.length()):
            if len(found) >= height:
                break
            lines = listing.lines(row)
            if self.has_focus and row == self.cursor:
                lines = [[(text, f"{style} underline".strip()) for text, style in line] for line in lines]
            found += lines
            self.shown += [row] * len(lines)
        return found

    def last_first(self, width: int, height: int) -> int:
        """The rows at the end that fit, by the lines that each takes."""
        listing, row, left = source.Listing(self.debugger, width), self.length(), height
        while row > 0 and (left := left - len(listing.lines(row - 1))) >= 0:
            row -= 1
        return min(row, max(self.length() - 1, 0))

    def reveal(self, line: int) -> None:
        """Scroll so that a row can be seen with some around it, by the lines that each takes."""
        width, height = self.content_size.width, self.content_size.height - self.above
        listing = source.Listing(self.debugger, max(width, 1))
        after = min(line + MARGIN, self.length() - 1)
        self.first = max(min(self.first, line - MARGIN), 0, after - height)
        taken = [len(listing.lines(row)) for row in range(self.first, after + 1)]
        while sum(taken) > height and self.first < line:
            taken.pop(0)
            self.first += 1

    def follow(self) -> None:
        """The chosen warp's line."""
        state, program = self.debugger.warp(), self.debugger.program
        if state is not None or self.debugger.session.cycle == 0:
            self.cursor = source.row_of(program, state.pc if state is not None else program.launch.entry)
            self.reveal(self.cursor)
        self.refresh()

    def instruction(self) -> int | None:
        """The first instruction at or after the cursor."""
        rows = source.rows(self.debugger.program)[self.cursor :]
        return next((row.instructions[0] for row in rows if row.instructions), None)

    def action_scroll(self, lines: int) -> None:
        """The cursor moves; the lines follow."""
        self.cursor = max(min(self.cursor + lines, self.length() - 1), 0)
        self.reveal(self.cursor)
        self.refresh()

    def action_edge(self, end: int) -> None:
        """To the first line or the last."""
        self.action_scroll(end * self.length())

    def on_click(self, event: events.Click) -> None:
        """The cursor; in the gutter, a breakpoint."""
        line = self.row_at(event)
        if line is None or not 0 <= line - self.first < len(self.shown):
            return
        self.cursor = self.shown[line - self.first]
        if event.get_content_offset(self).x < GUTTER:  # type: ignore[union-attr]
            self.app.action_breakpoint()  # type: ignore[attr-defined]
        self.refresh()
