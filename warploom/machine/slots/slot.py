"""A slot: its name, what a unit in it is called with, and where it is put in.

Not hardware. Built-in units are compiled into the machine; a user's unit goes through a socket (engine/swaps.py), so a slot that is not
used costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from warploom.machine.config.schema import choices_of
from warploom.machine.engine.refused import check_function
from warploom.machine.engine.swaps import Swaps
from warploom.machine.engine.users import UnitError, place, unit_name


def no_preparation(gpu: Any, cores: Any) -> None:
    """A slot whose machine needs no other settings."""


class Door(NamedTuple):
    """How a unit comes into a machine.

    swaps: of the unit, which units are replaced by what. prepare: what is set in a machine before its first cycle, of the mirrors of the
    GPU and of its cores. units: ours that come in like a user's, by name.
    """

    swaps: Callable[[Any], Swaps]
    prepare: Callable[[Any, list[Any]], None] = no_preparation
    units: Mapping[str, Any] = {}


class Slot(NamedTuple):
    """A row of the table of slots.

    settings: where a machine chooses one of ours; none where ours come in through the door too. names: of ours, if the settings do
    not tell.
    signature: how a unit is called. verbs: the class of units that are several functions; None for those that are one.
    needs_warps: cores that run one instruction at a time have no such place. base: settings of a
    machine with a user's unit. door: imports what the slot needs.
    """

    name: str
    settings: tuple[str, ...]
    signature: str
    meaning: str
    door: Callable[[], Door]
    names: tuple[str, ...] = ()
    verbs: Any = None
    base: Mapping[str, str] = {}
    needs_warps: bool = True

    @property
    def usual(self) -> str:
        """Where ours come in through the door: the first of their names, which leaves the machine as it is."""
        return "" if self.settings else self.names[0]

    @property
    def ours(self) -> tuple[str, ...]:
        """Names of the units that come with the machine."""
        return self.names or choices_of(self.settings[0])

    def checked(self, unit: Any) -> Any:
        """A unit of a user's own. Raises UnitError if it does not fit this slot."""
        for function in unit if isinstance(unit, tuple) else (unit,):
            check_function(function)
        if self.verbs is None and callable(unit) and not isinstance(unit, type):
            return unit
        if self.verbs is not None and isinstance(unit, self.verbs):
            for name, verb in self._no_functions(unit):
                raise UnitError(f"{name} of {_called(unit)} is {verb!r}, and a {self.verbs.__name__} takes functions: {self.signature}")
            return unit
        if self.verbs is None:
            raise UnitError(f"{_called(unit)} is not a unit for the slot {self.name!r}, which takes a function: {self.signature}")
        raise UnitError(f"{_called(unit)} is not a unit for the slot {self.name!r}, which takes a {self.verbs.__name__}: {self.signature}")

    def _no_functions(self, unit: Any) -> list[tuple[str, Any]]:
        """The verbs of a unit that are not functions; a verb with a default may be None."""
        usual = self.verbs._field_defaults
        verbs = zip(unit._fields, unit, strict=True)
        return [(name, verb) for name, verb in verbs if not (callable(verb) or (name in usual and verb is None))]


def _called(unit: Any) -> str:
    if hasattr(unit, "__code__"):
        return f"{place(unit)}: {unit_name(unit)}"
    return unit_name(unit) if callable(unit) or (isinstance(unit, tuple) and unit) else repr(unit)
