"""Which addresses the lanes of a warp ask memory for: what a profile needs to say why an access is slow.

A run counts transactions and bank conflicts but keeps no addresses. So its beginning is repeated in plain Python with a
probe at the memory stage, until every instruction that is asked about has made some accesses: a machine is deterministic.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from warploom.machine.accounting.reasons import ISSUES
from warploom.machine.run.driver import slices
from warploom.machine.run.probe import Call, Probe
from warploom.machine.run.result import RunResult
from warploom.observe.facts.events import profile_of

MOST_ACCESSES = 8  # of an instruction that are kept
MOST_CYCLES = 10_000  # of the run that are repeated
SLICE = 64  # cycles


class Access(NamedTuple):
    """An access of a warp: the lanes that took part, and the byte address of each; of several words per lane the last."""

    lanes: np.ndarray
    addresses: np.ndarray


Addresses = dict[int, list[Access]]  # by instruction


def lane_addresses(result: RunResult, instructions: list[int]) -> Addresses:
    """The first accesses of some instructions, at most MOST_ACCESSES of each, as far as they lie in the first MOST_CYCLES of the run."""
    if not instructions:
        return {}
    found: Addresses = {instruction: [] for instruction in instructions}
    issues = profile_of(result, "what lanes access")[:, ISSUES]
    wanted = {number: min(int(issues[number]), MOST_ACCESSES) for number in instructions}
    open_ones = {number for number in instructions if wanted[number]}

    def keep(_gpu: Any, core: Any, warp: int, pc: int, *_: Any) -> tuple[int, Access | None]:
        if pc not in open_ones:
            return pc, None
        lanes = np.flatnonzero(core.registers[warp].active[: core.warps.lanes])
        return pc, Access(lanes, core.access.address[lanes].astype(np.int64))

    def listen(call: Call) -> None:
        pc, access = call.after
        if access is not None and call.answer == 0:  # no fault
            found[pc].append(access)
            if len(found[pc]) == wanted[pc]:
                open_ones.discard(pc)

    machine = result.replay()
    machine.probes.append(Probe("access", listen, keep))
    for _ in slices(machine, min(result.cycles, MOST_CYCLES) if open_ones else 0, SLICE):
        if not open_ones:
            break
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
