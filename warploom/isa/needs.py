"""What a program needs of a machine, read off its micro-ops."""

from __future__ import annotations

import numpy as np

from warploom.isa import uop as u
from warploom.isa.program import Program

MORE_ATOMICS = tuple(u.NUMBER[f"atomic_{name}"] for name in ("inc", "dec", "rsub", "fadd", "fmin", "fmax", "hadd", "bfadd"))
OF_WARPS = ("split", "join", "set_mask", "predicate", "spawn", "spawn_alone", "core_barrier", "halt", "read_counter")  # Vortex's
SCALAR_ACCESSES = u.NUMBER["load_scalar"], u.NUMBER["store_scalar"]
OF_LANES = tuple(u.NUMBER[name] for name in ("ballot", "match_any", "or_lanes", "permute", "note"))  # whatever their operands
REDUCTIONS = ("barrier_count", "barrier_and", "barrier_or")
BARRIERS = tuple(u.NUMBER[name] for name in ("barrier", "barrier_arrive", *REDUCTIONS))


def needs_shared_memory(uops: np.ndarray) -> bool:
    """Whether any of these micro-ops accesses a block's shared memory."""
    return bool((uops[:, u.UNIT] == u.SHARED).any())


def touches_memory(program: Program) -> bool:
    """Whether a program accesses memory, shared memory or textures, draws, or traces rays."""
    return bool(np.isin(program.uops[:, u.UNIT], (u.MEMORY, u.SHARED, u.TEXTURE, u.RASTER, u.MERGER, u.RAYS)).any())


def draws(program: Program) -> bool:
    """Whether a program takes quads from a raster engine, or hands fragments to an output merger."""
    return bool(np.isin(program.uops[:, u.UNIT], (u.RASTER, u.MERGER)).any())


def traces(program: Program) -> bool:
    """Whether a program traces rays by a ray unit."""
    return bool(np.isin(program.uops[:, u.UNIT], (u.RAYS, u.RAY_ANSWERS)).any())


def samples(program: Program) -> bool:
    """Whether a program accesses textures."""
    return bool((program.uops[:, u.UNIT] == u.TEXTURE).any())


def first_of_a_block(program: Program) -> int:
    """The first instruction that has to do with the block as a whole, its shared memory or its barriers; NONE when there is none."""
    uops = program.uops
    found = np.flatnonzero((uops[:, u.UNIT] == u.SHARED) | np.isin(uops[:, u.OP], BARRIERS))
    if not len(found):
        return u.NONE
    return int(np.flatnonzero(program.code[:, u.FIRST_UOP] <= found[0])[-1])


def special_registers(program: Program) -> set[str]:
    """The special registers that a program reads, or that its launch writes into registers."""
    read = program.uops[program.uops[:, u.OP] == u.NUMBER["special"], u.IMM].tolist()
    return {u.SPECIALS[number] for number in read} | {name for _, name in program.launch.registers}


def only_scalars(program: Program) -> np.ndarray:
    """bool[instructions]: which consist of arithmetic of scalar registers alone, so that a unit that has no lanes can execute them."""
    uops = program.uops
    operands = uops[:, [u.DST, u.A, u.B, u.C]]
    scalar = ((operands < 0) | (operands >= u.SCALAR)).all(axis=1) & (uops[:, u.UNIT] == u.ALU) & ~np.isin(uops[:, u.OP], OF_LANES)
    first = program.code[:, u.FIRST_UOP]
    return np.logical_and.reduceat(scalar, first) if len(first) else np.zeros(0, bool)


def uses_wide_accesses(program: Program) -> bool:
    """Whether a program has memory accesses of 8 bytes or of scalar registers, or atomics on floats or on counters that wrap."""
    uops = program.uops
    wide = (uops[:, u.SIZE] == u.WIDE) & ((uops[:, u.UNIT] == u.MEMORY) | (uops[:, u.UNIT] == u.SHARED))
    return bool(wide.any()) or not {*MORE_ATOMICS, *SCALAR_ACCESSES}.isdisjoint(uops[:, u.OP].tolist())


def uses(program: Program, *names: str) -> bool:
    """Whether a program has one of these operations."""
    return not {u.NUMBER[name] for name in names}.isdisjoint(program.uops[:, u.OP].tolist())
