"""All instructions of a generation of Vortex: RV32IMF (and A, Zicond from 2024 on) with its own. There are no short instructions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from warploom.isa.riscv import atomic, floating, integer, multiply
from warploom.isa.riscv.csr import instructions_on
from warploom.isa.riscv.instruction import Instruction, Lowering, Operands
from warploom.isa.riscv.table import Table
from warploom.isa.uop import Uop
from warploom.isa.vortex import counters, graphics, rays, texture
from warploom.isa.vortex.csr import csrs
from warploom.isa.vortex.generation import GENERATIONS, Generation
from warploom.isa.vortex.simt import rows

BRANCHES = ("beq", "bne", "blt", "bge", "bltu", "bgeu")
STOPS = ("ecall", "ebreak")
ZICOND = "Zicond"


@lru_cache(maxsize=len(GENERATIONS) * counters.CLASSES)
def table(number: int, counter_class: int = counters.NO_CLASS) -> Table:
    """The instructions of a generation, and the names of its control registers. counter_class: of its performance counters."""
    generation = GENERATIONS[number]
    known = csrs(generation, counter_class)
    found = [*integer.INSTRUCTIONS, *(row for row in multiply.INSTRUCTIONS if not (generation.old and row.extension == ZICOND))]
    found += () if generation.old else atomic.INSTRUCTIONS
    found += [*floating.INSTRUCTIONS, *instructions_on(known, unknown_kept=generation.old), *rows(generation)]
    found += [*texture.rows(generation), *graphics.rows(generation), *rays.rows(generation)]
    return Table(tuple(_own(row, generation) for row in found), {number: csr.name for number, csr in known.items()}, flags_of_warp=True)


def _own(row: Instruction, generation: Generation) -> Instruction:
    """An instruction of RISC-V as this generation has it: who decides where lanes disagree, and what ecall does."""
    if row.mnemonic in BRANCHES:
        return replace(row, lower=_with_flags(row.lower, generation.branches))
    if row.mnemonic == "jalr":
        return replace(row, lower=_with_flags(row.lower, generation.jumps))
    if row.mnemonic in STOPS:
        said = "the whole device stops" if generation.old else "nothing"
        return replace(row, meaning=said, lower=_stop if generation.old else _nothing)
    return row


def _with_flags(lower: Lowering | None, flags: int) -> Lowering:
    assert lower is not None
    plain: Callable[[Operands], list[Uop]] = lower
    return lambda o: [uop._replace(flags=uop.flags | flags) if uop.name in ("branch", "jump_register") else uop for uop in plain(o)]


def _stop(_: Operands) -> list[Uop]:
    return [Uop("halt")]


def _nothing(_: Operands) -> list[Uop]:
    return [Uop("nop")]


def meanings() -> dict[str, tuple[str, str]]:
    """By mnemonic: how an instruction is written, and what it does. If its form has changed, the newest."""
    return {row.mnemonic: (row.syntax, row.meaning) for number in GENERATIONS for row in table(number).rows}
