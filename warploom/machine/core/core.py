"""A core (NVIDIA: streaming multiprocessor; AMD: compute unit): everything that its warps share, as one record.

After the settings the fields are in the order in which an instruction reaches the units.
"""

from __future__ import annotations

from warploom.isa.uop import PORTS
from warploom.machine.core.divergence.its import ConvergenceBarriers
from warploom.machine.core.divergence.path_table import PathTable
from warploom.machine.core.divergence.thread_pool import Pool
from warploom.machine.core.fetch.instruction_fetch import Fetch
from warploom.machine.core.load_store.address_space import Spaces
from warploom.machine.core.load_store.constant_cache import ConstantCache
from warploom.machine.core.load_store.lane_access import Access
from warploom.machine.core.load_store.lsu import Lsu
from warploom.machine.core.operand_banks import OperandBanks
from warploom.machine.core.partitions import LATENCY_CLASSES, Partitions
from warploom.machine.core.performance_monitor import Monitor
from warploom.machine.core.pipes import Pipes
from warploom.machine.core.reuse_cache import ReuseCache
from warploom.machine.core.scheduling.scheduler import Scheduler
from warploom.machine.core.spawn import Spawn
from warploom.machine.core.texture.lane_slots import LaneSlots
from warploom.machine.core.texture.sampler import Texels
from warploom.machine.core.units.bundle import Bundle
from warploom.machine.core.units.table import EXECUTION_UNITS
from warploom.machine.core.warp_control import Unguarded
from warploom.machine.core.warps.access_order import AccessOrder
from warploom.machine.core.warps.barrier import Barriers
from warploom.machine.core.warps.fence import Fences
from warploom.machine.core.warps.scoreboard import Scoreboard
from warploom.machine.core.warps.warp_table import Warps
from warploom.machine.datapath.register_file import WarpRegisters
from warploom.machine.engine.sizes import MAX_SCHEDULERS, MAX_WARPS
from warploom.machine.engine.unit import record, unit

SHARED_WORDS = 1 << 16


@unit
def no_watch(gpu, core, warp, pc, tables, k, now):
    """Stands in for the hook of an observer inside a run, if there is none."""


Blocks = record(
    launch=dict(
        slots="i8",                    # blocks that the core may hold, as the launch's resources allow
        shared_bytes="i8",             # shared memory that a block owns: slot b's begins at b times this
        keeps="i8",                    # 1: a block keeps its warp slots until its last warp ends; 0: each is free when its warp ends
    ),
    state=dict(
        used="u8",                     # block slots in use: bit b = slot b
        kept="u8",                     # keeps: warp slots of warps that have ended before their block: bit w = warp slot w
        alive=("u8", MAX_WARPS),       # [block slot] its warp slots that have not ended: bit w = warp slot w
        number=("i8", MAX_WARPS),      # [block slot] block number in the grid
        begins=("i8", MAX_WARPS),      # [block slot] first cycle in which its next block may begin
    ),
)  # fmt: skip

Core = record(
    settings=dict(
        number="i8",                   # which core of the GPU this is
        scheduler_count="i8",          # schedulers, 1 to MAX_SCHEDULERS
        folds=("u8", 5),               # how far the mask of warps is shifted to become one of schedulers (cycle.py: `folds_of`)
        divergence="i8",               # the number of a row of MECHANISMS
        any_order="i8",                # 1: as that row says
        drains_sent="i8",              # 1: a warp that has ended waits until its stores are sent; 0: until they are answered
        branch_latency="i8",           # cycles from the issue of a control instruction to the next issue of its warp
        fence_latency=("i8", 2),       # cycles that a fence takes at least, by its immediate: FENCE_DEVICE, FENCE_BLOCK
        issues_per_turn="i8",          # instructions that a scheduler issues in its turn; 0: each issues one in every cycle
        code_step="i8",                # addresses from one instruction to the next; 0 if that differs
        has_predicates="i8",           # 1: some micro-op of the program has a predicate, or accesses memory once a warp
        watched="i8",                  # 1: `units.watch` is called before each micro-op that a check may be about
        has_wide="i8",                 # 1: some of its accesses need `units.wide`: of 8 bytes, scalar ones, atomics on floats
        counts="i8",                   # 1: the program reads which warps run, or how many instructions its threads have executed; 2: more
        shared_latency="i8",           # cycles of an access to shared memory without conflicts
        shared_banks="i8",             # banks of shared memory
        shared_bank_bytes="i8",        # bytes that a bank moves a cycle
        atomic_lanes="i8",             # lanes on one word of memory that are one operation
        latency=("i8", LATENCY_CLASSES),            # cycles by latency class: a number of LATENCIES
    ),
    launch=dict(
        code_rows="i8",                # instructions of the program
        clear_registers="i8",          # lane registers that a launch sets to zero
    ),
    state=dict(
        stepped="i8",                  # the last cycle that was not skipped
        issued="i8",                   # instructions issued in this cycle
        full_units="u8",               # units of the whole core that take no instruction in this cycle: bit p = port p
        warps_blocked="u8",            # warps whose next instruction goes to one of them, or to a full pipe of their scheduler
        branch_diverged="i8",          # 1: the lanes disagreed at the branch that was just executed
        shared_free="i8",              # first cycle in which shared memory takes an access
        blocks=Blocks,
        warps=Warps,
        fetch=Fetch,
        path_table=PathTable,          # paths of warps that wait, as the divergence mechanism manages them
        convergence_barriers=ConvergenceBarriers,  # its: which lanes wait for which
        thread_pool=Pool,              # the threads, for dynamic warp formation
        mask_stack=PathTable,          # the same for programs that manage masks themselves
        scoreboard=Scoreboard,
        access_order=AccessOrder,
        fences=Fences,
        schedulers=(Scheduler, MAX_SCHEDULERS),
        registers=(WarpRegisters, MAX_WARPS),
        alus=Pipes,
        specials=Pipes,
        partitions=Partitions,
        operands=OperandBanks,
        reuse=ReuseCache,
        spaces=Spaces,
        constants=ConstantCache,
        access=Access,
        bundle=Bundle,                 # what the memory stage is executing
        lsu=Lsu,
        texture=Lsu,                   # the texture unit's queue and cache
        texels=Texels,
        lane_slots=LaneSlots,
        shared=("u4", SHARED_WORDS),   # shared memory of all resident blocks, in words of 32 bits
        barriers=Barriers,
        spawn=Spawn,
        thread_instructions="i8",      # `counts`: executed since the start
        monitor=Monitor,               # `counts` of 2
        **{name: kind for row in EXECUTION_UNITS for name, kind in row.state.items()},
    ),
    counters=dict(
        unguarded=Unguarded,
        unit_full_cycles=("i8", (MAX_SCHEDULERS, len(PORTS))),  # cycles in which a warp of a scheduler needed a port that was full
    ),
)  # fmt: skip
