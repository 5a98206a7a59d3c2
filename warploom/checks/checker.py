"""The checker: hands a machine the watch and its tables, and keeps what is known before the first cycle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from warploom.checks.atomic_orders import orders_of
from warploom.checks.core_warps import watch_warps
from warploom.checks.dropping import access_what_is_there
from warploom.checks.registers import register_tables, watch_registers, watch_registers_of_warps
from warploom.checks.report.findings import Fault
from warploom.checks.runs import COUNT_SHIFT, count_of, item_of, pitch_of
from warploom.checks.shadow import (
    BY_THREAD,
    HELD,
    LOCKSTEP,
    PARTS,
    RAGGED,
    RETURNS,
    RUN_SHIFT,
    SHADOW_COLUMNS,
    SHAPE,
    SHARED_ROWS,
    SHARED_WORDS,
    SPREAD,
    STANDS_FOR,
    WORD_BYTES,
    new_tables,
)
from warploom.checks.watch import watch
from warploom.isa import uop as u
from warploom.isa.counts import numbers
from warploom.isa.needs import BARRIERS, uses
from warploom.isa.program import Program
from warploom.machine.accounting.faults import FAULTS
from warploom.machine.accounting.status import LaunchError
from warploom.machine.device.report import fault_place

# By whether the program starts its warps itself, and whether it may read registers that nobody has written.
WATCHES = {
    (False, False): watch,
    (False, True): watch_registers,
    (True, False): watch_warps,
    (True, True): watch_registers_of_warps,
}
ATOMICS = tuple(name for name in u.NUMBER if name.startswith("atomic"))
BYTES_WRITTEN = (numbers(WORD_BYTES + 1)[:, None] >> numbers(4)) & 1 == 0  # of a word that holds such a number, by byte


class Checker:
    """For one run. unwritten: (first byte, bytes of a mask) of pieces of global memory: 1 where nobody has written a byte yet.

    returns: a thread may end before the kernel's last statement, so lanes that a mask names may rightly be gone. stands_for: the word that
    is read where nobody has written shared memory, and << 32 how many of its low bits differ by place (`initialised.py`); 0 for what
    there is.
    """

    def __init__(self, unwritten: Sequence[tuple[int, np.ndarray]] = (), returns: bool | None = None, stands_for: int = 0) -> None:
        self.unwritten, self.returns, self.stands_for = unwritten, returns, stands_for
        self.found: dict[str, np.ndarray] = {}
        self._machine: Any = None
        self._shift = 0
        self.unit: Callable[..., None] = watch
        self.access: Callable[..., int] = access_what_is_there

    def tables(self, machine: Any) -> dict[str, np.ndarray]:
        """The tables of a machine before its first cycle. Raises LaunchError for a machine whose threads move between warps."""
        if machine.forms_warps:
            raise LaunchError(f"{machine.config.name!r} forms warps anew (core.divergence = 'dwf'): lanes have no warp to be checked in")
        config, program, grid = machine.config, machine.program, machine.gpu["grid"]
        self._machine = machine
        self._shift = (config.core.lanes - 1).bit_length()
        run = 1 << self._shift
        words = _whole_runs((machine.storage.end + 3) // 4 + 2, run)  # the memory that further cores have of their own comes last
        core = machine.cores[0]
        shared = _whole_runs(int(core["blocks"]["slots"]) * int(core["blocks"]["shared_bytes"]) // 4 + 1, run)
        size, lanes, blocks = max(int(grid["block_threads"]), 1), config.core.lanes, int(grid["blocks"])
        slots = config.core.warps * config.gpu.cores
        own_warps = program.launch.whole_device  # starts its warps itself
        rows = -(-size // lanes) if own_warps or meets_in_part(program) else 0
        tells = uses(program, "fence") and uses(program, *ATOMICS)
        self.found = new_tables(
            words + shared * config.gpu.cores, run, blocks * size + lanes, blocks, rows, rows > 0 or tells, slots, lanes
        )  # fmt: skip
        self.found["orders"] = orders_of(program)
        head = self.found["findings"][0]
        head[RAGGED] = size if rows and size % lanes else 0
        head[BY_THREAD] = not rows or (tells and knows_lanes(program))
        head[SHARED_ROWS], head[SHARED_WORDS], head[RUN_SHIFT] = words, shared, self._shift
        head[STANDS_FOR] = self.stands_for
        head[LOCKSTEP] = int(not knows_lanes(program))
        head[RETURNS] = int(self.returns if self.returns is not None else _ends(program) > 1)
        for first, mask in self.unwritten:
            self._mark(first, mask)
        registers = register_tables(program, slots)
        self.unit = WATCHES[own_warps, registers is not None]
        self.found |= registers or {}
        return self.found

    def take(self, other: Checker) -> None:
        """Stand for the run of a different one from now on."""
        self.found, self._machine, self._shift, self.unit = other.found, other._machine, other._shift, other.unit

    def fault(self, text: str) -> Fault | None:
        """After the run, once: why the machine has stopped it. text: its sentence."""
        machine, self._machine = self._machine, None  # it is large, and nobody else has it any more
        kind = int(machine.gpu["fault"]["kind"])
        return Fault(FAULTS[kind].name, *fault_place(machine), text) if kind else None

    def _mark(self, first: int, mask: np.ndarray) -> None:
        """Note the bytes that nobody has written. first: a multiple of 4."""
        padded = np.zeros(-(-len(mask) // 4) * 4, np.uint8)
        padded[: len(mask)] = mask
        bits = padded[0::4] | padded[1::4] << 1 | padded[2::4] << 2 | padded[3::4] << 3
        begin, end = self._runs_of(first // 4, len(bits))
        held = self._held(begin, end)
        start = first // 4 - (begin << self._shift)
        held.reshape(-1)[start : start + len(bits)] = bits
        differ = (held != held[:, :1]).any(axis=1)
        runs = self._parts(begin, end)[0]
        runs[:, HELD] = held[:, 0]
        runs[:, SHAPE] = differ * SPREAD
        self._words(begin, end)[differ] = held[differ]

    def written(self, first: int, size: int) -> np.ndarray:
        """bool[size]: after the run, which bytes of such a piece have been written."""
        begin, end = self._runs_of(first // 4, (size + 3) // 4)
        start = first // 4 - (begin << self._shift)
        words = self._held(begin, end).reshape(-1)[start : start + (size + 3) // 4]
        return np.take(BYTES_WRITTEN, words, axis=0).reshape(-1)[:size]

    def _runs_of(self, first: int, count: int) -> tuple[int, int]:
        """The first run of some words, and the one after their last."""
        return first >> self._shift, -(-(first + count) >> self._shift)

    def _parts(self, begin: int, end: int) -> np.ndarray:
        """The rows of some runs, by part, run and column, the row of starts last: a view of `runs`."""
        return self.found["runs"].reshape(PARTS + 1, -1, SHADOW_COLUMNS)[:, begin:end]

    def _words(self, begin: int, end: int) -> np.ndarray:
        """HELD of the words of some runs, a row a run: a view of `shadow`."""
        return self.found["shadow"][begin << self._shift : end << self._shift, HELD].reshape(end - begin, 1 << self._shift)

    def _held(self, begin: int, end: int) -> np.ndarray:
        """HELD of these words, as uint8: from their run, or from their own rows where it is spread."""
        parts = self._parts(begin, end)
        held = np.repeat(parts[0, :, HELD].astype(np.uint8), 1 << self._shift).reshape(end - begin, -1)
        several = np.flatnonzero(parts[0, :, SHAPE] >> COUNT_SHIFT > 1)
        layouts = np.column_stack([parts[0, several, SHAPE], parts[PARTS, several]])
        kinds, kind_of_run = np.unique(layouts, axis=0, return_inverse=True)
        for number, layout in enumerate(kinds):
            alike = several[kind_of_run.reshape(-1) == number]
            held[alike] = held_by_parts(layout, parts[:PARTS, alike, HELD], 1 << self._shift)
        spread = parts[0, :, SHAPE] & SPREAD != 0
        held[spread] = self._words(begin, end)[spread]
        return held


def held_by_parts(layout: np.ndarray, held: np.ndarray, words: int) -> np.ndarray:
    """HELD of global memory, uint8[runs, words], of runs that have the same several parts.

    layout: their SHAPE, and the columns of starts. held: int64[PARTS, runs].
    """
    pitch, item, count = (int(field(layout[0])) for field in (pitch_of, item_of, count_of))
    bits = np.repeat(held[0][:, None], 4 * words, axis=1)
    starts = layout[1:].astype("<i8").view("<i2")
    for part in sorted(range(pitch != item, count), key=lambda part: int(starts[part])):
        for byte in range(item):
            bits[:, starts[part] + byte :: pitch] = held[part][:, None]
    found = bits.reshape(-1, words, 4) >> np.arange(4, dtype=np.uint8) & 1
    return np.asarray(found @ (1, 2, 4, 8), np.uint8)


def _whole_runs(words: int, run: int) -> int:
    """So many words, and those that the last run has beside them."""
    return -(-words // run) * run


def knows_lanes(program: Program) -> bool:
    """Whether lanes of a warp may run on their own in the program's language, so that only a syncwarp keeps them in step."""
    return program.language.free_lanes


def meets_in_part(program: Program) -> bool:
    """Whether it has barriers that may be for some warps of a block: with a number, with a count, or at which some only arrive."""
    there = program.uops[np.isin(program.uops[:, u.OP], BARRIERS)]
    with_place = (there[:, u.A] != u.NONE) | (there[:, u.B] != u.NONE) | (there[:, u.IMM] != 0)
    return bool((with_place | (there[:, u.OP] == u.NUMBER["barrier_arrive"])).any())


def _ends(program: Program) -> int:
    return int(np.isin(program.uops[:, u.OP], [u.NUMBER["exit"], u.NUMBER["exit_warp"]]).sum())
