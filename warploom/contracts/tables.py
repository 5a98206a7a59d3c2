"""Promises about single calls of units with a table of their own: short traces, the shortest first, in plain Python.

What else is in the record of such a unit is wires that other units drive, and what the machine keeps beside it. In hardware nobody else can
drive those; here a unit that writes one of them would change what the other units see.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from warploom.contracts.promise import Promise
from warploom.contracts.traces import sockets, written
from warploom.isa.uop import ALU, MEMORY
from warploom.machine.core.load_store.prefetcher import Prefetcher
from warploom.machine.core.scheduling.scheduler import Scheduler, add_warp
from warploom.machine.engine.bits import EMPTY, bit
from warploom.machine.engine.sizes import MAX_WARPS
from warploom.machine.engine.unit import mirror, zeros
from warploom.machine.engine.users import UnitError
from warploom.machine.slots.prefetcher import swaps as prefetcher_swaps
from warploom.machine.slots.scheduler import policy_socket

# What a warp does in a cycle, as a scheduler sees it: the masks that it is in, and how a person says so.
DOES = {
    ("active", "awake", "eligible"): "can issue",
    ("active", "awake"): "waits for its unit",
    ("active", "waiting_memory"): "waits for memory",
    ("active", "at_barrier"): "waits at a barrier",
    (): "is not there",
}
MASKS = ("active", "awake", "eligible", "waiting_memory", "at_barrier")
FAR = (1 << 25) - 1  # the last line of 128 bytes


class Core(NamedTuple):
    """A scheduler's core. shown: the warps of it that run something; no warp is in its other slots."""

    warps: int
    number: int
    schedulers: int
    shown: tuple[int, ...]


# One scheduler, two of them, and the largest core, at its ends and in its middle.
CORES = (
    *(Core(1, 0, 1, (0,)), Core(2, 0, 1, (0, 1)), Core(2, 0, 2, (0,)), Core(2, 1, 2, (1,)), Core(3, 0, 1, (0, 1, 2))),
    *(Core(MAX_WARPS, 0, 1, (0, MAX_WARPS - 1)), Core(MAX_WARPS, 0, 1, (31, 32)), Core(MAX_WARPS, 1, 2, (1, MAX_WARPS - 1))),
)
Cycle = tuple[tuple[str, ...], ...]  # the masks that each of the shown warps is in


def names_a_warp(policy: Any, slot: str) -> str:
    """Whether a policy names a warp slot or none, whatever the warps do, and writes what is its own."""
    call = policy_socket(policy).guarded()
    for length, core in product((1, 2), CORES):
        if length > 1 and core.warps > 2:
            continue
        cycles = [cycle for cycle in product(DOES, repeat=len(core.shown)) if core.schedulers > 1 or any(cycle)]
        for trace in product(cycles, repeat=length):
            if wrong := _picks(policy, call, core, trace):
                return f"{_said(core, trace)}: {wrong}"
    return ""


def _picks(policy: Any, call: Any, core: Core, trace: Sequence[Cycle]) -> str:
    """What is wrong with a policy's last pick of some cycles; "" for nothing."""
    memory = _scheduler(core)
    s = mirror(memory)
    for now, cycle in enumerate(trace):
        for mask in MASKS:
            members = [bit(warp) for warp, does in zip(core.shown, cycle, strict=True) if mask in does]
            setattr(s, mask, np.bitwise_or.reduce([EMPTY, *members]))
        before = memory.copy()
        try:
            with np.errstate(over="ignore"):  # masks wrap, as natively
                warp = int(call(s, np.int64(now)))
        except UnitError as error:
            return str(error)
        if wrong := written(policy, "s", memory, before, ("memory", "visible")):
            return wrong
        s.last = warp if warp >= 0 else s.last
    return ""


def _scheduler(core: Core) -> Any:
    """A scheduler's record before the first cycle, all warps launched, one after the other."""
    memory = zeros((), Scheduler)
    s = mirror(memory)
    s.warps, s.number, s.step, s.last, s.group_size = core.warps, core.number, core.schedulers, -1, 1
    s.owned = np.bitwise_or.reduce([bit(warp) for warp in range(core.number, core.warps, core.schedulers)])
    for warp in core.shown:
        add_warp(s, warp, warp)
        s.pc[warp], s.unit[warp] = warp, (ALU, MEMORY)[warp % 2]
    return memory


def _said(core: Core, trace: Sequence[Cycle]) -> str:
    """A trace as a person would say it."""
    cycles = ["; ".join(f"warp {warp} {DOES[does]}" for warp, does in zip(core.shown, cycle, strict=True)) for cycle in trace]
    slots = f"{core.warps} warp slot{'s' * (core.warps != 1)}"
    shared = f", scheduler {core.number} of {core.schedulers}" if core.schedulers > 1 else ""
    return f"{slots}{shared}: {', and in the next cycle '.join(cycles)}"


Lookup = tuple[int, int, int, int]  # line, pc, warp, missed


def _lookups() -> Iterator[tuple[Lookup, ...]]:
    """All single lookups and pairs of them at the ends of what a machine has; then longer ones of one load instruction."""
    every = list(product((0, 1, FAR), (0, 300), (0, MAX_WARPS - 1), (1, 0)))
    yield from product(every, repeat=1)
    yield from product(every, repeat=2)
    for length in range(3, 6):
        for lines in product(range(3), repeat=length):
            yield tuple((line, 0, 0, 1) for line in lines)


def names_a_line(prefetcher: Any, slot: str) -> str:
    """Whether a prefetcher names a line or none, whatever was looked up, and writes what is its own."""
    (call,) = sockets(prefetcher_swaps(prefetcher))
    memory = zeros((), Prefetcher)
    before, p = memory.copy(), mirror(memory)
    for trace in _lookups():
        memory["memory"] = 0
        try:
            with np.errstate(over="ignore"):
                for lookup in trace:
                    call(p, *map(np.int64, lookup))
            wrong = written(prefetcher, "p", memory, before, ("memory",))
        except UnitError as error:
            wrong = str(error)
        if wrong:
            return f"{', then '.join(map(_looked_up, trace))}: {wrong}"
    return ""


def _looked_up(lookup: Lookup) -> str:
    line, pc, warp, missed = lookup
    return f"line {line} by instruction {pc} of warp {warp} ({'missed' if missed else 'there'})"


NAMES_A_WARP = Promise("pick", "a warp slot or none is named, and nothing is written but s.memory and s.visible", names_a_warp)
NAMES_A_LINE = Promise("line", "a line or none is named, and nothing is written but p.memory", names_a_line)
