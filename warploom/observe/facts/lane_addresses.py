"""Which addresses the lanes of a warp ask memory for: what a profile needs to say why an access is slow.

A run counts transactions and bank conflicts but keeps no addresses. So its beginning is repeated in plain Python with a
listener behind the memory stage, until every instruction that is asked about has made some accesses: a machine is deterministic.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from warploom.machine.accounting.reasons import ISSUES
from warploom.machine.run.result import RunResult

MOST_ACCESSES = 8  # of an instruction that are looked at
MOST_CYCLES = 10_000  # of the run that are repeated


class Access(NamedTuple):
    """An access of a warp: the lanes that took part, and the byte address of each; of several words a lane the last."""

    lanes: np.ndarray
    addresses: np.ndarray


Addresses = dict[int, list[Access]]  # by instruction


def lane_addresses(result: RunResult, instructions: list[int]) -> Addresses:
    """The first accesses of some instructions, at most MOST_ACCESSES of each, as far as they lie in the first MOST_CYCLES of the run."""
    if not instructions:
        return {}
    from warploom.machine.core.load_store.memory_stage import access_memory

    machine = result.again()
    found: Addresses = {instruction: [] for instruction in instructions}
    wanted = {number: min(int(result.detail["profile"][number, ISSUES]), MOST_ACCESSES) for number in instructions}
    open_ones = {number for number in instructions if wanted[number]}
    entry: Callable[..., int] = machine.entry
    gpu, cores, tables, units = machine.arguments(native=False)

    def listen(gpu: Any, core: Any, warp: int, pc: int, *others: Any) -> int:
        fault = access_memory(gpu, core, warp, pc, *others)
        if pc in open_ones and fault == 0:
            lanes = np.flatnonzero(core.registers[warp].active[: core.warps.lanes])
            found[pc].append(Access(lanes, core.access.address[lanes].astype(np.int64)))
            if len(found[pc]) == wanted[pc]:
                open_ones.discard(pc)
        return fault

    units = units._replace(access=listen)
    last = min(result.cycles, MOST_CYCLES)
    with np.errstate(all="ignore"):
        while open_ones and machine.cycle < last and entry(gpu, cores, tables, units, min(machine.cycle + 64, last)) == 0:
            pass
    return found


def stride(accesses: list[Access]) -> int | None:
    """The bytes from each lane's address to that of the next lane, where it is the same for all lanes and accesses; else None."""
    steps = set()
    for access in accesses:
        apart, lanes = np.diff(access.addresses), np.diff(access.lanes)
        if len(lanes) == 0:
            continue
        if (apart % lanes).any():
            return None
        steps |= set((apart // lanes).tolist())
    return steps.pop() if len(steps) == 1 else None


def lanes_at_one_address(accesses: list[Access]) -> int:
    """The most lanes of one access that have the same address; 0 without accesses."""
    return max((int(np.unique(access.addresses, return_counts=True)[1].max()) for access in accesses if len(access.lanes)), default=0)
