"""The help of the screen: keys, marks and commands."""

from __future__ import annotations

from typing import ClassVar

from rich.table import Table
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from warploom.cli.debugger.commands import COMMANDS
from warploom.cli.debugger.warps import LETTERS

KEYS = (
    ("s  S", "a cycle forwards, backwards"),
    ("n  N", "to the next issue of the chosen warp, to its previous issue"),
    ("i  I", "to the next issue of any warp, to the previous issue"),
    ("c  C", "to the next breakpoint, watchpoint or the end; backwards"),
    ("b", "set or delete a breakpoint at the cursor in the source"),
    ("w  W", "choose the next warp, the previous warp"),
    ("left  right", "choose a lane"),
    ("e", "set a register or memory: the run continues with it"),
    ("u", "undo the last change"),
    ("g  m", "go to a cycle; show memory from an address on"),
    ("j", "show the memory that the last step has changed"),
    ("f", "write values as auto, unsigned, signed, hex, float"),
    ("Tab", "to the next panel; arrows and Page keys move in it"),
    (":", "a command; Tab completes it, Esc leaves it"),
    ("Esc", "stop a long run"),
    ("q", "leave"),
)
MARKS = (
    ("▶ ▷ ●", "source: the line of the chosen warp, of others; a breakpoint"),
    ("!", "warps: issued in the last cycle"),
    (" ".join(LETTERS.values()), f"lanes: {', '.join(LETTERS)}"),
    ("*", "changed by the last step"),
    ("~", "registers: in flight; computed, but hardware would still wait for it"),
)


class HelpScreen(ModalScreen[None]):
    """Goes away with any of the usual keys."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape,q,f1,question_mark,enter", "dismiss", "close")]

    def compose(self) -> ComposeResult:
        """A box that scrolls."""
        with VerticalScroll(id="help") as box:
            box.border_title = "help: Esc closes it"
            for title, rows in (
                ("Keys", KEYS),
                ("Marks", MARKS),
                ("Commands", tuple((f"{command.name} {command.usage}", command.about) for command in COMMANDS)),
            ):
                table = Table(title=title, title_justify="left", box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
                table.add_column(style="bold", max_width=30)
                table.add_column()
                for left, right in rows:
                    table.add_row(left.replace("[", r"\["), right.replace("[", r"\["))
                yield Static(table, classes="helping")
