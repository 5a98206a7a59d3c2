"""Functions of a user's that no unit can be, whatever they are called with: refused before a run, the same for both engines.

Not hardware. What else native code cannot have is said when it is compiled (native/refusals.py).
"""

from __future__ import annotations

import ast
import contextlib
import dis
import inspect
from itertools import pairwise
from types import FunctionType
from typing import Any

from warploom.machine.engine.users import WIDTH, UnitError, first_line, place, tree_of, unit_name

NAMES_WITHIN = "has := in an expression, which native code cannot; give the name its value in a line of its own"


def check_function(function: Any) -> None:
    """Raises UnitError for what cannot become native code whatever it is called with.

    That is a generator, or one that is awaited, which do nothing yet when they are called; what is called like a function and is none, as
    a method or an object; one that calls itself; a value that gets its name within an expression; and a number of more than 64 bits.
    """
    for is_one, kind, cure in (
        (inspect.isasyncgenfunction, "an asynchronous generator", "write def, and return the result"),
        (inspect.isgeneratorfunction, "a generator", "return the result instead of yield"),
        (inspect.iscoroutinefunction, "a coroutine", "write def instead of async def"),
    ):
        if is_one(function):
            raise UnitError(f"{place(function)}: {unit_name(function)} is {kind}, and a unit is called once for each answer: {cure}")
    if callable(function) and not isinstance(function, type | FunctionType):
        kind = getattr(function, "__qualname__", type(function).__name__)
        raise UnitError(f"{_place_of_callable(function)}{kind} is not written with def as a function of its own, as a unit is")
    for step in dis.get_instructions(function) if isinstance(function, FunctionType) else ():
        if type(step.argval) is int and step.opname == "LOAD_CONST" and not -(2**63) <= step.argval < 2**64:
            line = step.positions.lineno if step.positions else None
            raise UnitError(f"{place(function, line)}: {unit_name(function)} uses the number {step.argval}; {WIDTH}")
    if not isinstance(function, FunctionType):
        return
    called: list[FunctionType] = []
    if circle := _circle(function, (), called):
        through = "".join(f", through {each.__name__}" for each in circle[1:])
        raise UnitError(f"{place(circle[0])}: {circle[0].__name__} calls itself{through}; hardware has no stack of calls: write a loop")
    for each in called:
        if line := first_line(each, lambda node: isinstance(node, ast.NamedExpr)):
            raise UnitError(f"{place(each, line)}: {unit_name(each)} {NAMES_WITHIN}")


def _circle(function: FunctionType, callers: tuple[FunctionType, ...], finished: list[FunctionType]) -> tuple[FunctionType, ...]:
    """Functions of a user's each of which calls the next one, and the last the first; () where a function comes to none such.

    finished: those that come to none, to which this one and all that it calls are added.
    """
    if function in callers:
        return callers[callers.index(function) :]
    if function in finished:
        return ()
    for called in _called(function):
        if circle := _circle(called, (*callers, function), finished):
            return circle
    finished.append(function)
    return ()


def _called(function: FunctionType) -> list[FunctionType]:
    """The functions of its file, and units of another one, that a function of a user's calls, or gives another name to call it by."""
    outside = {**function.__globals__}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # a name that has no value yet
            outside[name] = cell.cell_contents
    functions = [outside[name] for name in dict.fromkeys(_names_to_call(function)) if isinstance(outside.get(name), FunctionType)]
    near = [each for each in functions if each.__globals__ is function.__globals__ or hasattr(each, "__warploom_unit__")]
    return [each for each in near if not str(each.__module__).startswith("warploom.")]


def _names_to_call(function: FunctionType) -> list[str]:
    """Names from outside that a function uses, but for those of which it asks an attribute, and those that it only hands on in a call."""
    steps = list(dis.get_instructions(function))
    named = [step.argval for step, after in pairwise(steps) if step.opname in ("LOAD_GLOBAL", "LOAD_DEREF") and "ATTR" not in after.opname]
    if (tree := tree_of(function)) is None:
        return named
    handed: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            handed |= {*node.args, *(each.value for each in node.keywords)}
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and node not in handed}
    return [name for name in named if name in used]


def _place_of_callable(unit: Any) -> str:
    """Where a method, or the class of an object that can be called, is written, with a colon; "" where it is not in Python."""
    function: Any = unit.__func__ if inspect.ismethod(unit) else type(unit).__call__
    return f"{place(function)}: " if hasattr(function, "__code__") else ""
