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
from warploom.machine.config.derived import l1_bytes, sector_shift
from warploom.machine.config.pipes import PORTS, interval, intervals, latency, loads_beside, other_half
from warploom.machine.config.roles import SWITCH, SWITCH_BY_NAME, TAKEN_FIRST, costs_of, obeys_words
from warploom.machine.config.schema import Config
from warploom.machine.config.sequences import parts_of, slots_of
from warploom.machine.core.cycle import folds_of
from warploom.machine.core.divergence import MECHANISMS, thread_pool
from warploom.machine.core.divergence.path_table import SIDES
from warploom.machine.core.fetch import instruction_fetch
from warploom.machine.core.latency_classes import SEQUENCES
from warploom.machine.core.load_store import lsu
from warploom.machine.core.scheduling import scheduler
from warploom.machine.core.units.table import EXECUTION_UNITS
from warploom.machine.core.warps import barrier
from warploom.machine.core.warps.dependence_counters import DependenceCounters
from warploom.machine.device.memory_system import tracks_bytes
from warploom.machine.device.rooms import groups_of
from warploom.machine.device.units import DEVICE_UNITS
from warploom.machine.engine.sizes import MAX_WARPS
from warploom.machine.engine.unit import take_settings
from warploom.machine.memory.settings import Cache


def set_up_device(gpu: Any, config: Config, program: Program) -> None:
    """Everything of a `Gpu` (its mirror, all zero) that follows from a configuration and a program: what its units say."""
    gpu.cores = config.gpu.cores
    for row in DEVICE_UNITS:
        if row.set_up is not None:
            row.set_up(gpu, config, program)


def first_level_of(config: Config, program: Program, resident: int) -> Cache:
    """The first-level cache of a core that holds so many blocks: with the bytes that their shared memory leaves."""
    wanted = program.launch.shared_bytes + config.shared.reserved  # of a block, which is handed out in whole units
    return structs.replace(config.l1, bytes=l1_bytes(config, resident * -(-wanted // config.shared.unit) * config.shared.unit))


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
    thread_pool.configure(core.thread_pool, config.divergence.heuristic, program)
    core.scoreboard.by_lane = int(config.core.lock == "lane")
    if config.pipes.owner == "scheduler":
        core.scoreboard.crosses = max(config.latency.to_float, config.latency.to_integer)
        for port in (u.FLOAT, u.HEAVY):
            core.scoreboard.crossing[u.ALU, port] = config.latency.to_float
            core.scoreboard.crossing[port, u.ALU] = config.latency.to_integer
    core.scheduler_count, core.folds[:] = config.core.schedulers, folds_of(config.core.schedulers)
    core.warps.scheduler[:] = np.arange(MAX_WARPS, dtype=np.int64) % config.core.schedulers
    for index in range(config.core.schedulers):
        scheduler.configure(core.schedulers[index], index, config.core)
        core.fetch.l0_slots[index] = core.schedulers[index].owned
    instruction_fetch.configure(core.fetch, config.fetch, config.memory.kind == "channels")
    barrier.configure(core.barriers, config.core, uses(program, *REDUCTIONS))
    _set_up_partitions(core.partitions, config)
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
    core.atomic_lanes = config.l2.atomic_lanes
    lsu.configure(core.lsu, config, first_level_of(config, program, resident), sector_shift(config), tracks_bytes(config))
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
    take_settings(counters, DependenceCounters, config.constant)


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
