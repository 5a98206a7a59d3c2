"""What a machine of cores with warps refuses to run, and what to change: every limit that a program can pass, before its first cycle."""

from __future__ import annotations

import numpy as np

from warploom.isa import uop as u
from warploom.isa.needs import REDUCTIONS, SCALAR_ACCESSES, special_registers, uses
from warploom.isa.numbers import grouped
from warploom.isa.program import Program
from warploom.isa.views import FORMATS, LINEAR, POINT, SAMPLER_FILTER, VIEW_FORMAT
from warploom.machine.accounting.status import LaunchError
from warploom.machine.config.presets import load_config, preset_names
from warploom.machine.config.schema import Config
from warploom.machine.core.divergence.thread_pool import depends_on_warps, thread_numbers_of
from warploom.machine.core.load_store.lsu import MAX_TRANSACTIONS
from warploom.machine.core.texture.sampler import TEXELS
from warploom.machine.core.warps.scoreboard import LANE_GROUPS
from warploom.machine.device.block_dispatcher import MAX_LAUNCH_REGISTERS

MOST_THREADS = (1 << 31) - 1
JOINING = ("minpc", "dwf")  # mechanisms under which lanes run together wherever they meet
SAMPLE_FIXED = u.NUMBER["sample_fixed"]


def check(config: Config, program: Program) -> None:
    """Raises LaunchError, with the reason and what to change, when a machine of this configuration cannot run a program."""
    read = special_registers(program)
    if program.launch.dimensions > 1 and read & {*u.IN_A_ROW} and not read & {*u.BY_DIMENSION}:
        raise LaunchError(
            f"{program.source.path}: grid {program.launch.grid}, block {program.launch.block}: this program numbers threads and blocks "
            "in one dimension; launch a number of threads, in blocks of a number"
        )
    if not len(program):
        raise LaunchError(f"{program.source.path}: the program has no instructions")
    if len(program) > config.memory.program_words:
        raise LaunchError(f"the program has {len(program)} instructions, memory.program_words = {config.memory.program_words}")
    # A thread that changes warps takes its numbers along in registers, which the launch writes.
    numbers = len(thread_numbers_of(program)) if config.core.divergence == "dwf" and not depends_on_warps(program) else 0
    why = f" with core.divergence=dwf, which needs {numbers} of its own" if numbers else ""
    if program.registers > u.HIDDEN - numbers:
        raise LaunchError(f"the program uses {program.registers} registers per thread, a thread can have {u.HIDDEN - numbers}{why}")
    if config.core.lock == "lane" and (program.registers + program.lock_width - 1) // program.lock_width > LANE_GROUPS:
        raise LaunchError(
            f"core.lock = 'lane' has room for {LANE_GROUPS} registers, the program uses {program.registers}; add --set core.lock=register"
        )
    if program.turns and config.core.divergence in JOINING:
        here = f"{program.where(program.turns[0])}: parts of a warp take turns from here on"
        raise LaunchError(
            f"{here}, and core.divergence={config.core.divergence} joins lanes that come to the same instruction; "
            "add --set core.divergence=its"
        )
    _check_extents(config, program)
    written = len(program.launch.registers)
    if written > MAX_LAUNCH_REGISTERS - numbers:
        raise LaunchError(f"a launch can write {MAX_LAUNCH_REGISTERS - numbers} registers{why}; the program wants {written}")
    limit = config.memory.bytes
    if config.memory.kind == "channels" and max(program.memory_bytes, len(program.data)) > limit:
        raise LaunchError(f"the program needs {max(program.memory_bytes, len(program.data))} bytes of memory, memory.bytes = {limit}")
    used = {u.OPERATIONS[int(row[u.OP])].name for row in program.uops}
    parts = set(program.uops[:, u.DATAPATH].tolist())
    if u.ROUNDING in parts and parts & {u.DOUBLE_PRECISION, u.NOTE}:
        raise LaunchError("a program that rounds floats in modes of its own has neither 64-bit floats nor notes")
    if {"sample", "sample_fixed"} <= used:
        raise LaunchError("the program samples textures with floats and in fixed point: a texture unit does one of them")
    if used & {"sample", "sample_fixed"} and config.texture.count == 0:
        raise LaunchError("the program samples textures, and this machine has no texture unit; add --set texture.count=1")
    _check_graphics(config, program)
    if config.gpu.dispatch == "split" and (program.launch.shared_bytes or used & {"barrier", "barrier_arrive", *REDUCTIONS}):
        raise LaunchError("a block whose warps lie on several cores has neither shared memory nor barriers; add --set gpu.dispatch=spread")
    if not 0 <= program.launch.threads <= MOST_THREADS:
        raise LaunchError(f"{program.source.path}: threads = {program.launch.threads}: a launch has 0 to {MOST_THREADS}")
    if not 0 <= program.launch.entry < len(program):
        raise LaunchError(f"the launch begins at instruction {program.launch.entry}, the program has {len(program)}")
    for number in range(len(program)):
        most = _most_transactions(config, program, number)
        if most > MAX_TRANSACTIONS:
            raise LaunchError(
                f"{program.where(number)}: it may take {most} transactions, a load/store unit has room for {MAX_TRANSACTIONS}; "
                f"use longer lines (l1.line = {config.l1.line}) or fewer lanes (core.lanes = {config.core.lanes})"
            )


def _check_graphics(config: Config, program: Program) -> None:
    """The machine has the units of graphics that a program uses. Raises LaunchError, with the instruction and a machine that has them."""
    for units, section, said in (
        ((u.RASTER,), "raster", "a raster engine"),
        ((u.MERGER,), "merger", "an output merger"),
        ((u.RAYS, u.RAY_ANSWERS), "rays", "a ray unit"),
    ):
        using = np.flatnonzero(np.isin(program.uops[:, u.UNIT], units))
        if len(using) and config[f"{section}.cores"] == 0:
            number = int(np.flatnonzero(program.code[:, u.FIRST_UOP] <= using[0])[-1])
            alike = [one for one in map(load_config, preset_names()) if one[f"{section}.cores"] and one.core.lanes == config.core.lanes]
            own = f"use --gpu {alike[0].name}, or " if alike else ""  # a program for one preset fits one with other warps seldom
            word, operation = program.text[number].split()[0], u.OPERATIONS[int(program.uops[using[0], u.OP])].name
            word = operation if word in u.NUMBER else word  # compiled code is a list of micro-operations
            raise LaunchError(
                f"{program.where(number)}: {word} needs {said}, which this machine does not have; {own}add --set {section}.cores=1"
            )
    draws = bool((program.uops[:, u.UNIT] == u.RASTER).any())
    if draws and config.raster.interlock and config.core.divergence == "dwf" and config.divergence.heuristic == "majority":
        raise LaunchError(
            "raster.interlock with divergence.heuristic = 'majority': lanes that ask for a place again would starve those that hold it; "
            "add --set divergence.heuristic=pc"
        )


def _check_extents(config: Config, program: Program) -> None:
    """A grid and a block are no larger in y and z than hardware counts, and constants fit into their space. Raises LaunchError."""
    _, grid_y, grid_z = program.launch.grid_dims
    _, _, block_z = program.launch.block_dims
    for what, items, axis, size, setting in (
        ("grid", "blocks", "y", grid_y, "gpu.grid_y"),
        ("grid", "blocks", "z", grid_z, "gpu.grid_z"),
        ("block", "threads", "z", block_z, "core.block_z"),
    ):
        if config[setting] and size > config[setting]:
            raise LaunchError(
                f"{program.source.path}: a {what} of {grouped(size)} {items} in {axis} is too large, a {what} has at most "
                f"{grouped(config[setting])} in {axis}; make x the longest dimension, or set {setting}"
            )
    constants, space = len(program.constants), config.constant.space
    if space and constants > space:
        raise LaunchError(
            f"{program.source.path}: the program has {grouped(constants)} bytes of constants, constant memory has {grouped(space)}; "
            "keep large tables in global memory, or set constant.space"
        )


def check_grid(config: Config, program: Program, blocks: int, resident: int) -> None:
    """Blocks that wait for each other must all be there. resident: blocks that a core holds. Raises LaunchError."""
    if not uses(program, "grid_barrier"):
        return
    if config.gpu.dispatch == "split":
        raise LaunchError("a grid whose warps wait for each other needs whole blocks in its cores; add --set gpu.dispatch=spread")
    cores, room = config.gpu.cores, resident * config.gpu.cores
    if blocks > room:
        raise LaunchError(
            f"{program.source.path}: the blocks of the grid wait for each other, so all {blocks} must be on the machine at once, "
            f"and it has room for {room}: {resident} in each of {cores} core{'s' if cores != 1 else ''}; launch fewer"
        )


def _most_transactions(config: Config, program: Program, number: int) -> int:
    """The most transactions that an instruction can take: as many as its lanes touch lines, all in different ones."""
    line = config.l1.line
    first, pieces, scalar = int(program.code[number, u.FIRST_UOP]), 0, 0
    for row in program.uops[first : first + int(program.code[number, u.COUNT])]:
        size, times = int(row[u.SIZE]), 1
        if row[u.OP] == SAMPLE_FIXED:
            times = 4
        elif row[u.UNIT] == u.TEXTURE:
            size = FORMATS[int(program.views[row[u.VIEW], VIEW_FORMAT])].bytes
            times = {POINT: 1, LINEAR: 4}.get(int(program.samplers[row[u.IMM], SAMPLER_FILTER]), TEXELS)
        elif row[u.OP] in SCALAR_ACCESSES:  # once for the warp, and aligned
            scalar += 1
            continue
        elif row[u.UNIT] != u.MEMORY:
            continue
        # A cell that lies across lines: texels of 16 bytes lie anywhere, everything else is aligned.
        pieces += times * (1 + (size - 1) // line + (1 if size > 4 else 0))
    return pieces * config.core.lanes + scalar
