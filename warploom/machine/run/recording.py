"""Recording: every change of registers, memory and divergence state, cycle by cycle.

Not hardware: an observer. It stops the machine after every cycle and writes down what has changed in the warps that issued
or were launched, so a recorded run is slower (up to half a millisecond per cycle), and the machine's own code knows nothing
of it. It takes `most_bytes` of memory, and while the tables are made of it as much again; when they are full it stops recording, and
the run continues at full speed. Longer runs are recorded in pieces (`pieces.py`).
"""

from __future__ import annotations

import weakref
from array import array
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from warploom.isa import uop as u
from warploom.isa.needs import REDUCTIONS, uses
from warploom.isa.program import Program
from warploom.isa.regions import AddressSpace
from warploom.machine.accounting import events as e
from warploom.machine.config.schema import Config
from warploom.machine.core.divergence.path_table import AT_BARRIER, AT_RECONVERGENCE, AT_SYNC, READY, STACKED
from warploom.machine.core.divergence.waiting import waiting_paths
from warploom.machine.core.warps.barrier import CORE_BARRIERS, GRID_BARRIER, WHOLE_WARP
from warploom.machine.run.touched import touched

MOST_BYTES = 256 << 20

# Columns of `Recording.registers`, `.scalars`, `.memory`, `.shared` and `.paths`. TIME: the cycle after which it holds.
TIME, CORE, WARP = range(3)
REGISTER = 3  # registers, scalars: number of the register
VALUE = 4  # scalars
# memory: word = place / 4 (isa/regions.py; of one flat memory, address / 4). shared: word of the core's array. The warp is the writer.
WORD, OLD, NEW = 3, 4, 5
LEVEL, KIND, MASK, PC, RECONVERGENCE_PC = range(3, 8)  # paths
EMPTY = -1  # the LEVEL of the only row of a warp in which nobody waits

WIDTHS = {"registers": 4, "scalars": 5, "memory": 6, "shared": 6, "paths": 8}  # columns of each table

# What the lanes of a path wait for: the KIND of a row of `paths`.
PATHS = (
    "stack",  # an entry of the reconvergence stack: they run at PC next and reconverge at RECONVERGENCE_PC (-1: when they end)
    "mask",  # an entry of the mask stack of a program that manages masks
    "ready",  # a group that can continue at PC
    "at reconvergence",  # a group that waits for the others at PC
    "barrier",  # a group that waits for the rest of its warp at barrier RECONVERGENCE_PC
    "core barrier",  # ... at barrier RECONVERGENCE_PC across cores
    "grid barrier",  # ... at the barrier of the grid
    "whole warp",  # ... at the instruction at PC, which is for all lanes of a warp
)
(ON_STACK, ON_MASK_STACK, IS_READY, IS_AT_RECONVERGENCE,
 IS_AT_BARRIER, IS_AT_CORE_BARRIER, IS_AT_GRID_BARRIER, IS_OF_WHOLE_WARP) = range(len(PATHS))  # fmt: skip
KINDS = {
    STACKED: ON_STACK, READY: IS_READY, AT_RECONVERGENCE: IS_AT_RECONVERGENCE, AT_SYNC: IS_AT_RECONVERGENCE,
    AT_BARRIER + GRID_BARRIER: IS_AT_GRID_BARRIER, AT_BARRIER + WHOLE_WARP: IS_OF_WHOLE_WARP,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Recording:
    """What changed in a run. Rows are in the order of time; times are cycles after which the new value holds.

    until: cycles that are covered, from 0; the run's own number unless `most_bytes` were full. registers: int64[n, 4] and
    values: uint32[n, lanes], the whole row of a lane register after it has changed in a lane. scalars: int64[n, 5]. memory,
    shared: int64[n, 6], a word each. paths: int64[n, 8], all the paths of a warp that wait, when they are others than before:
    a row a path, level 0 the one that waits longest, or one row of level EMPTY.
    """

    until: int
    registers: np.ndarray
    values: np.ndarray
    scalars: np.ndarray
    memory: np.ndarray
    shared: np.ndarray
    paths: np.ndarray


class Selection(NamedTuple):
    """Warps that are wanted: cores and warp slots, None for all."""

    cores: frozenset[int] | None
    warps: frozenset[int] | None

    def has(self, core: int, warp: int) -> bool:
        """Whether a warp slot of a core is among them."""
        return (self.cores is None or core in self.cores) and (self.warps is None or warp in self.warps)

    def of_events(self, rows: np.ndarray) -> np.ndarray:
        """The events of these warps, and those of their cores that are of no warp; what the cores share is kept."""
        keep = np.ones(len(rows), bool)
        shared, of_core = (np.isin(rows[:, e.KIND], e.belonging_to(whom)) for whom in ("device", "core"))
        if self.cores is not None:
            keep &= shared | np.isin(rows[:, e.CORE], list(self.cores))
        if self.warps is not None:
            keep &= shared | of_core | np.isin(rows[:, e.WARP], list(self.warps))
        return rows[keep]


class Recorded(Protocol):
    """What the recorder reads of a machine of cores with warps."""

    config: Config
    program: Program
    gpu: np.ndarray
    cores: np.ndarray
    memory: np.ndarray
    memory_bytes: int
    event_buffer: np.ndarray
    uops: np.ndarray
    code: np.ndarray
    views: np.ndarray
    forms_warps: bool

    @property
    def cycle(self) -> int:
        """Cycles simulated so far."""

    @property
    def space(self) -> AddressSpace:
        """Where in `memory` the byte of an address is now."""


class Recorder:
    """Writes down what a machine changes. `record_cycle` is called after every cycle, as long as `open`."""

    def __init__(self, machine: Recorded, most_bytes: int = MOST_BYTES, selection: Selection | None = None) -> None:
        config, program = machine.config, machine.program
        self.machine, self.most_bytes, self.selection = weakref.proxy(machine), most_bytes, selection
        self.open = True
        self.until = 0
        self._seen = 0  # rows of the machine's event buffer that have been read
        count, self._lanes, self._scalars = min(program.registers, u.HIDDEN), config.core.lanes, program.scalars
        lane = machine.cores["registers"]["lane"][:, : config.core.warps, :count, : self._lanes]
        self._lane, self._lane_before = lane, lane.copy()
        self._scalar = machine.cores["registers"]["scalar"][:, : config.core.warps, : self._scalars]
        self._scalar_before = self._scalar.copy()
        self._memory_before, self._shared_before = machine.memory.copy(), machine.cores["shared"].copy()
        self._paths_before: dict[tuple[int, int], tuple[tuple[int, ...], ...]] = {}
        self._stores, self._shares = writers(machine.uops, machine.code, u.MEMORY), writers(machine.uops, machine.code, u.SHARED)
        # Registers of warps that have not issued change where threads move, and where a barrier gives a result to all.
        self._threads_move = machine.forms_warps or uses(program, *REDUCTIONS)
        self._rows = {name: array("q") for name in WIDTHS}
        self._values = array("I")

    @property
    def bytes(self) -> int:
        """What has been written down takes, without what is kept to find out what changes."""
        return sum(rows.itemsize * len(rows) for rows in (*self._rows.values(), self._values))

    def record_state(self) -> None:
        """Write down what every warp has now, as if it had got it in the cycle before: for a recording that begins in mid-run."""
        machine = self.machine
        self._seen = int(machine.gpu["log"]["rows"])
        self._lane_before[...], self._scalar_before[...] = 0, 0
        self._shared_before[...] = 0
        for core in range(machine.config.gpu.cores):
            for warp in range(machine.config.core.warps):
                self._note_registers(machine.cycle - 1, core, warp)
                self._note_paths(machine.cycle - 1, core, warp)
            self._note_shared(machine.cycle - 1, core, 0)

    def record_cycle(self) -> None:
        """Write down what the last cycle changed."""
        machine = self.machine
        rows = machine.event_buffer[self._seen : int(machine.gpu["log"]["rows"])]
        self._seen += len(rows)
        self.until = machine.cycle
        concerned = rows[np.isin(rows[:, e.KIND], (e.ISSUE, e.LAUNCH))]
        if not len(concerned):
            return
        time = int(concerned[-1, e.TIME])
        warps = {(int(core), int(warp)) for core, warp in concerned[:, (e.CORE, e.WARP)]}
        if self._threads_move:
            warps = {(core, warp) for core, _ in warps for warp in range(machine.config.core.warps)}
        if self.selection is not None:
            warps = {(core, warp) for core, warp in warps if self.selection.has(core, warp)}
        for core, warp in sorted(warps):
            self._note_registers(time, core, warp)
            self._note_paths(time, core, warp)
        issues = concerned[concerned[:, e.KIND] == e.ISSUE]
        storing = [tuple(map(int, row)) for row in issues[:, (e.CORE, e.WARP, e.PC)] if self._stores[row[2]]]
        if storing:
            self._note_memory(time, storing)
        for core, warp, pc in issues[:, (e.CORE, e.WARP, e.PC)]:
            if self._shares[pc]:
                self._note_shared(time, int(core), int(warp))
        if self.bytes > self.most_bytes:
            self.open = False

    def drained(self) -> None:
        """The machine's event buffer has been emptied."""
        self._seen = 0

    def recording(self) -> Recording:
        """All that has been written down."""
        tables = {name: np.array(self._rows[name], np.int64).reshape(-1, width) for name, width in WIDTHS.items()}
        values = np.array(self._values, np.uint32).reshape(-1, self._lanes)
        return Recording(until=self.until, values=values, **tables)

    def _add(self, table: str, *row: int) -> None:
        self._rows[table].extend(row)

    def _note_registers(self, time: int, core: int, warp: int) -> None:
        now, before = self._lane[core, warp], self._lane_before[core, warp]
        for register in np.flatnonzero((now != before).any(axis=1)):
            self._add("registers", time, core, warp, int(register))
            self._values.frombytes(now[register].tobytes())
            before[register] = now[register]
        if self._scalars:
            now, before = self._scalar[core, warp], self._scalar_before[core, warp]
            for register in np.flatnonzero(now != before):
                self._add("scalars", time, core, warp, int(register), int(now[register]))
            before[:] = now

    def _note_paths(self, time: int, core: int, warp: int) -> None:
        paths = tuple(_kinds(self.machine.cores[core], warp))
        if paths == self._paths_before.get((core, warp), ()):
            return
        self._paths_before[core, warp] = paths
        for level, path in enumerate(paths):
            self._add("paths", time, core, warp, level, *path)
        if not paths:
            self._add("paths", time, core, warp, EMPTY, 0, 0, 0, 0)

    def _note_memory(self, time: int, storing: list[tuple[int, ...]]) -> None:
        words = (self.machine.memory_bytes + 3) // 4  # beyond are the threads' own
        memory, before = self.machine.memory[:words], self._memory_before[:words]
        changed = np.flatnonzero(memory != before)
        touched = [self._touched(*store) if len(storing) > 1 else set() for store in storing]
        for word in changed.tolist():
            # Of several stores in one cycle the last that touches the word has written it.
            writer = next((store for store, words in zip(storing[::-1], touched[::-1], strict=True) if word in words), storing[-1])
            self._add("memory", time, writer[0], writer[1], word, int(before[word]), int(memory[word]))
        before[changed] = memory[changed]

    def _touched(self, core: int, warp: int, pc: int) -> set[int]:
        """The words of memory that a store touches."""
        return {place // 4 + word for _, place, size in touched(self.machine, core, warp, pc) for word in range(2 if size == u.WIDE else 1)}

    def _note_shared(self, time: int, core: int, warp: int) -> None:
        now, before = self.machine.cores[core]["shared"], self._shared_before[core]
        changed = np.flatnonzero(now != before)
        for word in changed.tolist():
            self._add("shared", time, core, warp, word, int(before[word]), int(now[word]))
        before[changed] = now[changed]


def writers(uops: np.ndarray, code: np.ndarray, unit: int) -> np.ndarray:
    """bool[instructions]: which ones may write to memory (or shared memory). uops, code: of a program."""
    loads = u.NUMBER["load"], u.NUMBER["load_scalar"]
    writing = (unit, u.MERGER) if unit == u.MEMORY else (unit,)
    writes = np.isin(uops[:, u.UNIT], writing) & ~np.isin(uops[:, u.OP], loads)
    return np.array([bool(writes[row[u.FIRST_UOP] : row[u.FIRST_UOP] + row[u.COUNT]].any()) for row in code], bool)


def _kinds(core: np.void, warp: int) -> list[tuple[int, int, int, int]]:
    """(kind, mask, pc, reconvergence_pc or number of the barrier) of every path of a warp that waits, the oldest first."""
    found = []
    for path in waiting_paths(core, warp):
        kind, number = KINDS.get(path.state, IS_AT_BARRIER), path.reconvergence_pc
        if path.table == "mask_stack":
            kind = ON_MASK_STACK
        elif path.barrier >= CORE_BARRIERS:
            kind, number = IS_AT_CORE_BARRIER, path.barrier - CORE_BARRIERS
        elif kind == IS_AT_BARRIER:
            number = path.barrier
        found.append((kind, _signed(path.lanes), path.pc - (kind == IS_OF_WHOLE_WARP), number))
    return found


def _signed(mask: Any) -> int:
    """A 64-bit mask in an int64 column, as events have it."""
    return int(np.uint64(mask).astype(np.int64))
