"""Numbers and spans on the command line: `0,2-3` and `100:200`."""

from __future__ import annotations

import re

from warploom.cli.common import UserError


def numbers(text: str | None, option: str, count: int, noun: str) -> frozenset[int] | None:
    """The numbers in `0,2-3`, each below `count`; None for None. Raises UserError."""
    if text is None:
        return None
    found: set[int] = set()
    for word in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,9})\s*(?:-\s*(\d{1,9})\s*)?", word)
        if match is None:
            raise UserError(f"{option} {text!r}: write numbers and ranges with commas between them, as in 0,2-3")
        low, high = int(match[1]), int(match[2] or match[1])
        if low > high:
            raise UserError(f"{option} {text!r}: the range {low}-{high} ends before it begins")
        if high >= count:
            raise UserError(f"{option} {text!r}: there is no {noun} {high}, they are numbered 0 to {count - 1}")
        found.update(range(low, high + 1))
    return frozenset(found)


def span(text: str | None, option: str) -> tuple[int, int | None]:
    """(first, last), both included, of `100:200`, `100:`, `:200` or `100`; last is None for no end. Raises UserError."""
    if text is None:
        return 0, None
    match = re.fullmatch(r"\s*(\d{0,15})\s*(:?)\s*(\d{0,15})\s*", text)
    if match is None or not (match[1] or match[3]) or (match[3] and not match[2]):
        raise UserError(f"{option} {text!r}: write first and last cycle with a colon between them, as in 100:200")
    first = int(match[1] or 0)
    last = int(match[3]) if match[3] else None if match[2] else first
    if last is not None and last < first:
        raise UserError(f"{option} {text!r}: the span ends before it begins")
    return first, last
