"""The passes in their order: those over SSA, then uniform values, selection, allocation, emission. Each can be printed.

The passes over SSA are the table PASSES; a front end's function and the function after each of them have a text form (`text.py`), in which
they are tested and which `warploom disasm --ssa` shows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from warploom.compiler import mir, ssa
from warploom.compiler.allocate import allocate
from warploom.compiler.emit import Emitter
from warploom.compiler.halves import compute_in_halves
from warploom.compiler.neighbours import join_neighbours
from warploom.compiler.ranges import find_ranges, wanted_high
from warploom.compiler.select import fold_offsets, select
from warploom.compiler.selection import words_of
from warploom.compiler.text import printed
from warploom.compiler.uniform import uniform_values
from warploom.compiler.variables import given
from warploom.isa.program_builder import ProgramBuilder
from warploom.isa.variables import NO_VARIABLES, Variables

MOST_REGISTERS = 255  # CUDA C++ Programming Guide, "Compute Capabilities": registers a thread


class Pass(NamedTuple):
    """A pass over SSA. meaning: what it does, in a few words. work: changes the blocks, or gives others in their place."""

    name: str
    meaning: str
    work: Callable[[list[ssa.Block]], Any]


def _ranges(blocks: list[ssa.Block]) -> None:
    find_ranges(blocks)


BUILT = "built"  # the name of what a front end has made, before the first pass
PASSES = (
    Pass("prune", "blocks that nothing leads to and values that nobody needs are left out", ssa.prune),
    Pass("halves", "16-bit floats that were widened, computed and rounded are computed as they are", compute_in_halves),
    Pass("offsets", "a constant that is added to an address goes into the access", fold_offsets),
    Pass("sweep", "what the passes before no longer need is left out", ssa.prune),
    Pass("neighbours", "loads of words side by side in one aligned row of shared memory become one", join_neighbours),
    Pass("ranges", "bounds of whole numbers, by which 32 bits may do", _ranges),
)


@dataclass(frozen=True)
class Compiled:
    """Machine code of a function. ssa, machine: the function between passes, as text. stages: SSA as built and after each pass, by name.

    variables: where those of the source are.
    """

    builder: ProgramBuilder
    registers: int
    scalars: int
    local_bytes: int
    spilled: int
    ssa: str
    machine: str
    stages: dict[str, str] = field(default_factory=dict)
    variables: Variables = NO_VARIABLES


def compile_function(
    blocks: list[ssa.Block],
    *,
    scalars: int,
    local_bytes: int = 0,
    max_registers: int | None = None,
    contract: bool = True,
    dense: bool = False,
    printing: bool = False,
    checks: Callable[[list[ssa.Block]], None] | None = None,
) -> Compiled:
    """Micro-ops of a function.

    scalars: scalar registers that the launch writes. local_bytes: local memory of its own arrays. contract: products and sums become
    fused multiply-adds. dense: instructions are put together as ptxas does it (`select.py`). printing: whether the text of the passes is
    wanted. checks: is shown the blocks when their ranges are known. Raises OutOfRegisters.
    """
    kept, stages = blocks, {BUILT: _text(blocks)} if printing else {}
    for one in PASSES:
        kept = one.work(kept) or kept
        if printing:
            stages[one.name] = _text(kept)
    wide = wanted_high(kept)
    if checks is not None:
        checks(kept)
    regions = uniform_values(kept, wide, scalars)
    shown = _text(kept) if printing else ""
    machine = select(kept, wide, regions, contract=contract, dense=dense)
    listed = "\n".join(mir.printed(machine)) if printing else ""
    found = allocate(machine, max_registers or MOST_REGISTERS, scalars, local_bytes)
    emitter = Emitter(found)
    builder = emitter.function(machine)
    variables = Variables(emitter.spans, given(kept, lambda value: words_of(value, wide)))
    return Compiled(builder, found.registers, found.scalars, found.local_bytes, found.spilled, shown, listed, stages, variables)


def _text(blocks: list[ssa.Block]) -> str:
    return "\n".join(printed(blocks))
