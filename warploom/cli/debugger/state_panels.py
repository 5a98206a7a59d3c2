"""The panels of warps, registers and memory."""

from __future__ import annotations

from textual import events

from warploom.cli.debugger import memory, registers, warps
from warploom.cli.debugger.panel import Panel
from warploom.observe.text.styled import Line, counted


class WarpsPanel(Panel):
    """All warps; up and down choose one."""

    def heading(self) -> str:
        """How many."""
        return f"{counted(len(self.debugger.warps()), 'warp')}: {warps.legend(self.debugger, self.content_size.width)}"

    def length(self) -> int:
        """A heading, and a line each."""
        return len(self.debugger.warps()) + 1

    def lines(self, first: int, width: int, height: int) -> list[Line]:
        """The heading stays."""
        found = warps.lines(self.debugger, width)
        return [found[0], *found[first + 1 : first + height]]

    def follow(self) -> None:
        """The chosen warp."""
        names = [(state.core, state.slot) for state in self.debugger.warps()]
        chosen = (self.debugger.core, self.debugger.slot)
        if chosen in names:
            self.reveal(names.index(chosen) + 1)
        self.refresh()

    def action_scroll(self, lines: int) -> None:
        """Choose the next warp or the one before."""
        for _ in range(abs(lines)):
            self.debugger.turn(1 if lines > 0 else -1)
        self.app.show()  # type: ignore[attr-defined]

    def on_click(self, event: events.Click) -> None:
        """Choose a warp."""
        row, states = self.row_at(event), self.debugger.warps()
        if row is not None and 0 < row <= len(states):
            self.debugger.choose(states[row - 1].core, states[row - 1].slot)
            self.app.show()  # type: ignore[attr-defined]


class RegistersPanel(Panel):
    """The registers of the chosen warp; left and right choose a lane."""

    def heading(self) -> str:
        """Whose they are."""
        state = self.debugger.warp()
        what = warps.meaning(self.debugger, state) if state is not None else "no warp"
        lanes = registers.shown_lanes(self.debugger, self.content_size.width)
        part = f", lanes {lanes[0]}-{lanes[-1]} of {self.debugger.lanes} (left, right)" if len(lanes) < self.debugger.lanes else ""
        return f"warp {self.debugger.name()}{part}: {what}"

    def length(self) -> int:
        """A line per register."""
        return len(registers.lines(self.debugger, 20))

    def lines(self, first: int, width: int, height: int) -> list[Line]:
        """The lanes' numbers stay."""
        found = registers.lines(self.debugger, width)
        return [found[0], *found[first + 1 : first + height]]


class MemoryPanel(Panel):
    """Data memory."""

    def heading(self) -> str:
        """What is shown, and where the last change was."""
        address, change = self._row() * self.first, self.debugger.last_change()
        buffer = memory.buffer_at(self.debugger, address)
        return f"memory from {address}{f' ({buffer})' if buffer else ''}{f'; changed: {change}' if change is not None else ''}"

    def _row(self) -> int:
        return memory.row_bytes(self.debugger, self.content_size.width)

    def length(self) -> int:
        """Rows."""
        return -(-self.debugger.space.bytes // self._row())

    def lines(self, first: int, width: int, height: int) -> list[Line]:
        """The rows."""
        self.debugger.address = first * self._row()
        return memory.lines(self.debugger, width, height)

    def jump(self, address: int) -> None:
        """To an address."""
        self.first = address // self._row()
        self.refresh()
