"""Swaps: other functions in the place of units, in copies that one machine runs; and the sockets that a user's functions are plugged into.

Not hardware. A machine whose slots are empty runs its units as they stand. A machine with a unit of a user's runs copies of the units that
reach the place of that unit: in plain Python they are copied when a run begins (run/probe.py), natively they are compiled once, with a
*socket* where the user's function is called. A socket is a symbol that is resolved when the code is loaded, so what is compiled and kept
is the same for all functions that can be plugged in, and a user's function is compiled alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from warploom.machine.engine.call_counts import begin_call, begins_calls
from warploom.machine.engine.layout import records_in
from warploom.machine.engine.loop_bound import bounded
from warploom.machine.engine.unit import groups_of
from warploom.machine.engine.users import check_parameters, check_settings, guarded


class Socket(NamedTuple):
    """Where a user's function is called in the place of a unit.

    name: of the slot and the verb. kinds: result and arguments, as in a `Hook`, for each combination in which the unit is called.
    accepts: called with the result and the arguments, says whether it is one; None where the result is of no interest. expected: what a
    result is, in half a sentence that follows "returned 9; ". wrong: of one that returns nothing, called with the arguments after it, says
    by a number what it has done wrong; 0 for nothing. reasons: what each number means.
    """

    name: str
    function: Callable[..., Any]
    kinds: tuple[tuple[Any, tuple[Any, ...]], ...]
    accepts: Callable[..., bool] | None = None
    expected: str = ""
    wrong: Callable[..., int] | None = None
    reasons: tuple[str, ...] = ()

    def check(self) -> None:
        """Raises UnitError for a function that cannot be called so, or that writes a setting."""
        arguments = self.kinds[0][1]
        check_parameters(self.function, len(arguments))
        fields = [fields_of(kind) for kind in arguments if isinstance(kind, np.dtype)]
        settings, others = (frozenset().union(*(found[group] for found in fields)) for group in (0, 1))
        check_settings(self.function, settings - others)

    def guarded(self) -> Callable[..., Any]:
        """The function for plain Python: a mistake of its is a UnitError."""
        self.check()
        function = bounded(self.function)
        return guarded(function, self._problem, begin_call if begins_calls(function) else None)

    def refusal(self, result: Any) -> str:
        """What is said of a result that is none; of a function that returns nothing, `result` is the number of what is wrong."""
        if self.reasons:
            return self.reasons[result]
        return f"returned {result.item() if isinstance(result, np.generic) else result!r}; {self.expected}"

    def _problem(self, result: Any, *arguments: Any) -> str:
        if self.wrong is not None:
            return self.refusal(int(self.wrong(*arguments)))
        if self.accepts is None:
            return ""
        return "" if is_whole(result) and self.accepts(int(result), *arguments) else self.refusal(result)


@cache
def fields_of(kind: np.dtype) -> tuple[frozenset[str], frozenset[str]]:
    """The names of settings in a record and the records in it, and those of all other fields."""
    settings = set(groups_of(kind).get("settings", ()))
    others = set(kind.names or ()) - settings
    for name in records_in(kind):
        inside = fields_of(kind[name].base)
        settings |= inside[0]
        others |= inside[1]
    return frozenset(settings), frozenset(others)


Swaps = tuple[tuple[Callable[..., Any], Callable[..., Any] | Socket], ...]  # a unit, and what stands in its place


def is_whole(result: Any) -> bool:
    """Whether a result is a whole number, of Python's or of NumPy's."""
    return isinstance(result, int | np.integer) and not isinstance(result, bool)


def reached(function: Callable[..., Any], swaps: Swaps) -> Swaps:
    """Those of the swaps that a unit comes to: () where it is the same with all of them and with none.

    What stands in the place of a unit may come to further ones.
    """
    if not swaps:
        return ()
    instead = dict(swaps)
    found, left, seen = set(), [function], {function}
    while left:
        unit = left.pop()
        if unit in instead:
            found.add(unit)
            after: Iterable[Any] = () if isinstance(instead[unit], Socket) else (instead[unit],)
        else:
            after = _names(unit)
        left += [other for other in after if other not in seen]
        seen |= set(after)
    return tuple((unit, other) for unit, other in swaps if unit in found)


@cache
def _names(unit: Callable[..., Any]) -> tuple[Callable[..., Any], ...]:
    """The units that one names, and its native form."""
    found = [twin] if callable(twin := getattr(unit, "__warploom_native__", None)) else []
    if isinstance(unit, FunctionType):
        named = (unit.__globals__.get(name) for name in unit.__code__.co_names)
        found += [value for value in named if getattr(value, "__warploom_unit__", False)]
    return tuple(found)
