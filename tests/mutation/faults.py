"""Faults: which places in a file can be wrong by one operator, and the file's syntax tree with one of them wrong.

The kinds are those of Offutt, Lee, Rothermel, Untch and Zapf, "An experimental determination of sufficient mutant operators", ACM TOSEM
1996 (relational, logical, arithmetic, absolute value, unary), with bounds, constants and statements that are left out.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.places import ROOT

PACKAGE = ROOT / "warploom"
MACHINE = PACKAGE / "machine"
OTHERS = ("checks", "compiler", "isa", "kernel")  # rooms beside the machine; it has no folders of these names
# Runs only natively, or decides what does: plain Python never comes to it.
ONLY_NATIVE = ("engine/native/", "engine/intrinsics.py", "run/compile.py")
NATIVE_MARKS = ("native_form_of", "native_twin")

COMPARISONS: dict[type, tuple[type, ...]] = {
    ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE), ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,), ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
}  # fmt: skip
OPERATIONS: dict[type, tuple[type, ...]] = {
    ast.Add: (ast.Sub,), ast.Sub: (ast.Add,), ast.Mult: (ast.Add,), ast.FloorDiv: (ast.Mult,), ast.Div: (ast.Mult,),
    ast.Mod: (ast.FloorDiv,), ast.BitAnd: (ast.BitOr,), ast.BitOr: (ast.BitAnd,),
    ast.BitXor: (ast.BitOr,), ast.LShift: (ast.RShift,), ast.RShift: (ast.LShift,),
}  # fmt: skip
BOUNDS = {"min": "max", "max": "min"}


class Fault(NamedTuple):
    """One wrong operator. file: below warploom/machine, or in one of OTHERS. number: which of the file's, in the order of the source.

    before, after: the line of source with its operator right and wrong, as Python itself writes it.
    """

    file: str
    function: str
    line: int
    kind: str
    before: str
    after: str
    number: int

    def __str__(self) -> str:
        path = path_of(self.file).relative_to(ROOT).as_posix()
        return f"{path}:{self.line} {self.function}: {self.kind}\n    - {self.before}\n    + {self.after}"


class _Change(NamedTuple):
    """Something wrong: a different value in a place of the tree, which is a node's field or a row of a list."""

    kind: str
    statement: Any
    owner: Any  # a dict of fields, or a list
    key: Any
    value: Any

    def swap(self) -> _Change:
        """Put the wrong value there. What comes back puts the right one there again."""
        right = self._replace(value=self.owner[self.key])
        self.owner[self.key] = self.value
        return right


def files(only: str = "") -> list[str]:
    """The files of the machine below a folder, or the one with that name; of a room beside it where the folder is one of OTHERS."""
    room = only.partition("/")[0]
    above, folder = (PACKAGE, PACKAGE / room) if room in OTHERS else (MACHINE, MACHINE)
    found = [str(path.relative_to(above).as_posix()) for path in sorted(folder.rglob("*.py"))]
    return [name for name in found if name.startswith(only) and not name.startswith(ONLY_NATIVE)]


def path_of(file: str) -> Path:
    """Where a file is that a Fault names."""
    return (PACKAGE if file.partition("/")[0] in OTHERS else MACHINE) / file


def faults_of(file: str) -> list[Fault]:
    """All faults that a file can have."""
    found = []
    for number, (function, change) in enumerate(_changes(ast.parse(path_of(file).read_text()))):
        before = _line_of(change.statement)
        right = change.swap()
        after = "(left out)" if isinstance(change.value, ast.Pass) else _line_of(change.statement)
        right.swap()
        found.append(Fault(file, function, change.statement.lineno, change.kind, before, after, number))
    return found


def faulty(fault: Fault) -> ast.Module:
    """The file's syntax tree with the fault."""
    tree = ast.parse(path_of(fault.file).read_text())
    for number, (_, change) in enumerate(_changes(tree)):
        if number == fault.number:
            change.swap()
            return ast.fix_missing_locations(tree)
    raise ValueError(f"{fault.file} has no fault {fault.number}")


def _line_of(statement: Any) -> str:
    """A statement as one line; of one with a body its head."""
    shown = copy.copy(statement)
    if hasattr(shown, "body"):
        shown.body, shown.orelse = [ast.Expr(ast.Constant(...))], []
    return ast.unparse(ast.fix_missing_locations(shown)).splitlines()[0]


def _changes(tree: ast.Module) -> Iterator[tuple[str, _Change]]:
    for name, function in _functions(tree, ""):
        for body, index in _statements(function):
            for change in _of_statement(body, index):
                yield name, change


def _functions(node: Any, outer: str) -> Iterator[tuple[str, Any]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef):
            if not any(mark in ast.unparse(decorator) for decorator in child.decorator_list for mark in NATIVE_MARKS):
                yield outer + child.name, child
                yield from _functions(child, f"{outer}{child.name}.")
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{outer}{child.name}.")


def _statements(node: Any) -> Iterator[tuple[list[Any], int]]:
    """The statements of a function, each as its place in a list; those of functions in it left out."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        rows = getattr(node, field, None)
        for index, child in enumerate(rows if isinstance(rows, list) else ()):
            if isinstance(child, ast.FunctionDef | ast.ClassDef | ast.Raise | ast.Assert):
                continue
            if isinstance(child, ast.stmt):
                yield rows, index
            yield from _statements(child)


def _of_statement(body: list[Any], index: int) -> Iterator[_Change]:
    statement = body[index]
    if isinstance(statement, ast.AugAssign):
        for other in OPERATIONS.get(type(statement.op), ()):
            yield _Change("arithmetic", statement, vars(statement), "op", other())
    if isinstance(statement, ast.If | ast.While) and isinstance(statement.test, ast.Name | ast.Attribute | ast.Call):
        yield _Change("condition", statement, vars(statement), "test", ast.UnaryOp(ast.Not(), statement.test))
    if _may_be_left_out(statement):
        yield _Change("statement left out", statement, body, index, ast.copy_location(ast.Pass(), statement))
    for node in _expressions(statement):
        yield from _of_expression(statement, node)


def _may_be_left_out(statement: Any) -> bool:
    """Whether the function still makes sense without it. Without an assignment to a name it would only stop with a NameError."""
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Call)
    if isinstance(statement, ast.Assign):
        return all(isinstance(target, ast.Attribute | ast.Subscript) for target in statement.targets)
    return isinstance(statement, ast.AugAssign | ast.Break | ast.Continue)


def _expressions(statement: Any) -> Iterator[Any]:
    """The expressions of a statement, its body, its texts and its annotations left out."""
    left = [value for field, value in ast.iter_fields(statement) if field not in ("body", "orelse", "handlers", "finalbody", "annotation")]
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return
    while left:
        value = left.pop(0)
        if isinstance(value, list):
            left = value + left
        elif isinstance(value, ast.AST) and not isinstance(value, ast.JoinedStr | ast.Lambda | ast.stmt):
            yield value
            left = [child for _, child in ast.iter_fields(value)] + left


def _of_expression(statement: Any, node: Any) -> Iterator[_Change]:
    fields = vars(node)
    match node:
        case ast.Compare():
            for index, operator in enumerate(node.ops):
                for other in COMPARISONS[type(operator)]:
                    yield _Change("comparison", statement, node.ops, index, other())
        case ast.BinOp(left=ast.Constant(value=str())):
            return
        case ast.BinOp():
            for other in OPERATIONS.get(type(node.op), ()):
                yield _Change("arithmetic", statement, fields, "op", other())
        case ast.BoolOp():
            yield _Change("and, or", statement, fields, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And())
        case ast.IfExp():
            yield _Change("condition", statement, fields, "test", ast.UnaryOp(ast.Not(), node.test))
        case ast.UnaryOp(op=ast.Invert()):
            yield _Change("unary", statement, fields, "op", ast.UAdd())
        case ast.UnaryOp(op=ast.Not()):
            yield _Change("unary", statement, fields, "operand", ast.UnaryOp(ast.Not(), node.operand))
        case ast.Constant(value=bool()):
            yield _Change("constant", statement, fields, "value", not node.value)
        case ast.Constant(value=int()):
            yield _Change("constant", statement, fields, "value", node.value + 1)
            if node.value > 0:
                yield _Change("constant", statement, fields, "value", node.value - 1)
        case ast.Call(func=ast.Name(id=name)) if name in BOUNDS:
            yield _Change("bound", statement, fields, "func", ast.Name(BOUNDS[name], ast.Load()))
        case ast.Call(func=ast.Name(id="range")) if not node.keywords:
            last = min(1, len(node.args) - 1)
            yield _Change("bound", statement, node.args, last, ast.BinOp(node.args[last], ast.Sub(), ast.Constant(1)))
