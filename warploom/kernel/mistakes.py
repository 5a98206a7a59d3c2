"""Mistakes: several expressions of a statement are looked at, though one of them means nothing, so that all of it is said at once."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator
from typing import Any

from warploom.kernel.translator import Problem, Translator
from warploom.kernel.values import UNKNOWN, Unknown


def both(t: Translator, *nodes: ast.expr) -> list[Any]:
    """Several expressions: the mistakes of all of them are found. Raises Problem."""
    found: list[Any] = []
    for node in nodes:
        try:
            found.append(t.expression(node))
        except Problem:
            found.append(UNKNOWN)
    if any(isinstance(one, Unknown) for one in found):
        raise Problem
    return found


@contextlib.contextmanager
def and_mistakes_in(t: Translator, *nodes: ast.expr) -> Iterator[None]:
    """After a mistake those of these expressions are found too, though nothing comes of them."""
    try:
        yield
    except Problem:
        for node in nodes:
            with contextlib.suppress(Problem):
                t.expression(node)
        raise
