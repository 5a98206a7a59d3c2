"""The suite of each slot: what is asked of a unit in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from warploom.contracts.promise import Promise, Verdict
from warploom.contracts.runs import OF_ALL
from warploom.contracts.tables import NAMES_A_LINE, NAMES_A_WARP
from warploom.contracts.traces import COVERS, NAMES_A_PLACE, TAKES_A_WAY
from warploom.machine.slots import SLOTS, slot_named
from warploom.units import UnitError

OWN: Mapping[str, tuple[Promise, ...]] = {
    "scheduler": (NAMES_A_WARP,),
    "prefetcher": (NAMES_A_LINE,),
    "replacement": (TAKES_A_WAY,),
    "coalescer": (COVERS,),
    "set_hash": (NAMES_A_PLACE,),
    "channel_hash": (NAMES_A_PLACE,),
}
STOPS = (*(promise for suite in OWN.values() for promise in suite), OF_ALL[0])
SUITES: Mapping[str, tuple[Promise, ...]] = {name: (*OWN.get(name, ()), *OF_ALL) for name in SLOTS}


def check_unit(unit: Any, slot: str, tell: Callable[[Verdict], None] = lambda verdict: None) -> list[Verdict]:
    """Ask all promises of a slot of a unit. tell: is told each verdict. Raises UnitError for what is not a unit of this slot.

    A unit that is stopped by a mistake, whose single calls are wrong, or with which a kernel does not end, is not asked for more.
    """
    slot_named(slot).checked(unit)
    found = []
    for promise in SUITES[slot]:
        try:
            verdict = Verdict(promise, promise.test(unit, slot))
        except UnitError as error:
            verdict = Verdict(promise, str(error))
            found.append(verdict)
            tell(verdict)
            break
        found.append(verdict)
        tell(verdict)
        if verdict.broken and promise in STOPS:
            break
    return found
