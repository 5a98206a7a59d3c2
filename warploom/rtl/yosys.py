"""Yosys, as the Python package pyosys has it: synthesis, Verilog, proofs.

It runs in a process of its own. So what it prints stays from the terminal, and what it gives does not depend on what it did before: its
results follow from the numbers that it gives to new names, and it counts them for as long as it lives.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from amaranth.back import rtlil

from warploom.isa.host.children import ISOLATED
from warploom.observe.text.needs import needed

_RUNNER = """import json, sys
from pyosys import libyosys
design = libyosys.Design()
for command in json.load(sys.stdin):
    libyosys.run_pass(command, design)"""


class Processes:
    """The processes of a call, on all its threads: once they have been ended, none begins any more."""

    def __init__(self) -> None:
        self.running: set[subprocess.Popen[str]] = set()
        self._ended = False
        self._lock = Lock()  # an interrupt may come while another thread begins one

    @contextmanager
    def begin(self, *arguments: str) -> Iterator[subprocess.Popen[str]]:
        """A process that runs a command. Raises CancelledError after the end."""
        pipe = subprocess.PIPE
        with self._lock:
            if self._ended:
                raise CancelledError
            process = subprocess.Popen(arguments, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
            self.running.add(process)
        with process:
            try:
                yield process
            finally:
                self.running.discard(process)

    def end(self) -> None:
        """End those that run."""
        with self._lock:
            self._ended = True
            for process in list(self.running):
                process.terminate()


def rtlil_text(component: Any, name: str) -> str:
    """A component as RTLIL, Yosys' own language, in which its ports are the top module's."""
    return str(rtlil.convert(component, name=name, emit_src=False))


def run(design: str, passes: Sequence[str], processes: Processes | None = None) -> list[str]:
    """Run passes over a design, and return what each has to report. design: RTLIL. Raises MissingPackage where there is no pyosys.

    In a pass `{folder}` stands for a folder for its files, which is gone afterwards.
    """
    with folder() as place:
        return run_in(place, design, passes, processes)


def run_in(place: Path, design: str, passes: Sequence[str], processes: Processes | None = None) -> list[str]:
    """The same with a folder of the caller's."""
    needed("pyosys", "synthesis", "rtl")
    (place / "design.il").write_text(design)
    reports = [place / f"report-{number}.txt" for number in range(len(passes))]
    commands = [f"read_rtlil {place / 'design.il'}"]
    commands += [f"tee -q -o {report} {command.format(folder=place)}" for report, command in zip(reports, passes, strict=True)]
    with (processes or Processes()).begin(sys.executable, *ISOLATED, "-c", _RUNNER) as process:
        out, errors = process.communicate(json.dumps(commands))
    if process.returncode != 0:
        raise RuntimeError(f"Yosys has stopped: {(errors or out).strip()[-1000:]}")
    return [report.read_text() if report.exists() else "" for report in reports]


def all_of(runs: Sequence[tuple[str, Sequence[str]]], done: Callable[[int, list[str]], None]) -> None:
    """Run passes over several designs, as many at a time as there are processors, the largest designs first.

    runs: designs and their passes. done: is told the number of a run in `runs` and its reports, in the caller's thread, as they end; what
    has ended before an interrupt has been told.
    """
    order = sorted(range(len(runs)), key=lambda number: -len(runs[number][0]))
    processes = Processes()
    pool = ThreadPoolExecutor(os.cpu_count())
    try:
        numbers = {pool.submit(run, *runs[number], processes): number for number in order}
        for ended in as_completed(numbers):
            done(numbers[ended], ended.result())
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        processes.end()  # after an interrupt or an error


@contextmanager
def folder() -> Iterator[Path]:
    """A folder for files between Yosys and us, for a while."""
    with tempfile.TemporaryDirectory(prefix="warploom-") as name:
        yield Path(name)
