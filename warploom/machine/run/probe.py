"""Probe: the inputs and outputs of a unit, taken from a running machine, call by call.

Not hardware: a logic analyser's clip. A hardware twin is fed what the unit was fed and has to answer the same; a check sees what no event
says. A machine with probes runs in plain Python. It runs the same source: every unit is copied once with names of its own, as the
native engine does it, and in the copies the probed name means a function that tells the listener of each call. So nothing outside
of the machine is touched, the machine's bytes are those of a run without probes, and a machine without probes pays nothing.

    calls = []
    warploom.GPU("sm").run(program, probes=[Probe("policy", calls.append), Probe(coalesce, calls.append)])
    calls[0].cycle, calls[0].before[0].eligible, calls[0].answer
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from inspect import unwrap
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from warploom.machine.engine.native.piece import Bundle
from warploom.machine.engine.swaps import Socket, Swaps
from warploom.machine.engine.unit import Mirror


class Call(NamedTuple):
    """One call of a unit. cycle: in which it happened. before, after: what the probe keeps of the arguments. answer: what it returned."""

    cycle: int
    before: Any
    after: Any
    answer: Any


def copies(*arguments: Any) -> tuple[Any, ...]:
    """All arguments as they are now: records (as mirrors), arrays and bundles of arrays are copied with everything in them."""
    return tuple(_copied(argument) for argument in arguments)


def _copied(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, memoryview):  # a mirror's signed number
        return np.array(value).data
    if isinstance(value, list):
        return [_copied(item) for item in value]
    if isinstance(value, Bundle):
        return type(value)(**{name: _copied(member) for name, member in value.members().items()})
    if not isinstance(value, Mirror):
        return value
    copy = object.__new__(type(value))
    for name in value.__slots__:
        setattr(copy, name, _copied(getattr(value, name)))
    return copy


class Probe(NamedTuple):
    """A listener at a unit.

    unit: the function, as `machine.core.load_store.coalescer.coalesce`; or the name of a unit that the machine was handed, as "policy"
    (the members of `run.tables.Units`). listener: called with a `Call` after each call of the unit. keep: called with the
    unit's arguments before and after the call, says what of them the listener wants; by default copies of all (`copies`: what a mirror
    holds are views, which copy.deepcopy does not take), which is slow where the arguments are a whole core. optional: a machine that
    does not reach the unit is not a mistake.
    """

    unit: Callable[..., Any] | str
    listener: Callable[[Call], None]
    keep: Callable[..., Any] = copies
    optional: bool = False


def probed(
    entry: Callable[..., int], arguments: Iterable[Any], probes: Sequence[Probe], cycle: Callable[[], int], swaps: Swaps = ()
) -> tuple[Callable[..., int], tuple[Any, ...]]:
    """The plain-Python entry of a machine and its arguments with the probes in place, and the swaps. cycle: says the machine's cycle.

    Raises ValueError for a probe of a unit that this machine does not reach.
    """
    arguments = tuple(arguments)
    handed = {name: unit for bundle in _functions(arguments) for name, unit in bundle.members().items() if unit is not None}
    listening: dict[Callable[..., Any], list[Probe]] = {}
    for probe in probes:
        listening.setdefault(_function(probe.unit, handed), []).append(probe)
    copy = _Copy(listening, cycle, swaps)
    linked = tuple(
        type(value)(**{name: member and copy.of(member) for name, member in value.members().items()})
        if isinstance(value, Bundle) and not value.layout
        else value
        for value in arguments
    )
    found = copy.of(entry), linked
    needed = {unit for unit, there in listening.items() if not all(probe.optional for probe in there)}
    missing = [unit.__qualname__ for unit in needed if unit not in copy.made]
    if missing:
        raise ValueError(f"a probe of {missing[0]}: this machine does not reach it")
    return found


def _functions(arguments: Iterable[Any]) -> list[Bundle]:
    """The bundles of functions among an entry's arguments."""
    return [value for value in arguments if isinstance(value, Bundle) and not value.layout]


def _function(unit: Callable[..., Any] | str, handed: dict[str, Callable[..., Any]]) -> Callable[..., Any]:
    if not isinstance(unit, str):
        return unit
    if unit not in handed:
        raise ValueError(f"a probe of {unit!r}: this machine was handed {', '.join(handed)}")
    return unwrap(handed[unit])


class _Copy:
    """Copies of units in which a probed unit is one that tells its listeners, and a swapped one what stands in its place."""

    def __init__(self, listening: dict[Callable[..., Any], list[Probe]], cycle: Callable[[], int], swaps: Swaps) -> None:
        self.listening, self.cycle, self.swaps = listening, cycle, dict(swaps)
        self.made: dict[Callable[..., Any], Callable[..., Any]] = {}
        self._names: dict[int, dict[str, Any]] = {}

    def of(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The copy of a unit."""
        if not isinstance(function, FunctionType):
            return function
        names = self._names_for(function)  # first: it may reach this very function
        if function not in self.made:
            instead = self.swaps.get(function)
            copy: Callable[..., Any]
            if isinstance(instead, Socket):
                copy = instead.guarded()
            elif instead is not None:
                copy = self.of(instead)
            else:
                copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
            own = unwrap(function)  # a user's unit is guarded
            for probe in self.listening.get(own, ()):
                copy = self._told(copy, probe)
            self.made[function] = self.made[own] = copy
        return self.made[function]

    def _names_for(self, function: FunctionType) -> dict[str, Any]:
        """The names that a function knows, those of units standing for their copies."""
        key = id(function.__globals__)
        if key not in self._names:
            self._names[key] = names = dict(function.__globals__)
            for name, value in function.__globals__.items():
                if type(value) is FunctionType and hasattr(value, "__warploom_unit__"):
                    names[name] = self.of(value)
        return self._names[key]

    def _told(self, function: Callable[..., Any], probe: Probe) -> Callable[..., Any]:
        @wraps(function)
        def told(*arguments: Any) -> Any:
            cycle, before = self.cycle(), probe.keep(*arguments)
            answer = function(*arguments)
            probe.listener(Call(cycle, before, probe.keep(*arguments), answer))
            return answer

        return told
