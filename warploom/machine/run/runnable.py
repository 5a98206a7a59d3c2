"""What can be run: the protocol that the driver, the compiler of native pieces and a view that repeats a run need of a machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from warploom.isa.program import Program
    from warploom.machine.config.schema import Config
    from warploom.machine.engine.native.piece import Fit
    from warploom.machine.engine.swaps import Swaps
    from warploom.machine.run.probe import Probe

Progress = Callable[[int], None]
Blocks = Callable[[int, int], None]  # is told how many blocks have ended, and how many there are
Notice = Callable[[str], None]
Listener = Callable[[np.ndarray], None]  # is handed the events of a run, int64[n, EVENT_COLUMNS], as they are written down

MOST_EVENTS = 1 << 25  # of a traced run that are kept in memory unless somebody says otherwise: 2 GiB


class Detector(Protocol):
    """What watches for runs that never end (livelock.py is one)."""

    next_check: int

    def check(self) -> bool:
        """Examine the machine, in a cycle from `next_check` on. True: the run can never end, which is now the machine's fault."""

    def snapshot(self) -> tuple[Any, ...]:
        """What it knows so far, for `restore`."""

    def restore(self, snapshot: tuple[Any, ...]) -> None:
        """Know only what was known when the snapshot was taken."""


class CycleRecorder(Protocol):
    """What writes down every change, cycle by cycle (recording.py is one)."""

    open: bool

    def record_cycle(self) -> None:
        """Write down what the last cycle changed; called after every cycle as long as `open`."""


class ClockEdge(Protocol):
    """A machine whose cores run one instruction at a time, as a clock edge has left it. `core_states` mirrors `cores`."""

    gpu: np.ndarray
    cores: np.ndarray
    core_states: Any
    memory: np.ndarray

    @property
    def cycle(self) -> int:
        """Cycles simulated so far."""

    def trace_line(self) -> dict[str, Any]:
        """Every signal, with the fields of the original hardware's traces."""


class Runnable(Protocol):
    """A machine that can be run.

    entry: the run function, `entry(*arguments, limit) -> stop code`. It simulates until its cycle counter reaches
    `limit` (LIMIT), the kernel has ended (DONE), a fault has been written down (FAULT), or the event buffer is full
    (EVENTS_FULL). It may be called again after LIMIT and EVENTS_FULL. compile_seconds: about how long the native form takes to
    compile. tracing: whether it writes events down, which may be switched off and on between two cycles. families: kinds of machines that
    there is native code for, besides that for all; of those that it is one of it takes the first. probes: listeners at units, see probe.py;
    a machine that has some runs in plain Python only. listener: is handed the events of a traced run in their order, which are then not
    kept; None: they are, and `drain` raises TooManyEvents beyond `most_events`. Cores that run one instruction at a time write none.
    """

    config: Config
    program: Program
    entry: Callable[..., int]
    compile_seconds: float
    memory: np.ndarray  # uint32[words]
    tracing: bool
    families: tuple[Fit, ...]
    probes: list[Probe]
    swaps: Swaps
    listener: Listener | None
    most_events: int

    @property
    def detector(self) -> Detector | None:
        """What watches for runs that never end, or None."""

    @property
    def recorder(self) -> CycleRecorder | None:
        """What writes down every change, or None."""

    @property
    def cycle(self) -> int:
        """Cycles simulated so far."""

    @property
    def blocks(self) -> tuple[int, int]:
        """How many blocks of the launch have ended, and how many there are."""

    def arguments(self, native: bool) -> tuple[Any, ...]:
        """The entry's arguments without `limit`: mirrors, or (native) the arrays; and `Tables`, and `Units` of functions or of `Hook`s.

        Both are views of the same bytes.
        """

    def stand_ins(self) -> dict[str, Any]:
        """Further arguments of a machine that reaches the same native pieces, in another process, which may not know a user's functions."""

    def drain(self) -> None:
        """Take the events out of the buffer; called after every slice, full or not."""

    def steps(self, last: int, first: int = 0) -> Iterator[ClockEdge]:
        """Run on clock edge by clock edge, in plain Python, to cycle `last` or the end; this very machine after each edge past `first`.

        Raises LaunchError where cores have warps: those skip cycles in which nothing happens.
        """
