"""The units of a device: a row each, in the order in which they work in a cycle.

A row says what the unit does in a cycle, when it next has something to do, and when nothing of the launch is left in it. Its state lies in
the device's record. A unit that is added here is stepped, waited for and set up like the others; the loop over cycles (`device.py`) names
none of them.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from warploom.isa.needs import draws, touches_memory, traces
from warploom.machine.core.fetch.shared_instruction_cache import SharedFetch
from warploom.machine.core.warps.core_barrier import CoreBarriers
from warploom.machine.device.block_dispatcher import Grid, all_handed_out, next_dispatch, set_up_grid, step_dispatcher
from warploom.machine.device.cores import next_core_event, no_warp_left, open_barriers, set_up_shared_fetch, step_cores
from warploom.machine.device.memory_system import memory_is_done, next_memory_event, no_events, serve_events, set_up_memory, step_memory
from warploom.machine.device.merger_unit import (
    MERGER_STATE,
    mergers_are_done,
    next_merger_event,
    no_mergers,
    set_up_merger,
    step_merger,
    step_mergers,
)
from warploom.machine.device.raster.raster_unit import RASTER_STATE, next_raster_event, no_rasters, set_up_raster, step_raster, step_rasters
from warploom.machine.device.ray_unit import RAY_STATE, next_ray_event, no_walks, set_up_rays, step_rays, walk_rays
from warploom.machine.engine.rows import Apart, each_row
from warploom.machine.engine.sizes import MAX_CLIENTS, MAX_CORES
from warploom.machine.memory.channels import Channels
from warploom.machine.memory.client import Client
from warploom.machine.memory.crossbar import Crossbar
from warploom.machine.memory.dram import Dram
from warploom.machine.memory.event_wheel import Wheel
from warploom.machine.memory.l2 import L2
from warploom.machine.memory.partial_stores import PartialStores


class DeviceUnit(NamedTuple):
    """A unit of the whole device.

    step: its work of a cycle, `step(gpu, cores, tables, units, now)`. Returns the next cycle in which it certainly has something to do;
    FOREVER where only `next_event` says. A unit may wake a core: `core/warps/warp_table.py`, `wake_core`.
    next_event: `next_event(gpu, now)`, the next cycle in which it has something to do; FOREVER when only others can wake it. None: never by
    itself.
    is_done: `is_done(gpu)`, whether nothing of the launch is left in it. None: there never is.
    state: its fields of the device's record, by name.
    set_up: `set_up(gpu, config, program)`, what of its settings follows from those; gpu: a mirror, all zero. None: it has none.
    apart: what of it is compiled by itself; `step` calls it as `units.NAME`.
    """

    name: str
    step: Callable[..., Any]
    next_event: Callable[..., Any] | None = None
    is_done: Callable[..., Any] | None = None
    state: Mapping[str, Any] = MappingProxyType({})
    set_up: Callable[[Any, Any, Any], None] | None = None
    apart: tuple[Apart, ...] = ()


DEVICE_UNITS = (
    DeviceUnit("dispatcher", step_dispatcher, next_dispatch, all_handed_out, state={"grid": Grid}, set_up=set_up_grid),
    DeviceUnit(
        "cores",
        step_cores,
        next_core_event,
        no_warp_left,
        state={
            "wake": ("i8", MAX_CORES),  # by core: next cycle in which it has something to do
            "shared_fetch": SharedFetch,
        },
        set_up=set_up_shared_fetch,
    ),
    DeviceUnit("barriers", open_barriers, state={"core_barriers": CoreBarriers}),
    DeviceUnit(
        "memory",
        step_memory,
        next_memory_event,
        memory_is_done,
        state={
            "wheel": Wheel,
            "crossbar": Crossbar,
            "partial_stores": PartialStores,
            "l2": L2,
            "dram": Dram,
            "data_channels": Channels,
            "program_channels": Channels,
            "unfinished": "i8",  # stores on their way that a core or a slice waits for
            "clients": (Client, MAX_CLIENTS),
            "written": "i8",  # memory channels: cycle at whose end the last store is done
        },
        set_up=set_up_memory,
        apart=(Apart("memory_system", serve_events, no_events, touches_memory, "", ("gpu", "cores", "tables", "number")),),
    ),
    DeviceUnit(
        "raster",
        step_raster,
        next_raster_event,
        state=RASTER_STATE,
        set_up=set_up_raster,
        apart=(Apart("step_rasters", step_rasters, no_rasters, draws, "number", ("gpu", "cores", "tables", "units", "number")),),
    ),
    DeviceUnit(
        "merger",
        step_merger,
        next_merger_event,
        mergers_are_done,
        MERGER_STATE,
        set_up_merger,
        (Apart("step_mergers", step_mergers, no_mergers, draws, "number", ("gpu", "cores", "number")),),
    ),
    DeviceUnit(
        "rays",
        step_rays,
        next_ray_event,
        state=RAY_STATE,
        set_up=set_up_rays,
        apart=(Apart("walk_rays", walk_rays, no_walks, traces, "number", ("gpu", "cores", "tables", "number")),),
    ),
)


@each_row(DEVICE_UNITS, "step", "soonest", globals())
def step_units(gpu, cores, tables, units, now):
    """One cycle of all units. Returns the next cycle in which one of them certainly has something to do; FOREVER: `next_event` says."""


@each_row(DEVICE_UNITS, "next_event", "soonest", globals())
def next_event(gpu, now):
    """The next cycle in which a unit has something to do; FOREVER when none ever has."""


@each_row(DEVICE_UNITS, "is_done", "all", globals())
def is_done(gpu):
    """Whether nothing of the launch is left anywhere."""
