"""Why a variable is a float, or one of 64 bits: what its function gives it, and where.

A variable that is a signed number on one path and an unsigned one of 64 bits on another is a float64, by Numba's rules. Where that float is
refused, as an index or beside `<<`, the message names the lines that made it one.
"""

from __future__ import annotations

import ast
from functools import reduce

from warploom.compiler.ssa import At
from warploom.kernel.types import types as ty
from warploom.kernel.types.values import article

# Types that a variable is given, each with the first place: by the path of its function's call, and its name.
Given = dict[tuple[tuple[object, ...], str], dict[ty.Type, At]]


def note_given(given: Given, path: tuple[object, ...], name: str, kind: ty.Type, at: At) -> None:
    """A variable is given a number of a type."""
    given.setdefault((path, name), {}).setdefault(kind, at)


def why_float(given: Given, path: tuple[object, ...], node: ast.AST) -> tuple[str, str]:
    """What made a float of a variable in an expression that is given whole numbers only, and the fix; two empty texts where none is one."""
    for inner in ast.walk(node):
        if not isinstance(inner, ast.Name):
            continue
        kinds = {kind: at for kind, at in given.get((path, inner.id), {}).items() if kind.whole}  # a later attempt adds the float
        if len(kinds) > 1 and reduce(ty.unified, kinds).kind == "f":
            first = next(iter(kinds))
            of_sign = dict.fromkeys(kind.kind == "u" for kind in kinds)
            wanted = first if first.kind != "b" else ty.INT64
            shown = [next((kind, at) for kind, at in kinds.items() if (kind.kind == "u") == sign) for sign in of_sign]
            texts = [f"{article(str(kind))} at line {at.line}" for kind, at in shown]
            other = shown[-1][1].line
            return (
                f": {inner.id} is {' and '.join(texts)}, so a float64 on both paths",
                f"np.{wanted}(...) around what line {other} gives it",
            )
    return "", ""


def was_narrow(given: Given, path: tuple[object, ...], node: ast.AST) -> bool:
    """Whether a variable is first given a 32-bit float, so that it is one of 64 bits only for what a loop makes of it."""
    kinds = given.get((path, node.id), {}) if isinstance(node, ast.Name) else {}
    return next(iter(kinds), None) in (ty.FLOAT32, ty.FLOAT16)
