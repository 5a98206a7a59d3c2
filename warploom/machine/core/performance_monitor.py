"""Performance monitor: what a core counts for its own program, which reads it as control registers.

In hardware: a 44- or 64-bit counter beside each unit, and a multiplexer in front of the control registers' read port; Vortex has about
thirty (its MPM counters). Most numbers are those that the units keep anyway; what a core has to sum up itself is here, and only for a
program that reads it. A warp's waiting is added when its reason changes, an answer when it is there. Loads of control registers that lie in
memory do not count as loads. Sources: RISC-V Privileged Specification 20240411, "Hardware Performance Monitor";
github.com/vortexgpgpu/vortex, hw/rtl/VX_define.vh and VX_types.vh, 2022-01 and 2024-08.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.isa.uop import (
    ALU,
    COUNT,
    COUNTER_NUMBER,
    DST,
    FIRST_UOP,
    HIGH_HALF,
    IMM,
    MEMORY,
    NONE,
    NUMBER,
    OP,
    SHARED,
    SPECIAL,
    TEXTURE,
    UNIT,
    A,
)
from warploom.machine.accounting.reasons import LONG_SCOREBOARD, REASONS, SHORT_SCOREBOARD, WAIT
from warploom.machine.core.control import follow_paths
from warploom.machine.core.warp_control import control_of_warps
from warploom.machine.engine.bits import has, popcount
from warploom.machine.engine.unit import inlined, out_of_line, record, unit
from warploom.machine.memory.dram import CHANNELS

BRANCH, CALL, JUMP, JUMP_REGISTER = (NUMBER[name] for name in ("branch", "call", "jump", "jump_register"))
STORE, READ_COUNTER = NUMBER["store"], NUMBER["read_counter"]
NEAREST_REGISTER = -(1 << 11)  # memory at a constant address below this is a control register: no instruction has such an offset
(CYCLES, THREAD_INSTRUCTIONS, IDLE, SCOREBOARD_STALLS, ARITHMETIC_STALLS, LOAD_STALLS, OPERAND_STALLS, ALU_STALLS, LOAD_STORE_STALLS,
 SPECIAL_STALLS, TEXTURE_STALLS, FETCHES, FETCH_MISSES, LOADS, STORES, BRANCHES, LOAD_LATENCY, CACHE_READS, CACHE_READ_MISSES,
 CACHE_WRITES, CACHE_WRITE_MISSES, CACHE_STALLS, SCRATCHPAD_READS, SCRATCHPAD_WRITES, SCRATCHPAD_STALLS, NEXT_READS,
 NEXT_READ_MISSES, MEMORY_READS, MEMORY_WRITES) = COUNTER_NUMBER.values()  # fmt: skip

Monitor = record(
    counters=dict(
        instructions="i8",               # of warps, that were issued
        loads="i8",                      # thread-instructions that load, atomics among them
        stores="i8",                     # ... that store
        branches="i8",                   # ... that branch or jump
        waited=("i8", len(REASONS)),     # warp-cycles by reason
        load_latency="i8",               # lane-cycles of loads from issue to answer
        cache_reads="i8",                # transactions of loads at the first-level cache
        cache_read_misses="i8",          # of those, not found there
        scratchpad_reads="i8",           # of the loads, from shared memory
        scratchpad_writes="i8",          # of the stores, to it
        scratchpad_stalls="i8",          # passes beyond the first of each
    ),
)  # fmt: skip


@out_of_line
def count_instruction(core, tables, pc, part):
    """Instruction `pc` is issued, in the lanes `part`."""
    monitor = core.monitor
    monitor.instructions = monitor.instructions + 1
    last = np.int64(tables.code[pc, FIRST_UOP]) + np.int64(tables.code[pc, COUNT]) - 1
    op = tables.uops[last, OP]
    if op == BRANCH or op == CALL or op == JUMP or op == JUMP_REGISTER:
        monitor.branches = monitor.branches + popcount(part)


@out_of_line
def count_access(core, tables, pc, part):
    """The access of instruction `pc` has been made, by the lanes `part`."""
    monitor = core.monitor
    lanes = np.int64(popcount(part))
    start = np.int64(tables.code[pc, FIRST_UOP])
    for k in range(start, start + np.int64(tables.code[pc, COUNT])):
        if tables.uops[k, UNIT] != MEMORY or (tables.uops[k, A] == NONE and tables.uops[k, IMM] < NEAREST_REGISTER):
            continue
        stores = tables.uops[k, OP] == STORE
        if stores:
            monitor.stores = monitor.stores + lanes
        else:
            monitor.loads = monitor.loads + lanes
        if core.spaces.used != 0 and core.access.scratchpad != 0:
            monitor.scratchpad_reads = monitor.scratchpad_reads + (0 if stores else lanes)
            monitor.scratchpad_writes = monitor.scratchpad_writes + (lanes if stores else 0)


@unit
def control_with_monitor(gpu, core, warp, pc, tables, k, now):
    """`control_of_warps`, with what reads a counter. Same arguments, same result."""
    if tables.uops[k, OP] != READ_COUNTER:
        return control_of_warps(gpu, core, warp, pc, tables, k, now)
    number = np.int64(tables.uops[k, IMM])
    value = _value(gpu, core, warp, number % HIGH_HALF, now)
    half = np.uint32(value >> 32) if number >= HIGH_HALF else np.uint32(value & 0xFFFFFFFF)
    row = core.registers[warp].lane[tables.uops[k, DST]]
    for lane in range(core.warps.lanes):
        if has(core.warps.mask[warp], lane):
            row[lane] = half
    core.warps.pc[warp] += 1
    follow_paths(gpu, core, warp, tables, now)
    return np.int64(0)


@out_of_line
def _value(gpu, core, warp, number, now):
    """A counter of the core, or of the device."""
    if number <= SCOREBOARD_STALLS:
        return _of_cycles(core, warp, number, now)
    if number <= LOAD_STALLS:
        return _of_registers(core, number)
    if number <= TEXTURE_STALLS:
        return _of_units(core, number)
    if number <= LOAD_LATENCY:
        return _of_instructions(core, number)
    if number <= CACHE_STALLS:
        return _of_first_level(core, number)
    return _of_memory(gpu, core, number)


@inlined
def _of_cycles(core, warp, number, now):
    """What comes before the instruction that reads it."""
    if number == CYCLES:
        return np.int64(now)
    if number == THREAD_INSTRUCTIONS:
        return np.int64(core.thread_instructions) - popcount(core.warps.mask[warp])
    if number == IDLE:
        return np.int64(now * core.scheduler_count - (core.monitor.instructions - 1))
    return _of_registers(core, ARITHMETIC_STALLS) + _of_registers(core, LOAD_STALLS)


@inlined
def _of_registers(core, number):
    waited = core.monitor.waited
    if number == ARITHMETIC_STALLS:
        return np.int64(waited[WAIT])
    return np.int64(waited[LONG_SCOREBOARD] + waited[SHORT_SCOREBOARD])


@inlined
def _of_units(core, number):
    total = np.int64(0)
    for scheduler in range(core.scheduler_count):
        full = core.unit_full_cycles[scheduler]
        if number == OPERAND_STALLS:
            total += core.operands.held_cycles[scheduler]
        elif number == ALU_STALLS:
            total += full[ALU]
        elif number == LOAD_STORE_STALLS:
            total += full[MEMORY] + full[SHARED]
        else:
            total += full[SPECIAL] if number == SPECIAL_STALLS else full[TEXTURE]
    return total


@inlined
def _of_instructions(core, number):
    monitor = core.monitor
    if number == FETCHES:
        return np.int64(core.fetch.hits + core.fetch.misses)
    if number == FETCH_MISSES:
        return np.int64(core.fetch.misses)
    if number == LOADS:
        return np.int64(monitor.loads)
    if number == STORES:
        return np.int64(monitor.stores)
    return np.int64(monitor.branches) if number == BRANCHES else np.int64(monitor.load_latency)


@inlined
def _of_first_level(core, number):
    """A lookup that no load made is a store's."""
    monitor = core.monitor
    cache = core.lsu.cache
    misses = cache.tag_misses + cache.sector_misses
    if number == CACHE_READS:
        return np.int64(monitor.cache_reads)
    if number == CACHE_READ_MISSES:
        return np.int64(monitor.cache_read_misses)
    if number == CACHE_WRITES:
        return np.int64(cache.hits + misses - monitor.cache_reads)
    return np.int64(misses - monitor.cache_read_misses) if number == CACHE_WRITE_MISSES else np.int64(core.lsu.stalled)


@inlined
def _of_memory(gpu, core, number):
    monitor = core.monitor
    if number == SCRATCHPAD_READS:
        return np.int64(monitor.scratchpad_reads)
    if number == SCRATCHPAD_WRITES:
        return np.int64(monitor.scratchpad_writes)
    if number == SCRATCHPAD_STALLS:
        return np.int64(monitor.scratchpad_stalls)
    misses = np.int64(gpu.l2.cache.tag_misses + gpu.l2.cache.sector_misses)
    if number == NEXT_READS:
        return np.int64(gpu.l2.cache.hits + misses)
    if number == NEXT_READ_MISSES:
        return misses
    total = np.int64(0)
    for channel in range(CHANNELS):
        total += gpu.dram.bytes_read[channel] if number == MEMORY_READS else gpu.dram.bytes_written[channel]
    return total >> gpu.sector_shift
