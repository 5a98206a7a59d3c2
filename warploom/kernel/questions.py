"""Questions: what a kernel that is checked asks before it accesses memory or lanes (`checks/bounds.py`).

Only a kernel that is compiled for checks has them. They are micro-ops that take a cycle and do nothing.
"""

from __future__ import annotations

import ast
from typing import Any

from warploom.checks.bounds import INDEX, LANES, QUESTIONS
from warploom.compiler.ssa import Value
from warploom.kernel.translator import Translator

__all__ = ["LANES", "ask", "ask_index"]


def ask(t: Translator, node: ast.AST, question: int, *values: Value, about: Any) -> None:
    """Ask whether an index lies inside its axis, or lanes are there. about: what a message says of it."""
    if not t.options.get("check") or t.b.block is None:
        return
    number = len(t.resources.questions)
    t.resources.questions.append((question, about))
    before, t.b.at = t.b.at, t.where(node)
    t.b.effect("ask", *values, imm=-1 - question - QUESTIONS * number)
    t.b.at = before


def ask_index(t: Translator, node: ast.AST, name: str, axis: int, axes: int, index: Value, extent: Value) -> None:
    """Whether an index lies inside its axis; not where that is known."""
    if index.lo >= 0 and index.hi < extent.lo:
        return
    ask(t, node, INDEX, index, extent, about=(name, axis, axes))
