"""Many independent runs: what they are, the spreading of them over processes or a Dask cluster, and what each of them gave.

Runs share nothing, so their order in time does not matter; results come in the order of the tasks. What a run gives is small (a
memory is a digest), because it may come from another process or machine.

The first runs happen in this process. Only when they have taken a while, the rest is spread: short sweeps do not pay for new processes,
and on a fresh installation the native engine is compiled once, not once a process.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import numpy as np

from warploom.gpu import GPU
from warploom.isa.launching import read_buffer
from warploom.isa.program import Program
from warploom.machine.accounting.events import ISSUE, KIND, MASK, PC, TIME
from warploom.machine.accounting.status import LaunchError
from warploom.machine.config.schema import Config
from warploom.machine.engine.native import is_loaded
from warploom.machine.run.compile import is_compiled
from warploom.machine.run.driver import DEFAULT_MAX_CYCLES, drive
from warploom.machine.run.result import RunResult
from warploom.machine.run.runnable import Notice
from warploom.study.metrics import metrics_of
from warploom.study.needs import StudyError, needed
from warploom.units import UserUnit

T = TypeVar("T")
R = TypeVar("R")
Progress = Callable[[int, int], None]

ALONE = 0.8  # seconds of runs in this process before the others are spread
DIGEST = 12  # characters
CLUSTER_SECONDS = 10  # to find a Dask scheduler


@dataclass(frozen=True)
class Task:
    """One run: a program on a machine.

    units: a user's own by slot: a file and a function in it, as "mine.py:choose", or a function. With one that no other process can
    import, as those that are made in a function, all runs happen in this process. watched: a buffer; what it holds at the end, and every
    issue, become part of the outcome, "" for neither.
    """

    program: Program
    config: Config
    max_cycles: int = DEFAULT_MAX_CYCLES
    engine: str = "auto"
    units: Mapping[str, UserUnit] = field(default_factory=dict)
    watched: str = ""


class Issue(NamedTuple):
    """A warp-instruction that was issued. lanes: those that execute it, bit l = lane l; of one that works once for a warp, lane 0."""

    cycle: int
    pc: int
    lanes: int


@dataclass(frozen=True)
class Outcome:
    """What a run gave.

    status: done, timeout, error, or impossible when this machine cannot start the program. message: why it is not done.
    metrics: see `metrics.METRICS`; None in all when the run was impossible. memory: a digest of the final memory, equal for equal
    memories whatever their size. counters: by name. contents, issues: of a task that watches a buffer, its bytes and all issues in order.
    """

    status: str
    message: str = ""
    metrics: dict[str, Any] = field(default_factory=dict)
    counters: dict[str, int] = field(default_factory=dict)
    memory: str = ""
    contents: bytes = b""
    issues: tuple[Issue, ...] = ()

    @property
    def done(self) -> bool:
        """Whether the kernel ended as it should."""
        return self.status == "done"

    @property
    def cycles(self) -> int:
        """Cycles of the run."""
        return int(self.metrics["cycles"])


def measure(task: Task, notice: Notice | None = None) -> Outcome:
    """Run a task. A fault, a timeout and a launch that is impossible are outcomes, not exceptions."""
    try:
        machine = GPU(task.config, units=task.units).machine(task.program, tracing=bool(task.watched))
    except LaunchError as error:
        return Outcome("impossible", str(error))
    # Once this process has native code, even a short run is faster with it.
    engine = "native" if task.engine == "auto" and is_loaded() and is_compiled(machine) else task.engine
    result = machine.finish(drive(machine, engine=engine, max_cycles=task.max_cycles, notice=notice))
    message = ""
    if result.status == "error":
        message = result.fault
    elif result.status == "timeout":
        message = f"still running after {task.max_cycles} cycles"
    seen = _watched(result, task.watched) if task.watched else {}
    return Outcome(result.status, message, metrics_of(result), dict(result.counters), _digest(result.memory), **seen)


def _watched(result: RunResult, buffer: str) -> dict[str, Any]:
    """What a task that watches a buffer gives."""
    events = result.detail.events
    assert events is not None, "the run was traced"
    issued = events[events[:, KIND] == ISSUE]
    return {
        "contents": read_buffer(result.program, result.memory, buffer).tobytes(),
        "issues": tuple(Issue(*map(int, row)) for row in issued[:, [TIME, PC, MASK]]),
    }


def _digest(memory: np.ndarray) -> str:
    used = np.flatnonzero(memory)
    return hashlib.sha256(memory[: int(used[-1]) + 1 if len(used) else 0].tobytes()).hexdigest()[:DIGEST]


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def spread(
    function: Callable[[T, Notice | None], R],
    tasks: Sequence[T],
    *,
    jobs: int | None = None,
    dask: str | None = None,
    progress: Progress | None = None,
    notice: Notice | None = None,
) -> list[R]:
    """`function(task, notice)` of every task, in their order.

    function: of a module, so that other processes can find it. jobs: processes; None: one a processor. dask: the address of a Dask
    scheduler, as tcp://host:8786, whose workers run everything instead. progress: called with (done, all) in this process.
    Raises StudyError where a process dies or the cluster cannot be used.
    """
    if jobs is not None and not (isinstance(jobs, int) and jobs >= 1):
        raise StudyError(f"jobs = {jobs}: at least one process runs")
    say = progress or (lambda done, total: None)
    if dask is not None:
        return _on_cluster(function, tasks, dask, say)
    workers = (jobs or processors()) if _may_be_sent(tasks) else 1
    begin = time.monotonic()
    found: list[R] = []
    for task in tasks:
        # Processes are made before anything is shown: a bar has a thread, and threads and forks do not go together.
        if workers > 1 and len(tasks) - len(found) > 1 and time.monotonic() - begin > ALONE:
            return found + _on_processes(function, tasks[len(found) :], workers, lambda done: say(len(found) + done, len(tasks)))
        found.append(function(task, notice))
        if workers == 1 or len(found) == len(tasks):
            say(len(found), len(tasks))
    return found


def _may_be_sent(tasks: Sequence[Any]) -> bool:
    """Whether other processes can import the functions that tasks bring along."""
    own = {id(unit): unit for task in tasks for unit in getattr(task, "units", {}).values() if not isinstance(unit, str)}
    try:
        pickle.dumps(list(own.values()))
    except (AttributeError, TypeError, pickle.PicklingError):
        return False
    return True


def _on_processes(function: Callable[[T, Notice | None], R], tasks: Sequence[T], workers: int, say: Callable[[int], None]) -> list[R]:
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from concurrent.futures.process import BrokenProcessPool

    pool = ProcessPoolExecutor(min(workers, len(tasks)), initializer=_end_on_interrupt)
    try:
        futures = [pool.submit(function, task, None) for task in tasks]
        for done, _ in enumerate(as_completed(futures), 1):
            say(done)
        return [future.result() for future in futures]
    except BrokenProcessPool:
        raise StudyError("a process that ran a part of the sweep has died, most likely for lack of memory: use fewer with --jobs") from None
    finally:
        pool.shutdown(cancel_futures=True)  # and wait: a pool that is still closing when Python ends may print a traceback


def _end_on_interrupt() -> None:
    """Ctrl-C reaches every process of a terminal: those that only work end without a word."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _on_cluster(function: Callable[[T, Notice | None], R], tasks: Sequence[T], address: str, say: Progress) -> list[R]:
    distributed = needed("distributed", "a Dask cluster", "cluster")
    try:
        client = distributed.Client(address, timeout=CLUSTER_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise StudyError(f"there is no Dask scheduler at {address!r}: {reason}") from None
    with client, client.as_current():
        futures = [client.submit(function, task, None, pure=False) for task in tasks]
        try:
            for done, _ in enumerate(distributed.as_completed(futures), 1):
                say(done, len(tasks))
            return list(client.gather(futures))
        except (distributed.CancelledError, distributed.KilledWorker, ImportError) as error:
            raise StudyError(f"the Dask cluster at {address!r} did not finish: {type(error).__name__}: {error}") from None
