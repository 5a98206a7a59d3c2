"""Several processes that compile the pieces of one machine, while others wait for them or run on in plain Python.

Not hardware. Whoever compiles a piece holds the lock of a file of its name, so no piece is compiled by two processes, whichever commands
they belong to; a process that is stopped leaves its piece to the others. A finished piece is a file in the cache.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from warploom.isa.host.children import ISOLATED
from warploom.isa.host.collector import no_collector
from warploom.isa.host.lock import lock
from warploom.machine.engine.native.cache import cache_directory
from warploom.machine.engine.native.loader import Native
from warploom.machine.engine.native.piece import Fit, Hook
from warploom.machine.run.runnable import Notice, Runnable

if TYPE_CHECKING:
    import subprocess

MOST_PROCESSES = 4  # the longest piece is a quarter of the work
WAIT_SECONDS = 0.2  # between two looks at what other processes have compiled


class Order:
    """What a helper is told: the machine that it builds, and for which machines the code is. script: what it runs, given `sys.path`."""

    def __init__(self, machine: Runnable, fit: Fit, script: str) -> None:
        self._machine, self._fit = machine, fit
        self._script = f"import pickle, sys\nsys.path[:] = pickle.load(sys.stdin.buffer)\n{script}"

    def start(self, helpers: int) -> list[subprocess.Popen[bytes]]:
        """Start so many processes that compile; fewer, or none, where that is not possible."""
        import subprocess  # a run that compiles nothing has no need of it

        started: list[subprocess.Popen[bytes]] = []
        machine = self._machine
        with contextlib.suppress(OSError, AttributeError, TypeError, pickle.PicklingError):
            order = pickle.dumps((type(machine), machine.config, machine.program, machine.stand_ins(), self._fit))
            for _ in range(helpers):
                helper = subprocess.Popen(
                    [sys.executable, *ISOLATED, "-c", self._script],
                    stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                )  # fmt: skip
                started.append(helper)
                assert helper.stdin is not None
                with helper.stdin:
                    helper.stdin.write(pickle.dumps(sys.path) + order)
        return started


class Report:
    """Says what is compiled, how far it is, and how long it takes: a sentence for each piece that is ready."""

    def __init__(self, code: Native, pieces: list[Hook], seconds: float, notice: Notice | None, *, beside: bool = False) -> None:
        self._code, self._pieces, self._seconds, self._beside = code, pieces, seconds, beside
        self._notice = notice or (lambda text: None)
        self._start, self._told = time.monotonic(), self._ready()

    def begin(self, what: str) -> None:
        """Say what is compiled, and about how long it takes."""
        meanwhile = "; the run continues in plain Python meanwhile" if self._beside else ""
        self._notice(f"compiling {what}, once; about {self._seconds:.0f} s{meanwhile}")

    def tell(self, doing: str = "") -> None:
        """Say how many pieces are ready, unless that has been said, and what is done now, if anything."""
        ready = self._ready()
        if len(self._pieces) > 1 and (doing or ready != self._told):
            self._told = ready
            spent = f"compiled {ready} of {len(self._pieces)} pieces in {time.monotonic() - self._start:.0f} s"
            self._notice(f"{spent}; {doing}" if doing else spent)

    def _ready(self) -> int:
        return sum(map(self._code.is_compiled, self._pieces))

    def lost(self, status: int) -> None:
        """Say that a helper was stopped."""
        self._notice(f"a process that helped to compile has ended with status {status}; its part is compiled here")


class Beside:
    """Native code that other processes compile while a run goes on in plain Python.

    They go on when that run ends before they do: the next one finds what they have compiled. Where others are at it already, for whatever
    command, none is started.
    """

    def __init__(self, code: Native, pieces: list[Hook], order: Order, report: Report) -> None:
        self._code, self._pieces, self._order, self._report = code, pieces, order, report
        self._helpers: list[subprocess.Popen[bytes]] | None = None
        self._next_look = 0.0
        if not code.untrusted and self._left():
            report.begin("the native engine")
            self._look()

    def has_ended(self) -> bool:
        """Whether all is compiled, or nobody compiles the rest."""
        if time.monotonic() < self._next_look:
            return False
        if self._code.untrusted:
            return True
        self._report.tell()
        return not self._left() or self._look()

    def _look(self) -> bool:
        """Whether nobody is at work. Where nobody has been so far, helpers are started."""
        self._next_look = time.monotonic() + WAIT_SECONDS
        if any(helper.poll() is None for helper in self._helpers or ()):
            return False
        if any(_is_compiled_elsewhere(self._code, piece) for piece in self._left()):
            return False
        if self._helpers is None:
            self._helpers = self._order.start(_processes(self._pieces))
            for helper in self._helpers:  # somebody waits for its end, even if the run has ended before
                threading.Thread(target=helper.wait, daemon=True).start()
            return not self._helpers
        return True

    def _left(self) -> list[Hook]:
        return [piece for piece in self._pieces if not self._code.is_compiled(piece)]


def compile_pieces(code: Native, pieces: list[Hook], order: Order, report: Report) -> None:
    """Fill the cache with the pieces of a machine, and return when all are there. Each process compiles the longest piece that is free.

    What the others leave, because they are stopped, is compiled here.
    """
    helpers = [] if code.untrusted else order.start(_processes(pieces) - 1)
    with _stopped_together(helpers), no_collector():
        for piece in pieces:
            if code.untrusted:
                _make(code, piece, report)
            else:
                compile_if_free(code, piece, report)
        for helper in helpers:
            while helper.poll() is None:
                _wait(report)
            if helper.returncode:
                report.lost(helper.returncode)
        for piece in pieces:
            while not code.is_compiled(piece):
                compile_if_free(code, piece, report)
                if not code.is_compiled(piece):
                    _wait(report)


@contextlib.contextmanager
def _stopped_together(helpers: list[subprocess.Popen[bytes]]) -> Iterator[None]:
    """Who stops the process that all others help, stops these too."""
    try:
        yield
    except BaseException:
        for helper in helpers:
            helper.terminate()
        raise


def compile_if_free(code: Native, piece: Hook, report: Report | None = None) -> None:
    """Compile a piece, unless it is there or another process is at it."""
    if not code.is_compiled(piece):
        with _turn(code, piece) as mine:
            if mine and not code.is_compiled(piece):
                _make(code, piece, report)


def _make(code: Native, piece: Hook, report: Report | None) -> None:
    if report is not None:
        report.tell(f"now {piece.function.__name__.replace('_', ' ')}")
    code.pointer(piece)


def _wait(report: Report) -> None:
    report.tell()
    time.sleep(WAIT_SECONDS)


def _is_compiled_elsewhere(code: Native, piece: Hook) -> bool:
    with _turn(code, piece) as mine:
        return not mine


def _turn(code: Native, piece: Hook) -> AbstractContextManager[bool]:
    """The lock that whoever compiles a piece holds."""
    return lock(cache_directory() / "claims" / code.file_name(piece))


def _processes(pieces: list[Any]) -> int:
    return min(os.cpu_count() or 1, len(pieces), MOST_PROCESSES)
