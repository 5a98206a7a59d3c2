"""The passes in their order: SSA, halves, offsets, ranges, uniform values, selection, allocation, emission. Each can be printed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from warploom.compiler import mir, ssa
from warploom.compiler.allocate import allocate
from warploom.compiler.emit import Emitter
from warploom.compiler.halves import compute_in_halves
from warploom.compiler.ranges import find_ranges
from warploom.compiler.select import fold_offsets, select
from warploom.compiler.uniform import uniform_values
from warploom.isa.program_builder import ProgramBuilder

MOST_REGISTERS = 255  # CUDA C++ Programming Guide, "Compute Capabilities": registers a thread


@dataclass(frozen=True)
class Compiled:
    """Machine code of a function. ssa, machine: the function between passes, as text."""

    builder: ProgramBuilder
    registers: int
    scalars: int
    local_bytes: int
    spilled: int
    ssa: str
    machine: str


def compile_function(
    blocks: list[ssa.Block],
    *,
    scalars: int,
    local_bytes: int = 0,
    max_registers: int | None = None,
    contract: bool = True,
    printing: bool = False,
    checks: Callable[[list[ssa.Block]], None] | None = None,
) -> Compiled:
    """Micro-ops of a function.

    scalars: scalar registers that the launch writes. local_bytes: local memory of its own arrays. contract: products and sums become
    fused multiply-adds. printing: whether the text of the passes is wanted. checks: is shown the blocks when their ranges are known.
    Raises OutOfRegisters.
    """
    kept = ssa.prune(blocks)
    compute_in_halves(kept)
    fold_offsets(kept)
    kept = ssa.prune(kept)
    wide = find_ranges(kept)
    if checks is not None:
        checks(kept)
    regions = uniform_values(kept, wide, scalars)
    shown = "\n".join(ssa.printed(kept)) if printing else ""
    machine = select(kept, wide, regions, contract=contract)
    listed = "\n".join(mir.printed(machine)) if printing else ""
    found = allocate(machine, max_registers or MOST_REGISTERS, scalars, local_bytes)
    builder = Emitter(found).function(machine)
    return Compiled(builder, found.registers, found.scalars, found.local_bytes, found.spilled, shown, listed)
