"""Driver: runs a machine to its end, in plain Python, natively, or in one and then the other.

Nothing of this is hardware. A machine (a core kind with its memory) offers one entry function over arrays; the driver
calls it in slices, so that it can report progress, notice Ctrl-C, and change the engine between two cycles:
the state is the same bytes in both. Plain Python starts at once and does some ten thousand cycles a second;
native code does millions, but has to be loaded (about 0.1 s) or, once after an installation, compiled.
"""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from warploom.machine.native import Hook, Native, cache_directory, entry_hook, forget_old_caches, is_ours, native
from warploom.machine.tables import Units

if TYPE_CHECKING:
    from warploom.machine.livelock import Watch
    from warploom.machine.recording import Recorder
    from warploom.machine.result import Result

LIMIT, DONE, FAULT, EVENTS_FULL = range(4)  # what an entry returns: why it stopped
STATUS = {LIMIT: "timeout", DONE: "done", FAULT: "error"}

ENGINES = ("auto", "native", "python")
DEFAULT_MAX_CYCLES = 10_000_000  # about a second of native simulation of the tiny machine

PATIENCE_READY = 0.15  # seconds in plain Python before native code is loaded
PATIENCE_COMPILE = 2.0  # seconds in plain Python before native code is compiled
SLICE_SECONDS = 0.08  # what one call of the entry should take
FIRST_SLICE = {"python": 16, "native": 100_000}  # cycles


class LaunchError(ValueError):
    """This machine cannot start this program, or not like this. The message says why and what to change."""


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

    def finish(self, outcome: Outcome) -> Result:
        """What the run gave; called once, at the end."""


@dataclass(frozen=True)
class Outcome:
    """How a run went. status: done, timeout or error. engine: python, native, or "python, native". seconds: wall time."""

    status: str
    engine: str
    seconds: float


Progress = Callable[[int], None]
Notice = Callable[[str], None]


def drive(
    machine: Machine,
    *,
    engine: str = "auto",
    max_cycles: int = DEFAULT_MAX_CYCLES,
    progress: Progress | None = None,
    notice: Notice | None = None,
) -> Outcome:
    """Run `machine` until the kernel ends, faults, or its cycle counter reaches `max_cycles`.

    progress: called with the cycle count several times a second. notice: called with one sentence before native code is compiled.
    Raises ValueError for an unknown engine.
    """
    if engine not in ENGINES:
        raise ValueError(f"engine = {engine!r}: it is one of {', '.join(ENGINES)}")
    start = time.perf_counter()
    current = "native" if engine == "native" else "python"
    used = [current]
    call = entry_call(machine, current, notice)
    slice_cycles = FIRST_SLICE[current]
    while True:
        before, cycle = time.perf_counter(), machine.cycle
        with np.errstate(all="ignore"):
            code = advance(machine, call, min(cycle + slice_cycles, max_cycles))
        machine.drain()
        now = time.perf_counter()
        if code in (DONE, FAULT) or (code == LIMIT and machine.cycle >= max_cycles):
            return Outcome(STATUS[code], ", ".join(used), now - start)
        if progress is not None:
            progress(machine.cycle)
        if code == LIMIT:
            slice_cycles = _next_slice(slice_cycles, now - before)
        if engine == "auto" and current == "python" and _worth_native(machine, now - start):
            current = "native"
            used.append(current)
            call = entry_call(machine, current, notice)
            slice_cycles = FIRST_SLICE[current]


def advance(machine: Machine, call: Callable[[int], int], until: int) -> int:
    """Run until a cycle, and let the machine's watch look at it whenever it wants to on the way. call: of `entry_call`."""
    watch, recorder = machine.watch, machine.recorder
    while recorder is not None and recorder.open:
        code = call(machine.cycle + 1)
        recorder.look()
        if code != LIMIT or machine.cycle >= until:
            return code
    if watch is None:
        return call(until)
    while True:
        code = call(min(until, watch.due))
        if code != LIMIT:
            return code
        if machine.cycle >= watch.due and watch.look():
            return FAULT
        if machine.cycle >= until:
            return LIMIT


def is_compiled(machine: Machine) -> bool:
    """Whether the native form of a machine lies in the on-disk cache, so that a run may start natively in a fraction of a second."""
    return all(native().is_compiled(piece) for piece in _pieces(machine, machine.arguments(native=True)))


def compile_native(machine: Machine, notice: Notice | None = None) -> None:
    """Fill the on-disk cache with the native form of a machine."""
    entry_call(machine, "native", notice)


def _worth_native(machine: Machine, seconds: float) -> bool:
    return seconds > PATIENCE_COMPILE or (seconds > PATIENCE_READY and is_compiled(machine))


def _next_slice(cycles: int, seconds: float) -> int:
    """The number of cycles that would have taken SLICE_SECONDS, at most four times as many as now."""
    factor = SLICE_SECONDS / max(seconds, 1e-6)
    return max(1, int(cycles * min(factor, 4.0)))


def entry_call(machine: Machine, engine: str, notice: Notice | None = None) -> Callable[[int], int]:
    """The entry with all arguments but the limit in place. engine: "python" or "native"."""
    if engine == "python":
        arguments = machine.arguments(native=False)
        return lambda limit: machine.entry(*arguments, limit)
    code = native()
    arguments = machine.arguments(native=True)
    code.know(arguments)
    pieces = _pieces(machine, arguments)
    if not all(code.is_compiled(piece) for piece in pieces):
        if notice is not None:
            notice(f"compiling the native engine, once; about {machine.compile_seconds:.0f} s")
        forget_old_caches()
        _compile_pieces(machine, code, pieces)
    entry = code.entry(machine.entry, (*arguments, 0))
    placed = tuple(code.place(argument) for argument in arguments)
    return lambda limit: entry(*placed, limit)


# ---- several processes compile at the same time: an entry, and each function that is handed to one by pointer, is a piece of its own


MOST_PROCESSES = 4  # the longest piece is a quarter of the work
LONGEST_FIRST = ("execute", "access", "control", "step", "sampler", "load_store", "memory_system")
_HELPER = """import pickle, sys
sys.path[:] = pickle.load(sys.stdin.buffer)
from warploom.machine.driver import help_to_compile
help_to_compile()"""


def _compile_pieces(machine: Machine, code: Native, pieces: list[Hook]) -> None:
    """Fill the cache with the pieces of a machine. Each process takes the longest one that none has begun."""
    helpers = _helpers(machine, len(pieces))
    for piece in pieces:
        if not helpers or _claim(piece):
            code.pointer(piece)
    for helper in helpers:
        helper.wait()


def _helpers(machine: Machine, pieces: int) -> list[subprocess.Popen[bytes]]:
    """Start other processes that compile; none where that is not possible."""
    helpers: list[subprocess.Popen[bytes]] = []
    try:
        order = pickle.dumps((type(machine), machine.config, machine.program))  # type: ignore[attr-defined]
        shutil.rmtree(_claims(), ignore_errors=True)
        _claims().mkdir(parents=True, exist_ok=True)
        for _ in range(min(os.cpu_count() or 1, pieces, MOST_PROCESSES) - 1):
            helper = subprocess.Popen(
                [sys.executable, "-c", _HELPER], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            helpers.append(helper)
            assert helper.stdin is not None
            with helper.stdin:
                helper.stdin.write(pickle.dumps(sys.path) + order)
    except (OSError, AttributeError, TypeError, pickle.PicklingError):
        pass
    return helpers


def help_to_compile() -> None:
    """What another process does: make the same machine, and compile those of its pieces that are not taken."""
    kind, config, program = pickle.load(sys.stdin.buffer)
    machine = kind(config, program)
    arguments = machine.arguments(native=True)
    code = native()
    code.know(arguments)
    for piece in _pieces(machine, arguments):
        if _claim(piece):
            code.pointer(piece)


def _pieces(machine: Machine, arguments: tuple[Any, ...]) -> list[Hook]:
    """What is compiled for a machine once for all its runs, the longest first. A function of the user's is not among them."""
    found = {}
    for units in arguments:
        if isinstance(units, Units):
            hooks = {name: hook for name, hook in units._asdict().items() if hook is not None and is_ours(hook.function)}
            found = {name: hooks[name] for name in sorted(hooks, key=lambda name: (*LONGEST_FIRST, name).index(name))}
    return [*found.values(), entry_hook(machine.entry, (*arguments, 0))]


def _claims() -> Path:
    return cache_directory() / "claims"


def _claim(piece: Hook) -> bool:
    """Whether this process is the one that compiles a piece: the first that makes its file."""
    try:
        (_claims() / f"{piece.function.__module__}.{piece.function.__qualname__}").open("x").close()
    except OSError:
        return False
    return True
