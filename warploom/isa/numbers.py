"""Whole numbers that a caller gives: checked where they come in, since a machine compares them and never asks what they are.

A float that no limit reaches, a NaN that no number is smaller than, or a truth value would otherwise go a long way before
anything is wrong.
"""

from __future__ import annotations

import operator
from typing import Any


def whole_number(name: str, value: Any, low: int | None = None, high: int | None = None) -> int:
    """`value` as a Python int: one of Python's or of NumPy's integers from `low` to `high`, both included. Raises ValueError."""
    refusal = f"{name} = {_shown(value)}: write a whole number" + _range(low, high)
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


def _shown(value: Any) -> str:
    """The value in a message, cut when it is long. Python writes no number of more than 4300 digits."""
    try:
        text = repr(value)
    except ValueError:
        return "a number of thousands of digits"
    return text if len(text) <= 40 else f"{text[:40]}..."
