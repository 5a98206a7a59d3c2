"""Names of a user's unit that have no value yet where they are used: the same mistake in both engines.

Not hardware, where such a name would be a latch that nobody has asked for. Python stops there; native code reads whatever is in the
register. So of a name that may have none on some path, the function that runs, or is compiled, keeps beside it whether it has one, and
asks before each use. Of all other names nothing is kept.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import Any

SAID = "cannot access local variable {!r} where it is not associated with a value"  # as Python says it
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def may_lack_a_value(definition: ast.FunctionDef) -> set[str]:
    """Names of a function's own that it uses on some path before they have a value, as far as its text tells."""
    nodes = list(_inside(definition.body))
    kept = {name for node in nodes for name in _bound_otherwise(node)}
    mine = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)} - kept
    paths = _Paths(mine - {each.arg for each in ast.walk(definition.args) if isinstance(each, ast.arg)})
    paths.block(definition.body, frozenset())
    return paths.lacking


class Names:
    """Names that we add to a function: none that stands in it already, as one of its own or of those outside."""

    def __init__(self, definition: ast.FunctionDef) -> None:
        self._taken = set(re.findall(r"\w+", ast.unparse(definition)))

    def __call__(self, wanted: str) -> str:
        """This name, with underscores after it where the function has it."""
        while wanted in self._taken:
            wanted += "_"
        return wanted


def statements_at(text: str, node: ast.AST) -> list[Any]:
    """Statements of ours, in the line of a user's."""
    statements = ast.parse(text).body
    for part in (part for statement in statements for part in ast.walk(statement)):
        if "lineno" in part._attributes:
            ast.copy_location(part, node)
            part.end_lineno, part.end_col_offset = part.lineno, part.col_offset  # type: ignore[attr-defined]
    return statements


def with_questions(definition: ast.FunctionDef, lacking: Iterable[str], names: Names) -> None:
    """Change a function so that it asks before each use of the names that may lack a value whether they have one."""
    asked = _Asked(set(lacking), names)
    body = [statement for each in definition.body for statement in _listed(asked.visit(each))]
    none_yet = ast.parse("\n".join(f"{asked.there(name)} = 0" for name in sorted(asked.lacking))).body
    definition.body = [*none_yet, *asked.questions, *body]


def _inside(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Nodes and what is in them, but for other functions and classes."""
    for node in nodes:
        yield node
        if not isinstance(node, FUNCTIONS):
            yield from _inside(ast.iter_child_nodes(node))


def _bound_otherwise(node: ast.AST) -> list[str]:
    """Names that get their value in the middle of an expression, by a pattern, from an import, or elsewhere: they are left as they are."""
    if isinstance(node, ast.NamedExpr):
        return [node.target.id]
    if isinstance(node, ast.comprehension):
        return [each.id for each in ast.walk(node.target) if isinstance(each, ast.Name)]
    if isinstance(node, ast.Delete):
        return [each.id for each in node.targets if isinstance(each, ast.Name)]
    if isinstance(node, ast.Global | ast.Nonlocal):
        return node.names
    return [node.name] if isinstance(node, ast.MatchAs | ast.MatchStar) and node.name else []


def _stored(node: ast.AST) -> frozenset[str]:
    return frozenset(each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store))


Known = frozenset[str] | None  # names that have a value on every path to a place; None where no path leads there


class _Paths:
    """Follows the paths through a function."""

    def __init__(self, names: set[str]) -> None:
        self.names, self.lacking = names, set[str]()

    def block(self, statements: Iterable[ast.stmt], known: Known) -> Known:
        """What is known after some statements."""
        for statement in statements:
            known = self._after(statement, known) if known is not None else None
        return known

    def _uses(self, known: frozenset[str], *nodes: ast.AST) -> None:
        loads = (each for node in nodes for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load))
        self.lacking |= {each.id for each in loads if each.id in self.names} - known

    def _after(self, node: Any, known: frozenset[str]) -> Known:
        if isinstance(node, ast.If):
            self._uses(known, node.test)
            one, other = self.block(node.body, known), self.block(node.orelse, known)
            return one & other if one is not None and other is not None else one if other is None else other
        if isinstance(node, ast.While | ast.For):
            self._uses(known, node.test if isinstance(node, ast.While) else node.iter)
            self.block(node.body, known | (_stored(node.target) if isinstance(node, ast.For) else frozenset()))
            self.block(node.orelse, known)
            return known
        if isinstance(node, ast.Match):
            self._uses(known, node.subject)
            for case in node.cases:
                self.block(case.body, known)
            return known
        self._uses(known, node)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            self._uses(known, ast.Name(node.target.id, ast.Load()))
        if isinstance(node, ast.Return | ast.Raise | ast.Break | ast.Continue):
            return None
        return known if isinstance(node, ast.AnnAssign) and node.value is None else known | _stored(node)


def _listed(found: Any) -> list[ast.stmt]:
    return found if isinstance(found, list) else [found]


class _Asked(ast.NodeTransformer):
    """Notes where names get a value, and asks where they are used. questions: a small function each, in the line of the use."""

    def __init__(self, lacking: set[str], names: Names) -> None:
        self.lacking, self.names = lacking, names
        self.questions: list[ast.stmt] = []

    def there(self, name: str) -> str:
        """What says whether a name has a value: 0 or 1."""
        return self.names(f"{name}_has_a_value")

    def visit_Name(self, node: ast.Name) -> Any:
        """A use of a name."""
        if node.id not in self.lacking or not isinstance(node.ctx, ast.Load):
            return node
        return ast.copy_location(ast.parse(f"({self._question(node)}, {node.id})[1]", mode="eval").body, node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        """Another function has names of its own."""
        return node

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        """As another function."""
        return node

    def visit_Assign(self, node: ast.Assign) -> Any:
        """A name gets a value."""
        self.generic_visit(node)
        return [node, *self._noted(node)]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        """A name gets a value, if one stands there."""
        self.generic_visit(node)
        return [node, *self._noted(node)] if node.value is not None else node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        """A name is used, and gets a value."""
        asks = isinstance(node.target, ast.Name) and node.target.id in self.lacking
        question = self._question(node.target) if asks else ""
        self.generic_visit(node)
        before = [ast.copy_location(each, node) for each in ast.parse(question).body]
        return [*before, node]

    def visit_For(self, node: ast.For) -> Any:
        """A name has a value in the loop."""
        self.generic_visit(node)
        node.body = [*self._noted(node.target), *node.body]
        return node

    def _question(self, node: Any) -> str:
        name = self.names(f"ask_{len(self.questions)}")
        raises = f"raise UnboundLocalError({SAID.format(node.id)!r})"
        self.questions += statements_at(f"def {name}(there):\n    if there == 0:\n        {raises}\n    return 0", node)
        return f"{name}({self.there(node.id)})"

    def _noted(self, node: ast.AST) -> list[ast.stmt]:
        notes = ast.parse("\n".join(f"{self.there(name)} = 1" for name in sorted(_stored(node) & self.lacking))).body
        return [ast.copy_location(each, node) for each in notes]
