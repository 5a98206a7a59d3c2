"""Rows: what a table of units becomes in code.

Not hardware. A unit is a row of a table, which names its functions. Who uses the table calls one function: `by_row`, for the unit whose
number is given, or `each_row`, for all of them in their order. Neither engine looks a row up while a machine runs: the calls are written
out when the table is made, as a chain of comparisons or as one call after the other. Natively each is inlined there, so a row costs what
a branch written by hand does.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from warploom.machine.engine.bits import EMPTY
from warploom.machine.engine.unit import FOREVER, inlined

F = TypeVar("F", bound=Callable[..., Any])
FOLDS = {  # how the results of all rows become one: what it begins with, what each row's makes of it
    "soonest": (f"    found = {FOREVER}\n", "    found = min(found, {call})\n", "    return found\n"),
    "union": ("    found = EMPTY\n", "    found = found | {call}\n", "    return found\n"),
    "nothing": ("", "    {call}\n", ""),
    "all": ("", "    if not {call}:\n        return False\n", "    return True\n"),
}


class Apart(NamedTuple):
    """A function of a row that is compiled by itself and called through a pointer, as `units.NAME`. A program that has no need of it is not
    compiled with it.

    stand_in: what is called in such a program. needed: of a program, whether it has. returns, arguments: names of kinds: gpu, core, cores,
    tables, units, lsu, number; returns "" for nothing.
    """

    name: str
    function: Callable[..., Any]
    stand_in: Callable[..., Any]
    needed: Callable[[Any], bool]
    returns: str
    arguments: tuple[str, ...]

    def chosen(self, program: Any) -> Callable[..., Any]:
        """The one of the two that a machine runs with a program."""
        return self.function if self.needed(program) else self.stand_in


def by_row(rows: Sequence[Any], field: str, names: dict[str, Any]) -> Callable[[F], F]:
    """A unit that calls a function of one row, whose number is its first argument, with all of its arguments, and returns what that does.

    field: of the rows, the function. names: the globals of the module in which this stands, in which the functions get names of their own.
    A number that none has is taken for the last.
    """

    def make(function: F) -> F:
        parameters = list(inspect.signature(function).parameters)
        chosen: dict[Callable[..., Any], list[int]] = {}
        for number, row in enumerate(rows):
            chosen.setdefault(getattr(row, field), []).append(number)
        body = ""
        for called, numbers in list(chosen.items())[:-1]:
            condition = " or ".join(f"{parameters[0]} == {number}" for number in numbers)
            body += f"    if {condition}:\n        return {_call(rows[numbers[0]], field, called, parameters, names)}\n"
        last, numbers = list(chosen.items())[-1]
        return _made(function, body + f"    return {_call(rows[numbers[0]], field, last, parameters, names)}\n", names)

    return make


def each_row(rows: Sequence[Any], field: str, fold: str, names: dict[str, Any]) -> Callable[[F], F]:
    """A unit that calls a function of each row, in their order, with all of its arguments. Rows without one (None) are left out.

    fold: what becomes of the results, one of FOLDS: "soonest", the least of them; "all", whether each holds, where the first that does not
    ends it; "union", of masks; "nothing", where there are none.
    """

    def make(function: F) -> F:
        parameters = list(inspect.signature(function).parameters)
        begin, each, end = FOLDS[fold]
        called = [(row, getattr(row, field)) for row in rows if getattr(row, field) is not None]
        calls = [each.format(call=_call(row, field, one, parameters, names)) for row, one in called]
        return _made(function, begin + "".join(calls) + end, names)

    return make


def each_number(numbers: Sequence[int], called: Callable[..., Any], fold: str, names: dict[str, Any]) -> Callable[[F], F]:
    """A unit that calls a unit once for each of some numbers, which it takes first, before the arguments of its own.

    fold: what becomes of the results, one of FOLDS.
    """

    def make(function: F) -> F:
        parameters = list(inspect.signature(function).parameters)
        begin, each, end = FOLDS[fold]
        calls = [each.format(call=f"{called.__name__}({', '.join([str(number), *parameters])})") for number in numbers]
        return _made(function, begin + "".join(calls) + end, names)

    return make


def _call(row: Any, field: str, called: Callable[..., Any], parameters: list[str], names: dict[str, Any]) -> str:
    """The call of a row's function, which has a name among `names` from now on: engines find units by those."""
    name = f"{field}_of_{row.name}"
    names[name] = called
    return f"{name}({', '.join(parameters)})"


def _made(function: F, body: str, names: dict[str, Any]) -> F:
    """The function with another body, marked as a unit that is inlined."""
    found: dict[str, Any] = {}
    names.setdefault("EMPTY", EMPTY)
    head = f"def {function.__name__}({', '.join(inspect.signature(function).parameters)}):\n"
    exec(compile(head + body, f"<rows of {function.__module__}>", "exec"), names, found)
    made = found[function.__name__]
    made.__doc__, made.__module__, made.__qualname__ = function.__doc__, function.__module__, function.__qualname__
    marked: F = inlined(made)
    return marked
