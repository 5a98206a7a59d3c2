"""A promise of a slot, and what became of it for one unit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Promise(NamedTuple):
    """test: called with a unit and the name of its slot; "" where the promise is kept, else the smallest example that breaks it."""

    name: str
    meaning: str
    test: Callable[[Any, str], str]


class Verdict(NamedTuple):
    """broken: the smallest program or trace that shows it, with what happened; "" for a promise that is kept."""

    promise: Promise
    broken: str
