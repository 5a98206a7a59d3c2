"""A warning that Numba never gives: an index that may be below zero, where it counts from the end of the array.

`x[i - 1]` of thread 0 is the array's last item, which is rarely meant. Nothing is said where a condition of the function looks at one of
the variables of the index, or a condition of one that calls it at what it hands on: it may well keep the index from falling below zero.
"""

from __future__ import annotations

import ast

from warploom.compiler.ssa import Value
from warploom.kernel.syntax.translator import Frame, Translator
from warploom.kernel.types.values import Number

FARTHEST = -(1 << 20)  # bounds below this are those of a type, of which nothing is known
LIMITING = ("min", "max", "abs", "clamp")


def warn_of_wrapping(t: Translator, node: ast.AST, index: ast.AST, number: Value) -> None:
    """Warn of an index `x - 1` whose bounds reach below zero and above it. Of `n - 1 - x` nothing is said: the two may well go together."""
    if not _below(number) or not isinstance(node, ast.Subscript):
        return
    if _names(index) & _looked_at(t.frame.text.body) or any(_looks_at(frame, number) for frame in t.frames[:-1]):
        return
    t.warn(
        index, f"this index may be {number.lo}, and an index below zero counts from the end of the array",
        "put a condition around it, or write % for an index that goes round",
    )  # fmt: skip


def _below(number: Value) -> bool:
    """Whether a number is one that is never below zero, less a constant, and may be below zero thereby."""
    constants = [one for one in number.args if one.op == "const"]
    others = [one for one in number.args if one.op != "const"]
    apart = number.op in ("add", "sub") and len(constants) == len(others) == 1 and others[0] is number.args[0]
    return apart and others[0].lo >= 0 and FARTHEST < number.lo < 0 <= number.hi


def _looks_at(frame: Frame, number: Value) -> bool:
    """Whether a function that calls this one has a condition on the number from which a constant is taken."""
    variables = (frame.env.get(name) for name in _looked_at(frame.text.body))
    return any(isinstance(one, Number) and one.value in number.args for one in variables)


def _names(node: ast.AST) -> set[str]:
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}


def _looked_at(body: list[ast.stmt]) -> set[str]:
    """The variables in conditions, and in functions that limit a number; those from which such a variable is computed as well."""
    nodes = [inner for statement in body for inner in ast.walk(statement)]
    found: set[str] = set()
    for one in nodes:
        if isinstance(one, ast.If | ast.While | ast.IfExp | ast.Assert):
            found |= _names(one.test)
        elif isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id in LIMITING:
            found |= _names(one)
    for one in nodes:
        if isinstance(one, ast.Assign) and any(_names(target) & found for target in one.targets):
            found |= _names(one.value)
    return found
