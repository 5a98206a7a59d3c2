"""Loops of a user's unit that do not end: each gets a bound, the same in both engines.

Not hardware, but its rule: a unit answers within a cycle, so each of its loops has an end that is known when it is built. A `while` of a
user's may have none, a `for` over the numbers below a mask has one that nobody lives to see, and native code that does not return cannot be
interrupted. So the function that runs, or is compiled, is the user's with a count of iterations for each loop, which costs an addition and
a comparison an iteration. A count begins with the call of the unit and not with the loop: a loop within a loop may be short and run for
ever, and so may a loop in a function that a loop calls: such a function takes its counts along from one call to the next (call_counts.py).
A loop over few numbers that stand in its line needs none, where all that are in it and around it are such, and nothing that has loops of
its own is called in it.
"""

from __future__ import annotations

import ast
import builtins
import dis
import inspect
import textwrap
from collections.abc import Callable, Sequence
from types import CellType, CodeType, FunctionType
from typing import Any, NamedTuple

from warploom.machine.engine.call_counts import KEPT, carried, carry, room_for
from warploom.machine.engine.no_value import FUNCTIONS, Names, may_lack_a_value, statements_at, with_questions
from warploom.machine.engine.shifts import with_checked_shifts

MOST = 1_000_000  # iterations of one loop in one call; the longest loops that have a purpose go over the blocks of a cache
SHORT = 4_096  # iterations of a loop that needs no count, with those of the loops in it
SHORT_CALLED = 64  # ... in a function that a unit calls, which it may do in a loop
ENDLESS = f"this loop has run {MOST:_} times in one call, and has not ended".replace("_", " ")
IN_ALL = f"this loop has run {MOST:_} times in one call of the unit, in all calls of its function".replace("_", " ")
AROUND = f"a loop within this one has run {MOST:_} times in one call, and this one has not ended".replace("_", " ")
_MARK = "__warploom_bounded__"


def bounded(function: Callable[..., Any], *, answers: bool = False, called: bool = False) -> Callable[..., Any]:
    """A user's function whose loops are counted, and that asks for values that may lack (no_value.py) and by how much it shifts
    (shifts.py); itself where there is nothing of all that.

    Where nothing is known of its source it stays as it is.

    answers: of one that never returns, the form of which a compiler believes that it gives a whole number. It does the same.
    called: of one that a unit calls, whose counts go on until the unit is called anew.
    """
    if not isinstance(function, FunctionType) or hasattr(function, _MARK):
        return function
    ends = answers and _never_returns(function.__code__)
    names_of_ours: dict[str, Any] = {}
    code = _code(function, ends, called, names_of_ours)
    if code is None:
        return function
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells |= {name: CellType(value) for name, value in names_of_ours.items()}
    closure = tuple(cells[name] for name in code.co_freevars)
    made = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
    made.__kwdefaults__, made.__annotations__ = function.__kwdefaults__, function.__annotations__
    made.__qualname__, made.__module__ = function.__qualname__, function.__module__
    made.__dict__.update(function.__dict__)
    made.__wrapped__ = function  # type: ignore[attr-defined]
    setattr(made, _MARK, True)
    if set(names_of_ours) & set(code.co_freevars):
        setattr(made, KEPT, True)
    return made


def _never_returns(code: CodeType) -> bool:
    """Whether no path leads to an end: Python leaves out what comes after a `while True` without `break`."""
    return not any(step.opname in ("RETURN_VALUE", "RETURN_CONST") for step in dis.get_instructions(code))


def _code(function: FunctionType, ends: bool, called: bool, names_of_ours: dict[str, Any]) -> CodeType | None:
    """The code of the function with counts and questions, at the same lines of the same file; None where it has none, or cannot be had.

    ends: loops have conditions that may become false, as far as a compiler sees, and the function ends with a number. called: counts are
    kept from one call to the next. names_of_ours: gets the functions of ours that the code finds around it.
    """
    if (found := _definition(function)) is None:
        return None
    definition, first = found
    lacking = may_lack_a_value(definition)
    names = Names(definition)
    theirs = {each.name for each in definition.body if isinstance(each, ast.FunctionDef)}
    with_questions(definition, lacking, names)
    shifts = with_checked_shifts(definition, names)
    short = _short_calls(function) | {each.name for each in definition.body if isinstance(each, ast.FunctionDef)} - theirs
    names_of_ours |= {names("carried"): carried, names("carry"): carry}
    counter = _Counted(ends, names, called, list(names_of_ours), short)
    counted: Any = counter.visit(definition)
    if not (counter.loops or lacking or shifts or ends):
        return None
    counted.decorator_list, counted.args.defaults, counted.args.kw_defaults = [], [], [None] * len(counted.args.kwonlyargs)
    counted.returns = None
    if ends:
        if not counter.loops:  # it raises, whatever happens: a compiler believes that a loop may have no iteration
            once: Any = ast.parse(f"for {names('once')} in range(1): pass").body[0]
            once.body, counted.body = counted.body, [once]
        counted.body.append(ast.Return(ast.Constant(0)))
    for argument in ast.walk(counted.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    # a function of the names that it takes from around it, so that they are not looked for among the globals
    around: Any = ast.parse(f"def around({', '.join((*function.__code__.co_freevars, *names_of_ours))}): pass")
    around.body[0].body = [counted]
    if definition.name not in function.__code__.co_freevars:  # one that calls itself finds itself there, as before
        around.body[0].body.insert(0, ast.Global([definition.name]))
    ast.increment_lineno(counted, first - 1)
    module = compile(ast.fix_missing_locations(around), function.__code__.co_filename, "exec")
    outer = next(each for each in module.co_consts if isinstance(each, CodeType))
    return next(each for each in outer.co_consts if isinstance(each, CodeType) and each.co_name == definition.name)


def _definition(function: FunctionType) -> tuple[ast.FunctionDef, int] | None:
    """What the source of a function says, a lambda as a function with a name, and its first line; None where that cannot be had."""
    try:
        lines, first = inspect.getsourcelines(function.__code__)
        (definition,) = ast.parse(textwrap.dedent("".join(lines))).body
    except (OSError, TypeError, ValueError, SyntaxError):
        return None
    if function.__code__.co_name == "<lambda>":
        lambdas = [node for node in ast.walk(definition) if isinstance(node, ast.Lambda)]
        if len(lambdas) != 1:
            return None
        (named,) = statements_at("def a_lambda(): return 0", lambdas[0])
        named.args, named.body[0].value, definition = lambdas[0].args, lambdas[0].body, named
    return (definition, first) if isinstance(definition, ast.FunctionDef) else None


class _Loop(NamedTuple):
    """A loop that is counted. iterations: how many since the call began; start: what that was when the loop was last entered."""

    node: ast.While | ast.For
    iterations: str
    start: str


class _Counted(ast.NodeTransformer):
    """Puts the counts of its loops at the head of a function, and a step at the head of each loop's body."""

    def __init__(self, ends: bool, names: Names, called: bool, ours: Sequence[str], short: frozenset[str]) -> None:
        """called: the counts of the outermost function are kept too. ours: the names of what reads and keeps them. short: see _rounds."""
        self.loops, self.ends, self.names, self.short = 0, ends, names, short
        self._called, self._ours = called, ours
        self._inside = self._kept = False  # whether the visit is in a function; whether that one's counts are kept
        self._around: list[_Loop] = []  # the counted loops that the visit is in, the outermost first
        self._counts: list[str] = []

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        """A function has its own counts. One within another is called by it, so its counts are kept."""
        outside = self._around, self._counts, self._kept
        self._around, self._counts, self._kept = [], [], self._inside or self._called
        self._inside, inside = True, self._inside
        self.generic_visit(node)
        if self._kept and self._counts:
            self._keep(node)
        else:
            node.body = [*statements_at("\n".join(f"{count} = 0" for count in self._counts), node), *node.body]
        self._around, self._counts, self._kept = outside
        self._inside = inside
        return node

    def _keep(self, node: ast.FunctionDef) -> None:
        """Have a function begin with the counts that it ended with."""
        first, (carried_, carry_) = room_for(len(self._counts)), self._ours
        numbered = list(enumerate(self._counts, 1))
        begin = "\n".join(f"{count} = {carried_}({first}, {number})" for number, count in numbered)
        keep = "\n".join(f"{carry_}({first}, {number}, {count})" for number, count in numbered)
        body = _Returns(keep, self.names).visit(ast.Module(node.body, [])).body
        ends = [] if isinstance(body[-1], ast.Return) else statements_at(keep, node)
        node.body = [*statements_at(begin, node), *body, *ends]

    def visit_While(self, node: ast.While) -> Any:
        """A loop, and those in it."""
        before, name = self._count(node)
        if self.ends and isinstance(node.test, ast.Constant) and node.test.value:
            node.test = ast.copy_location(ast.parse(f"{name} <= {MOST}", mode="eval").body, node.test)
        return [*before, node]

    def visit_For(self, node: ast.For) -> Any:
        """A loop over numbers, and those in it."""
        if not self._around and _rounds(node, self.short) <= (SHORT_CALLED if self._kept else SHORT):
            self.generic_visit(node)
            return node
        entry, _ = self._count(node)
        return [*entry, node]

    def _count(self, node: ast.While | ast.For) -> tuple[list[ast.stmt], str]:
        """What stands before a loop, whose body now counts; and the name of the count."""
        loop = _Loop(node, self.names(f"iterations_of_loop_{self.loops}"), self.names(f"start_of_loop_{self.loops}"))
        self.loops += 1
        self._counts.append(loop.iterations)
        self._around.append(loop)
        self.generic_visit(node)
        step = statements_at(f"{loop.iterations} += 1\nif {loop.iterations} > {MOST}: pass", node)
        step[-1].body = _blame(self._around, kept=self._kept)
        self._around.pop()
        node.body = [*step, *node.body]
        return statements_at(f"{loop.start} = {loop.iterations}", node) if self._around or self._kept else [], loop.iterations


class _Returns(ast.NodeTransformer):
    """Puts statements before each return of a function, after its value is known."""

    def __init__(self, statements: str, names: Names) -> None:
        self.statements, self.names, self.returns = statements, names, 0

    def visit_Return(self, node: ast.Return) -> Any:
        """What is done before it."""
        before = statements_at(self.statements, node)
        if node.value is None:
            return [*before, node]
        name = self.names(f"result_{self.returns}")
        self.returns += 1
        (kept,) = statements_at(f"{name} = 0", node)
        kept.value, (node.value,) = node.value, [each.value for each in statements_at(name, node)]
        return [kept, *before, node]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        """Another function."""
        return node

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        """As another function."""
        return node


def _blame(loops: Sequence[_Loop], said: str = ENDLESS, *, kept: bool = False) -> list[ast.stmt]:
    """What raises, in the line of the innermost loop that has run most of its iterations since it was entered: those in it do end.

    loops: the last of them has run too often, the others are around it, the outermost first. kept: they may have run in calls before.
    """
    *around, loop = loops
    raises = statements_at(f"raise RuntimeError({said!r})", loop.node)
    if not around and not kept:
        return raises
    (asks,) = statements_at(f"if 2 * ({loop.iterations} - {loop.start}) > {loop.iterations}: pass", loop.node)
    asks.body = raises
    return [asks, *(_blame(around, AROUND, kept=kept) if around else statements_at(f"raise RuntimeError({IN_ALL!r})", loop.node))]


def _short_calls(function: FunctionType) -> frozenset[str]:
    """Names that a function may call in a loop that is not counted: of Python's own, and of ours, whose loops are short."""
    found = set(dir(builtins))
    found |= {name for name, value in function.__globals__.items() if str(getattr(value, "__module__", "")).startswith("warploom.")}
    return frozenset(found - {name for name, value in function.__globals__.items() if _is_users(value)})


def _is_users(value: Any) -> bool:
    return isinstance(value, FunctionType) and not value.__module__.startswith("warploom.")


def _rounds(node: ast.AST, short: frozenset[str]) -> int:
    """How often the innermost statement in a node runs where its loops are over numbers that stand there; more than SHORT where not.

    short: names that it may call as if they had no loops.
    """
    if isinstance(node, FUNCTIONS):
        return 1
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id not in short:
        return SHORT + 1
    own = SHORT + 1 if isinstance(node, ast.While) else _length(node.iter) if isinstance(node, ast.For) else 1
    return own * max((_rounds(each, short) for each in ast.iter_child_nodes(node)), default=1)


def _length(numbers: ast.expr) -> int:
    """How many numbers a loop is over where they are a `range` of constants; more than a short loop has where that is not known."""
    if not (isinstance(numbers, ast.Call) and isinstance(numbers.func, ast.Name) and numbers.func.id == "range"):
        return SHORT + 1
    try:
        return len(range(*map(ast.literal_eval, numbers.args)))
    except (ValueError, TypeError, OverflowError):
        return SHORT + 1
