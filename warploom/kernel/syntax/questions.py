"""Questions: what a kernel that is checked asks before it accesses memory or lanes (`checks/bounds.py`).

Only a kernel that is compiled for checks has them. They are micro-ops that do nothing, of the instruction that
follows them.
"""

from __future__ import annotations

import ast
from typing import Any

from warploom.checks.bounds import DIVISOR, INDEX, LANES, QUESTIONS, VALUE, Indexed
from warploom.compiler.ssa import Value
from warploom.kernel.syntax.translator import Ends, Translator
from warploom.kernel.types import types as ty
from warploom.kernel.types.values import MOST_TEXT, Array, Number

__all__ = ["LANES", "ask", "ask_divisor", "ask_index", "ask_value"]


def ask(t: Translator, node: ast.AST, question: int, *values: Value, about: Any) -> None:
    """Ask whether an index lies inside its axis, or lanes are there. about: what a message says of it."""
    if not t.options.get("check") or t.b.block is None:
        return
    number = len(t.resources.questions)
    t.resources.questions.append((question, about))
    before, t.b.at = t.b.at, t.where(node)
    t.b.effect("ask", *values, imm=-1 - question - QUESTIONS * number)
    t.b.at = before


def ask_index(t: Translator, node: ast.AST, array: Array, axis: int, index: Value, given: Any) -> None:
    """Whether an index lies inside its axis; not where that is known. given: what stands between the brackets."""
    extent, axes = array.shape[axis], len(array.shape)
    if index.lo >= 0 and index.hi < extent.lo:
        return
    dynamic = array.space == "shared" and _of_the_launch(array.base)
    bound = f"{array.name}.{'size' if axes == 1 else f'shape[{axis}]'}" if array.space == "global" and array.name.isidentifier() else ""
    about = Indexed(array.name or f"a {array.space} array", axis, axes, _text_of_index(t, node, axis, given), dynamic, bound)
    ask(t, node, INDEX, index, extent, about=about)


def ask_divisor(t: Translator, node: ast.AST, divisor: Value) -> None:
    """Whether a whole number is divided by something else than 0; not in our own library, nor where that is known."""
    if not t.options.get("check") or t.frame.called is not None or not divisor.lo <= 0 <= divisor.hi:
        return
    ask(t, node, DIVISOR, t.b.pure("ne", divisor, t.b.whole(0), type="i1"), about=_text_of_divisor(node))


def _text_of_divisor(node: ast.AST) -> str:
    """The divisor as the user's source has it; "" where it is long, or a constant."""
    inner = node.right if isinstance(node, ast.BinOp) else node.value if isinstance(node, ast.AugAssign) else None
    text = "" if inner is None or isinstance(inner, ast.Constant) else ast.unparse(inner)
    return text if len(text) <= MOST_TEXT else ""


def may_divide(t: Translator, node: ast.AST) -> bool:
    """Whether an expression has a division that is asked about: lanes that do not need it must not compute it."""
    return bool(t.options.get("check")) and any(isinstance(inner, ast.FloorDiv | ast.Mod) for inner in ast.walk(node))


def _text_of_index(t: Translator, node: ast.AST, axis: int, given: Any) -> str:
    """One index as the user's source has it; "" where it is long, or no expression that a comparison may have beside it."""
    if t.frame.called is not None:
        return ""
    if isinstance(node, ast.Call):
        inner = node.args[1] if len(node.args) > 2 else None  # of an atomic
    else:
        inner = getattr(node, "slice", None)
    if isinstance(inner, ast.Tuple):
        inner = inner.elts[axis] if axis < len(inner.elts) else None
        given = None
    if isinstance(inner, ast.Constant | ast.UnaryOp):
        text = ast.unparse(inner)
        return text if text.lstrip("-").isdecimal() else ""
    text = ast.unparse(inner) if isinstance(inner, ast.Name | ast.BinOp | ast.Attribute | ast.Subscript | ast.Call) else ""
    if text and isinstance(given, tuple):
        text += f"[{axis}]"
    return text if len(text) <= MOST_TEXT else ""


def _of_the_launch(base: Value) -> bool:
    """Whether an address is one in the shared memory of a size that the launch gives."""
    return (base.op == "param" and base.imm == 0) or any(map(_of_the_launch, base.args if base.op == "add" else ()))


# ---------------------------------------------------------------------------------------------------------
# Variables: beside one that has no value on some path stands a truth value, which says whether it has one here.


def assigned_mark(name: str) -> str:
    """The variable that says whether a different one has a value; no variable of the user's has such a name."""
    return f"{name} has a value"


def mark_unassigned(t: Translator, name: str) -> set[str]:
    """Mark a variable as one without a value; gives the name of the mark, if there are any."""
    if not t.options.get("check"):
        return set()
    t.frame.env[assigned_mark(name)] = Number(ty.BOOL, t.b.truth(False))
    return {assigned_mark(name)}


def note_value(t: Translator, name: str) -> None:
    """A variable is given a value."""
    mark = assigned_mark(name)
    if mark in t.frame.env:
        t.frame.env[mark] = Number(ty.BOOL, t.b.truth(True))


def mark_values(t: Translator, ends: Ends) -> None:
    """Where paths meet: variables that have no value on some of them are marked on each."""
    if not t.options.get("check"):
        return
    names = {name for _, env in ends.places for name in env if name.isidentifier()}
    unsure = {
        name
        for name in names
        if any(name not in env for _, env in ends.places) or any(assigned_mark(name) in env for _, env in ends.places)
    }
    for place, (block, env) in enumerate(ends.places if unsure else ()):
        marks = {assigned_mark(name): Number(ty.BOOL, t.b.truth(name in env)) for name in sorted(unsure)}
        ends.places[place] = (block, marks | env)


def marks_of(t: Translator, names: set[str]) -> set[str]:
    """The marks of those variables of which it is not known here whether they have a value."""
    found = {assigned_mark(name) for name in names}
    return {mark for mark in found if isinstance(there := t.frame.env.get(mark), Number) and there.constant is None}


def may_lack_value(t: Translator, node: ast.AST) -> bool:
    """Whether an expression reads a variable that may have no value here."""
    marks = [t.frame.env.get(assigned_mark(inner.id)) for inner in ast.walk(node) if isinstance(inner, ast.Name)]
    return any(isinstance(mark, Number) and not mark.constant for mark in marks)


def ask_value(t: Translator, node: ast.AST, name: str) -> None:
    """Whether a variable that is read has a value; once on a path."""
    mark = t.frame.env.get(assigned_mark(name))
    if isinstance(mark, Number) and not mark.constant:
        ask(t, node, VALUE, mark.value, about=name)
        note_value(t, name)
