"""Driver: runs a machine to its end, in plain Python, natively, or in one and then the other.

Not hardware. A machine (cores of one kind with their memory) offers one entry function over arrays; the driver
calls it in slices, so that it can report progress, notice Ctrl-C, and change the engine between two cycles:
the state is the same bytes in both. Plain Python starts at once and does some ten thousand cycles per second;
native code does millions, but has to be loaded (about 0.1 s) or, once after an installation, compiled, which
other processes do while the run goes on in plain Python.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from warploom.isa.numbers import whole_number
from warploom.machine.accounting.status import DONE, FAULT, LIMIT, STATUS, Outcome
from warploom.machine.engine.native import is_loaded
from warploom.machine.engine.pages import gather
from warploom.machine.run.plain import plain_call
from warploom.machine.run.runnable import Blocks, Notice, Progress, Runnable

if TYPE_CHECKING:
    from warploom.machine.run.helpers import Beside

ENGINES = ("auto", "native", "python")
MOST_CYCLES = 10**15
DEFAULT_MAX_CYCLES = 10_000_000  # about a second of native simulation of the tiny machine
PROGRAM_MAX_CYCLES = 10**9  # of a launch of a whole program, which ends by itself as it does on a GPU

PATIENCE_READY = 0.15  # seconds of the processor in plain Python before native code is loaded
PATIENCE_COMPILE = 2.0  # seconds of the processor in plain Python before other processes compile native code
SLICE_SECONDS = 0.08  # what one call of the entry should take
PATIENCE_PAGES = 1.0  # seconds of a run before its records move to the host's huge pages
MOVING_SECONDS = 0.02  # what that may take of a slice
FIRST_SLICE = {"python": 16, "native": 10_000}  # cycles


def drive(
    machine: Runnable,
    *,
    engine: str = "auto",
    max_cycles: int = DEFAULT_MAX_CYCLES,
    progress: Progress | None = None,
    blocks: Blocks | None = None,
    notice: Notice | None = None,
    at_once: bool = False,
    call: Callable[[int], int] | None = None,
) -> Outcome:
    """Run `machine` until the kernel ends, faults, or its cycle counter reaches `max_cycles`, which it never passes.

    A run whose end takes more cycles is a timeout in cycle `max_cycles`, also where only stores are on their way, and can be driven on: its
    parts give what one run gives. A machine that has ended does not change any more, and has the same status again.

    progress: called with the cycle count several times a second. blocks: called before it with how many blocks have ended, and how many
    there are. notice: called with sentences while native code is compiled.
    at_once: native code that lies ready is loaded before the first cycle. Code that this process has begun to use is taken at once anyway.
    call: of `entry_call` for the native engine, from an earlier run of this very machine.
    Raises ValueError for an unknown engine, and for a `max_cycles` that is not a whole number.
    """
    if engine not in ENGINES:
        raise ValueError(f"engine = {engine!r}: it is one of {', '.join(ENGINES)}")
    max_cycles = whole_number("max_cycles", max_cycles, 0, MOST_CYCLES)
    start, began = time.perf_counter(), time.process_time()
    ready = call is not None or (engine == "auto" and (at_once or is_loaded()) and _is_compiled(machine))
    current = "native" if engine == "native" or ready else "python"
    used = [current]
    moves: Iterator[int] | None = None
    move = _Move(machine, notice)
    call = call or (plain_call(machine) if current == "python" else _native_call(machine, notice))
    slice_cycles = FIRST_SLICE[current]
    while True:
        before, cycle = time.perf_counter(), machine.cycle
        with np.errstate(all="ignore"):
            code = advance(machine, call, min(cycle + slice_cycles, max_cycles))
        machine.drain()
        now = time.perf_counter()
        if code in (DONE, FAULT) or (code == LIMIT and machine.cycle >= max_cycles):
            return Outcome(STATUS[code], ", ".join(used), now - start)
        if blocks is not None:
            blocks(*machine.blocks)
        if progress is not None:
            progress(machine.cycle)
        if code == LIMIT:
            slice_cycles = _next_slice(slice_cycles, now - before)
        if engine == "auto" and current == "python" and move.is_due(time.process_time() - began):
            current = "native"
            used.append(current)
            call = _native_call(machine, notice)
            slice_cycles = FIRST_SLICE[current]
        if current == "native" and now - start > PATIENCE_PAGES:
            moves = moves or _moves(machine)
            _move_on(moves)


def cycle_limit(cycles: int) -> int:
    """`max_cycles` as a caller gave it. Raises ValueError for what is not a whole number from 1 to MOST_CYCLES."""
    return whole_number("max_cycles", cycles, 1, MOST_CYCLES)


def advance(machine: Runnable, call: Callable[[int], int], until: int) -> int:
    """Run until a cycle; on the way the machine's recorder and detector get their turns. call: of `entry_call`. Returns the stop code."""
    detector, recorder = machine.detector, machine.recorder
    while True:
        if recorder is not None and not recorder.open:
            recorder = None
        target = until if recorder is None else min(until, machine.cycle + 1)
        code = call(target if detector is None else min(target, detector.next_check))
        if recorder is not None:
            recorder.record_cycle()
        if code != LIMIT:
            return code
        if detector is not None and machine.cycle >= detector.next_check and detector.check():
            return FAULT
        if machine.cycle >= until:
            return LIMIT


def slices(machine: Runnable, last: int, cycles: int = 1) -> Iterator[int]:
    """Run on in plain Python, so many cycles at a time, to cycle `last` or the end of the run. Yields the cycle after each slice."""
    call, code = plain_call(machine), LIMIT
    while code == LIMIT and machine.cycle < last:
        before = machine.cycle
        with np.errstate(all="ignore"):
            code = call(min(before + cycles, last))
        if machine.cycle > before:
            yield machine.cycle


# A run that ends in plain Python imports nothing of what makes and loads native code.


def _native_call(machine: Runnable, notice: Notice | None) -> Callable[[int], int]:
    from warploom.machine.run.compile import entry_call

    return entry_call(machine, "native", notice)


def _is_compiled(machine: Runnable) -> bool:
    from warploom.machine.run.compile import is_compiled

    return is_compiled(machine)


class _Move:
    """When a run in plain Python goes on natively: as soon as the code lies ready. A run that takes long has other processes compile it."""

    def __init__(self, machine: Runnable, notice: Notice | None) -> None:
        self._machine, self._notice = machine, notice
        self._beside: Beside | None = None

    def is_due(self, seconds: float) -> bool:
        """Whether to move after so many seconds of the processor. Raises UnitError for a mistake in a user's function."""
        if self._machine.probes:
            return False
        if self._beside is None:
            if seconds > PATIENCE_READY and _is_compiled(self._machine):
                return True
            if seconds <= PATIENCE_COMPILE:
                return False
            from warploom.machine.run.compile import compile_beside

            self._beside = compile_beside(self._machine, self._notice)
        return self._beside.has_ended()


def _moves(machine: Runnable) -> Iterator[int]:
    """Each step moves a part of the machine's records to a huge page of the host."""
    return chain.from_iterable(gather(argument) for argument in machine.arguments(native=True) if isinstance(argument, np.ndarray))


def _move_on(moves: Iterator[int]) -> None:
    """The next moves, as many as a slice has time for."""
    end = time.perf_counter() + MOVING_SECONDS
    while time.perf_counter() < end and next(moves, None) is not None:
        pass


def _next_slice(cycles: int, seconds: float) -> int:
    """The number of cycles that would have taken SLICE_SECONDS, at most four times as many as now."""
    factor = SLICE_SECONDS / max(seconds, 1e-6)
    return max(1, int(cycles * min(factor, 4.0)))
