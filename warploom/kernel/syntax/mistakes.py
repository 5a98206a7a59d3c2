"""Mistakes: several expressions of a statement are looked at, though one of them means nothing, so that all of it is said at once."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator
from typing import Any

from warploom.kernel.syntax.translator import Problem, Translator, Unreached, Wait


def both(t: Translator, *nodes: ast.expr) -> list[Any]:
    """Several expressions: the mistakes of all of them are found. Raises Problem; Wait where none has a mistake; Unreached at once."""
    found: list[Any] = []
    problems: list[Problem] = []
    for node in nodes:
        try:
            found.append(t.expression(node))
        except Unreached:
            raise
        except Problem as problem:
            problems.append(problem)
    if problems:
        raise next((one for one in problems if not isinstance(one, Wait)), problems[0])
    return found


@contextlib.contextmanager
def and_mistakes_in(t: Translator, *nodes: ast.expr) -> Iterator[None]:
    """After a mistake those of these expressions are found too, though nothing comes of them."""
    try:
        yield
    except Unreached:
        raise
    except Problem:
        for node in nodes:
            with contextlib.suppress(Problem):
                t.expression(node)
        raise
