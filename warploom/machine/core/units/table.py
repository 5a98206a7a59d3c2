"""The table of execution units: what an instruction is issued to, a row each, in the order of `PORTS` in `isa/uop.py`.

A row says whether the unit takes an instruction, how it executes one, when it is free again, and what it does in each cycle beside that. A
unit that is added here is checked, filled, stepped and waited for like the others: issue (`core/issue.py`), the search for full units
(`core/full_units.py`) and the cycle (`core/cycle.py`) name none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from warploom.isa.needs import draws, touches_memory, traces
from warploom.isa.uop import FLOAT, SLOTS
from warploom.machine.accounting.reasons import LG_THROTTLE, MATH_PIPE_THROTTLE, MIO_THROTTLE, TEX_THROTTLE
from warploom.machine.core.load_store.lsu import load_store, no_load_store
from warploom.machine.core.units.arithmetic import (
    alus_accept,
    execute_arithmetic,
    next_free_alu,
    next_free_special,
    set_up_alus,
    set_up_specials,
    specials_accept,
)
from warploom.machine.core.units.control_unit import always_accepts, execute_control, execute_in_buffer, never_full
from warploom.machine.core.units.memory_stage import execute_access, load_store_accepts, next_free_load_store, step_load_store
from warploom.machine.core.units.merger_access import (
    MergerRequest,
    execute_fragments,
    merge_fragments,
    merger_accepts,
    next_free_merger,
    no_fragments,
)
from warploom.machine.core.units.raster_access import (
    RasterRequest,
    execute_quads,
    next_free_raster,
    no_quads,
    raster_accepts,
    set_up_raster_request,
    take_quads,
)
from warploom.machine.core.units.ray_access import (
    RayPort,
    answer_rays,
    execute_answers,
    execute_rays,
    next_free_rays,
    no_rays,
    rays_accept,
    set_up_ray_port,
    start_rays,
)
from warploom.machine.core.units.shared_access import next_free_shared, set_up_shared, shared_accepts
from warploom.machine.core.units.texture_access import next_free_texture, set_up_texture, step_texture, texture_accepts
from warploom.machine.engine.rows import Apart, by_row, each_row


class ExecutionUnit(NamedTuple):
    """A unit that takes instructions.

    execute: an instruction that is issued to it, as `execute_instruction` below. It marks what the instruction writes as busy
    (`warps/scoreboard.py`) as long as that takes, or until `step` finds that it is done.
    accepts: `accepts(port, core, now)`, whether it takes an instruction in this cycle.
    next_free: `next_free(port, core, now)`, of one that took none when the schedulers picked: the next cycle in which it may; FOREVER if
    that depends on an answer of the memory system.
    has_queue: whether it belongs to the whole core, and takes nothing when its queue is full. (The ALUs are checked separately.)
    throttle: the reason of a warp that waits because it takes nothing: one of REASONS.
    step: its work of a cycle, `step(gpu, core, tables, units, now)`. Returns the next cycle in which it has something to do, or FOREVER.
    state: its fields of the core's record, by name.
    set_up: `set_up(core, config, program)`, what of its settings follows from those; core: a mirror; device/setup.py has set what units
    share. None: it has none of its own.
    apart: what of it is compiled by itself; its other functions call it as `units.NAME`.
    """

    name: str
    execute: Callable[..., Any]
    accepts: Callable[..., Any]
    next_free: Callable[..., Any]
    has_queue: bool = False
    throttle: int = MATH_PIPE_THROTTLE
    step: Callable[..., Any] | None = None
    state: Mapping[str, Any] = MappingProxyType({})
    set_up: Callable[[Any, Any, Any], None] | None = None
    apart: tuple[Apart, ...] = ()


RAY_ARGUMENTS = ("gpu", "core", "number", "number", "tables", "units", "number")
OF_A_SCHEDULER = ExecutionUnit("pipe", execute_arithmetic, always_accepts, never_full)  # for ports of pipes that a scheduler has for itself
EXECUTION_UNITS: tuple[ExecutionUnit, ...] = (
    ExecutionUnit("alu", execute_arithmetic, alus_accept, next_free_alu, set_up=set_up_alus),
    ExecutionUnit("special", execute_arithmetic, specials_accept, next_free_special, set_up=set_up_specials),
    ExecutionUnit(
        "memory",
        execute_access,
        load_store_accepts,
        next_free_load_store,
        True,
        LG_THROTTLE,
        step_load_store,
        apart=(Apart("load_store", load_store, no_load_store, touches_memory, "number", ("gpu", "core", "lsu", "tables", "number")),),
    ),
    ExecutionUnit("shared", execute_access, shared_accepts, next_free_shared, True, MIO_THROTTLE, set_up=set_up_shared),
    ExecutionUnit("texture", execute_access, texture_accepts, next_free_texture, True, TEX_THROTTLE, step_texture, set_up=set_up_texture),
    ExecutionUnit("control", execute_control, always_accepts, never_full),
    ExecutionUnit("buffer", execute_in_buffer, always_accepts, never_full),
    *[OF_A_SCHEDULER] * (SLOTS + 1 - FLOAT),
    ExecutionUnit(
        "raster",
        execute_quads,
        raster_accepts,
        next_free_raster,
        True,
        MIO_THROTTLE,
        state={"raster_request": RasterRequest},
        set_up=set_up_raster_request,
        apart=(
            Apart("take_quads", take_quads, no_quads, draws, "number", ("gpu", "core", "number", "number", "tables", "units", "number")),
        ),
    ),
    ExecutionUnit(
        "merger",
        execute_fragments,
        merger_accepts,
        next_free_merger,
        True,
        MIO_THROTTLE,
        state={"merger_request": MergerRequest},
        apart=(
            Apart(
                "merge_fragments",
                merge_fragments,
                no_fragments,
                draws,
                "number",
                ("gpu", "core", "number", "number", "tables", "units", "number"),
            ),
        ),
    ),
    ExecutionUnit(
        "rays",
        execute_rays,
        rays_accept,
        next_free_rays,
        True,
        MIO_THROTTLE,
        state={"ray_port": RayPort},
        set_up=set_up_ray_port,
        apart=(Apart("start_rays", start_rays, no_rays, traces, "number", RAY_ARGUMENTS),),
    ),
    ExecutionUnit(
        "ray_answers",
        execute_answers,
        always_accepts,
        never_full,
        apart=(Apart("answer_rays", answer_rays, no_rays, traces, "number", RAY_ARGUMENTS),),
    ),
)
WITH_QUEUE = tuple(number for number, row in enumerate(EXECUTION_UNITS) if row.has_queue)
MAY_BE_FULL = tuple(number for number, row in enumerate(EXECUTION_UNITS) if row.next_free is not never_full)
THROTTLE = np.array([row.throttle for row in EXECUTION_UNITS], np.int64)


@by_row(EXECUTION_UNITS, "execute", globals())
def execute_instruction(unit, gpu, core, number, warp, pc, part, port, late, tables, units, now):
    """An instruction is executed by its unit. Returns the number of a fault, or 0, and the first cycle in which its result can be used;
    FOREVER if that is not known yet.

    number: the scheduler that has issued it. part: the lanes that take part. late: cycles by which its operands come late.
    """


@by_row(EXECUTION_UNITS, "accepts", globals())
def unit_accepts(port, core, now):
    """Whether the unit behind a port takes an instruction in this cycle."""


@by_row(EXECUTION_UNITS, "next_free", globals())
def next_free_behind(port, core, now):
    """The next cycle in which the unit behind a port, which was full, may take an instruction; or FOREVER."""


@each_row(EXECUTION_UNITS, "step", "soonest", globals())
def step_units(gpu, core, tables, units, now):
    """One cycle of all units that work by themselves. Returns the next cycle in which one of them has something to do, or FOREVER."""
