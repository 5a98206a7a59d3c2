"""The table of slots: a row each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from warploom.isa.diagnostics import nearest
from warploom.machine.config.schema import Config
from warploom.machine.engine.swaps import Swaps
from warploom.machine.engine.users import UnitError
from warploom.machine.slots.slot import Door, Slot
from warploom.machine.slots.verbs import Mechanism, Replacement

NONE = "none"  # names the empty slot, if a machine needs no unit


def _scheduler() -> Door:
    from warploom.machine.slots.scheduler import DOOR

    return DOOR


def _replacement() -> Door:
    from warploom.machine.slots.replacement import DOOR

    return DOOR


def _prefetcher() -> Door:
    from warploom.machine.slots.prefetcher import DOOR

    return DOOR


def _coalescer() -> Door:
    from warploom.machine.slots.coalescer import DOOR

    return DOOR


def _set_hash() -> Door:
    from warploom.machine.slots.hashes import SETS

    return SETS


def _channel_hash() -> Door:
    from warploom.machine.slots.hashes import CHANNELS

    return CHANNELS


def _divergence() -> Door:
    from warploom.machine.slots.divergence import DOOR

    return DOOR


SLOTS: Mapping[str, Slot] = {
    slot.name: slot
    for slot in (
        Slot("scheduler", ("core.scheduler",), "policy(s, now) -> warp", "which of the warps that can issue does, each cycle", _scheduler),
        Slot(
            "replacement",
            ("l1.replacement", "l2.replacement"),
            "Replacement(hit(s, set, way, now), fill(s, set, way, now), victim(s, set) -> way)",
            "which line of a full set goes, in the first-level caches and the second-level cache",
            _replacement,
            ("lru", "fifo", "plru", "random"),
            Replacement,
        ),
        Slot(
            "prefetcher",
            (),
            "prefetch(p, line, pc, warp, missed) -> line",
            "which line a first-level cache asks for before a load does",
            _prefetcher,
            (NONE, "next_line", "stride"),
        ),
        Slot(
            "coalescer",
            (),
            "coalesce(lsu, addresses, active, size, lanes, lines, sectors) -> count",
            "which transactions the lanes' addresses become",
            _coalescer,
            ("whole_warp", "half_warp"),
        ),
        Slot(
            "set_hash",
            ("l1.hash", "l2.hash"),
            "place(hash, line) -> set",
            "which set of a cache, or of its slice, a line belongs to",
            _set_hash,
            ("modulo", "xor", "ipoly", "siphash"),
        ),
        Slot(
            "channel_hash",
            ("memory.hash",),
            "place(hash, line) -> slice or channel",
            "which slice of the second-level cache and which DRAM channel a line belongs to",
            _channel_hash,
            ("modulo", "xor", "ipoly"),
        ),
        Slot(
            "divergence",
            ("core.divergence",),
            "Mechanism(select(paths, warps, warp), branch=None, backward=None)",
            "which lanes of a warp run when they disagree",
            _divergence,
            verbs=Mechanism,
            base={"core.divergence": "minpc"},
        ),
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


def swaps_of(units: Mapping[str, Any]) -> Swaps:
    """Which units are replaced by what in a machine with these units of a user's."""
    return tuple(swap for name, unit in units.items() for swap in SLOTS[name].door().swaps(unit))


def prepare(units: Mapping[str, Callable[..., int]], gpu: Any, cores: list[Any]) -> None:
    """Set up a machine, through its mirrors, for these units of a user's."""
    for name in units:
        SLOTS[name].door().prepare(gpu, cores)


def stand_in(name: str) -> Any:
    """A placeholder for a slot: with it a machine is compiled to the same native pieces as with a user's unit."""
    verbs = SLOTS[name].verbs
    return _nothing if verbs is None else verbs(*[_nothing] * len(verbs._fields))


def _nothing(*arguments: Any) -> int:
    return -1
