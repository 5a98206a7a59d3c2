"""Importing the machine with changed sources: one file with a fault, or all of them saying which parts of them are reached.

The files stay as they are. What is imported has their names and line numbers, so messages and tests that read the source see no difference.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from tests.mutation.faults import MACHINE, Fault, faulty, path_of

Trees = Callable[[str], ast.Module | None]  # of a file below warploom/machine; None where it stays as it is


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: str, tree: ast.Module) -> None:
        super().__init__(name, path)
        self._tree = tree

    def get_code(self, fullname: str) -> CodeType | None:
        return compile(self._tree, self.path, "exec", dont_inherit=True)


class Changed(MetaPathFinder):
    """Finds the modules of the machine before anybody else does. trees: what is imported in the place of a file."""

    def __init__(self, trees: Trees) -> None:
        self.trees = trees

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if not fullname.startswith("warploom.machine"):
            return None
        spec = PathFinder.find_spec(fullname, path)
        if spec is None or spec.origin is None or not Path(spec.origin).is_relative_to(MACHINE):
            return spec
        tree = self.trees(Path(spec.origin).relative_to(MACHINE).as_posix())
        if tree is not None:
            spec.loader = _Loader(fullname, spec.origin, tree)
        return spec


def import_with(fault: Fault) -> None:
    """From now on this process imports the machine with a fault."""
    assert "warploom.machine" not in sys.modules
    sys.meta_path.insert(0, Changed(lambda file: faulty(fault) if file == fault.file else None))


def import_watched(files: Sequence[str], reached: set[str]) -> None:
    """From now on what this process runs of the machine is written down: "file:line" of the first line of each body."""
    assert "warploom.machine" not in sys.modules
    sys.meta_path.insert(0, Changed(lambda file: _watched(file, reached) if file in files else None))


class _Watch(ast.NodeTransformer):
    """A call at the beginning of each body: of a function, a loop, a branch."""

    def __init__(self, file: str, known: dict[str, Any]) -> None:
        self.file, self.known = file, known

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if isinstance(node, ast.FunctionDef | ast.If | ast.For | ast.While | ast.With | ast.Try | ast.ExceptHandler | ast.match_case):
            for body in (node.body, getattr(node, "orelse", [])):
                if body:
                    call = ast.parse(f"_reached({f'{self.file}:{body[0].lineno}'!r})").body[0]
                    at = 1 if isinstance(node, ast.FunctionDef) and ast.get_docstring(node, clean=False) is not None else 0
                    for part in ast.walk(call):
                        ast.copy_location(part, body[0])
                    body.insert(at, call)
        return node


def _watched(file: str, reached: set[str]) -> ast.Module:
    import builtins

    vars(builtins)["_reached"] = reached.add
    tree = ast.parse((MACHINE / file).read_text())
    _Watch(file, {}).visit(tree)
    return tree


def place_of(file: str, line: int) -> str:
    """The place in `import_watched`'s words that is reached when a line of a file is: the nearest body around it."""
    nearest, span = 0, 1 << 30
    for node in ast.walk(ast.parse(path_of(file).read_text())):
        for body in (getattr(node, "body", None), getattr(node, "orelse", None)):
            if isinstance(body, list) and body and not isinstance(node, ast.Module | ast.ClassDef):
                first, last = body[0].lineno, body[-1].end_lineno
                if first <= line <= last and last - first < span:
                    nearest, span = first, last - first
    return f"{file}:{nearest}"
