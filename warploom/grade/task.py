"""A task: what is asked, of which inputs, what a right answer is, and what it is worth. Read from a TOML file.

Values of a task file are numbers, or expressions in Python that its teacher has written: they are evaluated in the judge.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from warploom.checks.report.findings import KINDS

NAME = "task.toml"
LIMITS = ("cycles", "instructions", "transactions", "shared_passes", "shared_bytes", "registers", "occupancy")
AT_LEAST = ("occupancy",)  # of a limit: a share of the reference's below which it is missed
PARTS = ("outputs", "findings", "contract", *LIMITS)
OF_UNITS = ("cycles", "instructions", "transactions")  # limits of a task about a unit
HOST_PROGRAMS = (".py", ".cu")  # endings of programs with their own host code
MOST_CASES = 100
MOST_CYCLES = 10_000_000


class TaskError(ValueError):
    """A mistake in a task file: `task.toml:7: ...; fix`. One sentence."""


@dataclass(frozen=True)
class Output:
    """One result that is compared. start: what the array holds before; expected: what it must hold after, both expressions.

    Without `expected`, the reference solution's result is expected. tolerance: relative and absolute, 0 for equal values. buffer, first,
    count, type: of a program that is not a kernel in Python, where the values lie: in elements of the type.
    """

    start: Any = None
    expected: Any = None
    tolerance: float = 0.0
    buffer: str = "memory"
    first: Any = 0
    count: Any = None
    type: str = ""


@dataclass(frozen=True)
class Launch:
    """How a submission is started. Python: kernel, arguments, grid, block, shared. Others: threads, block, grid, buffers, values."""

    kernel: str = ""
    arguments: tuple[str, ...] = ()
    grid: Any = None
    block: Any = None
    shared: Any = 0
    threads: Any = None
    buffers: Mapping[str, Any] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Unit:
    """A unit that is handed in. slot: of `warploom.units.SLOTS`. name: of the unit in its file. programs: the task's files, for limits."""

    slot: str = ""
    name: str = ""
    programs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Program:
    """A program with its own host code that is handed in. input: lines of its standard input; arguments: words of its command line; both
    are names or expressions. on_device: outputs must stand in the device's memory as a launch has left them.
    """

    input: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    on_device: bool = True


@dataclass(frozen=True)
class Mistake:
    """A known wrong answer. message: what its author is told. example: a file that makes it.

    It is recognised by one of: finding, a kind of `warploom check`; limit, one that is missed; when, an expression over inputs and outputs
    that holds for some case; error, a part of an error's text.
    """

    message: str
    finding: str = ""
    limit: str = ""
    when: str = ""
    error: str = ""
    example: str = ""


@dataclass(frozen=True)
class Machine:
    """On what submissions run. gpu: a preset's name, "" for the usual one of the language."""

    gpu: str = ""
    set: Mapping[str, Any] = field(default_factory=dict)
    max_cycles: int = 1_000_000


@dataclass(frozen=True)
class Sandbox:
    """Limits of a submission's processes: seconds of time, MiB of memory, KiB of printed text."""

    seconds: int = 20
    memory: int = 512
    output: int = 256


@dataclass(frozen=True)
class Task:
    """A task. file: where it was read. points: weights by part; of a part without one, 0."""

    file: Path
    title: str
    text: str
    takes: tuple[str, ...]
    inputs: Mapping[str, Any]
    outputs: Mapping[str, Output]
    launch: Launch
    machine: Machine = Machine()
    sandbox: Sandbox = Sandbox()
    points: Mapping[str, float] = field(default_factory=dict)
    limits: Mapping[str, float] = field(default_factory=dict)
    forbid: tuple[str, ...] = KINDS
    cases: int = 2
    hints: tuple[str, ...] = ()
    reference: str = ""
    starter: str = ""
    functions: str = ""
    mistakes: tuple[Mistake, ...] = ()
    picture: Mapping[str, Any] = field(default_factory=dict)
    unit: Unit | None = None
    program: Program | None = None

    @property
    def folder(self) -> Path:
        """Where its files lie."""
        return self.file.parent

    @property
    def name(self) -> str:
        """The folder's name, or the file's where that says more."""
        return self.folder.resolve().name if self.file.name == NAME else self.file.stem
