"""A core (NVIDIA: streaming multiprocessor; AMD: compute unit): everything that its warps share, as one record.

The order of the fields is the order in which an instruction meets the units.
"""

from __future__ import annotations

from warploom.isa.uop import UNITS
from warploom.machine.core.divergence.path_table import Contexts
from warploom.machine.core.divergence.stack import Stack
from warploom.machine.core.divergence.thread_pool import Pool
from warploom.machine.core.fetch.instruction_fetch import Fetch
from warploom.machine.core.load_store.lane_access import Access
from warploom.machine.core.load_store.lsu import Lsu
from warploom.machine.core.pipes import Pipes
from warploom.machine.core.scheduling.scheduler import MAX_SCHEDULERS, Scheduler
from warploom.machine.core.texture.sampler import Texels
from warploom.machine.core.warps.barrier import Barriers
from warploom.machine.core.warps.scoreboard import Scoreboard
from warploom.machine.core.warps.warp_table import Warps
from warploom.machine.datapath.register_file import WarpRegisters
from warploom.machine.engine.sizes import MAX_WARPS
from warploom.machine.engine.unit import record

SHARED_WORDS = 1 << 16

Blocks = record(
    slots="i8",                        # blocks that the core may hold, as the launch's resources allow
    used="u8",                         # block slots in use
    alive=("u8", MAX_WARPS),           # warp slots of a block that have not ended
    number=("i8", MAX_WARPS),          # block number in the grid
    shared_bytes="i8",                 # shared memory that a block owns: slot b's begins at b times this
)  # fmt: skip

Core = record(
    number="i8",
    blocks=Blocks,
    warps=Warps,
    fetch=Fetch,
    divergence="i8",                   # a number of MECHANISMS
    paths=Stack,                       # the reconvergence stacks
    contexts=Contexts,                 # the groups of lanes that wait, where there is no stack
    thread_pool=Pool,                         # what forms warps anew
    masks=Stack,                       # the mask stacks of programs that manage masks
    scoreboard=Scoreboard,
    scheduler_count="i8",
    schedulers=(Scheduler, MAX_SCHEDULERS),
    full_units="u8",                        # units that take no instruction in this cycle: bit u = unit u
    warps_blocked="u8",                         # warp slots whose next instruction goes to one of them
    issued="i8",                       # instructions issued in this cycle
    stepped="i8",                      # the last cycle that was not skipped
    unit_full_cycles=("i8", (MAX_SCHEDULERS, len(UNITS))),  # cycles in which a warp of a scheduler wanted a unit that was taken
    registers=(WarpRegisters, MAX_WARPS),
    alus=Pipes,
    specials=Pipes,
    access=Access,
    lsu=Lsu,
    texture=Lsu,                       # the texture unit's queue and cache
    texels=Texels,
    shared=("u4", SHARED_WORDS),       # shared memory of all resident blocks
    shared_latency="i8",
    shared_banks="i8",
    shared_bank_bytes="i8",
    shared_free="i8",                  # first cycle in which shared memory takes an access
    barriers=Barriers,
    branch_latency="i8",
    diverged="i8",                     # 1: the lanes disagreed at the branch that was just executed
    code_rows="i8",                    # instructions of the program
    code_step="i8",                    # addresses from one instruction to the next
    clear_registers="i8",              # lane registers that a launch sets to zero
    latency=("i8", 16),                # cycles by latency class
)  # fmt: skip
