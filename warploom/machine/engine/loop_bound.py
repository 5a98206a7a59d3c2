"""Loops of a user's unit that do not end: each gets a bound, the same in both engines.

Not hardware, but its rule: a unit answers within a cycle, so each of its loops has an end that is known when it is built. A `while` of a
user's may have none, a `for` over the numbers below a mask has one that nobody lives to see, and native code that does not return cannot be
interrupted. So the function that runs, or is compiled, is the user's with a count of iterations in each loop, which costs an addition and a
comparison an iteration. A `for` over numbers that stand in its line needs none.
"""

from __future__ import annotations

import ast
import dis
import inspect
import textwrap
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

from warploom.machine.engine.no_value import may_lack_a_value, with_questions

MOST = 1_000_000  # iterations of one loop in one call; the longest loops that have a purpose go over the blocks of a cache
ENDLESS = f"this loop has run {MOST:_} times in one call, and has not ended".replace("_", " ")
_MARK = "__warploom_bounded__"


def bounded(function: Callable[..., Any], *, answers: bool = False) -> Callable[..., Any]:
    """A user's function whose loops are counted, and that asks for values that may lack (no_value.py); itself where there is neither.

    Where nothing is known of its source it stays as it is.

    answers: of one that never returns, the form of which a compiler believes that it gives a whole number. It does the same.
    """
    if not isinstance(function, FunctionType) or hasattr(function, _MARK):
        return function
    ends = answers and _never_returns(function.__code__)
    code = _code(function, ends)
    if code is None:
        return function
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    closure = tuple(cells[name] for name in code.co_freevars)
    made = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
    made.__kwdefaults__, made.__annotations__ = function.__kwdefaults__, function.__annotations__
    made.__qualname__, made.__module__ = function.__qualname__, function.__module__
    made.__dict__.update(function.__dict__)
    made.__wrapped__ = function  # type: ignore[attr-defined]
    setattr(made, _MARK, True)
    return made


def _never_returns(code: CodeType) -> bool:
    """Whether no path leads to an end: Python leaves out what comes after a `while True` without `break`."""
    return not any(step.opname in ("RETURN_VALUE", "RETURN_CONST") for step in dis.get_instructions(code))


def _code(function: FunctionType, ends: bool) -> CodeType | None:
    """The code of the function with counts and questions, at the same lines of the same file; None where it has none, or cannot be had.

    ends: loops have conditions that may become false, as far as a compiler sees, and the function ends with a number.
    """
    try:
        lines, first = inspect.getsourcelines(function.__code__)
        (definition,) = ast.parse(textwrap.dedent("".join(lines))).body
    except (OSError, TypeError, ValueError, SyntaxError):
        return None
    if not isinstance(definition, ast.FunctionDef):
        return None
    lacking = may_lack_a_value(definition)
    with_questions(definition, lacking)
    counter = _Counted(ends)
    counted: Any = counter.visit(definition)
    if not (counter.loops or lacking or ends):
        return None
    counted.decorator_list, counted.args.defaults, counted.args.kw_defaults = [], [], [None] * len(counted.args.kwonlyargs)
    counted.returns = None
    if ends:
        if not counter.loops:  # it raises, whatever happens: a compiler believes that a loop may have no iteration
            once: Any = ast.parse("for once in range(1): pass").body[0]
            once.body, counted.body = counted.body, [once]
        counted.body.append(ast.Return(ast.Constant(0)))
    for argument in ast.walk(counted.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    # a function of the names that it takes from around it, so that they are not looked for among the globals
    around: Any = ast.parse(f"def around({', '.join(function.__code__.co_freevars)}): pass")
    around.body[0].body = [counted]
    ast.increment_lineno(counted, first - 1)
    module = compile(ast.fix_missing_locations(around), function.__code__.co_filename, "exec")
    outer = next(each for each in module.co_consts if isinstance(each, CodeType))
    return next(each for each in outer.co_consts if isinstance(each, CodeType) and each.co_name == definition.name)


class _Counted(ast.NodeTransformer):
    """Puts a count before each loop, and its step at the head of the body."""

    def __init__(self, ends: bool) -> None:
        self.loops, self.ends = 0, ends

    def visit_While(self, node: ast.While) -> Any:
        """A loop, and those in it."""
        before, name = self._count(node)
        if self.ends and isinstance(node.test, ast.Constant) and node.test.value:
            node.test = ast.copy_location(ast.parse(f"{name} <= {MOST}", mode="eval").body, node.test)
        return [*before, node]

    def visit_For(self, node: ast.For) -> Any:
        """A loop over numbers, and those in it."""
        if _is_short(node.iter):
            self.generic_visit(node)
            return node
        before, _ = self._count(node)
        return [*before, node]

    def _count(self, node: ast.While | ast.For) -> tuple[list[ast.stmt], str]:
        """What stands before a loop, whose body now counts; and the name of the count."""
        name = f"iterations_of_loop_{self.loops}"
        self.loops += 1
        self.generic_visit(node)
        before = ast.parse(f"{name} = 0").body
        step = ast.parse(f"{name} += 1\nif {name} > {MOST}:\n    raise RuntimeError({ENDLESS!r})").body
        for added in (*before, *step):
            for part in ast.walk(added):
                if "lineno" in part._attributes:
                    ast.copy_location(part, node)
                    part.end_lineno, part.end_col_offset = node.lineno, node.col_offset  # type: ignore[attr-defined]
        node.body = [*step, *node.body]
        return before, name


def _is_short(numbers: ast.expr) -> bool:
    """Whether the numbers of a loop are `range` of constants, and few."""
    if not (isinstance(numbers, ast.Call) and isinstance(numbers.func, ast.Name) and numbers.func.id == "range"):
        return False
    try:
        return all(type(number) is int and abs(number) <= MOST for number in map(ast.literal_eval, numbers.args))
    except ValueError:
        return False
