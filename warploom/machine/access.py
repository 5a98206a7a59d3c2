"""Memory access of one warp: addresses, checks, and the values that move.

Values move at issue, lane 0 first; the load/store unit accounts for the time afterwards. That is a legal order
of the accesses (as if memory answered each warp instruction as a whole), though not the only one that hardware
may show: a kernel with a race may give another result elsewhere.
"""

from __future__ import annotations

import numpy as np

from warploom.isa.program import VIEW_BASE, VIEW_BYTES, VIEW_WRITABLE
from warploom.isa.uop import DST, FLAGS, IMM, NUMBER, OP, SHARED_SPACE, SIGNED, SIZE, SPACE, VIEW, A, B, C
from warploom.machine.atomic import apply
from warploom.machine.coalescer import irregularity
from warploom.machine.engine import record, unit
from warploom.machine.faults import FAULT_NUMBER
from warploom.machine.registers import source

STORE = NUMBER["store"]
LOAD = NUMBER["load"]
ADDRESS_FAULT = FAULT_NUMBER["address_out_of_range"]
SHARED_FAULT = FAULT_NUMBER["shared_out_of_range"]
MISALIGNED = FAULT_NUMBER["misaligned"]
VIEW_FAULT = FAULT_NUMBER["view_out_of_range"]
READ_ONLY = FAULT_NUMBER["read_only"]
MAX_LANES = 64

Access = record(
    address=("u4", MAX_LANES),   # byte address a lane, of the last access
    active=("u4", MAX_LANES),    # lanes that have a texel to fetch
    fault="i8",                  # what is wrong with it, or 0
    lane="i8",                   # the first lane for which it is
    value="i8",
    limit="i8",
    changed="i8",                # 1: some memory cell has another value than before
)  # fmt: skip


@unit
def addresses(access, registers, uops, k, lanes, views, space_bytes):
    """Fill in `access.address` for micro-op `k` and check it against alignment, memory or its view.

    space_bytes: size of the address space. Returns 0, or the fault (also in `access.fault`).
    """
    base = registers.lane[source(registers, uops, k, A, 0, lanes)]
    offset = np.int64(uops[k, IMM])
    size = np.int64(uops[k, SIZE])
    view = np.int64(uops[k, VIEW])
    active = registers.active
    row = access.address
    access.fault = 0
    start = np.int64(0)
    limit = np.int64(space_bytes)
    kind = SHARED_FAULT if uops[k, SPACE] == SHARED_SPACE else ADDRESS_FAULT
    if view >= 0:
        start = np.int64(views[view, VIEW_BASE])
        limit = np.int64(views[view, VIEW_BYTES])
        kind = VIEW_FAULT
        if uops[k, OP] != LOAD and views[view, VIEW_WRITABLE] == 0:
            kind = READ_ONLY
            limit = np.int64(0)
    bad = np.int64(0)
    for lane in range(lanes):
        address = (np.int64(base[lane]) + offset) & 0xFFFFFFFF
        relative = address - start
        row[lane] = np.uint32(address)
        if active[lane] != 0 and (relative < 0 or relative + size > limit or relative & (size - 1) != 0):
            bad += 1
    if bad != 0:
        for lane in range(lanes - 1, -1, -1):
            relative = np.int64(row[lane]) - start
            if active[lane] != 0 and (relative < 0 or relative + size > limit):
                access.fault, access.lane, access.value, access.limit = kind, lane, relative, limit
            elif active[lane] != 0 and relative & (size - 1) != 0:
                access.fault, access.lane, access.value, access.limit = MISALIGNED, lane, relative, size
    return access.fault


@unit
def load(access, registers, uops, k, lanes, memory):
    """Lane registers = memory at `access.address`; memory: uint32 words."""
    size = uops[k, SIZE]
    target = registers.lane[uops[k, DST]]
    active = registers.active
    row = access.address
    if size == 4 and irregularity(row, active, 4, lanes) == 0:
        first = np.uint64(row[0]) >> np.uint64(2)  # unsigned: a signed index is tested for being negative, lane by lane
        for lane in range(lanes):
            target[lane] = memory[first + np.uint64(lane)]
    elif size == 4:
        for lane in range(lanes):
            if active[lane] != 0:
                target[lane] = memory[row[lane] >> np.uint32(2)]
    else:
        bits = np.uint32(8 * size)
        keep = (np.uint32(1) << bits) - np.uint32(1)
        sign = np.uint32(1) << (bits - np.uint32(1))
        for lane in range(lanes):
            if active[lane] != 0:
                word = memory[row[lane] >> np.uint32(2)]
                value = np.uint32(word >> np.uint32((row[lane] & np.uint32(3)) * np.uint32(8))) & keep
                if uops[k, FLAGS] & SIGNED != 0:
                    value = np.uint32((value ^ sign) - sign)
                target[lane] = value


@unit
def store(access, registers, uops, k, lanes, memory):
    """Memory at `access.address` = source B; of several lanes at one address the highest wins."""
    size = uops[k, SIZE]
    value = registers.lane[source(registers, uops, k, B, 1, lanes)]
    active = registers.active
    row = access.address
    changed = np.uint32(0)
    if size == 4 and irregularity(row, active, 4, lanes) == 0:
        first = np.uint64(row[0]) >> np.uint64(2)
        for lane in range(lanes):
            changed = changed | (memory[first + np.uint64(lane)] ^ value[lane])
        for lane in range(lanes):
            memory[first + np.uint64(lane)] = value[lane]
    elif size == 4:
        for lane in range(lanes):
            if active[lane] != 0:
                index = row[lane] >> np.uint32(2)
                changed = changed | (memory[index] ^ value[lane])
                memory[index] = value[lane]
    else:
        keep = np.uint32((np.uint32(1) << np.uint32(8 * size)) - np.uint32(1))
        for lane in range(lanes):
            if active[lane] != 0:
                index = row[lane] >> np.uint32(2)
                shift = np.uint32((row[lane] & np.uint32(3)) * np.uint32(8))
                word = np.uint32(memory[index] & ~np.uint32(keep << shift)) | np.uint32((value[lane] & keep) << shift)
                changed = changed | (memory[index] ^ word)
                memory[index] = word
    if changed != np.uint32(0):
        access.changed = 1


@unit
def atomic(access, registers, uops, k, lanes, memory):
    """Read, change and write memory, one lane after the other; the destination gets the old values."""
    operand = registers.lane[source(registers, uops, k, B, 1, lanes)]
    other = registers.lane[source(registers, uops, k, C, 2, lanes)]
    active = registers.active
    row = access.address
    for lane in range(lanes):
        if active[lane] != 0:
            index = row[lane] >> np.uint32(2)
            old = memory[index]
            new = apply(uops[k, OP], old, operand[lane], other[lane])
            if new != old:
                access.changed = 1
            memory[index] = new
            if uops[k, DST] >= 0:
                registers.lane[uops[k, DST], lane] = old
