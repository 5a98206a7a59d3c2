"""What a run is handed by pointer: the functions that are compiled by themselves, and which of their forms a program needs.

Not hardware. A program pays for what it uses: one without memory accesses is not compiled with a memory stage, one without operations on
64-bit floats not with those. What the rows of units name (`core/units/table.py`, `device/units.py`) is chosen by them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from warploom.isa import uop as u
from warploom.isa.needs import OF_WARPS, samples, touches_memory, uses, uses_wide_accesses
from warploom.isa.program import Program
from warploom.machine.accounting.notes import writes_notes
from warploom.machine.config.schema import Config
from warploom.machine.core.control import control
from warploom.machine.core.core import Core, no_watch
from warploom.machine.core.cycle import step, step_forming_warps
from warploom.machine.core.load_store.address_space import no_translation, translate
from warploom.machine.core.load_store.lsu import Lsu
from warploom.machine.core.load_store.wide_access import access_wide, no_wide
from warploom.machine.core.performance_monitor import control_with_monitor
from warploom.machine.core.scheduling.policies import Policy
from warploom.machine.core.scheduling.scheduler import Scheduler
from warploom.machine.core.turns import step_in_turns
from warploom.machine.core.units.memory_stage import access_memory, no_memory
from warploom.machine.core.units.table import EXECUTION_UNITS
from warploom.machine.core.units.texture_access import no_texture, sample_fixed_texture, sample_texture
from warploom.machine.core.warp_control import control_of_warps
from warploom.machine.datapath.alu import execute, execute_with_doubles, execute_with_notes, execute_with_rounding, execute_with_tables
from warploom.machine.datapath.register_file import WarpRegisters
from warploom.machine.device.device import Gpu
from warploom.machine.device.units import DEVICE_UNITS
from warploom.machine.engine.native.piece import Hook, records
from warploom.machine.engine.swaps import Swaps
from warploom.machine.run.tables import Tables, units_with

OF_ROWS = (*(apart for row in EXECUTION_UNITS for apart in row.apart), *(apart for row in DEVICE_UNITS for apart in row.apart))
Units = units_with(apart.name for apart in OF_ROWS)
KINDS = {
    "gpu": Gpu, "core": Core, "cores": records(Core), "registers": WarpRegisters, "scheduler": Scheduler, "lsu": Lsu, "tables": Tables,
    "units": Units, "number": np.dtype(np.int64), "": None,
}  # fmt: skip
SIGNATURES = {  # result, and arguments
    "execute": ("", ("registers", "tables", "number", "number")),
    "policy": ("number", ("scheduler", "number")),
    "control": ("number", ("gpu", "core", "number", "number", "tables", "number", "number")),
    "access": ("number", ("gpu", "core", "number", "number", "number", "tables", "units", "number")),
    "sampler": ("number", ("core", "number", "tables", "number", "number")),
    "translate": ("number", ("gpu", "core", "number", "tables", "number", "number")),
    "wide": ("", ("core", "number", "tables", "number", "number")),
    "step": ("number", ("gpu", "core", "tables", "units", "number")),
    "watch": ("", ("gpu", "core", "number", "number", "tables", "number", "number")),
    **{apart.name: (apart.returns, apart.arguments) for apart in OF_ROWS},
}


class Handing(Protocol):
    """What has to be known of a machine to choose."""

    config: Config
    program: Program
    policy: Policy
    forms_warps: bool
    storage: Any
    watcher: Any


def units_of(machine: Handing) -> Any:
    """The functions that a machine's run loop is handed: those of units that the program does not use are left out."""
    program, watcher = machine.program, machine.watcher
    sampler = sample_fixed_texture if uses(program, "sample_fixed") else sample_texture
    access = access_memory if watcher is None else watcher.access
    in_turns = step_in_turns if machine.config.core.issues_per_turn else step
    return Units(
        execute=_execute(program),
        policy=machine.policy.choose,
        control=_control(program),
        access=access if touches_memory(program) else no_memory,
        sampler=sampler if samples(program) else no_texture,
        translate=translate if machine.storage.translates else no_translation,
        wide=access_wide if uses_wide_accesses(program) else no_wide,
        step=step_forming_warps if machine.forms_warps else in_turns,
        watch=no_watch if watcher is None else watcher.unit,
        **{apart.name: apart.chosen(program) for apart in OF_ROWS},
    )


def hooks_of(units: Any, reached: Callable[[Any], Swaps]) -> Any:
    """The same as native code takes them. reached: the swaps that a function comes to."""

    def hook(name: str) -> Hook:
        returns, arguments = SIGNATURES[name]
        function = getattr(units, name)
        return Hook(function, KINDS[returns], tuple(KINDS[kind] for kind in arguments), reached(function))

    return Units(**{name: hook(name) for name in units.members()})


def _control(program: Program) -> Callable[..., int]:
    """The control unit, with those parts that only programs which use them pay for."""
    if uses(program, "read_counter"):
        return control_with_monitor
    return control_of_warps if uses(program, *OF_WARPS) else control


def _execute(program: Program) -> Callable[..., None]:
    """The ALU, with those parts that only programs which use them pay for."""
    if (program.uops[:, u.DATAPATH] == u.ROUNDING).any():
        return execute_with_rounding
    if (program.uops[:, u.DATAPATH] == u.FUNCTION_TABLE).any():
        return execute_with_tables
    if writes_notes(program):
        return execute_with_notes
    return execute_with_doubles if (program.uops[:, u.DATAPATH] == u.DOUBLE_PRECISION).any() else execute
