"""How large the rooms of a device and of its cores are: what the configuration and the launch say.

Not hardware: it is how much of the host's memory a machine takes. Where the hardware has a number of places, there are as many here. Queues
whose length nothing bounds have the most rows that there can be, and take memory as they fill.
"""

from __future__ import annotations

import numpy as np

from warploom.isa import uop as u
from warploom.isa.needs import samples, uses
from warploom.isa.program import Program
from warploom.machine.config.derived import sector_shift
from warploom.machine.config.schema import Config
from warploom.machine.core.divergence.thread_pool import thread_numbers_of
from warploom.machine.core.load_store.lsu import ACCESSES
from warploom.machine.core.load_store.lsu import SLOTS as LSU_SLOTS
from warploom.machine.datapath.register_file import READ_PORTS
from warploom.machine.engine.rooms import Rooms
from warploom.machine.memory import cache, line_table, mshr
from warploom.machine.memory.dram import REQUESTS
from warploom.machine.memory.l2 import WAITING_REQUESTS
from warploom.machine.memory.partial_stores import PARTIAL_STORES
from warploom.machine.memory.settings import Cache

BY_NUMBER = ("get_register", "put_register")  # operations on a lane register whose number is known only when they are executed
NEIGHBOURS = 4  # registers from the one that a micro-op names on, that it may access
MORE = {"take_quad": u.QUAD_REGISTERS, "await_ray": u.RAY_REGISTERS}  # and those of which it is more


def rooms_of_device(config: Config, tracks_bytes: bool, traces_rays: bool = False) -> Rooms:
    """Of a `Gpu`. tracks_bytes: whether some cache keeps which bytes of a line were stored."""
    l2 = config.l2
    sets, ways = l2.shape(l2.slices) if l2.bytes else (0, 0)
    contexts = config.rays.warps * min(config.rays.cores, config.gpu.cores) * config.core.lanes * traces_rays
    return {
        "rays": {"contexts": {"contexts": contexts}},
        "partial_stores": {"entries": PARTIAL_STORES * tracks_bytes},
        "dram": {"requests": REQUESTS * (config.memory.kind == "dram" and config.dram.banks > 0)},
        "l2": {
            "requests": WAITING_REQUESTS * (l2.bytes > 0),
            "mshrs": l2.slices * l2.mshrs if l2.bytes else 0,
            "misses": line_table.rooms_for(l2.slices * l2.mshrs if l2.bytes else 1),
            "cache": cache.rooms_for(sets * ways * l2.slices, l2.line >> sector_shift(config)),
        },
    }


def rooms_of_core(config: Config, program: Program, first_level: Cache) -> Rooms:
    """Of a `Core`. first_level: its cache, what shared memory leaves of it."""
    lines = int(np.prod(first_level.shape())) if first_level.bytes else 0
    texture, line = config.texture, config.l1.line
    places = LSU_SLOTS if texture.slots == "lane" else texture.queue or config.core.warps
    sampled = samples(program)
    return {
        "registers": {"rows": lane_registers(program, config.core.divergence == "dwf") + READ_PORTS},
        "scoreboard": {"warps": config.core.warps * (config.core.lock == "lane")},
        "lsu": _of_unit(config, config.lsu.queue, lines, mshr.rooms_for(config.l1.mshrs, config.l1.merges), ACCESSES),
        "texture": _of_unit(
            config,
            places if sampled else 0,
            texture.bytes // line if sampled else 0,
            mshr.rooms_for(texture.mshrs, 0 if sampled else 1),
            ACCESSES if sampled else 0,
        ),
    }


def _of_unit(config: Config, slots: int, lines: int, misses: Rooms, accesses: int) -> Rooms:
    return {"slots": slots, "accesses": accesses, "misses": misses, "cache": cache.rooms_for(lines, config.l1.line >> sector_shift(config))}


def lane_registers(program: Program, forms_warps: bool = False) -> int:
    """Rows of lane registers that a warp needs: up to the last one that a micro-op of the program names, or its launch.

    forms_warps: whether threads change warps; they take numbers of their own along.
    """
    if uses(program, *BY_NUMBER):
        return u.REGISTERS
    codes = program.uops[:, [u.DST, u.A, u.B, u.C, u.PREDICATE]]
    named = int(codes[codes < u.SCALAR].max(initial=0)) + max(
        (count for name, count in MORE.items() if uses(program, name)), default=NEIGHBOURS
    )
    known = program.registers + (len(thread_numbers_of(program)) if forms_warps else 0)
    return min(max(named, known, *(register + 1 for register, _ in program.launch.registers)), u.REGISTERS)


def groups_of(program: Program) -> tuple[int, int]:
    """How many groups of registers the scoreboard keeps for a program: of lane registers, and of scalar ones."""
    groups = program.code[:, u.USE : u.USE + u.MAX_USES]
    scalars = groups >= u.SCALAR_GROUP
    return int(groups[~scalars].max(initial=-1)) + 1, int(groups[scalars].max(initial=u.SCALAR_GROUP - 1)) + 1 - u.SCALAR_GROUP
