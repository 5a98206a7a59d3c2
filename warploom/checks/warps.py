"""Warps: lanes that a mask names and that never come, shuffles that read a lane that is not there.

The mask of a `*_sync` operation promises who executes it: every lane that it names and that has not ended, and the one that says so itself
(CUDA C++ Programming Guide, "Warp Shuffle Functions": "executing threads not named, or named threads that do not execute it: undefined").
What a lane that is not active holds in its register is undefined for the others. Of `shfl_up` and `shfl_down` only the lane at the end
is looked at, where the value of a reduction or a scan comes from: others are known to read values that nobody uses.

A syncwarp orders: what either lane did before it is before what the other one does after it. Where lanes come one after the other
it is done when the last one has come.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.checks.shadow import A_VALUE, B_VALUE, FIRST_WAIT, MASK, RETURNS, SHUFFLE, SYNCWARP, WAIT, WAITING, find
from warploom.isa.uop import NONE, NUMBER, OP, A, B, C
from warploom.machine.core.control import value_of_leader
from warploom.machine.datapath.predicate import EVERY_LANE
from warploom.machine.datapath.register_file import source
from warploom.machine.engine.bits import EMPTY, bit, has, lowest
from warploom.machine.engine.unit import inlined, out_of_line, unit

SHUFFLE_OP, SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_XOR = (NUMBER[f"shuffle{name}"] for name in ("", "_up", "_down", "_xor"))
WORD = 0xFFFFFFFF


@out_of_line
def note_syncwarp(core, warp, pc, part, tables, k, first, time, now):
    """Lanes `part` come to a syncwarp."""
    live = core.warps.threads[warp]
    named = EVERY_LANE
    if tables.uops[k, A] != NONE:
        named = np.uint64(value_of_leader(core, warp, part, tables, k, A, 0))
        named = named | (np.uint64(value_of_leader(core, warp, part, tables, k, B, 1)) << np.uint64(32))
    if part & ~named != EMPTY:
        lane = lowest(part & ~named)
        _say(tables, SYNCWARP, pc, first + lane, first + lane, named, part, k, now)
    named = (named | part) & live
    row = tables.warps[core.number * core.warps.slots + warp]
    row[WAITING] = np.int64(np.uint64(row[WAITING]) | part)
    for lane in range(core.warps.lanes):
        if has(part, lane):
            row[FIRST_WAIT + lane * WAIT] = pc
            row[FIRST_WAIT + lane * WAIT + 1] = np.int64(named)
    _meet(core, warp, tables, named, time)


@unit
def _meet(core, warp, tables, named, time):
    """When all lanes in `named` wait, they have seen what each of them has seen."""
    lanes = core.warps.lanes
    number = core.number * core.warps.slots + warp
    waiting = np.uint64(tables.warps[number, WAITING])
    if named & ~waiting != EMPTY:
        return
    row = number * lanes
    for other in range(lanes):
        latest = time if has(named, other) else np.int64(0)
        for lane in range(lanes):
            if has(named, lane):
                latest = max(latest, np.int64(tables.seen[row + lane, other]))
        for lane in range(lanes):
            if has(named, lane):
                tables.seen[row + lane, other] = latest
    tables.warps[number, WAITING] = np.int64(waiting & ~named)


@out_of_line
def note_lanes_end(core, warp, leaving, tables, k, first, time, now):
    """Lanes `leaving` end: one that still waits has passed a syncwarp to which lanes that it named never came."""
    row = tables.warps[core.number * core.warps.slots + warp]
    waiting = np.uint64(row[WAITING])
    if waiting & leaving == EMPTY:
        return
    live = core.warps.threads[warp]
    for lane in range(core.warps.lanes):
        if not has(leaving & waiting, lane):
            continue
        named = np.uint64(row[FIRST_WAIT + lane * WAIT + 1]) & live
        missing = named & ~waiting
        if missing != EMPTY and tables.findings[0, RETURNS] == 0:
            pc = np.int64(row[FIRST_WAIT + lane * WAIT])
            _say(tables, SYNCWARP, pc, first + lane, first + lowest(missing), named, named & ~missing, k, now)
    row[WAITING] = np.int64(waiting & ~leaving)


@unit
def _say(tables, kind, pc, thread, other, named, there, k, now):
    row = find(tables, kind, pc, -1, thread, other, k, now)
    if row > 0:
        tables.findings[row, A_VALUE] = np.int64(named)
        tables.findings[row, B_VALUE] = np.int64(there)


@out_of_line
def check_mask(core, warp, pc, part, tables, k, first, now):
    """Before an operation of a warp: the mask that each lane gives in source A names it, and lanes that are there."""
    registers = core.registers[warp]
    row = registers.lane[source(registers, tables.uops, k, A, 0, core.warps.lanes)]
    live = core.warps.threads[warp]
    for lane in range(core.warps.lanes):
        if not has(part, lane):
            continue
        named = np.uint64(row[lane]) | (EVERY_LANE << np.uint64(32))
        if not has(named, lane):
            _say(tables, MASK, pc, first + lane, first + lane, named, part, k, now)
        elif named & live & ~part != EMPTY and tables.findings[0, RETURNS] == 0:
            _say(tables, MASK, pc, first + lane, first + lowest(named & live & ~part), named, part, k, now)


@out_of_line
def check_shuffle(core, warp, pc, part, tables, k, first, now):
    """A shuffle: the lane that is read takes part."""
    registers = core.registers[warp]
    lanes = core.warps.lanes
    op = tables.uops[k, OP]
    numbers = registers.lane[source(registers, tables.uops, k, B, 1, lanes)]
    segments = registers.lane[source(registers, tables.uops, k, C, 2, lanes)]
    for lane in range(lanes):
        if not has(part, lane):
            continue
        segment = np.int64(segments[lane]) if tables.uops[k, C] != NONE else np.int64(lanes)
        segment = min(max(segment, np.int64(1)), np.int64(lanes))
        begin = lane - lane % segment
        number = np.int64(numbers[lane])
        read = np.int64(lane)
        if op == SHUFFLE_OP:
            read = begin + number % segment
        elif op == SHUFFLE_XOR:
            read = np.int64(lane) ^ number
            if read >= begin + segment or read >= lanes:
                read = np.int64(lane)
        elif op == SHUFFLE_DOWN and part & (bit(lane) - np.uint64(1)) == EMPTY:
            read = lane + number if number < segment and lane + number < begin + segment else np.int64(lane)
        elif op == SHUFFLE_UP and (part >> np.uint64(lane)) == np.uint64(1):
            read = lane - number if number <= lane - begin else np.int64(lane)
        if not has(part, read):
            _say(tables, SHUFFLE, pc, first + lane, first + read, part, part, k, now)
            return


@inlined
def is_shuffle(op):
    """Whether an operation is one of the four."""
    return op == SHUFFLE_OP or op == SHUFFLE_UP or op == SHUFFLE_DOWN or op == SHUFFLE_XOR
