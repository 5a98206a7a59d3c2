"""Accesses of 64 bits, whose values are pairs of registers, those of scalar registers (`scalar_access.py`), and the
atomics beyond those on whole words (`wide_atomic.py`).

In hardware: the same path as for words, used for two words a lane; the register file is read and written twice. Shared memory serves half
of the warp at a time, the coalescer packs the lanes' eight bytes into lines as it does four, and in local memory, which is interleaved by
words, the two halves of a value lie in two lines.

Only a program that has such accesses is compiled with this file.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.isa.uop import DST, LOCAL_SPACE, NUMBER, OP, SCALAR, SIZE, SPACE, WIDE, B, C
from warploom.machine.core.load_store.scalar_access import move_scalar
from warploom.machine.core.load_store.wide_atomic import atomic_double_word, atomic_word
from warploom.machine.datapath.predicate import LOAD_SCALAR, STORE_SCALAR
from warploom.machine.datapath.register_file import source
from warploom.machine.engine.unit import inlined, out_of_line, unit

LOAD, STORE = NUMBER["load"], NUMBER["store"]
IN_TABLES, AT_PLACES, IN_SHARED = range(3)  # where the bytes are: memory at the addresses, memory at the places, shared memory
HALF = np.uint64(32)
WORD = np.uint64(0xFFFFFFFF)
MORE_ATOMICS = tuple(NUMBER[f"atomic_{name}"] for name in ("inc", "dec", "rsub", "fadd", "fmin", "fmax", "hadd", "bfadd"))
FIRST_MORE = MORE_ATOMICS[0]


@inlined
def is_wide(uops, k):
    """Whether micro-op `k`, a memory access, is one of this file's."""
    return uops[k, SIZE] == WIDE or FIRST_MORE <= uops[k, OP] <= STORE_SCALAR


@unit
def access_wide(core, warp, tables, k, where):
    """Move the values of micro-op `k`, whose lanes' addresses are in `core.access`. where: IN_TABLES, AT_PLACES or IN_SHARED."""
    if where == IN_SHARED:
        _move(core, core.access.address, core.registers[warp], tables, k, core.shared)
    elif where == AT_PLACES:
        _move(core, core.access.place, core.registers[warp], tables, k, tables.memory)
    else:
        _move(core, core.access.address, core.registers[warp], tables, k, tables.memory)


@unit
def no_wide(core, warp, tables, k, where):
    """Stands in for `access_wide` in a program that has no such access."""


@out_of_line
def _move(core, row, registers, tables, k, memory):
    """Values at the byte indices in `row` of `memory`, uint32 words."""
    lanes = core.warps.lanes
    op = tables.uops[k, OP]
    high = np.int64(lanes if tables.uops[k, SPACE] == LOCAL_SPACE else 1)  # words from the low half of a value to the high one
    if op >= LOAD_SCALAR and op <= STORE_SCALAR:
        move_scalar(core, np.int64(row[0]), registers, tables, k, memory)
        return
    if op == LOAD:
        _load(row, registers, np.int64(tables.uops[k, DST]), lanes, memory, high)
        return
    if tables.uops[k, SIZE] == WIDE:
        _gather(registers, tables.uops, k, B, 1, lanes)
        if op == STORE:
            core.access.changed |= _store(row, registers, lanes, memory, high)
        else:
            _gather(registers, tables.uops, k, C, 2, lanes)
            core.access.changed |= atomic_double_word(row, registers, op, np.int64(tables.uops[k, DST]), lanes, memory, high)
    else:
        operand = registers.lane[source(registers, tables.uops, k, B, 1, lanes)]
        core.access.changed |= atomic_word(row, registers, operand, op, np.int64(tables.uops[k, DST]), lanes, memory)


@inlined
def _load(row, registers, destination, lanes, memory, high):
    for lane in range(lanes):
        if registers.active[lane] != 0:
            index = np.int64(row[lane]) >> 2
            registers.lane[destination, lane] = memory[index]
            registers.lane[destination + 1, lane] = memory[index + high]


@inlined
def _store(row, registers, lanes, memory, high):
    """Returns 1 when some word has a different value than before."""
    changed = np.uint32(0)
    value = registers.wide[1]
    for lane in range(lanes):
        if registers.active[lane] != 0:
            index = np.int64(row[lane]) >> 2
            low = np.uint32(value[lane] & WORD)
            top = np.uint32(value[lane] >> HALF)
            changed = np.uint32(changed | (memory[index] ^ low) | (memory[index + high] ^ top))
            memory[index] = low
            memory[index + high] = top
    return np.int64(1 if changed != np.uint32(0) else 0)


@inlined
def _gather(registers, uops, k, column, port, lanes):
    """`registers.wide[port]` = the pair of registers in `column`, of lanes or scalar; nothing if the micro-op has none."""
    code = np.int64(uops[k, column])
    wide = registers.wide[port]
    if code >= SCALAR:
        value = (np.uint64(registers.scalar[code - SCALAR + 1]) << HALF) | np.uint64(registers.scalar[code - SCALAR])
        for lane in range(lanes):
            wide[lane] = value
    elif code >= 0:
        low = registers.lane[code]
        top = registers.lane[code + 1]
        for lane in range(lanes):
            wide[lane] = (np.uint64(top[lane]) << HALF) | np.uint64(low[lane])
