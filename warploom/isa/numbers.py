"""Numbers: those that a caller gives are checked where they come in, and those that a person reads are written in one way.

A float that no limit reaches, a NaN that no number is smaller than, or a truth value would otherwise go a long way before
anything is wrong: a machine compares numbers and never asks what they are.

Written: digits in groups of three with a blank between them (12 345), a blank before a unit or a percent sign (45.8 %), a ratio with
two digits (1.25). JSON, CSV and what is typed again (settings, addresses) are plain digits.
"""

from __future__ import annotations

import operator
from typing import Any

MOST_SHOWN = 40  # characters of a value in a message
MOST_DIGITS = 40


def whole_number(name: str, value: Any, low: int | None = None, high: int | None = None) -> int:
    """`value` as a Python int: one of Python's or of NumPy's integers from `low` to `high`, both included. Raises ValueError."""
    refusal = f"{name} = {shown(value)}: write a whole number" + _range(low, high)
    if isinstance(value, bool):
        raise ValueError(refusal)
    try:
        number = operator.index(value)
    except TypeError:
        raise ValueError(refusal) from None
    if (low is not None and number < low) or (high is not None and number > high):
        raise ValueError(refusal)
    return number


def _range(low: int | None, high: int | None) -> str:
    if low is None:
        return ""
    return f" from {low} to {high}" if high is not None else f", {low} or more"


def shown(value: Any) -> str:
    """A value in a message, cut when it is long. Python writes no number of more than 4300 digits."""
    try:
        return cut(repr(value))
    except (ValueError, RecursionError):
        return "a number of thousands of digits" if isinstance(value, int) else "what is too large to be shown"


def cut(text: str, most: int = MOST_SHOWN) -> str:
    """A text in a message: of a long one its beginning."""
    return text if len(text) <= most else f"{text[:most]}..."


def digits(text: str) -> int:
    """The number that decimal digits, or hexadecimal ones after 0x, say; of very many, some number that is larger than any that is used.

    Python refuses to read more than 4300 digits.
    """
    base, found = (16, text[2:]) if text[:2] in ("0x", "0X") else (10, text)
    found = found.lstrip("0") or "0"
    return int(found, base) if len(found) <= MOST_DIGITS else base**MOST_DIGITS


def grouped(number: int | float, digits: int = 0) -> str:
    """12 345 678: digits in groups of three; so many after the decimal point."""
    return f"{number:,.{digits}f}".replace(",", " ") if digits or isinstance(number, float) else f"{number:,}".replace(",", " ")


def percentage(share: float, digits: int = 0) -> str:
    """A fraction as `46 %`, or with decimals as `45.8 %`."""
    return f"{100 * share:.{digits}f} %"
