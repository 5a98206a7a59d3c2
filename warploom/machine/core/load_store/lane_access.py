"""Memory access of one warp: addresses, checks, and the values that move.

Values move at issue, lane 0 first; the load/store unit accounts for the time afterwards. That is a legal order
of the accesses (as if memory answered each warp instruction as a whole), though not the only one that hardware
may show: a kernel with a race may give a different result elsewhere.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.isa.uop import DST, FLAGS, IMM, NUMBER, OP, SHARED_SPACE, SIGNED, SIZE, SPACE, VIEW, A, B, C
from warploom.isa.views import VIEW_BASE, VIEW_BYTES, VIEW_WRITABLE
from warploom.machine.accounting.faults import FAULT_NUMBER
from warploom.machine.core.load_store.address_pattern import extent, is_run
from warploom.machine.core.load_store.atomic import apply
from warploom.machine.datapath.register_file import port_row, source
from warploom.machine.engine.sizes import MAX_LANES
from warploom.machine.engine.unit import inlined, lanewise, out_of_line, record, unit

STORE = NUMBER["store"]
LOAD, LOAD_SCALAR = NUMBER["load"], NUMBER["load_scalar"]
ADDRESS_FAULT = FAULT_NUMBER["address_out_of_range"]
SHARED_FAULT = FAULT_NUMBER["shared_out_of_range"]
MISALIGNED = FAULT_NUMBER["misaligned"]
VIEW_FAULT = FAULT_NUMBER["view_out_of_range"]
READ_ONLY = FAULT_NUMBER["read_only"]

SEEN = 64  # regions that are remembered

Access = record(
    inputs=dict(
        active=("u4", MAX_LANES),    # by lane, of a texture access: 0xffffffff if there is a texel to fetch, else 0
    ),
    state=dict(
        address=("u4", MAX_LANES),   # by lane: byte address of the last access, as caches and channels see it
        place=("u4", MAX_LANES),     # by lane: where it is in the host's memory, when that is not the address itself
        cached="i8",                 # 1: first-level caches may keep it
        scratchpad="i8",             # 1: shared memory answers it
        fault="i8",                  # what is wrong with it: a number of FAULTS, or 0
        lane="i8",                   # of a fault: the first lane that has it
        value="i8",                  # of a fault: what is wrong there, bytes
        limit="i8",                  # of a fault: what it must keep to, bytes
        changed="i8",                # 1: some memory cell has a different value than before
        run="i8",                    # 1: all lanes are active, and each one's item follows that of the lane before it
        lowest="i8",                 # address of an active lane
        highest="i8",                # address of an active lane; -1: there is none
        region=("i8", SEEN),         # by a few bits of an address: the region that held such a one last
    ),
)  # fmt: skip


@inlined
def addresses(access, registers, tables, k, lanes, space_bytes):
    """Fill in `access.address` for micro-op `k` and check it against alignment, memory or its view.

    space_bytes: size of the address space, at most 2**32. Returns 0, or the fault (also in `access.fault`).
    """
    uops = tables.uops
    base = registers.lane[base_of(registers, uops, k, lanes)]
    offset = np.uint32(np.int64(uops[k, IMM]) & 0xFFFFFFFF)
    size = np.int64(uops[k, SIZE])
    view = np.int64(uops[k, VIEW])
    row = access.address
    access.fault = 0
    access.run = 0
    start = np.int64(0)
    limit = np.int64(space_bytes)
    if view >= 0:
        start = np.int64(tables.views[view, VIEW_BASE]) & 0xFFFFFFFF
        limit = np.int64(0) if _read_only(tables, k) else np.int64(tables.views[view, VIEW_BYTES]) & 0xFFFFFFFF
    shift(row, base, offset, lanes)
    lowest, highest, bits = extent(base, offset, registers.active, lanes)
    access.lowest, access.highest = lowest, highest
    if lowest < start or highest + size > start + limit or (bits | start) & (size - 1) != 0:
        _first_fault(access, registers.active, tables, k, lanes, start, limit)
    if highest - lowest == size * (lanes - 1) and is_run(row, registers.active, size, lanes) and access.fault == 0:
        access.run = 1
    return np.int64(access.fault)


@lanewise
def shift(row, base, offset, lanes):
    """`row` = `base` and an offset, modulo 2**32, in every lane."""
    for lane in range(lanes):
        row[lane] = np.uint32(base[lane] + offset)


@unit
def base_of(registers, uops, k, lanes):
    """The row of `registers.lane` with the lanes' base addresses for micro-op `k`: source A, or zeros if it has none."""
    if uops[k, A] >= 0:
        return source(registers, uops, k, A, 0, lanes)
    place = port_row(registers, 0)
    row = registers.lane[place]
    for lane in range(lanes):
        row[lane] = np.uint32(0)
    return place


@unit
def _read_only(tables, k):
    """Whether a micro-op with a view would write to a read-only one."""
    loads = tables.uops[k, OP] == LOAD or tables.uops[k, OP] == LOAD_SCALAR
    return not loads and tables.views[tables.uops[k, VIEW], VIEW_WRITABLE] == 0


@out_of_line
def _first_fault(access, active, tables, k, lanes, start, limit):
    """Write down what is wrong with the access of the lowest lane that is not aligned or not within the `limit` bytes from `start` on."""
    size = np.int64(tables.uops[k, SIZE])
    kind = SHARED_FAULT if tables.uops[k, SPACE] == SHARED_SPACE else ADDRESS_FAULT
    if tables.uops[k, VIEW] >= 0:
        kind = READ_ONLY if _read_only(tables, k) else VIEW_FAULT
    for lane in range(lanes - 1, -1, -1):
        relative = np.int64(access.address[lane]) - start
        if active[lane] != 0 and (relative < 0 or relative + size > limit):
            access.fault, access.lane, access.value, access.limit = kind, lane, relative, limit
        elif active[lane] != 0 and relative & (size - 1) != 0:
            access.fault, access.lane, access.value, access.limit = MISALIGNED, lane, relative, size


@inlined
def load(access, row, registers, tables, k, lanes, memory):
    """Lane registers = memory at the byte indices in `row`; memory: uint32 words."""
    if tables.uops[k, SIZE] != 4:
        _load_narrow(row, registers, tables, k, lanes, memory)
        return
    target = registers.lane[tables.uops[k, DST]]
    if access.run != 0:
        first = np.int64(row[0]) >> 2
        for lane in range(lanes):
            target[lane] = memory[first + lane]
    else:
        for lane in range(lanes):
            if registers.active[lane] != 0:
                target[lane] = memory[row[lane] >> np.uint32(2)]


@out_of_line
def _load_narrow(row, registers, tables, k, lanes, memory):
    """Lanes that want less than a word."""
    target = registers.lane[tables.uops[k, DST]]
    bits = np.uint32(8 * tables.uops[k, SIZE])
    keep = (np.uint32(1) << bits) - np.uint32(1)
    sign = np.uint32(1) << (bits - np.uint32(1))
    for lane in range(lanes):
        if registers.active[lane] != 0:
            word = memory[row[lane] >> np.uint32(2)]
            value = np.uint32(word >> np.uint32((row[lane] & np.uint32(3)) * np.uint32(8))) & keep
            if tables.uops[k, FLAGS] & SIGNED != 0:
                value = np.uint32((value ^ sign) - sign)
            target[lane] = value


@inlined
def store(access, row, registers, tables, k, lanes, memory):
    """Memory at the byte indices in `row` = source B; of several lanes at one address the highest wins."""
    value = registers.lane[source(registers, tables.uops, k, B, 1, lanes)]
    changed = np.uint32(0)
    if tables.uops[k, SIZE] != 4:
        changed = _store_narrow(row, registers, value, tables, k, lanes, memory)
    elif access.run != 0:
        first = np.int64(row[0]) >> 2
        for lane in range(lanes):
            changed = np.uint32(changed | (memory[first + lane] ^ value[lane]))
            memory[first + lane] = value[lane]
    else:
        for lane in range(lanes):
            if registers.active[lane] != 0:
                index = row[lane] >> np.uint32(2)
                changed = np.uint32(changed | (memory[index] ^ value[lane]))
                memory[index] = value[lane]
    if changed != np.uint32(0):
        access.changed = 1


@out_of_line
def _store_narrow(row, registers, value, tables, k, lanes, memory):
    """`_load_narrow` for a store; returns the bits that have changed anywhere."""
    changed = np.uint32(0)
    keep = np.uint32((np.uint32(1) << np.uint32(8 * tables.uops[k, SIZE])) - np.uint32(1))
    for lane in range(lanes):
        if registers.active[lane] != 0:
            index = row[lane] >> np.uint32(2)
            shift = np.uint32((row[lane] & np.uint32(3)) * np.uint32(8))
            word = np.uint32(memory[index] & ~np.uint32(keep << shift)) | np.uint32((value[lane] & keep) << shift)
            changed = np.uint32(changed | (memory[index] ^ word))
            memory[index] = word
    return changed


@out_of_line
def atomic(access, row, registers, tables, k, lanes, memory):
    """Read, change and write memory at the byte indices in `row`, one lane after the other; the destination gets the old values."""
    uops = tables.uops
    operand = registers.lane[source(registers, uops, k, B, 1, lanes)]
    other = registers.lane[source(registers, uops, k, C, 2, lanes)]
    active = registers.active
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
