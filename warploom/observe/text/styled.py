"""Styled text: a line as pieces with styles, so that one source serves a terminal with colours, one without, and a file.

Nothing that a style shows is shown by it alone: what has changed carries a mark too.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable

from warploom.isa.numbers import grouped, percentage

__all__ = ["EIGHTHS", "Line", "Piece", "bar", "counted", "folded", "grouped", "in_lines", "percent", "plain", "warp_name"]

Piece = tuple[str, str]  # text, and a style as rich names it; "" for none
Line = list[Piece]

CHANGED = "bold green"
QUIET = "dim"
TITLE = "bold"
INSIDE = "(?<=[0-9]) (?=[0-9]{3}(?![0-9])|%)"  # a blank inside a number, as it is written for people: 12 345, 45.8 %
EIGHTHS = "▏▎▍▌▋▊▉█"


def plain(line: Iterable[Piece]) -> str:
    """A line without its styles."""
    return "".join(text for text, _ in line).rstrip()


def folded(line: Line, width: int, indent: str = "  ") -> list[Line]:
    """A line in as many as it takes to be no longer than `width`, broken at blanks, but for those inside numbers."""
    if len(plain(line)) <= width:
        return [line]
    found: list[Line] = [[]]
    room = width
    for text, style in line:
        for whole in re.findall(rf" *(?:[^ ]|{INSIDE})+| +", text):
            word = whole
            if len(word) > room and found[-1]:
                found.append([(indent, "")])
                room, word = width - len(indent), whole.lstrip()
            found[-1].append((word, style))
            room -= len(word)
    return [_joined(part) for part in found]


def in_lines(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    """A sentence in lines of `width`, the first one and the others with these in front; no number is broken."""
    whole = textwrap.wrap(
        re.sub(INSIDE, "\xa0", text), width, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )
    return [line.replace("\xa0", " ") for line in whole]


def _joined(line: Line) -> Line:
    """The pieces of one style that follow each other as one."""
    found: Line = []
    for text, style in line:
        if found and found[-1][1] == style:
            found[-1] = (found[-1][0] + text, style)
        else:
            found.append((text, style))
    return found


def shortened(text: str, most: int) -> str:
    """A text of at most so many characters: of a longer one the beginning, and three dots."""
    return text if len(text) <= most else text[: most - 3] + "..."


def counted(number: int, noun: str) -> str:
    """`1 core`, `2 cores`."""
    return f"{grouped(number)} {noun}{'' if number == 1 else 's'}"


def warp_name(core: int, slot: int) -> str:
    """A warp by its core and slot, as every view and the debugger's commands write it: `warp 0:3`."""
    return f"warp {core}:{slot}"


def percent(share: float) -> str:
    """A fraction as 6 characters: ` 45.8 %` without the blank in front; what is there but rounds to nothing says so."""
    return " <0.1 %" if 0 < share < 0.0005 else f"{percentage(share, 1):>7}"


def bar(share: float, width: int, *, unicode: bool = True) -> str:
    """A bar of `width` characters at most for a fraction from 0 to 1; a share above 0 has at least its thinnest mark."""
    eighths = round(min(max(share, 0.0), 1.0) * width * 8)
    if share > 0:
        eighths = max(eighths, 1)
    if not unicode:
        return "#" * max((eighths + 4) // 8, 1 if eighths else 0)
    whole, part = divmod(eighths, 8)
    return EIGHTHS[-1] * whole + (EIGHTHS[part - 1] if part else "")
