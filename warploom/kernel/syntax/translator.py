"""The translator from a syntax tree to SSA: what all of its parts share.

Statements and expressions are rows of two tables, by the class of the node; `statements.py`, `loops.py`, `expressions.py`,
`calls.py` and `memory.py` fill them. A mistake is written down with its place, what it would have given is `UNKNOWN`, and
translation continues, so that a user sees all mistakes of a kernel at once. What depends on a type that is not known yet is `PENDING`
(`carried.py`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from warploom.compiler.builder import Builder
from warploom.compiler.ssa import At, Block, Value
from warploom.isa.diagnostics import Diagnostics
from warploom.isa.program import Position, Source
from warploom.isa.views import ViewShape
from warploom.kernel.syntax.frozen import Frozen
from warploom.kernel.syntax.tree import Text, assigned, outer_names, text_of
from warploom.kernel.syntax.widening import Given
from warploom.kernel.types.values import PENDING, UNKNOWN, Clash, Pending, Unknown

DYNAMIC = -1  # where the shared array of a size that the launch gives begins, among `Resources.arrays`
LIBRARY = __package__.rpartition(".")[0] + "."  # of modules whose functions kernels call, as `mathematics/libm.py`
MOST_INLINED = 60  # functions within functions
MOST_NODES = 250_000  # expressions and statements that a kernel becomes, what is unrolled and inlined counted each time


class Problem(Exception):
    """An expression or statement has a mistake, which is written down already."""


class Wait(Problem):
    """An expression or statement depends on what this attempt does not know yet; a later attempt may (`carried.py`)."""


class Unreached(Problem):
    """An expression calls a function that never returns: what follows on this path is reached by nobody, and no mistake."""


class TooMuch(Exception):
    """What loops over tuples and functions in functions become is more than a kernel may be. at: where it was too much."""

    def __init__(self, at: At) -> None:
        self.at = at


@dataclass
class Ends:
    """Where a piece of code is left: blocks, and what variables are there. maybe: those that have no value on some path to one of them."""

    places: list[tuple[Block, dict[str, Any]]] = field(default_factory=list)
    maybe: set[str] = field(default_factory=set)

    def add(self, block: Block, frame: Frame) -> None:
        """Leave it from a block, with the variables that the function has now."""
        self.places.append((block, frame.env))
        self.maybe |= frame.maybe


@dataclass
class Frame:
    """A function that is being translated. env: its variables. ends: of returns; loops: (continue, break) of the loops around."""

    name: str
    text: Text
    file: int
    find: Callable[[str], Any]
    env: dict[str, Any]
    local: set[str]
    ends: Ends = field(default_factory=Ends)
    loops: list[tuple[Ends, Ends]] = field(default_factory=list)
    maybe: set[str] = field(default_factory=set)  # variables that have no value on some path
    given: dict[str, Any] = field(default_factory=dict)  # the last value of each variable, on whatever path
    carriers: list[Any] = field(default_factory=list)  # of the loops around (`carried.py`)
    path: tuple[Any, ...] = ()
    function: Any = None
    waits: bool = False  # a statement that may return was left out in this attempt
    bound: dict[str, Any] = field(default_factory=dict)  # what its parameters were given
    frozen: Frozen | None = None  # what names meant where it was decorated, of a function with a signature and of those that it calls
    called: At | None = None  # of a function of our own library: where the user's text calls it, the place of all that it does


@dataclass
class Resources:
    """What a kernel needs beside registers. constants: bytes of constant arrays. notes: texts of what is printed.

    questions: what a kernel that is checked asks: of which kind, and about what. arrays: shared and local ones by where they begin: names
    and shapes. returns: a thread may end before the kernel's last statement.
    """

    shared_bytes: int = 0
    local_bytes: int = 0
    constants: bytearray = field(default_factory=bytearray)
    placed: dict[Any, Any] = field(default_factory=dict)
    notes: list[Any] = field(default_factory=list)
    questions: list[tuple[int, Any]] = field(default_factory=list)
    arrays: dict[tuple[str, int], tuple[str, ViewShape]] = field(default_factory=dict)
    returns: bool = False
    dynamic_shared: bool = False
    cooperative: bool = False


Handler = Callable[["Translator", Any], Any]
EXPRESSIONS: dict[type, Handler] = {}
STATEMENTS: dict[type, Handler] = {}
ACTIONS: dict[str, Callable[..., Any]] = {}  # what files above the arithmetic do for it: inlining, complex numbers


class Translator:
    """One attempt to translate a kernel. types: of loops' variables, which earlier attempts have found; given: what these gave variables.

    thorough: both sides of a branch are looked at whose condition is not known yet.
    """

    def __init__(
        self, sources: list[Source], types: dict[Any, Any], options: dict[str, Any], thorough: bool = False, given: Given | None = None
    ) -> None:
        self.b = Builder()
        self.given = {} if given is None else given
        self.sources = sources
        self.types = types
        self.options = options
        self.found = Diagnostics(sources[0] if sources else Source())
        self.resources = Resources()
        self.capture: Callable[[Any, str], Any] = _nothing  # of arrays in the device's memory that the kernel names and is not handed
        self.bases: dict[Value, tuple[int, int]] = {}  # what is known of where arrays and slices begin (`packed.remainder`)
        self.frames: list[Frame] = []
        self.nodes = 0
        self.problems = 0  # mistakes so far, those that were said before counted again
        self.thorough = thorough
        self.learned = False  # a type in `types` is new: there is a next attempt
        self.left_out = False  # a branch was, for its condition is not known yet
        self.waited = False  # something was pending
        self.guessed = False  # there are truth values in the code that stand for what is not known
        self.missed: dict[Any, tuple[At, str, Frame]] = {}  # reads of variables without a value, which a round before may have given
        self._said: set[tuple[At, str]] = set()

    @property
    def frame(self) -> Frame:
        """The function that is being translated now."""
        return self.frames[-1]

    # ---- places and mistakes

    def where(self, node: ast.AST) -> At:
        """A node's place in the user's text."""
        if self.frame.called is not None:
            return self.frame.called
        text = self.frame.text
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        same_line = getattr(node, "end_lineno", line) == line
        length = getattr(node, "end_col_offset", column + 1) - column if same_line else 1
        return At(self.frame.file, line + text.line, column + text.column + 1, max(length, 1))

    def error(self, node: ast.AST, message: str, fix: str = "") -> NoReturn:
        """Write a mistake down, and give up the statement or expression. Raises Problem."""
        self._say(self.where(node), message, fix, self.found.error)
        self.problems += 1
        raise Problem

    def warn(self, node: ast.AST, message: str, fix: str = "") -> None:
        """What is allowed and most likely not meant."""
        self._say(self.where(node), message, fix, self.found.warning)

    def missing(self, at: At, name: str) -> None:
        """Write down that a variable has no value where it is read."""
        self._say(at, f"{name!r} has no value here", "give it a value on every path that leads here", self.found.error)

    def _say(self, at: At, message: str, fix: str, write: Callable[..., None]) -> None:
        if (at, message) not in self._said:
            self._said.add((at, message))
            write(Position(at.line, at.column, at.file), message, length=at.length, fix=fix)

    # ---- walking

    def expression(self, node: ast.expr, *, unread: bool = False) -> Any:
        """What an expression is. unread: nobody looks at it here, and a call may give what has no kind. Raises Problem."""
        handler = EXPRESSIONS.get(type(node))
        if handler is None:
            self.error(node, f"a kernel cannot have {described(node)}")
        self._count(node)
        before, self.b.at = self.b.at, self.where(node)
        found = handler(self, node)
        self.b.at = before
        if isinstance(found, Pending):
            self.wait()
        if isinstance(found, Clash):
            if unread and found.function:
                return found
            self.error(node, *found.mistake("the value"))
        if isinstance(found, Unknown):
            self.problems += 1
            raise Problem
        return found

    def statements(self, nodes: Sequence[ast.stmt]) -> None:
        """Translate statements until nothing can be reached any more."""
        for node in nodes:
            if self.b.block is None:
                return
            self._count(node)
            self.b.at = self.where(node)
            handler = STATEMENTS.get(type(node))
            scopes, loops, around, problems = len(self.b.scopes), len(self.b.loops), len(self.frame.loops), self.problems
            try:
                if handler is None:
                    self.error(node, f"a kernel cannot have {described(node)}")
                handler(self, node)
            except Problem as problem:
                del self.b.scopes[scopes:], self.b.loops[loops:], self.frame.loops[around:]
                if isinstance(problem, Unreached):
                    assert self.b.block is None
                    return
                self._give_up(node, mistaken=self.problems > problems)

    def _count(self, node: ast.AST) -> None:
        """One more node of the tree is translated. Raises TooMuch."""
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise TooMuch(self.where(node))

    def _give_up(self, node: ast.stmt, *, mistaken: bool) -> None:
        """What a statement assigns is unknown: for its mistake, or for this attempt."""
        assert mistaken or self.waited
        for name in assigned([node]):
            self.frame.env[name] = UNKNOWN if mistaken else PENDING
            if mistaken:
                self.frame.given.setdefault(name, UNKNOWN)
        self.frame.waits |= not mistaken and any(isinstance(inner, ast.Return) for inner in ast.walk(node))

    def wait(self) -> NoReturn:
        """Give up the statement or expression for this attempt. Raises Wait."""
        self.waited = True
        raise Wait

    def forget(self, names: Iterable[str]) -> None:
        """After a loop whose variables have new types: what it assigns waits for the next attempt.

        Code that needs none of it is looked at all the same: loops that have nothing to do with each other settle in one attempt.
        """
        self.learned = True
        self.frame.env.update(dict.fromkeys(names, PENDING))

    def unknown_condition(self, problem: Problem) -> Value:
        """In the place of a condition with a mistake: both sides are looked at. Raises Wait where later one of them may be left out."""
        if isinstance(problem, Unreached):
            raise problem
        if isinstance(problem, Wait) and not self.thorough:
            self.left_out = True
            raise problem
        return self.unknown_truth()

    def unknown_truth(self) -> Value:
        """A truth value in code that is not kept."""
        self.guessed = True
        return self.b.effect("unknown", type="i1")

    def is_guessed(self, value: Value) -> bool:
        """Whether a value is made from an unknown truth value: it may turn out to be a constant."""
        seen: set[int] = set()
        todo = [value] if self.guessed else []
        while todo:
            one = todo.pop()
            if one.op == "unknown":
                return True
            if id(one) not in seen:
                seen.add(id(one))
                todo += one.args
        return False

    def bind(self, value: Value, name: str) -> None:
        """A variable of the user's has a value from here on; one of a function that the kernel calls has that function's name in front."""
        if self.frame.called is None and " " not in name:
            self.b.bind(name if len(self.frames) == 1 else f"{self.frame.name}.{name}", value)

    def enter(
        self, function: Any, arguments: dict[str, Any], path: tuple[Any, ...], called: At | None = None, frozen: Frozen | None = None
    ) -> Frame:
        """A frame for a function's body; not on the stack yet. called: where from, by the user's text. frozen: the function's own."""
        frozen = frozen or (self.frame.frozen if self.frames else self.options.get("frozen"))
        text, names = text_of(function), outer_names(function) if frozen is None else frozen.names_of(function)
        if called is not None and str(function.__module__).startswith(LIBRARY):
            return Frame(
                function.__name__, text, called.file, names, dict(arguments), assigned(text.body) | set(arguments),
                path=path, function=function, called=called, frozen=frozen,
            )  # fmt: skip
        if text.source not in self.sources:
            self.sources.append(text.source)
        self.found.source, self.found.others = self.sources[0], tuple(self.sources[1:])
        return Frame(
            function.__name__, text, self.sources.index(text.source), names, dict(arguments),
            assigned(text.body) | set(arguments), path=path, function=function, frozen=frozen,
        )  # fmt: skip


def _nothing(thing: Any, name: str) -> Any:
    """Nothing is captured before the kernel's arguments are known."""
    raise AssertionError(thing)


DESCRIBED = {
    ast.ListComp: "a list comprehension", ast.List: "a list", ast.Dict: "a dictionary", ast.Set: "a set", ast.DictComp: "a comprehension",
    ast.SetComp: "a comprehension", ast.GeneratorExp: "a generator", ast.Await: "await", ast.Yield: "yield", ast.YieldFrom: "yield",
    ast.JoinedStr: "a formatted string", ast.Try: "try", ast.With: "with", ast.ClassDef: "a class", ast.Delete: "del",
    ast.Import: "an import", ast.ImportFrom: "an import", ast.Global: "global: it cannot change the module's variables",
    ast.Nonlocal: "nonlocal", ast.Starred: "a starred argument", ast.Match: "match",
    ast.AsyncFor: "async for", ast.AsyncWith: "async with", ast.AsyncFunctionDef: "an async function",
}  # fmt: skip


def described(node: ast.AST) -> str:
    """What a message calls a kind of syntax."""
    return DESCRIBED.get(type(node), type(node).__name__)
