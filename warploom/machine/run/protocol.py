"""DOCSTRING."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from warploom.machine.accounting.status import Outcome

if TYPE_CHECKING:
    from warploom.machine.run.livelock import Watch
    from warploom.machine.run.recording import Recorder
    from warploom.machine.run.result import RunResult


@runtime_checkable
class Machine(Protocol):
    """What the driver needs of a machine.

    entry: the run function, `entry(*arguments, limit) -> stop code`. It simulates until its cycle counter reaches
    `limit` (LIMIT), the kernel has ended (DONE), a fault has been written down (FAULT), or the event buffer is full
    (EVENTS_FULL). It may be called again after LIMIT and EVENTS_FULL. compile_seconds: about how long the native form takes to
    compile. watch: looks for what the entry does not see as it runs; None where there is no need.
    """

    entry: Callable[..., int]
    compile_seconds: float

    @property
    def watch(self) -> Watch | None:
        """What looks for endless waiting while the entry runs, or None."""

    @property
    def recorder(self) -> Recorder | None:
        """What takes down every change, cycle by cycle, or None."""

    @property
    def cycle(self) -> int:
        """Cycles simulated so far."""

    def arguments(self, native: bool) -> tuple[Any, ...]:
        """The entry's arguments without `limit`: mirrors, or (native) the arrays; and `Tables`, and `Units` of functions or of `Hook`s.

        Both are views of the same bytes.
        """

    def drain(self) -> None:
        """Take the events out of the buffer; called after every slice, full or not."""

    def finish(self, outcome: Outcome) -> RunResult:
        """What the run gave; called once, at the end."""


Progress = Callable[[int], None]
Notice = Callable[[str], None]


@dataclass(frozen=True)
class WarpState:
    """A warp that runs. core, slot: where it is. block, rank: which one it is. activity: what it is about to do in the coming cycle.

    activity: a reason of `reasons.REASONS`, not_selected when it can issue; of a core that runs one instruction at a time, its state.
    until: the cycle in which its waiting ends, or None where that is not known. pc: its next instruction. mask: the lanes
    that run it. threads: all lanes that have not ended. waiting: (lanes, instruction) of its other paths. issued: it issued in the
    last cycle.
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
