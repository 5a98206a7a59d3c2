"""Address decoder: from the address that a lane asks for to the memory that holds it.

In hardware: base and limit comparators, or a TLB with large pages, between the address generation of the load/store unit and its cache. It
tells whether the address is mapped, whether it may be written, and whether a first-level cache may keep it. Local memory has separate
addresses, from 0 in every thread, and is interleaved: word w of all lanes of a warp lies side by side, so that lanes that use the same
variable take one line. Constant memory also has separate addresses, and its own caches (`constant_cache.py`).

A program that declares no region, and uses global memory alone, has none of this: its memory begins at address 0 and ends at the
machine's size, and this file is not even compiled. What a host keeps: `access.address` is what caches and channels see, `access.place`
where the bytes are.

Sources: NVIDIA PTX ISA, "State Spaces"; CUDA C++ Programming Guide, "Local Memory": "organized such that consecutive 32-bit words are
accessed by consecutive thread IDs".
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.isa.regions import (
    CONSOLE,
    PAGE_BYTES,
    REGION_ADDRESS,
    REGION_BASE,
    REGION_CACHED,
    REGION_END,
    REGION_KIND,
    REGION_MOVED,
    REGION_OFFSET,
    REGION_SLOT,
    REGION_STRIDE,
    REGION_UOP,
    REGION_WRITABLE,
    SCRATCHPAD,
)
from warploom.isa.uop import CONSTANT_SPACE, IMM, LOCAL_SPACE, NUMBER, OP, SIZE, SPACE, WIDE, B
from warploom.machine.accounting.faults import FAULT_NUMBER
from warploom.machine.accounting.notes import log_byte
from warploom.machine.core.load_store.address_pattern import extent, is_run
from warploom.machine.core.load_store.constant_cache import access_constants
from warploom.machine.core.load_store.lane_access import SEEN, addresses, base_of, shift
from warploom.machine.datapath.register_file import source
from warploom.machine.engine.unit import inlined, out_of_line, record, unit

LOAD, LOAD_SCALAR, STORE = NUMBER["load"], NUMBER["load_scalar"], NUMBER["store"]
UNMAPPED, READ_ONLY_REGION = FAULT_NUMBER["unmapped"], FAULT_NUMBER["read_only_region"]
SEEN_SHIFT = 12  # addresses that agree from this bit on have mostly been of one region
LOCAL_FAULT, CONSTANT_FAULT = FAULT_NUMBER["local_out_of_range"], FAULT_NUMBER["constant_out_of_range"]
MISALIGNED, UNSUPPORTED = FAULT_NUMBER["misaligned"], FAULT_NUMBER["unsupported"]

Spaces = record(
    settings=dict(
        used="i8",             # 1: the program has regions, or uses local or constant memory: `translate` is there
    ),
    launch=dict(
        regions="i8",          # regions that the program declares; 0: one memory from address 0 on
        local_bytes="i8",      # local memory of a thread
        local_base="i8",       # address of the first byte of all local memory, as caches and channels see it
        local_place="i8",      # its place in the host's memory
        constant_bytes="i8",   # constant memory of the program
        constant_place="i8",   # its place in the host's memory
    ),
)  # fmt: skip


@unit
def translate(gpu, core, warp, tables, k, now):
    """Fill in addresses and places of micro-op `k`, an access to any space but shared memory. Returns 0 or the number of a fault.

    For a constant load it also looks up the constant cache, see `constant_cache.py`.
    """
    registers = core.registers[warp]
    access = core.access
    lanes = core.warps.lanes
    space = tables.uops[k, SPACE]
    if space == LOCAL_SPACE:
        fault = _own_addresses(core, registers, tables, k, lanes, LOCAL_FAULT, core.spaces.local_bytes)
        if fault == 0:
            _interleave(core, warp, tables, k, lanes)
        return fault
    if space == CONSTANT_SPACE:
        fault = _own_addresses(core, registers, tables, k, lanes, CONSTANT_FAULT, core.spaces.constant_bytes)
        if fault == 0:
            access_constants(core, registers, lanes, 2 if tables.uops[k, SIZE] == WIDE else 1, now)
            _shift(access, lanes, core.spaces.constant_place)
        return fault
    fault = addresses(access, registers, tables, k, lanes, gpu.memory_bytes)
    if fault != 0:
        return np.int64(fault)
    if core.spaces.regions == 0:
        _shift(access, lanes, np.int64(0))
    elif not _locate_at_once(core, tables, k, lanes):
        return locate(core, registers, tables, k, lanes)
    return np.int64(0)


@unit
def no_translation(gpu, core, warp, tables, k, now):
    """Stands in for `translate` in a program that has one memory from address 0 on and uses nothing else."""
    return np.int64(UNSUPPORTED)


@inlined
def _shift(access, lanes, distance):
    """Every place lies `distance` bytes beyond its address."""
    shift(access.place, access.address, np.uint32(distance & 0xFFFFFFFF), lanes)


@inlined
def _locate_at_once(core, tables, k, lanes):
    """`locate` if one region holds the addresses of all lanes, as nearly always, and there is no fault. Returns whether that is so."""
    access = core.access
    lowest = np.int64(access.lowest)
    likely = (lowest >> SEEN_SHIFT) & (SEEN - 1)
    if access.highest < lowest:
        return False
    size = access.highest - lowest + np.int64(tables.uops[k, SIZE])
    number = _region_of(tables.regions, core.spaces.regions, np.int64(access.region[likely]), lowest, size)
    if number < 0 or number >= core.spaces.regions:
        return False
    access.region[likely] = number
    row = tables.regions[number]
    if row[REGION_KIND] == CONSOLE or (row[REGION_WRITABLE] == 0 and not _loads(tables.uops, k)):
        return False
    access.cached = row[REGION_CACHED]
    access.scratchpad = 1 if row[REGION_KIND] == SCRATCHPAD else 0
    _shift(access, lanes, _distance(core, row))
    return True


@inlined
def _loads(uops, k):
    """Whether micro-op `k`, a memory access, changes no memory."""
    return uops[k, OP] == LOAD or uops[k, OP] == LOAD_SCALAR


@inlined
def _distance(core, row):
    """From an address in a region to its place, as this core sees it."""
    distance = np.int64(row[REGION_OFFSET])
    if core.number != 0 and row[REGION_STRIDE] != 0:
        distance += row[REGION_MOVED] + core.number * row[REGION_STRIDE]
    return distance


@out_of_line
def locate(core, registers, tables, k, lanes):
    """Fill in `access.place`, what answers, and whether caches may keep it, from `access.address`; returns 0 or the number of a fault."""
    access = core.access
    active = registers.active
    prints = np.int64(0)
    outside = np.int64(0)  # lanes whose access the scratchpad does not answer
    access.scratchpad = 0
    size = np.int64(tables.uops[k, SIZE])
    number = np.int64(0)
    access.cached = 1
    for lane in range(lanes):
        if active[lane] == 0:
            continue
        address = np.int64(access.address[lane])
        number = _region_of(tables.regions, core.spaces.regions, number, address, size)
        if number < 0:
            number = _page_at(tables.regions, core.spaces.regions, address, k)
        if number < 0:
            access.fault, access.lane, access.value, access.limit = UNMAPPED, lane, address, 0
            return np.int64(UNMAPPED)
        if number >= core.spaces.regions:
            access.run = 0  # pages that follow each other by address do not by place
        if not _loads(tables.uops, k) and tables.regions[number, REGION_WRITABLE] == 0:
            access.fault, access.lane, access.value, access.limit = READ_ONLY_REGION, lane, address, 0
            return np.int64(READ_ONLY_REGION)
        if tables.regions[number, REGION_CACHED] == 0:
            access.cached = 0
        access.place[lane] = np.uint32(address + _distance(core, tables.regions[number]))
        if tables.regions[number, REGION_KIND] == SCRATCHPAD:
            access.scratchpad = 1
        else:
            outside += 1
            prints += 1 if tables.regions[number, REGION_KIND] == CONSOLE else 0
    if outside != 0:
        access.scratchpad = 0
    if prints != 0 and tables.uops[k, OP] == STORE:
        _print(core, registers, tables, k, lanes)
    # Lanes side by side are so in the host's memory too, also in two regions that touch: see `AddressSpace`. Regions of which each core has
    # its own do not touch others.
    return np.int64(0)


@out_of_line
def _page_at(regions, first, address, k):
    """The number of a page that is added around an address between regions, as far as they leave it room; -1 if no page is left.

    first: the first page's number. k: the micro-op that asks.
    """
    start = address // PAGE_BYTES * PAGE_BYTES
    base, end = start, start + PAGE_BYTES
    for number in range(regions.shape[0]):
        if number >= first and regions[number, REGION_END] == 0:
            row = regions[number]
            row[REGION_BASE], row[REGION_END], row[REGION_OFFSET] = base, end, row[REGION_OFFSET] - start
            row[REGION_UOP], row[REGION_ADDRESS] = k, address
            _enter(regions, first, address, number)
            return np.int64(number)
        if regions[number, REGION_END] <= address:
            base = max(base, regions[number, REGION_END])
        if regions[number, REGION_BASE] > address:
            end = min(end, regions[number, REGION_BASE])
    return np.int64(-1)


@out_of_line
def _print(core, registers, tables, k, lanes):
    """What is stored to a console goes to the log of the run: its address, and the byte."""
    value = source(registers, tables.uops, k, B, 1, lanes)
    for lane in range(lanes):
        number = _region_of(tables.regions, core.spaces.regions, np.int64(0), np.int64(core.access.address[lane]), np.int64(1))
        if registers.active[lane] != 0 and number >= 0 and tables.regions[number, REGION_KIND] == CONSOLE:
            log_byte(registers, tables, k, lane, np.int64(core.access.address[lane]), np.int64(registers.lane[value, lane]) & 0xFF)


@unit
def _region_of(regions, first, likely, address, size):
    """The number of the region or page that holds `size` bytes from an address on; -1 when none does.

    first: the first page's number. likely: which is tried first.
    """
    if regions[likely, REGION_BASE] <= address and address + size <= regions[likely, REGION_END]:
        return np.int64(likely)
    for number in range(first):
        if regions[number, REGION_BASE] <= address and address + size <= regions[number, REGION_END]:
            return np.int64(number)
    if regions.shape[0] > first:
        return _page_of(regions, first, address, size)
    return np.int64(-1)


@out_of_line
def _page_of(regions, first, address, size):
    """The number of the page that holds `size` bytes from an address on; -1 when none does. first: the first page's number.

    There may be thousands, so they are looked up by address: a hash table with linear probing (Knuth, "The Art of Computer Programming",
    volume 3, section 6.4, algorithm L), whose slots are a column of the pages' rows.
    """
    slot = _slot_of(regions, first, address)
    for _ in range(first, regions.shape[0]):
        number = regions[slot, REGION_SLOT]
        if number == 0:
            break
        if regions[number, REGION_BASE] <= address and address + size <= regions[number, REGION_END]:
            return np.int64(number)
        slot = _slot_after(regions, first, slot)
    return np.int64(-1)


@inlined
def _enter(regions, first, address, number):
    """Page `number`, which holds an address, can be looked up by it from now on. Regions come before it, so that its number is not 0."""
    slot = _slot_of(regions, first, address)
    while regions[slot, REGION_SLOT] != 0:
        slot = _slot_after(regions, first, slot)
    regions[slot, REGION_SLOT] = number


@inlined
def _slot_of(regions, first, address):
    """Where the search for the page of an address begins."""
    return np.int64(first + address // PAGE_BYTES % (regions.shape[0] - first))


@inlined
def _slot_after(regions, first, slot):
    """Where it continues."""
    return np.int64(slot + 1 if slot + 1 < regions.shape[0] else first)


@unit
def place_of(core, tables, address, size):
    """The place of `size` bytes from an address on, as this core sees them; -1 if there is no memory."""
    if core.spaces.regions == 0:
        return np.int64(address) if address + size <= 4 * np.int64(tables.memory.shape[0]) else np.int64(-1)
    number = _region_of(tables.regions, core.spaces.regions, np.int64(0), address, size)
    if number < 0:
        return np.int64(-1)
    return np.int64(address + _distance(core, tables.regions[number]))


@unit
def memory_around(core, tables, address):
    """What is added to an address for its place in the memory that holds it, as this core sees it, the first address of that memory, and
    the first one beyond it. The last is 0 if there is no memory."""
    if core.spaces.regions == 0:
        return np.int64(0), np.int64(0), np.int64(4 * np.int64(tables.memory.shape[0]))
    number = _region_of(tables.regions, core.spaces.regions, np.int64(0), address, np.int64(4))
    if number < 0:
        return np.int64(0), np.int64(0), np.int64(0)
    row = tables.regions[number]
    return np.int64(_distance(core, row)), np.int64(row[REGION_BASE]), np.int64(row[REGION_END])


@unit
def _own_addresses(core, registers, tables, k, lanes, kind, limit):
    """`access.address` = the lanes' addresses in a space of `limit` bytes; returns 0, `kind` if one lies outside, or MISALIGNED."""
    access = core.access
    size = np.int64(tables.uops[k, SIZE])
    base = registers.lane[base_of(registers, tables.uops, k, lanes)]
    offset = np.int64(tables.uops[k, IMM])
    access.fault = 0
    access.cached = 1
    for lane in range(lanes):
        inside = (np.int64(base[lane]) + offset) & 0xFFFFFFFF
        if access.fault == 0 and registers.active[lane] != 0:
            if inside + size > limit:
                access.fault, access.lane, access.value, access.limit = kind, lane, inside, limit
            elif inside & (size - 1) != 0:
                access.fault, access.lane, access.value, access.limit = MISALIGNED, lane, inside, size
        access.address[lane] = np.uint32(inside if registers.active[lane] != 0 else 0)
    access.run = 1 if is_run(access.address, registers.active, size, lanes) else 0
    return np.int64(access.fault)


@unit
def _interleave(core, warp, tables, k, lanes):
    """From a thread's own local addresses to the device's: word w of all lanes of a warp lies side by side."""
    access = core.access
    spaces = core.spaces
    first = (core.number * core.warps.slots + warp) * (spaces.local_bytes >> 2)
    for lane in range(lanes):
        inside = np.int64(access.address[lane])
        word = ((first + (inside >> 2)) * lanes + lane) * 4 + (inside & 3)
        access.address[lane] = np.uint32(spaces.local_base + word)
        access.place[lane] = np.uint32(spaces.local_place + word)
    access.lowest, access.highest, _ = extent(access.address, np.uint32(0), core.registers[warp].active, lanes)
    access.run = 1 if is_run(access.address, core.registers[warp].active, np.int64(tables.uops[k, SIZE]), lanes) else 0
