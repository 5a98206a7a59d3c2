"""Styled lines on standard output: in colours where a terminal has them, as plain text in a pipe or a file."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from warploom.cli.common import say
from warploom.observe.text.styled import Line, in_lines, plain

NARROWEST, USUAL, WIDEST = 60, 80, 160  # columns that tables are made for


def width() -> int:
    """Columns that tables may have: the terminal's, or 80 where there is none."""
    return min(max(_columns() or USUAL, NARROWEST), WIDEST)


def _columns() -> int:
    """What COLUMNS says, or else the terminal; 0 for neither. (As shutil finds it, whose import takes 2 ms of a short run.)"""
    said = os.environ.get("COLUMNS", "")
    if said.isdecimal() and int(said):
        return int(said)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns if sys.__stdout__ is not None else 0
    except (OSError, ValueError):
        return 0


def wrapped(text: str, first: str = "", rest: str = "  ") -> str:
    """A text in lines that fit, the first one and the others with these in front."""
    return "\n".join(in_lines(text, width(), first, rest))


def unicode() -> bool:
    """Whether standard output takes characters beyond ASCII."""
    return (sys.stdout.encoding or "").lower().startswith("utf")


def show(lines: Iterable[Line]) -> None:
    """Print lines. rich is loaded only where there are colours to show."""
    if not (sys.stdout.isatty() or os.environ.get("FORCE_COLOR")):
        say("\n".join(plain(line) for line in lines))
        return
    from rich.console import Console
    from rich.text import Text

    from warploom.cli.terminal.printable import printable

    console = Console(highlight=False)
    for line in lines:
        console.print(Text.assemble(*((printable(text), style) for text, style in line)), soft_wrap=True)
