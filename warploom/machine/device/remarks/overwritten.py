"""Instructions that a program has stored over. What runs is decoded before the first cycle, so what was stored there never ran.

Hardware with an instruction cache of its own is much the same: a store reaches it with a fence for instructions, or when the line happens
to be fetched anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from warploom.isa.counts import numbers
from warploom.isa.program import Program
from warploom.isa.uop import ADDRESS, WORD
from warploom.machine.accounting.reasons import ISSUES

BYTES = 4  # of an instruction that are compared


class Finished(Protocol):
    """A machine after its run. memory: its words. profile: by instruction, how often it was issued."""

    program: Program
    memory: np.ndarray
    profile: np.ndarray


def overwritten(machine: Finished) -> Iterator[str]:
    """A sentence, where instructions have run whose bytes are others now: at most one, with the first of them."""
    program = machine.program
    if not any(region.writable and len(region.data) for region in program.regions):
        return
    space, memory = program.address_space(), machine.memory.view(np.uint8)
    ran = np.flatnonzero(machine.profile[: len(program.code), ISSUES])
    addresses = program.code[ran, ADDRESS].astype(np.int64) & 0xFFFFFFFF
    encoded = program.code[ran, WORD].astype("<i4")
    changed: list[int] = []
    for region in program.regions:
        if region.writable and len(region.data) >= BYTES:
            inside = np.flatnonzero((addresses >= region.base) & (addresses <= region.base + len(region.data) - BYTES))
            places = (addresses[inside] - region.base)[:, None] + numbers(BYTES)
            there = np.ascontiguousarray(region.data[places]).view("<i4")[:, 0] == encoded[inside]
            now = np.ascontiguousarray(memory[space.place(region.base) + places]).view("<i4")[:, 0]
            changed += ran[inside[there & (now != encoded[inside])]].tolist()
    if changed:
        more = f", and {len(changed) - 1} more" if len(changed) > 1 else ""
        yield (
            f"{program.where(min(changed))}: the program has stored over this instruction{more}; "
            "what it stored there never ran, since instructions are decoded before the run: self-modifying code is not for this machine"
        )
