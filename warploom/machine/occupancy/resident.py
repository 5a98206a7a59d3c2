"""How many blocks of a launch a core of a machine holds, and what to change where not even one fits."""

from __future__ import annotations

from warploom.isa.program import Program
from warploom.machine.accounting.status import LaunchError
from warploom.machine.config.presets import preset_names
from warploom.machine.config.schema import Config
from warploom.machine.engine.sizes import MAX_WARPS
from warploom.machine.occupancy.residency import Demand, limits_of, residency

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
