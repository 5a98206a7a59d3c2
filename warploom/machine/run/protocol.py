"""The protocol of a machine, whatever its kind: running, watching and inspecting it.

A machine answers for itself. Debugger, recorder and views ask what is here and know no kind of machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from warploom.isa.regions import AddressSpace
from warploom.machine.accounting.status import Outcome
from warploom.machine.run.image import Image
from warploom.machine.run.result import RunResult
from warploom.machine.run.runnable import Runnable


@dataclass(frozen=True)
class WarpState:
    """A warp that runs. core, slot: where it is. block, rank: which one it is. activity: what it is about to do in the coming cycle.

    activity: a reason of `reasons.REASONS`, not_selected when it can issue; of a core that runs one instruction at a time, its state.
    until: the cycle in which its waiting ends, or None where that is not known. pc: its next instruction. mask: the lanes
    that run it. threads: all lanes that have not ended. launched: those that have had a thread. waiting: (lanes, instruction) of its
    other paths. issued: it issued in the last cycle.
    """

    core: int
    slot: int
    block: int
    rank: int
    activity: str
    until: int | None
    pc: int
    mask: int
    threads: int
    launched: int
    waiting: tuple[tuple[int, int], ...] = ()
    issued: bool = False


@dataclass(frozen=True)
class Places:
    """Where all warps are, [cores, slots]. mask: 0 where no warp is. issues: a number that changes with every issue.

    launched: in the last cycle, so that a warp which has issued, too, has begun with the program's first instruction.
    """

    pc: np.ndarray
    mask: np.ndarray
    issues: np.ndarray
    launched: np.ndarray


@dataclass(frozen=True)
class Writer:
    """A lane that has written to memory. block, thread: the block's number in the grid and the thread's in the block.

    lane: -1 where only the warp is known. thread: -1 where threads have no numbers, or move between warps. instruction: that wrote.
    """

    core: int
    slot: int
    lane: int
    block: int
    thread: int
    instruction: int


class Inspection(Protocol):
    """What is in a machine between two cycles. Arrays are the machine's own bytes unless it says otherwise.

    A core that runs one instruction at a time is one warp, in slot 0, whose lanes are the threads of its block.
    """

    @property
    def slots(self) -> int:
        """Warp slots per core."""

    @property
    def lanes(self) -> int:
        """Lanes per warp."""

    @property
    def memory(self) -> np.ndarray:
        """uint8[bytes]: data memory, with room for what may appear."""

    @property
    def space(self) -> AddressSpace:
        """Where in `memory` the byte of an address is now."""

    def warp_states(self) -> list[WarpState]:
        """Every warp that has been launched and has not ended, by core and slot."""

    def places(self) -> Places:
        """Where all warps are now: what breakpoints are decided by, in a few microseconds."""

    def registers(self, core: int, slot: int) -> np.ndarray:
        """uint32[registers, lanes]: the lane registers of a warp slot, hidden ones left out."""

    def scalars(self, core: int, slot: int) -> np.ndarray:
        """uint32[scalars]: the scalar registers of a warp slot."""

    def pending_registers(self, core: int, slot: int) -> np.ndarray:
        """bool[registers], a copy: what an instruction has written that hardware would still be waiting for."""

    def shared_memory(self, core: int, slot: int) -> np.ndarray:
        """uint32[words]: the shared memory of a warp's block; empty where there is none."""

    def issues(self, instructions: np.ndarray | int) -> int | None:
        """How often these instructions have been issued, all together; None where that is not counted."""

    def fragments(self, x: int, y: int) -> tuple[tuple[int, ...], ...]:
        """By core, the cycle in which it has handed fragments to an output merger last, the warp, and the lanes whose pixel was (x, y)."""

    def writers(self, before: Places, place: int, count: int) -> list[Writer]:
        """Who has written one of `count` bytes of memory from `place` on in the last cycle, the last one last.

        before: where all warps were a cycle ago. Empty where that is not known: what was changed by hand, say.
        """

    def fault_text(self) -> str:
        """The fault as a sentence with its place; "" when there is none."""

    def edited(self) -> None:
        """A register or memory has just been changed by hand: what has repeated itself so far need not do so from now on."""


class Machine(Runnable, Protocol):
    """A machine that a program was loaded into. `build.build` makes one."""

    gpu: np.ndarray
    cores: np.ndarray
    initial_memory: np.ndarray

    @property
    def inspection(self) -> Inspection:
        """What is in it now."""

    def finish(self, outcome: Outcome) -> RunResult:
        """What the run gave; called once, at the end."""

    def arrays(self) -> tuple[np.ndarray, ...]:
        """Everything that changes, as far as it is in use by now."""

    def whole(self) -> tuple[np.ndarray, ...]:
        """The same with what may come into use: what a checkpoint has to keep."""

    def image(self) -> Image:
        """All of it now, as bytes and as JSON."""

    def state(self) -> tuple[bytes, ...]:
        """What they hold, as bytes: equal in two machines that have run alike."""
