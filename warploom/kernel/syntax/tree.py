"""From a Python function to its syntax tree, with the place of every node in the text that it came from.

The text comes from the file, the notebook's cell, or wherever `linecache` has it; of a kernel made with `exec` it is there when
whoever made it has put it there.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import os
import textwrap
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeGuard

from warploom.isa.program import Source


class NoSource(ValueError):
    """A function whose text is nowhere to be found. One sentence."""


@dataclass(frozen=True, eq=False)
class Text:
    """A function's syntax tree. line, column: what is added to the tree's own, so that places are those of the whole text."""

    node: ast.FunctionDef | ast.Lambda
    line: int
    column: int
    source: Source

    @property
    def body(self) -> list[ast.stmt]:
        """Its statements; those of a lambda are one `return`."""
        if isinstance(self.node, ast.Lambda):
            return [ast.copy_location(ast.Return(self.node.body), self.node.body)]
        return self.node.body


def plain(function: Any) -> Any:
    """The Python function that a decorated one is made of."""
    for name in ("py_func", "fn", "__wrapped__"):
        inner = getattr(function, name, None)
        if inspect.isfunction(inner):
            return inner
    return function


def text_of(function: Callable[..., Any]) -> Text:
    """The syntax tree of a function. Raises NoSource."""
    return _text(function.__code__, function.__code__.co_filename)


SHARED = "<string>"  # what `exec` calls every text; `python -c` may have put its own there


@lru_cache(maxsize=512)
def _text(code: Any, path: str) -> Text:
    """Kept by its path too, since code of two files that says the same is equal."""
    unknown = f"the text of {code.co_name!r} is not known ({path}): write it into a file, or keep the text in linecache.cache[{path!r}]"
    if os.path.isfile(path):
        linecache.checkcache(path)
    lines = linecache.getlines(path)
    if not lines:
        raise NoSource(unknown)
    try:
        return _text_in(lines, code)
    except NoSource as error:
        raise NoSource(unknown if path == SHARED else str(error)) from None


def _text_in(lines: list[str], code: Any) -> Text:
    """Where a text of these lines says what a function's code does."""
    path, first = code.co_filename, max(code.co_firstlineno, 1)
    if first > len(lines):
        raise NoSource(f"the text of {code.co_name!r} cannot be found in {path}: its file has no line {first} any more")
    found = inspect.getblock(lines[first - 1 :])  # `getsourcelines` looks through all modules that there are to find the file
    text = "".join(found)
    dedented = textwrap.dedent(text)
    column = len(found[0]) - len(found[0].lstrip()) if dedented != text else 0
    source = Source("".join(lines), path)
    if code.co_name == "<lambda>":
        return _lambda(code, dedented, first, column, source)
    try:
        tree = ast.parse(dedented)
    except SyntaxError:
        return _in_whole_text(code, source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            return Text(node, first - 1, column, source)
    raise NoSource(f"{code.co_name!r} is not a function that a kernel can be made of ({path}:{first})")


def _lambda(code: Any, text: str, first: int, column: int, source: Source) -> Text:
    """A lambda stands somewhere in a statement."""
    for attempt in (text, text.strip().rstrip(","), f"({text.strip().rstrip(',')})"):
        try:
            tree = ast.parse(attempt)
        except SyntaxError:
            continue
        bracket = attempt.startswith("(") and not text.startswith("(")
        for node in ast.walk(tree):
            if _is_it(node, code, first - 1, column, bracket):
                return Text(node, first - 1, column, source)
    return _in_whole_text(code, source)


def _in_whole_text(code: Any, source: Source) -> Text:
    """A function whose lines are not Python by themselves: a lambda amid an expression, a function with a text that is not indented."""
    with suppress(SyntaxError):
        for node in ast.walk(ast.parse(source.text)):
            if _is_it(node, code):
                return Text(node, 0, 0, source)
    where = f"{source.path}:{code.co_firstlineno}"
    raise NoSource(f"the text of {code.co_name!r} cannot be read ({where}): what stands there is no Python, or a different function")


def _is_it(node: ast.AST, code: Any, line: int = 0, column: int = 0, bracket: bool = False) -> TypeGuard[ast.FunctionDef | ast.Lambda]:
    """Whether a function was made from a node: of several lambdas in a line it is the one whose instructions begin where its body does.

    line, column: what is added to the tree's places. bracket: there is one more before the text.
    """
    if isinstance(node, ast.FunctionDef):
        first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
        return node.name == code.co_name and first + line == code.co_firstlineno
    if not isinstance(node, ast.Lambda) or [one.arg for one in node.args.args] != list(code.co_varnames[: code.co_argcount]):
        return False
    begins = {(begin, start) for begin, _, start, _ in code.co_positions()}
    return (node.body.lineno + line, node.body.col_offset + column - (bracket and node.body.lineno == 1)) in begins


def outer_names(function: Any) -> Callable[[str], Any]:
    """What a name means that a function does not assign: of its closure, its module, or built in. Raises KeyError."""
    inside = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    module = function.__globals__

    def find(name: str) -> Any:
        if name in inside:
            return inside[name].cell_contents
        if name in module:
            return module[name]
        return getattr(builtins, name) if hasattr(builtins, name) else module[name]

    return find


def assigned(nodes: Sequence[ast.AST]) -> set[str]:
    """The variables that statements and expressions may assign."""
    return set[str]().union(*map(_assigned, nodes))


@lru_cache(maxsize=4096)
def _assigned(node: ast.AST) -> frozenset[str]:
    """Kept, because loops and branches ask again for each statement in them, and in each attempt to settle the types.

    Statements are descended, expressions walked: a sum of a thousand terms is as deep as it is long.
    """
    found: set[str] = set()
    todo = [node]
    while todo:
        one = todo.pop()
        if isinstance(one, ast.Lambda):
            continue  # what a function inside assigns is its own
        if isinstance(one, ast.FunctionDef):
            found.add(one.name)
        elif isinstance(one, ast.Global | ast.Nonlocal):
            found.update(one.names)
        elif isinstance(one, ast.Name):
            if isinstance(one.ctx, ast.Store | ast.Del):
                found.add(one.id)
        elif isinstance(one, ast.stmt) and one is not node:
            found |= _assigned(one)
        else:
            todo += ast.iter_child_nodes(one)
    return frozenset(found)


def assigned_when(test: ast.expr, outcome: bool) -> set[str]:
    """The variables that a condition has surely assigned (`:=`) when this is what came out."""
    return set(_assigned_when(test, outcome))


@lru_cache(maxsize=4096)
def _assigned_when(test: ast.expr, outcome: bool) -> frozenset[str]:
    """Kept: each condition in a condition is asked for both outcomes."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _assigned_when(test.operand, not outcome)
    if isinstance(test, ast.BoolOp):
        whole = isinstance(test.op, ast.And)
        if whole == outcome:  # all have been asked
            return frozenset[str]().union(*(_assigned_when(one, outcome) for one in test.values))
        ends, passed = [], frozenset[str]()  # it has ended with one of them
        for one in test.values:
            ends.append(passed | _assigned_when(one, outcome))
            passed |= _assigned_when(one, whole)
        return frozenset.intersection(*ends)
    if isinstance(test, ast.IfExp):
        return _assigned_anyway(test.test)
    if isinstance(test, ast.Compare) and not outcome:  # `a < b < c` ends with the first that is false
        return _assigned_anyway(test.left) | _assigned_anyway(test.comparators[0])
    return _assigned_anyway(*([test.left, *test.comparators] if isinstance(test, ast.Compare) else [test]))


def _assigned_anyway(*tests: ast.AST) -> frozenset[str]:
    """The variables that expressions have surely assigned, whatever comes out. What chooses nothing is walked."""
    found = frozenset[str]()
    todo = list(tests)
    while todo:
        one = todo.pop()
        if isinstance(one, ast.Lambda):
            continue
        if isinstance(one, ast.BoolOp | ast.IfExp | ast.Compare) or (isinstance(one, ast.UnaryOp) and isinstance(one.op, ast.Not)):
            found |= _assigned_when(one, True) & _assigned_when(one, False)
            continue
        if isinstance(one, ast.NamedExpr):
            found |= {one.target.id}
        todo += [part for part in ast.iter_child_nodes(one) if isinstance(part, ast.expr)]
    return found
