"""Statements: assignments, if, return, raise, assert. Loops are in `loops.py`."""

from __future__ import annotations

import ast
import contextlib
import importlib
import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from warploom.compiler.ssa import Value
from warploom.kernel.syntax.arithmetic import binary, lifted, truth
from warploom.kernel.syntax.memory import assign_item, item_of, set_field
from warploom.kernel.syntax.merging import joined
from warploom.kernel.syntax.mistakes import and_mistakes_in, both
from warploom.kernel.syntax.questions import note_value
from warploom.kernel.syntax.refused import warn_of_no_call
from warploom.kernel.syntax.translator import ACTIONS, DYNAMIC, STATEMENTS, Ends, Problem, Translator, Wait
from warploom.kernel.syntax.tree import assigned_when
from warploom.kernel.syntax.widening import note_given
from warploom.kernel.types.values import PENDING, Array, Complex, Number, said


def statement(*kinds: type) -> Callable[[Callable[[Translator, Any], None]], Callable[[Translator, Any], None]]:
    """The function below translates these classes of nodes."""

    def add(handler: Callable[[Translator, Any], None]) -> Callable[[Translator, Any], None]:
        for kind in kinds:
            STATEMENTS[kind] = handler
        return handler

    return add


@statement(ast.Pass)
def nothing(t: Translator, node: ast.Pass) -> None:
    """`pass`."""


@statement(ast.Import, ast.ImportFrom)
def imports(t: Translator, node: ast.Import | ast.ImportFrom) -> None:
    """Imports bind names of modules; the modules are those of the host."""
    for alias in node.names:
        try:
            if isinstance(node, ast.Import):
                module = importlib.import_module(alias.name)
                t.frame.env[alias.asname or alias.name.partition(".")[0]] = module
            else:
                t.frame.env[alias.asname or alias.name] = getattr(importlib.import_module(node.module or ""), alias.name)
        except (ImportError, AttributeError) as error:
            t.error(node, str(error))


@statement(ast.Expr)
def expression(t: Translator, node: ast.Expr) -> None:
    """A call for its effect; a text by itself is a comment."""
    if not isinstance(node.value, ast.Constant):
        warn_of_no_call(t, node.value, t.expression(node.value, unread=True))


@statement(ast.Assign)
def assignment(t: Translator, node: ast.Assign) -> None:
    """`x = y = value`."""
    inside = [_inside(target) for target in node.targets]
    with and_mistakes_in(t, *itertools.chain(*inside)):
        value = t.expression(node.value, unread=all(isinstance(one, ast.Name) for one in node.targets))
    for number, target in enumerate(node.targets):
        with and_mistakes_in(t, *itertools.chain(*inside[number + 1 :])):
            assign(t, target, value)


def _inside(target: ast.expr) -> list[ast.expr]:
    """The expressions of a place that is written."""
    return [target.value, target.slice] if isinstance(target, ast.Subscript) else []


@statement(ast.AnnAssign)
def annotated(t: Translator, node: ast.AnnAssign) -> None:
    """`x: type = value`; the type says nothing."""
    if node.value is not None:
        assign(t, node.target, t.expression(node.value, unread=isinstance(node.target, ast.Name)))


@statement(ast.AugAssign)
def augmented(t: Translator, node: ast.AugAssign) -> None:
    """`x += value`. What stands between brackets is computed once."""
    target = node.target
    if isinstance(target, ast.Subscript):
        with and_mistakes_in(t, node.value):
            owner, index = both(t, target.value, target.slice)
            old = item_of(t, target, owner, index)
        assign_item(t, target, owner, index, binary(t, node, type(node.op), old, t.expression(node.value)))
        return
    with and_mistakes_in(t, node.value):
        old = t.expression(as_loaded(target))
    assign(t, target, binary(t, node, type(node.op), old, t.expression(node.value)))


def as_loaded(target: ast.expr) -> ast.expr:
    """The same place as something that is read."""
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    if isinstance(target, ast.Attribute):
        return ast.copy_location(ast.Attribute(target.value, target.attr, ast.Load()), target)
    return target


def assign(t: Translator, target: ast.expr, value: Any) -> None:
    """Give a variable, an item, a field, or several of them, a value."""
    if isinstance(target, ast.Name):
        t.frame.env[target.id] = t.frame.given[target.id] = named(t, value, target.id)
        t.frame.maybe.discard(target.id)
        if isinstance(value, Number):
            t.bind(value.value, target.id)
            note_given(t.given, t.frame.path, target.id, value.type, t.where(target))
        note_value(t, target.id)
    elif isinstance(target, ast.Tuple | ast.List):
        parts = unpacked(t, target, value)
        if len(parts) != len(target.elts):
            t.error(target, f"{len(target.elts)} variables are to be given {len(parts)} values")
        for one, part in zip(target.elts, parts, strict=True):
            assign(t, one, part)
    elif isinstance(target, ast.Subscript):
        owner, index = both(t, target.value, target.slice)
        assign_item(t, target, owner, index, value)
    elif isinstance(target, ast.Attribute):
        set_field(t, target, t.expression(target.value), target.attr, value)
    else:
        t.error(target, "a kernel cannot give several values to one variable by *", "name each of them")


def named(t: Translator, value: Any, name: str) -> Any:
    """A value that a variable is given: a shared or local array takes the variable's name."""
    if not isinstance(value, Array) or value.name != f"a {value.space} array":
        return value
    key = (value.space, int(value.base.imm) if value.base.op == "const" else DYNAMIC)
    if key in t.resources.arrays:
        t.resources.arrays[key] = (name, t.resources.arrays[key][1])
    return replace(value, name=name)


def unpacked(t: Translator, node: ast.Tuple | ast.List, value: Any) -> list[Any]:
    """The parts of a tuple, or of an array whose length is known, as many as there are variables for them. Raises Problem."""
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, Array) and value.shape and value.shape[0].op == "const":
        count = int(value.shape[0].imm)
        if count != len(node.elts):
            t.error(node, f"{len(node.elts)} variables are to be given {count} values")
        return [item_of(t, node, value, lifted(t, place)) for place in range(count)]
    return t.error(node, f"{said(value)} cannot be taken apart")


# ---------------------------------------------------------------------------------------------------------
# Ways through


@statement(ast.If)
def conditional(t: Translator, node: ast.If) -> None:
    """`if`. What is known when the kernel is compiled is decided then."""
    condition = condition_of(t, node.test)
    if condition.op == "const":
        t.statements(node.body if condition.imm else node.orelse)
        return

    def side(statements: list[ast.stmt], outcome: bool) -> None:
        t.frame.maybe -= assigned_when(node.test, outcome)
        t.statements(statements)

    t.frame.env = branched(t, node, condition, lambda: side(node.body, True), lambda: side(node.orelse, False))


def condition_of(t: Translator, test: ast.expr) -> Value:
    """Whether a condition holds. Raises Wait where it is not known yet whether it is a constant, Unreached."""
    try:
        found = truth(t, ACTIONS["tested"](t, test), test)
    except Problem as problem:
        return t.unknown_condition(problem)
    return t.unknown_condition(Wait()) if t.is_guessed(found) else found


def branched(t: Translator, node: ast.AST, condition: Value, true: Callable[[], None], false: Callable[[], None]) -> dict[str, Any]:
    """Translate both sides of a branch; returns the variables where they meet."""
    b, before, maybe = t.b, t.frame.env, set(t.frame.maybe)
    ends = Ends()
    yes, no = b.new_block(), b.new_block()
    b.branch(condition, yes, no)
    for block, side in ((yes, true), (no, false)):
        t.frame.env, t.frame.maybe = dict(before), set(maybe)
        b.scopes.append({})
        b.place(block)
        side()
        b.scopes.pop()
        if b.block is not None:
            ends.add(b.block, t.frame)
    t.frame.maybe = ends.maybe
    return joined(t, node, ends)


@statement(ast.Return)
def returned(t: Translator, node: ast.Return) -> None:
    """`return`: a thread of the kernel ends, or a function's value goes to its caller."""
    try:
        value = t.expression(node.value, unread=len(t.frames) > 1) if node.value is not None else None
    except Wait:
        value = PENDING
    if len(t.frames) == 1:
        if value is not None:
            t.error(node, "a kernel returns nothing", "store the result in an array")
        t.resources.returns = True
        t.b.exit()
        return
    assert t.b.block is not None
    t.frame.ends.places.append((t.b.block, {"return": value}))
    t.b.block = None


@statement(ast.Raise)
def raised(t: Translator, node: ast.Raise) -> None:
    """`raise`: with `debug=True` the error reaches the host; else the thread ends, as on a GPU."""
    name, arguments = "Exception", []
    call = node.exc
    if isinstance(call, ast.Call):
        arguments = [t.expression(one) for one in call.args]
        call = call.func
    if isinstance(call, ast.Name):
        name = call.id
    throw(t, node, name, arguments)


@statement(ast.Assert)
def asserted(t: Translator, node: ast.Assert) -> None:
    """`assert`, which counts with `debug=True` only, as in Numba."""
    condition = truth(t, t.expression(node.test), node.test)
    if not t.options.get("debug"):
        return
    arguments = [] if node.msg is None else [t.expression(node.msg)]
    t.frame.env = branched(t, node, condition, lambda: None, lambda: throw(t, node, "AssertionError", arguments))


def throw_if(t: Translator, node: ast.AST, condition: Value, name: str, text: str) -> None:
    """With `debug=True`: an error of Python's that an operation raises."""
    if condition.op != "const" or condition.imm:
        t.frame.env = branched(t, node, condition, lambda: throw(t, node, name, [text]), lambda: None)


ACTIONS["throw_if"] = throw_if


def throw(t: Translator, node: ast.AST, name: str, arguments: list[Any]) -> None:
    """End the thread; with `debug=True` the run ends with this error."""
    if t.options.get("debug"):
        numbers = [
            part
            for one in arguments
            for part in ([one] if isinstance(one, Number) else [one.real, one.imag] if isinstance(one, Complex) else [])
        ]
        texts = [one if isinstance(one, str) else None for one in arguments]
        number = len(t.resources.notes)
        kind: Any = name
        with contextlib.suppress(KeyError, ValueError):
            kind = t.frame.find(name)
        t.resources.notes.append(("raise", kind, texts, [one.type for one in numbers]))
        t.b.effect("note", *(one.value for one in numbers), imm=number)
    t.b.exit()
