"""Registers: a thread reads one that it has never written.

Not hardware: a register file has no bits that say what is written, and starts with what the warp before left in it. Here such a register is
zero. Which reads may come before a write is found in the program's text first (`isa/analysis/register_use.py`). Where there is none, as in
nearly all programs, nothing of this is compiled. Else the registers in question have a mask each, of the lanes that have written them, and
each micro-op that reads or writes one is looked at.

A kernel in Python reads no register that it has not written; of its variables `bounds.py` asks.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.checks.core_warps import watch_warps
from warploom.checks.shadow import A_VALUE, REGISTER, find
from warploom.checks.watch import watch
from warploom.isa.analysis.register_use import possibly_unwritten, use_of
from warploom.isa.program import Program
from warploom.isa.uop import PREDICATE, SCALAR
from warploom.machine.datapath.predicate import named_lanes
from warploom.machine.engine.bits import EMPTY, lowest
from warploom.machine.engine.unit import out_of_line, unit, zeros

# A row of `uses`, by micro-op: how many registers it reads, their places in `written`; the same of what it writes; and whether that is
# written for all lanes. Places count from 1.
READS, FIRST_READ, MOST_READS = 0, 1, 8
WRITES, FIRST_WRITE, MOST_WRITES = FIRST_READ + MOST_READS, FIRST_READ + MOST_READS + 1, 4
WHOLE = FIRST_WRITE + MOST_WRITES
USE_COLUMNS = WHOLE + 1

# `written`: a row for each warp slot, after a first one of which number 0 is the length of a row, and the others are the operand codes of
# the places. In a warp's row OWNER is its first thread + 1; the others are the lanes that have written the register.
OWNER = 0
FIND_PLACE = -2  # in the place of the other instruction of a finding stands FIND_PLACE - the register's place


@unit
def watch_registers(gpu, core, warp, pc, tables, k, now):
    """As `watch`, in a program that may read registers that nobody has written."""
    if tables.uses[k, READS] + tables.uses[k, WRITES] != 0:
        _check(gpu, core, warp, pc, tables, k, now)
    watch(gpu, core, warp, pc, tables, k, now)


@unit
def watch_registers_of_warps(gpu, core, warp, pc, tables, k, now):
    """The same in a program that starts its warps itself."""
    if tables.uses[k, READS] + tables.uses[k, WRITES] != 0:
        _check(gpu, core, warp, pc, tables, k, now)
    watch_warps(gpu, core, warp, pc, tables, k, now)


@out_of_line
def _check(gpu, core, warp, pc, tables, k, now):
    part = core.warps.mask[warp]
    if tables.uops[k, PREDICATE] >= SCALAR:
        part = part & named_lanes(core.registers[warp], tables.uops, k, core.warps.lanes)
    first = np.int64(core.blocks.number[core.warps.block[warp]]) * gpu.grid.block_threads + core.warps.rank[warp] * core.warps.lanes
    width = np.int64(tables.written[0])
    top = (1 + core.number * core.warps.slots + warp) * width
    if tables.written[top + OWNER] != first + 1:
        for place in range(width):
            tables.written[top + place] = 0
        tables.written[top + OWNER] = first + 1
    use = tables.uses[k]
    for number in range(use[READS]):
        place = np.int64(use[FIRST_READ + number])
        missing = part & ~np.uint64(tables.written[top + place])
        if missing == EMPTY:
            continue
        found = find(tables, REGISTER, pc, FIND_PLACE - place, first + lowest(missing), -1, k, now)
        if found > 0:
            tables.findings[found, A_VALUE] = tables.written[place]
        tables.written[top + place] = np.int64(np.uint64(tables.written[top + place]) | missing)  # what comes of it is not said again
    lanes = part if use[WHOLE] == 0 else ~EMPTY
    for number in range(use[WRITES]):
        place = np.int64(use[FIRST_WRITE + number])
        tables.written[top + place] = np.int64(np.uint64(tables.written[top + place]) | lanes)


def register_tables(program: Program, warps: int) -> dict[str, Any] | None:
    """The tables of a program that may read registers that nobody has written; None for all others. warps: slots of all cores."""
    if program.language.sets_variables:
        return None
    suspects = program.once("possibly unwritten", lambda: possibly_unwritten(program))
    codes = sorted({code for missing in suspects.values() for code in missing})
    if not codes:
        return None
    places = {code: number for number, code in enumerate(codes, 1)}
    uses = np.zeros((len(program.uops), USE_COLUMNS), np.int64)
    for k, row in enumerate(program.uops.tolist()):
        use = use_of(row)
        reads = [places[code] for code in suspects.get(k, ())]
        writes = [places[code] for code in use.writes if code in places]
        uses[k, READS], uses[k, WRITES], uses[k, WHOLE] = len(reads), len(writes), use.whole
        uses[k, FIRST_READ : FIRST_READ + len(reads)] = reads
        uses[k, FIRST_WRITE : FIRST_WRITE + len(writes)] = writes
    width = 1 + len(codes)
    written = zeros((1 + warps) * width, np.int64)
    written[:width] = [width, *codes]
    return {"uses": uses, "written": written}
