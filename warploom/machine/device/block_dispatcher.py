"""Dispatcher of blocks: hands the blocks of a launch to cores that have room, and starts their warps.

In hardware: one unit for the whole device (NVIDIA: the GigaThread engine or work distributor; AMD: the asynchronous compute
engines). It knows how many blocks each core can still hold, gives the next block to one that has room, and writes into the
core's warp table and registers what every warp knows from the start: its PC, its lanes, its numbers. That takes hundreds of cycles from the
end of one block to the beginning of the next in its place (`gpu.dispatch_latency`): nothing of a block is in the core before. The blocks
for which there is room when the kernel begins are set up as a part of its launch (`gpu.launch_latency`). Registers and shared memory are
free for it when the last warp of a block has ended; warp slots too, or each when its own warp ends (`core.warp_slots`, warp_exit.py).

Orders: `spread` gives the next block to the next core, round and round, `fill` fills a core before the next one, `split` is
guppy's, in which a block's warps may lie on several cores.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.isa.needs import special_registers
from warploom.isa.program import Program
from warploom.isa.uop import BY_DIMENSION, SCALARS, SPECIAL_NUMBER
from warploom.machine.accounting.events import BLOCK_STARTS, emit_block, emit_launch
from warploom.machine.accounting.reasons import DISPATCH_STALL
from warploom.machine.config.schema import Config
from warploom.machine.core.divergence.mechanism import start
from warploom.machine.core.fetch.instruction_fetch import redirect
from warploom.machine.core.scheduling.scheduler import add_warp
from warploom.machine.core.warps.access_order import forget_accesses
from warploom.machine.core.warps.barrier import reset
from warploom.machine.core.warps.fence import leave_fence
from warploom.machine.core.warps.scoreboard import clear as clear_scoreboard
from warploom.machine.core.warps.warp_table import set_alarm, wake_core
from warploom.machine.datapath.special_register import thread_numbers
from warploom.machine.engine.bits import EMPTY, bit, lowest, ones, popcount, rest
from warploom.machine.engine.sizes import MAX_CORES, MAX_LANES
from warploom.machine.engine.unit import FOREVER, inlined, out_of_line, record, unit

MAX_LAUNCH_REGISTERS = 32
SPREAD, FILL, SPLIT = range(3)  # orders in which blocks are handed out
ORDERS = {"spread": SPREAD, "fill": FILL, "split": SPLIT}  # by the value of gpu.dispatch
LANE, WARP, CORE, WARP_SLOT = (SPECIAL_NUMBER[name] for name in ("lane", "warp", "core", "warp_slot"))
THREAD, BLOCK_NUMBER, BLOCK_THREADS = (SPECIAL_NUMBER[name] for name in ("thread", "block", "block_threads"))
GRID_THREADS, GLOBAL_THREAD, LANES = (SPECIAL_NUMBER[name] for name in ("grid_threads", "global_thread", "lanes"))
WARPS, CORES, ARGUMENT = (SPECIAL_NUMBER[name] for name in ("warps", "cores", "argument"))
BLOCK_CAPACITY = SPECIAL_NUMBER["block_capacity"]
THREAD_X, BLOCK_X, BLOCK_DIM_X, GRID_DIM_X = (SPECIAL_NUMBER[f"{what}_x"] for what in ("thread", "block", "block_dim", "grid_dim"))

Grid = record(
    settings=dict(
        order="i8",                                    # SPREAD, FILL or SPLIT
        launch_latency="i8",                           # cycles from the start until the first block is handed out
        latency="i8",                                  # cycles from a block's end to the next one's beginning in its slot
        barrier_latency="i8",                          # cycles from the last arrival at the grid's barrier until the blocks go on
    ),
    launch=dict(
        blocks="i8",                                   # blocks of the launch
        threads="i8",                                  # threads of the launch
        block_threads="i8",                            # threads a block
        warps="i8",                                    # warps a block
        entry="i8",                                    # first instruction
        argument="i8",                                 # argument pointer, bytes
        registers="i8",                                # lane registers that a launch writes,
        register=("i4", MAX_LAUNCH_REGISTERS),         # ... which ones,
        special=("i4", MAX_LAUNCH_REGISTERS),          # ... and with which special register
        scalars="i8",                                  # scalar registers that a launch writes, from 0 on,
        scalar=("u4", SCALARS),                        # ... and with which words
        dimensions="i8",                               # 1: the program asks for thread and block numbers by dimension
        dormant="i8",                                  # 1: of a block only lane 0 of its first warp starts
        block_dim=("i8", 3),                           # threads a block in x, y and z
        grid_dim=("i8", 3),                            # blocks of the grid in x, y and z
    ),
    state=dict(
        low="i8",                                      # blocks low .. high - 1 have not been handed out
        high="i8",
        reverse="i8",                                  # SPLIT: 1 when the next block is taken from the high end
        waiting="i8",                                  # warps that wait at the barrier of the grid
        next_core="i8",                                # SPREAD: the core that is tried first
        resumes="i8",                                  # next cycle in which a slot that has been left may be given again
    ),
)  # fmt: skip


@inlined
def step_dispatcher(gpu, cores, tables, units, now):
    """Blocks are handed out, if any is left and there may be room."""
    if gpu.grid.low < gpu.grid.high and _may_dispatch(gpu, now):
        dispatch(gpu, cores, tables, now)
    return np.int64(FOREVER)


@inlined
def _may_dispatch(gpu, now):
    """Whether there may be room for a block that there was not when the dispatcher last looked."""
    return gpu.room_since >= now - 1 or gpu.grid.resumes <= now or gpu.grid.order == SPLIT


@inlined
def next_dispatch(gpu, now):
    """The next cycle in which there may be room for a block; FOREVER when a warp has to end first, or none is left."""
    if gpu.grid.low >= gpu.grid.high:
        return np.int64(FOREVER)
    return np.int64(now + 1 if gpu.room_since >= now or gpu.grid.order == SPLIT else gpu.grid.resumes)


@inlined
def all_handed_out(gpu):
    """Whether no block is left."""
    return gpu.grid.low >= gpu.grid.high


@unit
def dispatch(gpu, cores, tables, now):
    """Hand out as many blocks as fit."""
    grid = gpu.grid
    if grid.order == SPLIT:
        _dispatch_split(gpu, cores, tables, now)
        return
    tried = np.int64(0)
    grid.resumes = FOREVER
    while grid.low < grid.high and tried < gpu.cores:
        number = grid.next_core % gpu.cores
        core = cores[number]
        slot = _free_slot(grid, core, now)
        if slot >= 0:
            block = grid.low
            grid.low = block + 1
            core.blocks.used = core.blocks.used | bit(slot)
            core.blocks.number[slot] = block
            core.blocks.alive[slot] = EMPTY
            reset(core.barriers, slot)
            for rank in range(grid.warps):
                _launch(gpu, core, slot, block, rank, tables, now)
            if gpu.log.tracing != 0:
                emit_block(gpu.log, tables, now, number, -1, block, BLOCK_STARTS)
            tried = np.int64(0)
            if grid.order == SPREAD:
                grid.next_core = (number + 1) % gpu.cores
        else:
            tried += 1
            grid.next_core = (number + 1) % gpu.cores


@unit
def _free_slot(grid, core, now):
    """The lowest block slot that a core has for a block to begin in this cycle; -1 where it has none, or too few warp slots.

    Where a slot only waits for its time, `grid.resumes` is no later than that.
    """
    if popcount(core.blocks.used) >= core.blocks.slots or core.warps.slots - popcount(core.warps.active | core.blocks.kept) < grid.warps:
        return np.int64(-1)
    if grid.latency == 0:
        return lowest(~core.blocks.used)
    left = ~core.blocks.used & ones(core.blocks.slots)
    while left != EMPTY:
        slot = lowest(left)
        left = rest(left)
        if core.blocks.begins[slot] <= now:
            return slot
        grid.resumes = min(np.int64(grid.resumes), np.int64(core.blocks.begins[slot]))
    return np.int64(-1)


@unit
def _dispatch_split(gpu, cores, tables, now):
    """guppy's order: the warps of a block go to the first free slots of the device, core 0 first.

    A block for which there are too few free slots is put in front of a second queue, and so are all that follow it: the
    blocks that are left reverse their order in every such cycle.
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
                slot = lowest(~core.warps.active)
                core.blocks.used = core.blocks.used | bit(slot)
                core.blocks.number[slot] = block
                core.blocks.alive[slot] = EMPTY
                _launch(gpu, core, slot, block, rank, tables, now)
                rank += 1
    if free > 0:
        grid.reverse = 1 - grid.reverse


@unit
def _launch(gpu, core, slot, block, rank, tables, now):
    """Start warp `rank` of a block in the core's first free warp slot: registers, mask, PC."""
    grid = gpu.grid
    warps = core.warps
    warp = lowest(~(warps.active | core.blocks.kept))
    warp_bit = bit(warp)
    begin = rank * warps.lanes
    threads = min(grid.block_threads, grid.threads - block * grid.block_threads) - begin
    threads = max(min(threads, warps.lanes), np.int64(0))
    mask = (np.uint64(2) << np.uint64(threads - 1)) - np.uint64(1) if threads > 0 else EMPTY
    if threads <= 0:
        return  # the last block has fewer warps
    if grid.dormant != 0:
        if rank != 0:  # it is spawned later, and has its numbers then
            _write_launch_registers(gpu, core, np.int64(rank), block, rank, begin)
            return
        mask = bit(np.int64(0))
    core.blocks.alive[slot] |= warp_bit
    warps.active = warps.active | warp_bit
    warps.awake = warps.awake & ~warp_bit
    warps.starved = warps.starved & ~warp_bit
    warps.pc[warp] = grid.entry
    warps.mask[warp] = mask
    warps.threads[warp] = mask
    warps.launched[warp] = mask
    warps.expanded_from[warp] = ~mask
    warps.block[warp] = slot
    warps.rank[warp] = rank
    warps.pending[warp] = 0
    warps.stores[warp] = 0
    warps.unsent[warp] = 0
    warps.landed[warp] = now
    warps.visits[warp] = 0
    leave_fence(core.fences, warp, mask)
    warps.started[warp] = now
    warps.since[warp] = now
    warps.reason[warp] = DISPATCH_STALL
    add_warp(core.schedulers[warps.scheduler[warp]], warp, now * MAX_CORES + rank)
    start(core, warp)
    clear_scoreboard(core.scoreboard, warp, now)
    forget_accesses(core.access_order, warp)
    redirect(core.fetch, warp, grid.entry)
    _write_launch_registers(gpu, core, warp, block, rank, begin)
    gpu.live = gpu.live + 1
    gpu.progress = now
    # The alarm of this very cycle rings when the core is stepped, right after the dispatcher.
    set_alarm(warps, warp, now, now)
    wake_core(gpu, core, now, now)
    if gpu.log.tracing != 0:
        emit_launch(gpu.log, tables, now, core.number, warp, grid.entry, mask, block, rank)


@unit
def _write_launch_registers(gpu, core, warp, block, rank, begin):
    """What a warp knows from the start: its special registers, and the lane registers that the launch fills with them."""
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
    for index in range(grid.scalars):
        registers.scalar[index] = grid.scalar[index]
    if grid.dimensions != 0:
        _number_by_dimension(grid, special, block)
    for index in range(grid.registers):
        number = np.int64(grid.special[index])
        if THREAD_X <= number < BLOCK_X:
            thread_numbers(registers.lane[grid.register[index]], special, number, np.int64(core.warps.lanes))
            continue
        varies = np.uint32(1 if number == LANE or number == THREAD or number == GLOBAL_THREAD else 0)
        row = registers.lane[grid.register[index]]
        for lane in range(core.warps.lanes):
            row[lane] = np.uint32(special[number] + varies * np.uint32(lane))


@out_of_line
def _number_by_dimension(grid, special, block):
    """The block's number in x, y and z, and how many threads and blocks there are in each."""
    left = np.int64(block)
    for axis in range(3):
        special[BLOCK_X + axis] = np.uint32(left % grid.grid_dim[axis])
        left = left // grid.grid_dim[axis]
        special[BLOCK_DIM_X + axis] = np.uint32(grid.block_dim[axis])
        special[GRID_DIM_X + axis] = np.uint32(grid.grid_dim[axis])


def set_up_grid(gpu: Any, config: Config, program: Program) -> None:
    """The grid of a launch, and how its blocks are handed out."""
    grid, launch = gpu.grid, program.launch
    grid.order = ORDERS[config.gpu.dispatch]
    block = launch.block_threads or config.core.threads_per_block
    grid.threads = launch.threads
    if launch.whole_device:
        block = config.core.warps * config.core.lanes
        grid.threads, grid.dormant = config.gpu.cores * block, 1
    grid.block_threads = block
    grid.blocks = (int(grid.threads) + block - 1) // block
    grid.warps = (block + config.core.lanes - 1) // config.core.lanes
    grid.low, grid.high = 0, grid.blocks
    grid.entry, grid.argument = launch.entry, launch.argument
    grid.latency, grid.launch_latency = config.gpu.dispatch_latency, config.gpu.launch_latency
    grid.scalars = len(launch.scalars)
    grid.scalar[: len(launch.scalars)] = launch.scalars
    grid.dimensions = int(bool(special_registers(program) & {*BY_DIMENSION}))
    grid.block_dim[:] = launch.block_dims if launch.block else (block, 1, 1)
    grid.grid_dim[:] = launch.grid_dims if launch.block else (max(int(grid.blocks), 1), 1, 1)
    grid.barrier_latency = 2 * (config.l2.latency if config.l2.bytes else config.dram.latency)  # an arrival's way there, and the news' back
    grid.registers = len(launch.registers)
    for index, (register, name) in enumerate(launch.registers):
        grid.register[index], grid.special[index] = register, SPECIAL_NUMBER[name]
