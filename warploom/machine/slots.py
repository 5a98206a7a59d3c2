"""Slots: the places in a machine that a user's own unit may fill.

Not hardware. A slot has a name, the setting that chooses one of ours, what a unit in it is called with, and what it may answer. Ours are
compiled into the machine; a user's is handed over as a pointer, so that nobody pays for a slot who leaves it alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from warploom.isa.diagnostics import nearest
from warploom.machine.config.schema import Config, choices_of
from warploom.machine.engine.users import UnitError, guarded


class Slot(NamedTuple):
    """A row of the table of slots.

    setting: where a machine chooses one of ours. signature: how a unit is called. problem: of a result and the arguments: why it is
    none, in half a sentence; "" where it is one. needs_warps: cores that run one instruction at a time have no such place.
    """

    name: str
    setting: str
    signature: str
    meaning: str
    problem: Callable[..., str]
    needs_warps: bool = True

    @property
    def ours(self) -> tuple[str, ...]:
        """Names of the units that come with the machine."""
        return choices_of(self.setting)

    def guarded(self, unit: Callable[..., int]) -> Callable[..., int]:
        """A user's unit for plain Python: a mistake of its is a UnitError."""
        return guarded(unit, self.problem)


def _no_warp(result: Any, s: Any, now: Any) -> str:
    """Why a policy's result is no warp."""
    try:
        warp = int(result)
    except (TypeError, ValueError):
        warp = None
    if warp is None or warp != result or isinstance(result, bool):
        return f"returned {result!r}; a policy returns the number of a warp slot, or -1 for none"
    return ""


SLOTS: Mapping[str, Slot] = {
    slot.name: slot
    for slot in (
        Slot("scheduler", "core.scheduler", "policy(s, now) -> warp", "which of the warps that can issue does, each cycle", _no_warp),
    )
}


def slot_named(name: str) -> Slot:
    """A slot by its name. Raises UnitError, with the nearest name, when there is none."""
    if name not in SLOTS:
        raise UnitError(f"there is no slot {name!r}{nearest(name, SLOTS)}; the slots are {', '.join(SLOTS)}")
    return SLOTS[name]


def check_slots(config: Config, units: Mapping[str, Any]) -> None:
    """Raises UnitError when a machine of this configuration lacks a slot that is to be filled."""
    for name in units:
        if slot_named(name).needs_warps and config.core.control == "sequencer":
            raise UnitError(f"the slot {name!r} is for machines with warps; {config.name!r} runs one instruction at a time; add --gpu sm")
