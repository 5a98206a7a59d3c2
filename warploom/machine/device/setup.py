"""From a configuration to the registers of the hardware: what a device and its cores hold before the first cycle.

Not hardware: in silicon most of this is wired. Nothing here runs again after the first cycle.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import structs

from warploom.isa import uop as u
from warploom.isa.needs import REDUCTIONS, special_registers, uses, uses_wide_accesses
from warploom.isa.program import Program
from warploom.machine.accounting.status import LaunchError
from warploom.machine.config.derived import l1_bytes, sector_shift, shape_of
from warploom.machine.config.pipes import PORTS, interval, intervals, latency, loads_beside, other_half
from warploom.machine.config.presets import preset_names
from warploom.machine.config.roles import SWITCH, SWITCH_BY_NAME, TAKEN_FIRST, costs_of, obeys_words
from warploom.machine.config.schema import Config
from warploom.machine.config.sequences import parts_of, slots_of
from warploom.machine.core.cycle import folds_of
from warploom.machine.core.divergence import MECHANISMS
from warploom.machine.core.divergence.path_table import SIDES
from warploom.machine.core.divergence.thread_pool import HEURISTICS, depends_on_warps, thread_numbers_of
from warploom.machine.core.latency_classes import SEQUENCES
from warploom.machine.core.load_store.lsu import SLOTS as LSU_SLOTS
from warploom.machine.core.units.table import EXECUTION_UNITS
from warploom.machine.core.warps.barrier import MAX_BARRIERS
from warploom.machine.device.block_dispatcher import FILL, SPLIT, SPREAD
from warploom.machine.device.rooms import groups_of
from warploom.machine.device.units import DEVICE_UNITS
from warploom.machine.engine.sizes import BANK_BYTES, MAX_LANES, MAX_WARPS
from warploom.machine.memory import address_hash as hashes
from warploom.machine.memory import cache as caches
from warploom.machine.memory import dram as drams
from warploom.machine.memory import line_table as line_tables
from warploom.machine.memory import mshr as mshrs
from warploom.machine.memory.channels import DATA_ANSWER, DATA_HOLD, PROGRAM_ANSWER, PROGRAM_HOLD
from warploom.machine.memory.settings import Cache
from warploom.machine.occupancy.residency import Demand, limits_of, residency

ORDERS = {"spread": SPREAD, "fill": FILL, "split": SPLIT}
REMEDIES = {  # what to change where not even one block fits, by the field of Limits that it exceeds
    "block_threads": "use smaller blocks, or set core.block_threads",
    "warps": "use smaller blocks, or set core.warps",
    "threads": "use smaller blocks, or set core.threads",
    "registers_per_thread": "use fewer registers, or set core.thread_registers",
    "registers": "use smaller blocks or fewer registers, or set core.registers",
    "scalars": "use smaller blocks or fewer scalar registers, or set core.scalars",
    "shared": "use less shared memory, or set shared.bytes",
    "carveout": "use less shared memory, or set shared.carveout",
}


def set_up_device(gpu: Any, config: Config, program: Program) -> None:
    """Everything of a `Gpu` (its mirror, all zero) that follows from a configuration and a program. Raises LaunchError."""
    gpu.cores = config.gpu.cores
    gpu.line_shift = (config.l1.line - 1).bit_length()
    gpu.sector_shift = sector_shift(config)
    _set_up_grid(gpu.grid, config, program)
    gpu.shared_fetch.lines, gpu.shared_fetch.ahead = config.fetch.shared, config.fetch.ahead
    _set_up_l2(gpu, config)
    gpu.has_dram = int(config.memory.kind == "dram")
    if gpu.has_dram:
        line = max(config.l1.line, config.l2.line if config.l2.bytes else 1)
        drams.configure(gpu.dram, config.dram, line, config.memory.hash, config.gpu.clock)
    crossbar = config.crossbar
    gpu.crossbar.core_bytes, gpu.crossbar.slice_bytes = crossbar.core, crossbar.slice
    gpu.crossbar.pass_out, gpu.crossbar.pass_back = crossbar.pass_out, crossbar.pass_back
    gpu.partial_stores.tracked = int(tracks_bytes(config))
    for row in DEVICE_UNITS:
        if row.set_up is not None:
            row.set_up(gpu, config, program)
    for channels, count, width, hold, answer in (
        (gpu.data_channels, config.memory.data_channels, config.memory.channel_bytes, DATA_HOLD, DATA_ANSWER),
        (gpu.program_channels, config.memory.program_channels, 1, PROGRAM_HOLD, PROGRAM_ANSWER),
    ):
        channels.count, channels.width, channels.hold, channels.answer = count, width, hold, answer


def _set_up_grid(grid: Any, config: Config, program: Program) -> None:
    launch = program.launch
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
    grid.entry, grid.argument, grid.latency = launch.entry, launch.argument, config.gpu.dispatch_latency
    grid.launch_latency = config.gpu.launch_latency
    grid.scalars = len(launch.scalars)
    grid.scalar[: len(launch.scalars)] = launch.scalars
    grid.dimensions = int(bool(special_registers(program) & {*u.BY_DIMENSION}))
    grid.block_dim[:] = launch.block_dims if launch.block else (block, 1, 1)
    grid.grid_dim[:] = launch.grid_dims if launch.block else (max(int(grid.blocks), 1), 1, 1)
    grid.barrier_latency = 2 * (config.l2.latency if config.l2.bytes else config.dram.latency)  # an arrival's way there, and the news' back
    grid.registers = len(launch.registers)
    for index, (register, name) in enumerate(launch.registers):
        grid.register[index], grid.special[index] = register, u.SPECIAL_NUMBER[name]


def resident_blocks(config: Config, program: Program, block: int, warps: int) -> int:
    """How many blocks a core holds at a time. Raises LaunchError with the resource that is short when it is none."""
    if config.gpu.dispatch == "split":
        slots = config.gpu.cores * config.core.warps
        if warps > slots:
            each = -(-warps // config.gpu.cores)
            raise LaunchError(f"a block has {warps} warps, the device has warp slots for {slots}; {_more_warps(each)}")
        return config.core.warps
    found = residency(
        limits_of(config),
        Demand(block, program.counted_registers or program.registers, program.launch.shared_bytes, program.launch.warp_scalars),
    )
    if found.blocks == 0 and program.launch.whole_device:
        raise LaunchError(_too_wide(config, program, found.reason))
    core, group, launch = config.core, program.launch.group_threads, program.launch
    for where, what, number, most in (
        ("on at most {} cores", "gpu.cores", config.gpu.cores, launch.most_cores),
        ("in warps of at most {} lanes", "core.lanes", core.lanes, launch.most_lanes),
    ):
        if most and number > most:
            said = f"it starts its threads itself, {where.format(most)}, and the machine has {number}"
            raise LaunchError(f"{program.source.path}: {said}; use --set {what}={most} or less")
    if group > core.warps * core.lanes:
        held = f"a core {core.warps} warps of {core.lanes} lanes; {_more_warps(-(-group // core.lanes))}"
        raise LaunchError(f"{program.source.path}: a block has {group} threads, and {held}")
    if found.blocks == 0:
        carved = found.exceeded == "shared" and 0 < config.shared.carveout < config.shared.bytes
        remedy = REMEDIES["carveout" if carved else found.exceeded]
        raise LaunchError(f"{program.source.path}: {found.reason}; {remedy}")
    return min(found.blocks, config.core.warps)


def _more_warps(warps: int) -> str:
    """What to change where a core needs so many warps."""
    return f"add --set core.warps={warps}, or use smaller blocks" if warps <= MAX_WARPS else "use smaller blocks, or more core.lanes"


def _too_wide(config: Config, program: Program, reason: str) -> str:
    """Why a program that starts its threads itself does not fit, and how many warps a core may have for it."""
    demand = Demand(1, program.counted_registers or program.registers, program.launch.shared_bytes, program.launch.warp_scalars)
    core, limits = config.core, limits_of(config)
    fitting = [warps for warps in range(1, core.warps) if residency(limits, demand._replace(threads=warps * core.lanes)).blocks]
    preset = f"--gpu {program.isa}" if program.isa in preset_names() else "the preset of its instruction set"
    return (
        f"{program.source.path}: a program of {program.isa} starts its threads itself, so it is given a core's {core.warps} warps of "
        f"{core.lanes} lanes as one block, and on this machine {reason}; use {preset}"
        + (f", or add --set core.warps={fitting[-1]}" if fitting else "")
    )


def tracks_bytes(config: Config) -> bool:
    """Whether some cache keeps stores that may write parts of sectors."""
    caches_in_use = [cache for cache in (config.l1, config.l2) if cache.bytes]
    return any(cache.write == "back" or cache.allocate for cache in caches_in_use)


def first_level_of(config: Config, program: Program, resident: int) -> Cache:
    """The first-level cache of a core that holds so many blocks: with the bytes that their shared memory leaves."""
    wanted = program.launch.shared_bytes + config.shared.reserved  # of a block, which is handed out in whole units
    return structs.replace(config.l1, bytes=l1_bytes(config, resident * -(-wanted // config.shared.unit) * config.shared.unit))


def _set_up_l2(gpu: Any, config: Config) -> None:
    l2, own = gpu.l2, config.l2
    l2.present = int(own.bytes > 0)
    hashes.configure(l2.cache.slices, own.slices if l2.present else 1, config.memory.hash)
    if not l2.present:
        return
    l2.latency, l2.ports, l2.limit, l2.write_limit = own.latency, own.ports, own.mshrs, own.write_buffer
    line_tables.configure(l2.misses, own.slices * own.mshrs)
    l2.counts_writes = int(own.write_buffer > 0 or config.lsu.stores > 0)
    l2.atomic_latency, l2.atomic_pass, l2.atomic_sum = own.atomic_latency, own.atomic_pass, own.atomic_sum
    l2.line_shift = own.line.bit_length() - 1
    l2.ratio_shift = l2.line_shift - gpu.line_shift
    l2.sector_shift = gpu.sector_shift
    l2.sectors_a_line = config.l1.line >> int(gpu.sector_shift)
    l2.write_back, l2.write_allocate = int(own.write == "back"), int(own.allocate)
    if config.memory.lookup == "end":
        l2.latency, l2.ahead = 1, own.latency - 1
    sets, ways = shape_of(own, own.slices)
    hashing = {"slices": own.slices, "slice_hash": config.memory.hash, "set_hash": own.hash, "line_shift": int(l2.line_shift)}
    caches.configure(l2.cache, sets, ways, own.replacement, 2, sector_shift=int(gpu.sector_shift), **hashing)


def set_up_core(core: Any, number: int, resident: int, config: Config, program: Program) -> None:
    """Everything of a `Core` (its mirror, all zero) that follows from a configuration and a program. resident: blocks that it may hold."""
    core.number = number
    core.warps.slots, core.warps.lanes = config.core.warps, config.core.lanes
    core.blocks.slots, core.blocks.keeps = resident, int(config.core.warp_slots == "block")
    core.blocks.shared_bytes = (program.launch.shared_bytes + 3) // 4 * 4
    mechanism = MECHANISMS[config.core.divergence]
    core.drains_sent = int(config.lsu.drain == "sent")
    core.divergence, core.any_order = mechanism.number, int(mechanism.any_order)
    core.path_table.limit = core.mask_stack.limit = config.core.stack_depth
    core.path_table.first_side = SIDES[config.divergence.first]
    core.convergence_barriers.limit, core.convergence_barriers.patience = config.divergence.barriers, config.divergence.patience
    _set_up_pool(core.thread_pool, config, program)
    core.scoreboard.by_lane = int(config.core.lock == "lane")
    if config.pipes.owner == "scheduler":
        core.scoreboard.crosses = max(config.latency.to_float, config.latency.to_integer)
        for port in (u.FLOAT, u.HEAVY):
            core.scoreboard.crossing[u.ALU, port] = config.latency.to_float
            core.scoreboard.crossing[port, u.ALU] = config.latency.to_integer
    core.scheduler_count, core.folds[:] = config.core.schedulers, folds_of(config.core.schedulers)
    core.warps.scheduler[:] = np.arange(MAX_WARPS, dtype=np.int64) % config.core.schedulers
    for index in range(config.core.schedulers):
        scheduler = core.schedulers[index]
        owned = sum(1 << warp for warp in range(index, config.core.warps, config.core.schedulers))
        scheduler.owned, scheduler.last, scheduler.warps = np.uint64(owned), -1, config.core.warps
        core.fetch.l0_slots[index] = scheduler.owned
        scheduler.number, scheduler.step, scheduler.group_size = index, config.core.schedulers, config.core.fetch_group
    _set_up_units(core, config)
    core.barriers.count = min(config.core.barriers or max(config.core.warps // 2, 1), MAX_BARRIERS)
    core.barriers.interval, core.barriers.latency = config.core.barrier_interval, config.core.barrier_latency
    core.barriers.reduces = int(uses(program, *REDUCTIONS))
    core.branch_latency = config.core.branch_latency
    core.fence_latency[u.FENCE_DEVICE], core.fence_latency[u.FENCE_BLOCK] = config.core.fence_device, config.core.fence_block
    core.issues_per_turn = config.core.issues_per_turn
    core.code_rows = len(program)
    steps = np.diff(program.code[:, u.ADDRESS].view(np.uint32).astype(np.int64)) if len(program) > 1 else np.ones(1, np.int64)
    core.code_step = int(steps[0]) if (steps == steps[0]).all() else 0
    core.counts = 2 if uses(program, "read_counter") else int(bool(special_registers(program) & {"core_warps", "core_thread_instructions"}))
    core.has_predicates = int((program.uops[:, u.PREDICATE] != u.NONE).any() or uses(program, "load_scalar", "store_scalar"))
    core.has_wide = int(uses_wide_accesses(program))
    core.access_order.kept = int(((program.uops[:, u.UNIT] == u.BUFFER) & (program.uops[:, u.IMM] != 0)).any())
    core.clear_registers = program.registers
    core.scoreboard.groups, core.scoreboard.scalars = groups_of(program)
    for index, name in enumerate(u.LATENCIES):
        core.latency[index] = latency(config, name)
    _set_up_memory(core, config, program, resident)
    if obeys_words(config, program):
        _set_up_roles(core, config)
    for row in EXECUTION_UNITS:
        if row.set_up is not None:
            row.set_up(core, config, program)


def _set_up_roles(core: Any, config: Config) -> None:
    """A core that issues by control words has costs by role in the place of those by latency class."""
    counters = core.scoreboard.counters
    core.scoreboard.crosses = core.partitions.sequences = 0
    for number, cost in enumerate(costs_of(config)):
        core.latency[number], core.partitions.hold[number] = cost.latency, cost.interval
        counters.reads[number], counters.after_jump[number], counters.after[number] = cost.reads, cost.after_jump, cost.after
        counters.after_part[number], counters.least[number], counters.tick[number] = cost.after_part, cost.least, cost.tick
        counters.branches[number], counters.branches_taken[number] = cost.branches, cost.branches_taken or cost.branches
        core.partitions.serves[number], core.partitions.early[number] = cost.serves, cost.room
        core.partitions.ways[number], core.partitions.next_pass[number] = (cost.given, cost.taken), cost.next_pass
        core.partitions.passes |= np.uint64(int(cost.next_pass != 0) << number)
        core.partitions.both |= np.uint64(int(cost.port == "both") << number)
    counters.switch = SWITCH_BY_NAME if config.core.divergence == "its" else SWITCH
    counters.taken_first = TAKEN_FIRST
    counters.bank_latency, counters.line_latency = config.constant.bank_latency, config.constant.line_latency


def _set_up_pool(pool: Any, config: Config, program: Program) -> None:
    used = {u.OPERATIONS[number].name for number in program.uops[:, u.OP].tolist()}
    pool.heuristic, pool.majority = HEURISTICS[config.divergence.heuristic], -1
    pool.forms, pool.fences = int(not depends_on_warps(program)), int("fence" in used)
    pool.any_block = int(not used & {"barrier", "grid_barrier"} and not (program.uops[:, u.UNIT] == u.SHARED).any())
    pool.registers = program.registers + len(thread_numbers_of(program))


def _set_up_units(core: Any, config: Config) -> None:
    alu, lanes = config.alu, config.core.lanes
    core.alus.count, core.alus.depth = alu.count, alu.depth
    core.alus.passes = -(-lanes // (alu.width or lanes))
    core.specials.count = alu.special_count
    core.specials.passes = -(-lanes // (alu.special_width or lanes))
    _set_up_partitions(core.partitions, config)
    o = config.operands
    core.operands.banks, core.operands.reads, core.operands.window, core.operands.collectors = o.banks, o.reads, o.window, o.collectors
    core.reuse.banks = o.banks if o.reuse else 0


def _set_up_partitions(partitions: Any, config: Config) -> None:
    pipes = config.pipes
    partitions.own = int(pipes.owner == "scheduler")
    half = other_half(config)
    partitions.other_half = np.uint64(1 << PORTS[half]) if half else np.uint64(0)
    partitions.interval[u.MEMORY] = partitions.interval[u.SHARED] = interval(config, "load_store")
    partitions.interval[u.TEXTURE] = interval(config, "texture")
    partitions.room[u.MEMORY] = (pipes.load_store_queue - 1) * interval(config, "load_store")
    for number, cycles in enumerate(intervals(config)):
        partitions.hold[number] = cycles
    for name in SEQUENCES:
        if partitions.own and parts_of(config, name):
            _set_up_sequence(partitions, config, name)


def _set_up_sequence(partitions: Any, config: Config, name: str) -> None:
    number, slots = u.LATENCIES.index(name), slots_of(config, name)
    partitions.sequences |= np.uint64(1 << number)
    partitions.load[number, u.SLOTS], partitions.room[u.SLOTS] = slots - 1, max(slots, int(partitions.room[u.SLOTS]))
    for port, cycles in loads_beside(config, name).items():
        partitions.load[number, port] = cycles


def _set_up_banks(lsu: Any, config: Config) -> None:
    """How a first-level cache is looked up, and how its data are read."""
    lanes, group, banks = config.core.lanes, config.lsu.group, config.l1.banks
    lsu.in_banks, lsu.banks = int(group > 0 or banks > 0), banks
    lsu.group_shift = (group or MAX_LANES).bit_length() - 1
    lsu.all_groups = (1 << -(-lanes // (group or MAX_LANES))) - 1
    lsu.row_bytes = (banks or MAX_LANES) * BANK_BYTES


def _set_up_memory(core: Any, config: Config, program: Program, resident: int) -> None:
    fetch = core.fetch
    f = config.fetch
    fetch.waits = int(f.waits)
    fetch.buffer, fetch.per_cycle, fetch.line, fetch.sets, fetch.ways = f.buffer, f.per_cycle, f.line, f.sets, f.ways
    fetch.line_shift = f.line.bit_length() - 1 if f.line & (f.line - 1) == 0 else 0
    fetch.latency, fetch.miss_latency = f.latency, f.miss_latency
    fetch.l0_sets, fetch.l0_ways, fetch.l0_latency, fetch.l0_ahead = f.l0_sets, f.l0_ways, f.l0_latency, f.l0_ahead
    fetch.stream = f.stream
    fetch.channels = int(config.memory.kind == "channels")
    core.shared_latency, core.shared_banks, core.shared_bank_bytes = (
        config.shared.latency,
        config.shared.banks,
        config.shared.bank_bytes,
    )
    lsu = core.lsu
    lsu.capacity, lsu.ports, lsu.merge = config.lsu.queue, config.lsu.ports, int(config.lsu.coalesce)
    if config.pipes.owner == "scheduler":
        lsu.share = max(config.lsu.queue // config.core.schedulers, 1)
    lsu.line_shift, lsu.sector_shift = config.l1.line.bit_length() - 1, sector_shift(config)
    l1 = first_level_of(config, program, resident)
    lsu.write_cycles = config.core.lanes * BANK_BYTES // config.lsu.write_back if config.lsu.write_back else 0
    lsu.latency, lsu.cached = config.l1.latency, int(l1.bytes > 0)
    lsu.write_back, lsu.write_allocate = int(config.l1.write == "back"), int(config.l1.allocate)
    lsu.tracks_bytes, lsu.store_limit = int(tracks_bytes(config)), config.lsu.stores
    core.atomic_lanes = config.l2.atomic_lanes
    mshrs.configure(lsu.misses, config.l1.mshrs, config.l1.merges)
    if lsu.cached:
        _set_up_banks(lsu, config)
        sector, line = int(lsu.sector_shift), int(lsu.line_shift)
        caches.configure(lsu.cache, *shape_of(l1), l1.replacement, 1, sector_shift=sector, set_hash=l1.hash, line_shift=line)
    t = config.texture
    unit = core.texture
    unit.texture, unit.capacity, unit.ports, unit.merge = 1, t.queue or config.core.warps, t.ports * max(t.count, 1), 1
    unit.keeps = 1
    unit.line_shift, unit.sector_shift = lsu.line_shift, lsu.sector_shift
    unit.latency, unit.cached = t.latency, int(t.bytes > 0)
    unit.tracks_bytes, unit.store_limit = lsu.tracks_bytes, lsu.store_limit
    mshrs.configure(unit.misses, t.mshrs, 0)
    if unit.cached:
        sets = t.bytes // (config.l1.line * t.ways)
        sector, line = int(unit.sector_shift), int(unit.line_shift)
        caches.configure(unit.cache, sets, t.ways, "fifo", 3, sector_shift=sector, set_hash=t.hash, line_shift=line)
    if t.slots == "lane":
        unit.keeps = 0
        unit.capacity, core.lane_slots.capacity = LSU_SLOTS, int(unit.capacity) * config.core.lanes
    for asks in (lsu, unit):
        if config.memory.lookup == "end" and asks.cached:
            asks.latency, asks.ahead, asks.forward = 1, asks.latency - 1, 0
        else:
            asks.forward = asks.latency - int(config.crossbar.core > 0)  # a crossbar takes a cycle, which is one of the latency's
