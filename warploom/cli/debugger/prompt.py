"""The command line of the screen: what may follow is suggested, and what was typed before comes back with the arrow keys."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.suggester import Suggester
from textual.widgets import Input

from warploom.cli.debugger.commands import completions
from warploom.cli.debugger.debugger import Debugger

MOST = 200  # lines that are remembered


class _Suggester(Suggester):
    def __init__(self, debugger: Debugger) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self.debugger = debugger

    async def get_suggestion(self, value: str) -> str | None:
        """The first completion that begins as the line does."""
        return next((found for found in completions(self.debugger, value) if found.startswith(value) and found != value), None)


class Prompt(Input):
    """Tab takes the suggestion; up and down are the lines before."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "complete", show=False),
        Binding("up", "recall(-1)", show=False),
        Binding("down", "recall(1)", show=False),
    ]

    def __init__(self, debugger: Debugger) -> None:
        super().__init__(
            placeholder=": for a command, F1 for help", suggester=_Suggester(debugger), id="prompt", compact=True, select_on_focus=False
        )
        self.debugger = debugger
        self.past: list[str] = []
        self._at = 0

    def remember(self, line: str) -> None:
        """A line was entered."""
        if line and line not in self.past[-1:]:
            self.past = [*self.past, line][-MOST:]
        self._at = len(self.past)

    def action_complete(self) -> None:
        """Take what all completions share."""
        found = completions(self.debugger, self.value)
        if found:
            shared = found[0]
            while not all(other.startswith(shared) for other in found):
                shared = shared[:-1]
            self.value = f"{shared} " if len(found) == 1 and not shared.endswith("[") else shared
            self.cursor_position = len(self.value)

    def action_recall(self, step: int) -> None:
        """A line that was entered before, or after."""
        self._at = max(min(self._at + step, len(self.past)), 0)
        self.value = self.past[self._at] if self._at < len(self.past) else ""
        self.cursor_position = len(self.value)
