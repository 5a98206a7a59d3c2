"""Shifts of a user's unit by fewer bits than none, or by more than a number has: the same mistake in both engines.

Not hardware: a barrel shifter has as many wires for the count as it needs. Plain Python shifts by any number, and natively a shift by 64
bits and more is undefined, so that such code may do anything. So the function that runs, or is compiled, looks at the count of each shift
where it is not written down.
"""

from __future__ import annotations

import ast
from typing import Any

from warploom.machine.engine.no_value import Names, statements_at

BITS = 64
SAID = "a shift is by 0 to 63 bits"


def with_checked_shifts(definition: ast.FunctionDef, names: Names) -> bool:
    """Change a function so that it checks by how much it shifts. Whether there was something to check."""
    checked = _Checked(names)
    checked.block(definition)
    return checked.number > 0


class _Checked(ast.NodeTransformer):
    """Puts the counts of shifts through checks: small functions, each in the line of its shift.

    They stand at the head of the innermost function that is not a lambda: natively a function that is handed on takes none from around it.
    """

    def __init__(self, names: Names) -> None:
        self.names, self.number = names, 0
        self.checks: list[ast.stmt] = []

    def block(self, function: ast.FunctionDef) -> None:
        """What a function does."""
        outside, self.checks = self.checks, []
        body = [self.visit(each) for each in function.body]
        function.body, self.checks = [*self.checks, *body], outside

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        """Another function; the values that its arguments have of their own are made outside of it."""
        node.args = self.visit(node.args)
        self.block(node)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        """A shift."""
        self.generic_visit(node)
        if isinstance(node.op, ast.LShift | ast.RShift):
            node.right = self._count(node.right)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        """A shift of what has a name."""
        self.generic_visit(node)
        if isinstance(node.op, ast.LShift | ast.RShift):
            node.value = self._count(node.value)
        return node

    def _count(self, count: ast.expr) -> ast.expr:
        if isinstance(count, ast.Constant) and type(count.value) is int and 0 <= count.value < BITS:
            return count
        name = self.names(f"shift_{self.number}")
        self.number += 1
        raises = f"raise ValueError({SAID!r})"
        # `|` and not `or`: of a branch on a constant a compiler would keep one side alone, which may be the one that returns nothing
        self.checks += statements_at(
            f"def {name}(count):\n    if (count < 0) | (count >= {BITS}):\n        {raises}\n    return count", count
        )
        call: Any = statements_at(f"{name}(0)", count)[0].value
        call.args = [count]
        return call
