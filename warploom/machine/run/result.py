"""RunResult: what a run gave, as plain data. Views of a run read nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from warploom.isa.numbers import grouped, percentage, whole_number
from warploom.isa.program import Program
from warploom.isa.regions import AddressSpace
from warploom.machine.accounting.counters import COUNTER, STATE_COUNTERS
from warploom.machine.accounting.events import KINDS, of_kind
from warploom.machine.accounting.notes import Note
from warploom.machine.config.features import Features
from warploom.machine.config.schema import Config
from warploom.machine.run.sparse import only_changed, whole

if TYPE_CHECKING:
    from warploom.machine.run.recording import Recording
    from warploom.machine.run.runnable import Runnable

ROW = 16  # bytes of memory in a row of a table
MOST_ROWS = 16  # rows that a Result shows of itself


@dataclass(frozen=True, eq=False)
class Detail:
    """What a machine gives of a run beside its counters; None for what its kind has not, or was not asked for.

    profile: int64[instructions, PROFILE_COLUMNS] of `accounting/reasons.py`. events: int64[n, EVENT_COLUMNS] of
    `accounting/event_kinds.py`, in the order in which they were written down; no rows unless the run was traced. registers:
    uint32[cores, warp slots, registers, lanes], what the last warp of each slot had in its lane registers. recording: every
    change of registers and memory. by_visit: a warp does what its scheduler found when it last visited it (guppy), not what it waits for.
    """

    profile: np.ndarray | None = None
    events: np.ndarray | None = None
    registers: np.ndarray | None = None
    recording: Recording | None = None
    by_visit: bool = False

    def __getstate__(self) -> dict[str, Any]:
        """As of a result: of registers what is not zero."""
        if self.registers is None:
            return vars(self).copy()
        given = np.ascontiguousarray(self.registers).reshape(-1).view(np.uint8)
        return vars(self) | {"registers": (self.registers.dtype, self.registers.shape, only_changed(given))}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        if state["registers"] is not None:
            dtype, shape, kept = state["registers"]
            vars(self)["registers"] = whole(kept).view(dtype).reshape(shape)

    def of_kind(self, kind: str) -> np.ndarray:
        """The events of a kind as records: `detail.of_kind("stall")["since"]`; the kinds and their fields are in docs/traces.md.

        Raises ValueError for a kind that there is not, and for a run without events.
        """
        if kind not in KINDS:
            raise ValueError(f"{kind!r} is not a kind of event: the kinds are {', '.join(KINDS)}")
        if self.events is None:
            raise ValueError("a machine that runs one instruction at a time writes down no events: its `trace()` has every cycle")
        return of_kind(self.events, KINDS.index(kind))


@dataclass(frozen=True, eq=False)
class RunResult:
    """One run.

    status: "done"; "timeout", when it was still running after the allowed cycles; "error", when it stopped with a fault.
    memory, initial_memory: uint8[bytes], after and before: of a program with regions, one region after another (`space`).
    mapped: where memory is, of a program beside whose regions pages may appear: its regions and the pages that have.
    counters: whole numbers by name; `counters.COUNTERS` says what each means. fault: one sentence with its place in the source, or "".
    fault_at: the instruction that it is about, or -1.
    running: where each warp was when the run was stopped, a line each, or that only stores were on their way.
    remarks: what a user should know although it is not a fault.
    notes: what the program itself has written on the log of the run, in the order of cycles; notes_lost: rows for which it had no room.
    console: the lines that it has printed to a console, `#3: text`. exit_code: what it has left, if it leaves one.
    engine: which engines ran it. seconds: wall time. detail: what a kind of machine adds (a profile, events).
    units: a user's units by slot, as `mine.py:lfu`, and ours that no setting names; the settings of these slots say nothing.
    rebuild: builds the run's machine anew. findings: of a run with checks, what they have found (`checks.findings.Finding`).
    """

    program: Program
    config: Config
    status: str
    cycles: int
    instructions: int
    memory: np.ndarray
    initial_memory: np.ndarray
    counters: dict[str, int]
    fault: str = ""
    fault_at: int = -1
    running: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    notes_lost: int = 0
    console: tuple[str, ...] = ()
    exit_code: int | None = None
    engine: str = ""
    seconds: float = 0.0
    detail: Detail = Detail()
    rebuild: Callable[..., Runnable] | None = None
    findings: tuple[Any, ...] = ()
    mapped: AddressSpace | None = None
    units: Mapping[str, str] = field(default_factory=dict)

    def __getstate__(self) -> dict[str, Any]:
        """What another process or a file is given: of memory what is not zero, and what the run has changed."""
        return vars(self) | {
            "initial_memory": only_changed(self.initial_memory), "memory": only_changed(self.memory, self.initial_memory)
        }  # fmt: skip

    def __setstate__(self, state: dict[str, Any]) -> None:
        initial = whole(state["initial_memory"])
        vars(self).update(state | {"initial_memory": initial, "memory": whole(state["memory"], initial)})

    def replay(self) -> Runnable:
        """The machine of this run before its first cycle. A machine is deterministic: it repeats the run.

        Raises ValueError for a result that no machine has given.
        """
        if self.rebuild is None:
            raise ValueError("this result does not say which machine it is of")
        return self.rebuild()

    @property
    def changed(self) -> np.ndarray:
        """The addresses of memory whose byte has changed, in order."""
        return self.space.addresses(np.flatnonzero(self.memory != self.initial_memory))

    @property
    def space(self) -> AddressSpace:
        """Where in `memory` the byte of an address is: the address itself, unless the program has regions."""
        return self.program.address_space(len(self.memory)) if self.mapped is None else self.mapped

    def read(self, address: int, size: int) -> np.ndarray:
        """uint8[size]: memory from an address on, after the run. Raises RegionError (a ValueError) where there is none."""
        place = self.space.place(address, size)
        return self.memory[place : place + size]

    def trace(self, first: int = 0, last: int | None = None) -> Iterator[dict[str, Any]]:
        """One dict a cycle: the state of every unit after the clock edge, `cycles` of them, or those from `first` to `last`.

        The fields are those of the original hardware's traces. The run is repeated for it: a machine is deterministic.
        Raises ValueError for a machine whose cores have warps, and for what is not a whole number.
        """
        first = whole_number("first", first, 0)
        last = None if last is None else whole_number("last", last, 0)
        if not self.has.steps:
            raise ValueError(
                f"trace() shows cores that run one instruction at a time; {self.config.name!r} has "
                f"core.control = {self.config.core.control!r}"
            )
        for machine in self.replay().steps(self.cycles if last is None else min(last + 1, self.cycles), min(first, self.cycles)):
            yield machine.trace_line()

    @property
    def has(self) -> Features:
        """What the machine of this run has: `result.has.warps`, `.events`, `.steps`, `.shared_memory` and others."""
        return self.config.has

    def summary(self) -> str:
        """How the run ended, in one line."""
        name = f"{self.program.name} on {self.config.name}"
        cycles = f"{grouped(self.cycles)} cycles"
        if self.status == "done":
            return f"{name}: done in {cycles}"
        if self.status == "timeout":
            return f"{name}: still running after {cycles}"
        return f"{name}: stopped with an error after {cycles}"

    @property
    def messages(self) -> tuple[str, ...]:
        """The fault, where the cores were when the run was stopped, and the remarks: a sentence each."""
        return (*((self.fault,) if self.fault else ()), *self.running, *self.remarks)

    def __str__(self) -> str:
        lines = [self.summary()]
        lines += [f"  {line}" for line in self.messages]
        lines += ["", *(f"  {counter:<14} {value:>12}  {share:>6}" for counter, value, share in self._rows())]
        rows = self._changed_rows()
        lines += ["", f"  memory: {len(self.changed)} of {len(self.memory)} bytes changed"] if len(self.memory) else []
        for row in rows[:MOST_ROWS]:
            cells = (f"{value:>4}{'*' if changed else ' '}" for value, changed in self._cells(row))
            lines.append(f"  {self._label(row):>6}:{''.join(cells)}")
        if len(rows) > MOST_ROWS:
            lines.append(f"  ... and {len(rows) - MOST_ROWS} more rows")
        return "\n".join(lines).rstrip()

    __repr__ = __str__

    def _rows(self) -> list[tuple[str, str, str]]:
        """What is shown of the counters: (name, value, share of all thread-cycles)."""
        total = sum(self.counters.get(name, 0) for name in STATE_COUNTERS)
        rows = [("instructions", str(self.instructions), "")]
        for name in STATE_COUNTERS:
            if name in self.counters and total:
                value = self.counters[name]
                rows.append((name.removesuffix("_thread_cycles"), grouped(value), percentage(value / total, 1)))
        if self.counters.get("divisions_by_zero"):
            rows.append((COUNTER["divisions_by_zero"].name.replace("_", " "), str(self.counters["divisions_by_zero"]), ""))
        return rows

    def _changed_rows(self) -> list[int]:
        return sorted({int(place) // ROW for place in np.flatnonzero(self.memory != self.initial_memory)})

    def _label(self, row: int) -> str:
        """The address of a row of memory."""
        return self.space.text(self.space.address(row * ROW))

    def _cells(self, row: int) -> list[tuple[int, bool]]:
        """(value, changed) of the bytes of one row of memory."""
        part = slice(row * ROW, (row + 1) * ROW)
        changed = self.memory[part] != self.initial_memory[part]
        return [(int(value), bool(mark)) for value, mark in zip(self.memory[part], changed, strict=True)]
