"""Units of strangers: read as text, and refused where they are anything but a unit.

A unit is a small thing: numbers, loops, branches, the fields of its record. So it needs no process of its own. Its file is read before
anything of it is executed, and what it may hold is listed here: definitions of functions, numbers, names of `warploom.units`. A file that
has been let through names nothing with which it could reach the judge: no import, no attribute of a Python object, no function of Python's
but arithmetic.
"""

from __future__ import annotations

import ast

import numpy as np

from warploom import units
from warploom.grade.submission import Submission

NUMPY = ("int32", "int64", "uint32", "uint64", "float32", "float64")
OF_HOSTS = ("SLOTS", "Slot", "UnitError", "load_unit", "take_units", "unit_name", "unit_place")
NAMES = tuple(name for name in units.__all__ if name not in OF_HOSTS)
FUNCTIONS = ("abs", "bool", "divmod", "float", "int", "len", "max", "min", "range", "round")
OF_FILES = (ast.FunctionDef, ast.Assign, ast.AnnAssign, ast.ImportFrom, ast.Import, ast.Expr)
ALLOWED = (
    ast.Module, ast.FunctionDef, ast.arguments, ast.arg, ast.Return, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For, ast.While, ast.If,
    ast.Expr, ast.Pass, ast.Break, ast.Continue, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Call, ast.keyword, ast.Constant,
    ast.Attribute, ast.Subscript, ast.Name, ast.IfExp, ast.Tuple, ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop,
)  # fmt: skip
# Fields of records have names of their own; these are what arrays, numbers and texts can do beside what a unit needs.
REFUSED = {name for kind in (np.ndarray, np.generic, str, bytes, dict, int, float) for name in dir(kind)} - {"count"}
MOST_POWER = 64  # of an exponent
WORDS = {"importfrom": "import", "functiondef": "def", "classdef": "class", "listcomp": "a comprehension", "list": "a list"}
CURE = "a graded unit has functions, numbers, loops, branches, fields of its records, and names of warploom.units"


class NotAUnit(ValueError):
    """A file that holds more than units. One sentence."""


def check_text(submission: Submission) -> None:
    """Raise NotAUnit, with the line, for a file that holds anything but units; SyntaxError where it is not Python."""
    tree = ast.parse(submission.text, submission.path.name)
    _Reader(submission.path.name, tree).read()


class _Reader:
    """Goes through one file."""

    def __init__(self, name: str, tree: ast.Module) -> None:
        self.name, self.tree = name, tree
        self.known = {*FUNCTIONS}  # names of the file
        self.numpy: set[str] = set()  # what it calls NumPy

    def fail(self, node: ast.AST, what: str) -> NotAUnit:
        line = getattr(node, "lineno", 0)
        return NotAUnit(f"{self.name}:{line}: {what}; {CURE}" if line else f"{self.name}: {what}; {CURE}")

    def read(self) -> None:
        for node in ast.walk(self.tree):
            if not isinstance(node, (*ALLOWED, ast.ImportFrom, ast.Import, ast.alias)):
                raise self.fail(node, f"{_word(node)} is not allowed here")
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and not _is_small(node.right):
                raise self.fail(node, f"an exponent is a written number, {MOST_POWER} at most")
        said = {id(node.value) for node in ast.walk(self.tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes) and id(node) not in said:
                raise self.fail(node, "a text is not a number")
        for statement in self.tree.body:
            if not isinstance(statement, OF_FILES):
                raise self.fail(statement, f"{_word(statement)} stands outside of a function")
            if isinstance(statement, ast.Import | ast.ImportFrom):
                self._import(statement)
            elif isinstance(statement, ast.FunctionDef):
                self._name(statement, statement.name)
                self.known.add(statement.name)
            elif isinstance(statement, ast.Assign):
                for target in statement.targets:
                    if not isinstance(target, ast.Name):
                        raise self.fail(statement, "only a name gets a value outside of a function")
                    self.known.add(target.id)
        own = {one.name for one in self.tree.body if isinstance(one, ast.FunctionDef)}
        for statement in self.tree.body:
            if isinstance(statement, ast.FunctionDef):
                self._function(statement)
            elif not isinstance(statement, ast.Import | ast.ImportFrom):
                if isinstance(statement, ast.Expr) and not isinstance(statement.value, ast.Constant):
                    raise self.fail(statement, "a value that nobody uses stands outside of a function")
                for node in ast.walk(statement):
                    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in own:
                        raise self.fail(node, f"{node.func.id} is called outside of a function")
                self._expressions(statement, self.known, frozenset())

    def _import(self, statement: ast.Import | ast.ImportFrom) -> None:
        if isinstance(statement, ast.ImportFrom):
            if statement.module == "__future__":
                return
            if statement.module != "warploom.units" or statement.level:
                raise self.fail(statement, f"it imports from {statement.module or '.'}")
            for one in statement.names:
                if one.name not in NAMES:
                    raise self.fail(statement, f"{one.name} of warploom.units is not for graded units")
                self._name(statement, one.asname or one.name)
                self.known.add(one.asname or one.name)
            return
        for one in statement.names:
            if one.name != "numpy":
                raise self.fail(statement, f"it imports {one.name}")
            self.numpy.add(one.asname or one.name)

    def _function(self, function: ast.FunctionDef) -> None:
        for inner in ast.walk(function):
            if isinstance(inner, ast.Import | ast.ImportFrom) or (isinstance(inner, ast.FunctionDef) and inner is not function):
                raise self.fail(inner, f"{_word(inner)} stands inside of a function")
        for kind in (function.returns, *(one.annotation for one in ast.walk(function.args) if isinstance(one, ast.arg))):
            if kind is not None and not (isinstance(kind, ast.Name) and kind.id in FUNCTIONS):
                raise self.fail(function, f"{function.name} says a type that is not int, float or bool")
        for mark in function.decorator_list:
            if not (isinstance(mark, ast.Name) and mark.id == "unit" and "unit" in self.known):
                raise self.fail(mark, f"{function.name} is marked with something else than @unit")
        given = function.args
        parameters = frozenset(one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs))
        if given.vararg or given.kwarg or given.defaults or given.kw_defaults:
            raise self.fail(function, f"{function.name} has parameters with defaults, or any number of them")
        stored = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        for name in (*parameters, *stored):
            self._name(function, name)
            if name in self.numpy:
                raise self.fail(function, f"{function.name} gives {name} a different meaning")
        for statement in function.body:
            self._expressions(statement, self.known | parameters | stored, parameters - stored)

    def _expressions(self, statement: ast.stmt, known: set[str], records: frozenset[str]) -> None:
        """Check every name and attribute. records: names whose fields may be used."""
        of_numpy = set()
        for node in ast.walk(statement):
            if isinstance(node, ast.Attribute):
                base = node.value
                if isinstance(base, ast.Name) and base.id in self.numpy and node.attr in NUMPY:
                    of_numpy.add(id(base))
                elif not (isinstance(base, ast.Name) and base.id in records) or node.attr.startswith("_") or node.attr in REFUSED:
                    raise self.fail(node, f"{ast.unparse(node)} is not a field of a record that the function is handed")
            elif isinstance(node, ast.Call) and not isinstance(node.func, ast.Name | ast.Attribute):
                raise self.fail(node, f"{ast.unparse(node.func)} is called")
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and id(node) not in of_numpy and node.id not in known:
                raise self.fail(node, f"the name {node.id} is not known")

    def _name(self, node: ast.AST, name: str) -> None:
        if name.startswith("__") or name in FUNCTIONS:
            raise self.fail(node, f"{name} is a name of Python's")


def _word(node: ast.AST) -> str:
    """What a piece of syntax is called."""
    name = type(node).__name__.lower()
    return WORDS.get(name, name)


def _is_small(exponent: ast.expr) -> bool:
    return isinstance(exponent, ast.Constant) and isinstance(exponent.value, int) and 0 <= exponent.value <= MOST_POWER
