"""The device: hands out blocks, lets every core live through each cycle, and moves what travels between them.

A cycle goes: dispatcher, cores in order (issue, then load/store), memory system. Cycles in which nothing can happen are
skipped: every part says when it next has something to do. If no part ever has, and warps are left, the kernel is
deadlocked.
"""

from __future__ import annotations

import numpy as np

from warploom.isa.uop import SPECIAL_NUMBER
from warploom.machine.barrier import reset
from warploom.machine.channels import Channels
from warploom.machine.config import MAX_LANES
from warploom.machine.divergence.mechanism import start
from warploom.machine.dram import Dram
from warploom.machine.driver import DONE, EVENTS_FULL, LIMIT
from warploom.machine.driver import FAULT as FAULTED
from warploom.machine.engine import FOREVER, record, unit
from warploom.machine.events import BLOCK, LAUNCH, MEMORY, MEMORY_ROWS_A_CYCLE, ROWS_A_CYCLE, emit
from warploom.machine.faults import FAULT_NUMBER, Fault, raise_fault
from warploom.machine.fetch import redirect
from warploom.machine.l2 import L2, arrive, filled, pool_room, to_memory, write_memory
from warploom.machine.lsu import answer
from warploom.machine.memory import serve
from warploom.machine.reasons import DISPATCH_STALL
from warploom.machine.registers import bit, first, popcount
from warploom.machine.scoreboard import clear as clear_scoreboard
from warploom.machine.shared_fetch import SharedFetch
from warploom.machine.transactions import ANSWER, EXTRA_SHIFT, L2_FILL, STORE_ARRIVES, TEXTURE_TAG, TO_MEMORY, WRITE_MEMORY
from warploom.machine.warps import set_alarm, wake_core
from warploom.machine.wheel import Wheel, give_back, next_time, schedule, take

MAX_CORES = 64
MAX_LAUNCH_REGISTERS = 32
SPREAD, FILL, SPLIT = range(3)  # orders in which blocks are handed out
DEADLOCK = FAULT_NUMBER["deadlock"]
LANE, WARP, CORE, WARP_SLOT = (SPECIAL_NUMBER[name] for name in ("lane", "warp", "core", "warp_slot"))
THREAD, BLOCK_NUMBER, BLOCK_THREADS = (SPECIAL_NUMBER[name] for name in ("thread", "block", "block_threads"))
GRID_THREADS, GLOBAL_THREAD, LANES = (SPECIAL_NUMBER[name] for name in ("grid_threads", "global_thread", "lanes"))
WARPS, CORES, ARGUMENT = (SPECIAL_NUMBER[name] for name in ("warps", "cores", "argument"))
BLOCK_CAPACITY = SPECIAL_NUMBER["block_capacity"]

Log = record(tracing="i8", rows="i8")

Grid = record(
    order="i8",                                    # SPREAD, FILL or SPLIT
    blocks="i8",                                   # blocks of the launch
    threads="i8",                                  # threads of the launch
    block_threads="i8",                            # threads a block
    warps="i8",                                    # warps a block
    low="i8",                                      # blocks low .. high - 1 have not been handed out
    high="i8",
    reverse="i8",                                  # SPLIT: 1 when the next block is taken from the high end
    next_core="i8",                                # SPREAD: where the round goes on
    entry="i8",                                    # first instruction
    argument="i8",
    latency="i8",                                  # cycles from a free slot to a block's first instruction
    registers="i8",                                # lane registers that a launch writes
    register=("i4", MAX_LAUNCH_REGISTERS),
    special=("i4", MAX_LAUNCH_REGISTERS),          # and with which special register
)  # fmt: skip

Gpu = record(
    now="i8",                                      # cycles since the start
    cores="i8",
    live="i8",                                     # warps that run or drain
    every_cycle="i8",                              # 1: the scheduling policy looks in every cycle
    progress="i8",                                 # last cycle in which memory changed, a warp ended or a barrier opened
    room_since="i8",                               # last cycle in which a warp slot became free
    fault=Fault,
    log=Log,
    grid=Grid,
    wake=("i8", MAX_CORES),                        # next cycle in which a core has something to do
    wheel=Wheel,
    l2=L2,
    has_dram="i8",
    dram=Dram,
    data_channels=Channels,
    program_channels=Channels,
    shared_fetch=SharedFetch,
    written="i8",                                  # memory channels: cycle at whose end the last store is done
    memory_bytes="i8",
    line_shift="i8",                               # log2 of the bytes of a core's line
    sector_shift="i8",
)  # fmt: skip


@unit
def run(
    gpu, cores, uops, code, views, samplers, memory, profile, events,
    execute, policy, control, access, sampler, load_store, memory_system, live, limit,
):  # fmt: skip
    """Simulate until cycle `limit`, the end, a fault, or a full event buffer; returns a stop code of `driver.py`."""
    capacity = events.shape[0] - ROWS_A_CYCLE * gpu.cores - MEMORY_ROWS_A_CYCLE
    while gpu.now < limit:
        now = gpu.now
        if gpu.log.tracing != 0 and gpu.log.rows > capacity:
            return EVENTS_FULL
        if gpu.grid.low < gpu.grid.high:
            _dispatch(gpu, cores, events, now)
        soonest = np.int64(FOREVER)
        for number in range(gpu.cores):
            if gpu.wake[number] <= now or (gpu.every_cycle != 0 and cores[number].warps.active != np.uint64(0)):
                gpu.wake[number] = live(
                    gpu, cores[number], uops, code, views, samplers, memory, profile, events,
                    execute, policy, control, access, sampler, load_store, now,
                )  # fmt: skip
        if gpu.wheel.count > 0:
            memory_system(gpu, cores, code, events, now)
        if gpu.fault.kind != 0:
            gpu.now = now + 1
            return FAULTED
        if gpu.live == 0 and gpu.grid.low >= gpu.grid.high and (gpu.has_dram != 0 or gpu.wheel.count == 0):
            gpu.now = max(np.int64(now), np.int64(gpu.written)) + 1
            return DONE
        for number in range(gpu.cores):
            soonest = min(soonest, np.int64(gpu.wake[number]))
        soonest = min(soonest, next_time(gpu.wheel, now))
        if gpu.grid.low < gpu.grid.high and (gpu.room_since >= now or gpu.grid.order == SPLIT):
            soonest = now + 1
        if soonest == FOREVER:
            _deadlock(gpu, cores, now)
            return FAULTED
        if gpu.every_cycle != 0:
            soonest = now + 1
        gpu.now = min(max(soonest, now + 1), limit)
    return LIMIT


@unit
def _deadlock(gpu, cores, now):
    for number in range(gpu.cores):
        if cores[number].warps.active != np.uint64(0):
            warp = first(cores[number].warps.active)
            warps = cores[number].warps
            raise_fault(gpu.fault, DEADLOCK, number, warp, warps.pc[warp], warps.mask[warp], 0, 0, now)


# ---------------------------------------------------------------------------------------------------------
# Dispatcher


@unit
def _dispatch(gpu, cores, events, now):
    """Hand out as many blocks as fit."""
    grid = gpu.grid
    if grid.order == SPLIT:
        _dispatch_split(gpu, cores, events, now)
        return
    tried = np.int64(0)
    while grid.low < grid.high and tried < gpu.cores:
        number = grid.next_core % gpu.cores
        core = cores[number]
        if _fits(core, grid.warps) != 0:
            block = grid.low
            grid.low = block + 1
            slot = first(~core.blocks.used)
            core.blocks.used = core.blocks.used | bit(slot)
            core.blocks.number[slot] = block
            core.blocks.alive[slot] = np.uint64(0)
            reset(core.barriers, slot)
            for rank in range(grid.warps):
                _launch(gpu, core, slot, block, rank, events, now)
            if gpu.log.tracing != 0:
                emit(gpu.log, events, now, BLOCK, number, -1, -1, 0, block, 0)
            tried = np.int64(0)
            if grid.order == SPREAD:
                grid.next_core = (number + 1) % gpu.cores
        else:
            tried += 1
            grid.next_core = (number + 1) % gpu.cores


@unit
def _fits(core, warps):
    free = core.warps.slots - popcount(core.warps.active)
    return 1 if popcount(core.blocks.used) < core.blocks.slots and free >= warps else 0


@unit
def _dispatch_split(gpu, cores, events, now):
    """guppy's order: the warps of a block go to the first free slots of the device, core 0 first.

    A block for which there are free slots but too few is put in front of a second queue, and so are all behind it: the
    blocks that are left change their order in every such cycle.
    """
    grid = gpu.grid
    free = np.int64(0)
    for number in range(gpu.cores):
        free += cores[number].warps.slots - popcount(cores[number].warps.active)
    while grid.low < grid.high and free >= grid.warps:
        if grid.reverse != 0:
            grid.high = grid.high - 1
            block = np.int64(grid.high)
        else:
            block = np.int64(grid.low)
            grid.low = block + 1
        free -= grid.warps
        rank = np.int64(0)
        for number in range(gpu.cores):
            core = cores[number]
            while rank < grid.warps and popcount(core.warps.active) < core.warps.slots:
                slot = first(~core.warps.active)
                core.blocks.used = core.blocks.used | bit(slot)
                core.blocks.number[slot] = block
                core.blocks.alive[slot] = np.uint64(0)
                _launch(gpu, core, slot, block, rank, events, now)
                rank += 1
    if free > 0:
        grid.reverse = 1 - grid.reverse


@unit
def _launch(gpu, core, slot, block, rank, events, now):
    """Start warp `rank` of a block in the core's first free warp slot: registers, mask, PC."""
    grid = gpu.grid
    warps = core.warps
    warp = first(~warps.active)
    me = bit(warp)
    begin = rank * warps.lanes
    threads = min(grid.block_threads, grid.threads - block * grid.block_threads) - begin
    threads = max(min(threads, warps.lanes), np.int64(0))
    mask = (np.uint64(2) << np.uint64(threads - 1)) - np.uint64(1) if threads > 0 else np.uint64(0)
    if threads <= 0:
        return  # the last block has fewer warps
    core.blocks.alive[slot] |= me
    warps.active = warps.active | me
    warps.awake = warps.awake & ~me
    warps.starved = warps.starved & ~me
    warps.pc[warp] = grid.entry
    warps.mask[warp] = mask
    warps.threads[warp] = mask
    warps.expanded[warp] = ~mask
    warps.block[warp] = slot
    warps.rank[warp] = rank
    warps.pending[warp] = 0
    warps.stores[warp] = 0
    warps.landed[warp] = now
    warps.visits[warp] = 0
    warps.started[warp] = now
    warps.since[warp] = now
    warps.reason[warp] = DISPATCH_STALL
    core.schedulers[warps.scheduler[warp]].launched[warp] = now * MAX_CORES + rank
    start(core, warp)
    clear_scoreboard(core.scoreboard, warp, now)
    redirect(core.fetch, warp, grid.entry)
    _launch_registers(gpu, core, warp, block, rank, begin)
    gpu.live = gpu.live + 1
    gpu.progress = now
    # The alarm of this very cycle rings when the core is stepped, right after the dispatcher.
    set_alarm(warps, warp, now + grid.latency, now)
    wake_core(gpu, core, now + grid.latency, now)
    if gpu.log.tracing != 0:
        emit(gpu.log, events, now, LAUNCH, core.number, warp, grid.entry, mask, block, rank)


@unit
def _launch_registers(gpu, core, warp, block, rank, begin):
    grid = gpu.grid
    registers = core.registers[warp]
    for row in range(core.clear_registers):
        for lane in range(MAX_LANES):
            registers.lane[row, lane] = np.uint32(0)
    registers.scalar[:] = np.uint32(0)
    special = registers.special
    special[LANE] = np.uint32(0)
    special[WARP] = np.uint32(rank)
    special[CORE] = np.uint32(core.number)
    special[WARP_SLOT] = np.uint32(warp)
    special[THREAD] = np.uint32(begin)
    special[BLOCK_NUMBER] = np.uint32(block)
    special[BLOCK_THREADS] = np.uint32(grid.block_threads)
    special[BLOCK_CAPACITY] = np.uint32(grid.block_threads)
    special[GRID_THREADS] = np.uint32(grid.threads)
    special[GLOBAL_THREAD] = np.uint32(block * grid.block_threads + begin)
    special[LANES] = np.uint32(core.warps.lanes)
    special[WARPS] = np.uint32(core.warps.slots)
    special[CORES] = np.uint32(gpu.cores)
    special[ARGUMENT] = np.uint32(grid.argument)
    for index in range(grid.registers):
        number = np.int64(grid.special[index])
        varies = np.uint32(1 if number == LANE or number == THREAD or number == GLOBAL_THREAD else 0)
        row = registers.lane[grid.register[index]]
        for lane in range(core.warps.lanes):
            row[lane] = np.uint32(special[number] + varies * np.uint32(lane))


# ---------------------------------------------------------------------------------------------------------
# Memory system


@unit
def serve_events(gpu, cores, code, events, now):
    """Everything of the memory system whose time has come."""
    index = take(gpu.wheel, now)
    while index >= 0:
        kind = np.int64(gpu.wheel.kind[index])
        core = np.int64(gpu.wheel.core[index])
        line = np.int64(gpu.wheel.line[index])
        sectors = gpu.wheel.sectors[index]
        tag = np.int64(gpu.wheel.tag[index])
        give_back(gpu.wheel, index)
        if kind == ANSWER:
            if tag & TEXTURE_TAG != 0:
                answer(gpu, cores[core], cores[core].texture, code, events, line, sectors, tag, now)
            else:
                answer(gpu, cores[core], cores[core].lsu, code, events, line, sectors, tag, now)
        elif kind == TO_MEMORY:
            to_memory(gpu, gpu.l2, line, sectors, now)
        elif kind == WRITE_MEMORY:
            write_memory(gpu, gpu.l2, line, sectors, now)
        elif kind == L2_FILL:
            filled(gpu, gpu.l2, line, sectors, now)
        elif gpu.l2.present != 0 and pool_room(gpu.l2) > 0:
            arrive(gpu, gpu.l2, events, kind, core, line, sectors, tag, now)
        elif gpu.l2.present != 0:
            schedule(gpu.wheel, now + 1, kind, core, line, sectors, tag)
        else:
            _to_memory(gpu, events, kind, core, line, sectors, tag, now)
        index = take(gpu.wheel, now)


@unit
def no_events(gpu, cores, code, events, now):
    """Stands in for `serve_events` in a program without memory accesses."""


@unit
def _to_memory(gpu, events, kind, core, line, sectors, tag, now):
    """Without a second-level cache a transaction goes straight to memory."""
    writes = 1 if kind == STORE_ARRIVES else 0
    done = serve(gpu, line << gpu.line_shift, popcount(sectors) << gpu.sector_shift, writes, now) + (tag >> EXTRA_SHIFT)
    if gpu.log.tracing != 0:
        emit(gpu.log, events, now, MEMORY, core, -1, -1, sectors, line, done)
    if kind != STORE_ARRIVES:
        schedule(gpu.wheel, done, ANSWER, core, line, sectors, tag)
