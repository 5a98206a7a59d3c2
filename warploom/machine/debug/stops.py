"""Stops: what a run is halted at. Breakpoints, watchpoints, and the next issue.

A stop looks at the machine after every cycle, and says by comparing two looks whether something has happened in between.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from warploom.isa import uop as u
from warploom.machine.accounting.reasons import ISSUES
from warploom.machine.debug.inspection import AnyMachine, memory, places, registers
from warploom.machine.run.protocol import Places
from warploom.machine.run.recording import writers
from warploom.machine.sequencer.machine import SequencerMachine


class Stop(Protocol):
    """Something that a run is halted at."""

    def look(self, machine: AnyMachine) -> Any:
        """What it is decided by, as it is now."""

    def reason(self, machine: AnyMachine, before: Any, now: Any) -> str:
        """What has happened in the last cycle, as a sentence; "" when nothing has."""

    def trail(self, machine: AnyMachine) -> int | None:
        """A number that is another one after any cycles in which it may have happened; None where there is no such number."""


@dataclass(frozen=True)
class Breakpoint:
    """A warp has come to an instruction, and has not issued it yet. None for a condition that does not matter.

    core, slot: of the warp. block: its block. lane: must be among those that run.
    """

    instruction: int
    core: int | None = None
    slot: int | None = None
    block: int | None = None
    lane: int | None = None

    def look(self, machine: AnyMachine) -> Places:
        """Where all warps are."""
        return places(machine)

    def reason(self, machine: AnyMachine, before: Places, now: Places) -> str:
        """Which warps have come. A warp that was launched and has issued its first instruction in one cycle has come, too."""
        there = (now.pc == self.instruction) & (now.mask != 0)
        if self.instruction == machine.program.launch.entry:
            there |= now.launched & (before.issues != now.issues)
        if not there.any():
            return ""
        stayed = (before.pc == self.instruction) & (before.mask == now.mask) & (before.issues == now.issues) & ~now.launched
        came = [(int(core), int(slot)) for core, slot in np.argwhere(there & ~stayed)]
        names = [f"{core}:{slot}" for core, slot in came if self._concerns(machine, now, core, slot)]
        if not names:
            return ""
        return f"warp{'s' if len(names) > 1 else ''} {', '.join(names)} at {machine.program.where(self.instruction)}"

    def trail(self, machine: AnyMachine) -> int | None:
        """Issues of the instruction. A warp that stands there has come, or will have issued it."""
        if isinstance(machine, SequencerMachine):
            return None
        now = places(machine)
        there = (now.pc == self.instruction) & (now.mask != 0)
        return None if there.any() else int(machine.profile[self.instruction, ISSUES])

    def _concerns(self, machine: AnyMachine, now: Places, core: int, slot: int) -> bool:
        if self.core not in (None, core) or self.slot not in (None, slot):
            return False
        if self.lane is not None and not int(now.mask[core, slot]) >> self.lane & 1:
            return False
        return self.block is None or self.block == _block(machine, core, slot)


@dataclass(frozen=True)
class MemoryWatch:
    """A byte of memory has changed: one of `count` from `address` on."""

    address: int
    count: int = 1

    def look(self, machine: AnyMachine) -> np.ndarray:
        """The bytes."""
        return memory(machine)[self.address : self.address + self.count].copy()

    def reason(self, machine: AnyMachine, before: np.ndarray, now: np.ndarray) -> str:
        """Which bytes have changed."""
        changed = np.flatnonzero(before != now)
        if not len(changed):
            return ""
        first = int(changed[0])
        more = f", and {len(changed) - 1} more" if len(changed) > 1 else ""
        return f"memory[{self.address + first}] was {before[first]} and is {now[first]}{more}"

    def trail(self, machine: AnyMachine) -> int | None:
        """Issues of all instructions that write to memory."""
        if isinstance(machine, SequencerMachine):
            return None
        return int(machine.profile[writers(machine, u.MEMORY), ISSUES].sum())


@dataclass(frozen=True)
class RegisterWatch:
    """A register of a warp slot has changed; in one lane, or (None) in any."""

    core: int
    slot: int
    register: int
    lane: int | None = None

    def look(self, machine: AnyMachine) -> np.ndarray:
        """The row of the register."""
        return registers(machine, self.core, self.slot)[self.register].copy()

    def reason(self, machine: AnyMachine, before: np.ndarray, now: np.ndarray) -> str:
        """In which lane it has changed."""
        changed = [int(lane) for lane in np.flatnonzero(before != now) if self.lane in (None, lane)]
        if not changed:
            return ""
        lane = changed[0]
        others = len(changed) - 1
        more = f", and {others} more lane{'s' if others > 1 else ''}" if others else ""
        name = machine.program.register_names[self.register]
        return f"{name}[{lane}] of warp {self.core}:{self.slot} was {before[lane]} and is {now[lane]}{more}"

    def trail(self, machine: AnyMachine) -> None:
        """Registers change too often."""


@dataclass(frozen=True)
class NextIssue:
    """A warp has issued an instruction: that in one slot, or (None) any. A warp of one slot that has ended counts too.

    A core that runs one instruction at a time has issued one when its results are written.
    """

    core: int | None = None
    slot: int | None = None

    def look(self, machine: AnyMachine) -> Places:
        """Where all warps are."""
        return places(machine)

    def reason(self, machine: AnyMachine, before: Places, now: Places) -> str:
        """Which warps have issued."""
        issued = before.issues != now.issues
        names = [f"{core}:{slot}" for core, slot in np.argwhere(issued) if self.core in (None, core) and self.slot in (None, slot)]
        if names:
            return f"warp{'s' if len(names) > 1 else ''} {', '.join(names)} issued"
        if self.core is not None and self.slot is not None and before.mask[self.core, self.slot] and not now.mask[self.core, self.slot]:
            return f"warp {self.core}:{self.slot} has ended"
        return ""

    def trail(self, machine: AnyMachine) -> None:
        """It is never far away."""


def _block(machine: AnyMachine, core: int, slot: int) -> int:
    from warploom.machine.debug.inspection import warp_states

    return next((state.block for state in warp_states(machine) if (state.core, state.slot) == (core, slot)), -1)
