"""Bare machines: those without what modern cores add to a core with warps. Native code has forms for them, in which nobody asks for it.

Not hardware. A machine has few of the features that there are, and native code tests each of them several times an instruction. In the form
for bare machines the settings of BARE are constants, which makes them a twentieth faster. One is any core whose schedulers share one set of
pipes, with a cache in one bank over memory without banks and rows. Those of them that issue one instruction at a time, as Vortex, have a
form in which the settings of SINGLE_ISSUE are constants as well, and are a tenth faster. The form for all machines runs everything else.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from warploom.machine.core.core import Core
from warploom.machine.core.divergence.path_table import PathTable
from warploom.machine.core.fetch.instruction_fetch import Fetch
from warploom.machine.core.fetch.shared_instruction_cache import SharedFetch
from warploom.machine.core.load_store.constant_cache import ConstantLevel
from warploom.machine.core.load_store.lsu import Lsu
from warploom.machine.core.operand_banks import OperandBanks
from warploom.machine.core.partitions import Partitions
from warploom.machine.core.pipes import Pipes
from warploom.machine.core.reuse_cache import ReuseCache
from warploom.machine.core.texture.lane_slots import LaneSlots
from warploom.machine.core.warps.access_order import AccessOrder
from warploom.machine.core.warps.barrier import Barriers
from warploom.machine.core.warps.scoreboard import Scoreboard
from warploom.machine.device.block_dispatcher import SPREAD, Grid
from warploom.machine.device.device import Gpu, Log
from warploom.machine.engine.native.piece import Fit, kind_name
from warploom.machine.memory.cache import Cache
from warploom.machine.memory.crossbar import Crossbar
from warploom.machine.memory.dram import Dram
from warploom.machine.memory.l2 import L2
from warploom.machine.memory.partial_stores import PartialStores

Known = tuple[tuple[np.dtype, Mapping[str, int]], ...]  # kinds of records, and settings of each with their values

BARE: Known = (
    # nobody looks on
    (Log, {"tracing": 0}),
    (Gpu, {"every_cycle": 0, "has_dram": 1}),
    # a core: issue in every cycle, one set of pipes, no predicates, no scalar accesses, no counters that are read
    (Core, dict.fromkeys(("any_order", "counts", "drains_sent", "has_predicates", "has_wide", "issues_per_turn", "watched"), 0)),
    (Partitions, {"own": 0, "other_half": 0, "sequences": 0}),
    (ReuseCache, {"banks": 0}),
    (OperandBanks, {"collectors": 0}),
    (Scoreboard, {"by_lane": 0, "crosses": 0}),
    (Pipes, {"depth": 0}),
    (PathTable, {"first_side": 0}),
    (Barriers, {"interval": 0, "latency": 0, "reduces": 0}),
    (AccessOrder, {"kept": 0}),
    (LaneSlots, {"capacity": 0}),
    # instructions and constants: one cache a core
    (Fetch, {"channels": 0, "l0_sets": 0}),
    (SharedFetch, {"lines": 0, "ahead": 0}),
    (ConstantLevel, {"sets": 0}),
    # the first cache: in one bank, its sets by modulo, written through, stores without limit
    (Lsu, {"cached": 1}),
    (Lsu, dict.fromkeys(("ahead", "banks", "in_banks", "share", "store_limit", "write_allocate", "write_back"), 0)),
    (Cache, {"simple": 1, "siphash": 0}),
    # the device: blocks at once, a crossbar without limit, an L2 that does not count its writes, memory without banks and rows
    (Grid, {"latency": 0, "launch_latency": 0, "order": SPREAD}),
    (Crossbar, {"core_bytes": 0, "slice_bytes": 0}),
    (L2, {"ahead": 0, "counts_writes": 0, "write_limit": 0}),
    (Dram, {"banks": 0, "most_overtakes": 0, "row": 0, "row_miss": 0}),
)

SINGLE_ISSUE: Known = (
    # a core: one scheduler, register banks of one port
    (Core, {"scheduler_count": 1}),
    (OperandBanks, {"reads": 1}),
    # one fetch a cycle, none behind a branch; 16 instructions a line
    (Fetch, {"line": 16, "line_shift": 4, "per_cycle": 1, "waits": 1}),
    # no cache keeps stores; one clock for all, and memory without refresh
    (Lsu, {"tracks_bytes": 0, "write_cycles": 0}),
    (PartialStores, {"tracked": 0}),
    (Dram, {"activate_window": 0, "core_clock": 1, "memory_clock": 1, "refresh_interval": 0}),
)


@lru_cache(maxsize=1)
def bare() -> Fit:
    """What is known of a bare machine."""
    return _fit(BARE)


@lru_cache(maxsize=1)
def single_issue() -> Fit:
    """What is known of a bare machine that issues one instruction at a time."""
    return _fit(BARE + SINGLE_ISSUE)


def _fit(kinds: Known) -> Fit:
    known: dict[str, dict[str, int]] = {}
    for kind, settings in kinds:
        known.setdefault(kind_name(kind), {}).update(settings)
    return Fit.of(known)
