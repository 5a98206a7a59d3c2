"""The panel of the source: a cursor in it says where a breakpoint is set."""

from __future__ import annotations

from textual import events

from warploom.cli.debugger import source
from warploom.cli.debugger.panel import Panel
from warploom.observe.text.styled import Line

GUTTER = 6  # characters on the left: a click into them sets a breakpoint


class SourcePanel(Panel):
    """The source, or the instructions where there is none."""

    cursor = 0

    def heading(self) -> str:
        """The file."""
        return source.heading(self.debugger)

    def length(self) -> int:
        """Lines."""
        return len(source.rows(self.debugger.program))

    def lines(self, first: int, width: int, height: int) -> list[Line]:
        """The lines, the cursor's underlined."""
        found = source.lines(self.debugger, first, height, width, unicode=True)
        at = self.cursor - first
        if self.has_focus and 0 <= at < len(found):
            found[at] = [(text, f"{style} underline".strip()) for text, style in found[at]]
        return found

    def follow(self) -> None:
        """The chosen warp's line."""
        state, program = self.debugger.warp(), self.debugger.program
        if state is not None or self.debugger.session.cycle == 0:
            self.cursor = source.row_of(program, state.pc if state is not None else program.launch.entry)
            self.reveal(self.cursor)
        self.refresh()

    def instruction(self) -> int | None:
        """The first instruction at or behind the cursor."""
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
        row = self.row_at(event)
        if row is None or row >= self.length():
            return
        self.cursor = row
        if event.get_content_offset(self).x < GUTTER:  # type: ignore[union-attr]
            self.app.action_breakpoint()  # type: ignore[attr-defined]
        self.refresh()
