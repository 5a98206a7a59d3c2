"""Stops: what a run is halted at. Breakpoints, watchpoints, and the next issue.

A stop observes the machine after every cycle, and says by comparing two observations whether something has happened in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from warploom.isa import uop as u
from warploom.machine.run.protocol import Machine, Places, Writer
from warploom.machine.run.recording import writers

FIRST_LANE = 2  # of what is observed of a core's fragments, after the cycle and the warp


class Stop(Protocol):
    """Something that a run is halted at."""

    def observe(self, machine: Machine) -> Any:
        """The state that the stop compares."""

    def reason(self, machine: Machine, before: Any, now: Any) -> str:
        """What has happened in the last cycle, as a sentence; "" when nothing has."""

    def trail(self, machine: Machine) -> int | None:
        """A number that changes whenever the stop may have been hit; equal before and after means it was not.

        None where there is no such number.
        """


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

    def observe(self, machine: Machine) -> Places:
        """Where all warps are."""
        return machine.inspection.places()

    def reason(self, machine: Machine, before: Places, now: Places) -> str:
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

    def trail(self, machine: Machine) -> int | None:
        """Issues of the instruction; none while a warp stands there, which has come or will issue it."""
        now = machine.inspection.places()
        there = (now.pc == self.instruction) & (now.mask != 0)
        return None if there.any() else machine.inspection.issues(self.instruction)

    def _concerns(self, machine: Machine, now: Places, core: int, slot: int) -> bool:
        if self.core not in (None, core) or self.slot not in (None, slot):
            return False
        if self.lane is not None and not int(now.mask[core, slot]) >> self.lane & 1:
            return False
        return self.block is None or self.block == _block(machine, core, slot)


@dataclass(frozen=True)
class MemoryWatch:
    """A byte of memory has changed: one of `count` from the place `address` on (`isa/regions.py`; in one flat memory, the address)."""

    address: int
    count: int = 1

    def observe(self, machine: Machine) -> tuple[np.ndarray, Places]:
        """The bytes, and where all warps are."""
        return machine.inspection.memory[self.address : self.address + self.count].copy(), machine.inspection.places()

    def reason(self, machine: Machine, before: tuple[np.ndarray, Places], now: tuple[np.ndarray, Places]) -> str:
        """Which bytes have changed, and who has written them."""
        changed = np.flatnonzero(before[0] != now[0])
        if not len(changed):
            return ""
        said = self.change(machine, before[0], now[0])
        first, last = self.address + int(changed[0]), self.address + int(changed[-1])
        return said + written_by(machine, machine.inspection.writers(before[1], first, last - first + 1))

    def change(self, machine: Machine, before: np.ndarray, now: np.ndarray) -> str:
        """What the bytes were and are, where some have changed."""
        changed = np.flatnonzero(before != now)
        first = int(changed[0])
        more = f", and {len(changed) - 1} more" if len(changed) > 1 else ""
        space = machine.inspection.space
        return f"memory[{space.text(space.address(self.address + first))}] was {before[first]} and is {now[first]}{more}"

    def trail(self, machine: Machine) -> int | None:
        """Issues of all instructions that write to memory."""
        return machine.inspection.issues(writers(machine.program.uops, machine.program.code, u.MEMORY))


@dataclass(frozen=True)
class PixelBreak:
    """A fragment of a pixel has come to the output merger. x, y: column and row."""

    x: int
    y: int

    def observe(self, machine: Machine) -> tuple[tuple[int, ...], ...]:
        """By core, its last fragments: the cycle, the warp, and the lanes that had one for the pixel."""
        return machine.inspection.fragments(self.x, self.y)

    def reason(self, machine: Machine, before: tuple[tuple[int, ...], ...], now: tuple[tuple[int, ...], ...]) -> str:
        """Which warps had one."""
        came = [(core, one) for core, (one, old) in enumerate(zip(now, before, strict=True)) if one != old and len(one) > FIRST_LANE]
        if not came:
            return ""
        names = [f"warp {core}:{one[1]}, lane {', '.join(map(str, one[FIRST_LANE:]))}" for core, one in came]
        return f"a fragment of pixel {self.x},{self.y} came from {' and '.join(names)}"

    def trail(self, machine: Machine) -> int | None:
        """Issues of all instructions that hand fragments over."""
        return machine.inspection.issues(writers(machine.program.uops, machine.program.code, u.MERGER))


@dataclass(frozen=True)
class RegisterWatch:
    """A register of a warp slot has changed; in one lane, or (None) in any."""

    core: int
    slot: int
    register: int
    lane: int | None = None

    def observe(self, machine: Machine) -> np.ndarray:
        """The row of the register."""
        return machine.inspection.registers(self.core, self.slot)[self.register].copy()

    def reason(self, machine: Machine, before: np.ndarray, now: np.ndarray) -> str:
        """In which lane it has changed."""
        changed = [int(lane) for lane in np.flatnonzero(before != now) if self.lane in (None, lane)]
        if not changed:
            return ""
        lane = changed[0]
        others = len(changed) - 1
        more = f", and {others} more lane{'s' if others > 1 else ''}" if others else ""
        name = machine.program.register_names[self.register]
        return f"{name}[{lane}] of warp {self.core}:{self.slot} was {before[lane]} and is {now[lane]}{more}"

    def trail(self, machine: Machine) -> None:
        """Registers change too often."""


@dataclass(frozen=True)
class NextIssue:
    """A warp has issued an instruction: that in one slot, or (None) any. A warp of one slot that has ended counts too.

    A core that runs one instruction at a time has issued one when its results are written.
    """

    core: int | None = None
    slot: int | None = None

    def observe(self, machine: Machine) -> Places:
        """Where all warps are."""
        return machine.inspection.places()

    def reason(self, machine: Machine, before: Places, now: Places) -> str:
        """Which warps have issued."""
        issued = before.issues != now.issues
        names = [f"{core}:{slot}" for core, slot in np.argwhere(issued) if self.core in (None, core) and self.slot in (None, slot)]
        if names:
            return f"warp{'s' if len(names) > 1 else ''} {', '.join(names)} issued"
        if self.core is not None and self.slot is not None and before.mask[self.core, self.slot] and not now.mask[self.core, self.slot]:
            return f"warp {self.core}:{self.slot} has ended"
        return ""

    def trail(self, machine: Machine) -> None:
        """It is never far away."""


def written_by(machine: Machine, writers: Sequence[Writer]) -> str:
    """`, written by thread 3 of block 0 (warp 0:0, lane 3) at saxpy.py:9 (...)`: of several the last, whose value is there."""
    if not writers:
        return ""
    last = writers[-1]
    lane = f", lane {last.lane}" if last.lane >= 0 else ""
    who = f"warp {last.core}:{last.slot}{lane}"
    if last.thread >= 0:
        who = f"{machine.program.launch.thread_text(last.block, last.thread)} ({who})"
    many = f"{len(writers)} threads, the last " if len(writers) > 1 else ""
    return f", written by {many}{who} at {machine.program.where(last.instruction)}"


def _block(machine: Machine, core: int, slot: int) -> int:
    return next((state.block for state in machine.inspection.warp_states() if (state.core, state.slot) == (core, slot)), -1)
