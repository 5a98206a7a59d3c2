"""Flags and rounding mode of floats: one register of each for a warp, into which every active lane adds its flags.

In hardware: five bits and three beside the warp table, and an OR of the lanes' flags at write-back. An instruction that writes them is
executed lane after lane, lowest first, on the one register: what the highest active lane writes stays, and each lane is given what the
lane before it has left there, the first one what there was. (An instruction that sets or clears bits gives a lane here what the lane
before it alone has left: it differs where lanes set different bits and look at what comes back.)
Source: github.com/vortexgpgpu/vortex, sim/simx/execute.cpp and hw/rtl/core/VX_csr_data.sv, 2022-01 and 2024-08.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.isa.riscv.csr import BY_NUMBER, CLEAR, FLAG_BITS, MODE_BITS, NEW, OLD, WRITE, Csr, Reads, Writes
from warploom.isa.riscv.instruction import temporary
from warploom.isa.riscv.registers import WARP_FLAGS, WARP_ROUNDING_MODE
from warploom.isa.uop import IMMEDIATE, SCALAR, SPECIAL_NUMBER, Uop

LOW, HIGH, HIGHEST, ALL, VALUE = (SCALAR + 6 + number for number in range(5))  # of the warp, inside an instruction
LANE, WORD, UPPER, BELOW, BEFORE, LEFT = (temporary(4 + number) for number in range(6))  # of a lane
LAST = 31  # of a word's bits: the number of its highest one is LAST ^ its leading zeros
MODE_SHIFT = 5  # of frm in fcsr


def _special(name: str, to: int) -> Uop:
    return Uop("special", dst=to, a=IMMEDIATE, imm=SPECIAL_NUMBER[name])


def _with(name: str, to: int, a: int, number: int) -> Uop:
    return Uop(name, dst=to, a=a, b=IMMEDIATE, imm=number)


ACTIVE = [_special("mask_low", LOW), _special("mask_high", HIGH)]
FIND_HIGHEST = [  # HIGHEST = the highest active lane
    Uop("clz", dst=HIGHEST, a=LOW),
    _with("xor", HIGHEST, HIGHEST, LAST),
    Uop("clz", dst=VALUE, a=HIGH),
    _with("xor", VALUE, VALUE, 32 | LAST),
    Uop("sel", dst=HIGHEST, a=VALUE, b=HIGHEST, c=HIGH),
]
FIND_BEFORE = [  # BEFORE = the next lower active lane; BELOW is 0 where there is none
    _special("lane", LANE),
    _with("and", UPPER, LANE, 32),
    Uop("sel", dst=WORD, a=HIGH, b=LOW, c=UPPER),
    Uop("mov", dst=BELOW, a=IMMEDIATE, imm=-1),
    Uop("shl", dst=BELOW, a=BELOW, b=LANE),
    _with("xor", BELOW, BELOW, -1),
    Uop("and", dst=BELOW, a=BELOW, b=WORD),
    Uop("sel", dst=WORD, a=LOW, b=IMMEDIATE, c=UPPER),  # whose word has none looks at the lower one
    Uop("sel", dst=UPPER, a=UPPER, b=IMMEDIATE, c=BELOW),
    Uop("sel", dst=BELOW, a=BELOW, b=WORD, c=BELOW),
    Uop("clz", dst=BEFORE, a=BELOW),
    _with("xor", BEFORE, BEFORE, LAST),
    Uop("or", dst=BEFORE, a=BEFORE, b=UPPER),
]


def _left(kind: str, operand: int, old: int, to: int) -> list[Uop]:
    """What an instruction of a kind leaves where `old` was."""
    if kind == WRITE:
        return [Uop("mov", dst=to, a=operand)]
    if kind == CLEAR:
        return [_with("xor", to, operand, -1), Uop("and", dst=to, a=to, b=old)]
    return [Uop("or", dst=to, a=operand, b=old)]


def _changed(reads: Reads, bits: int, writes: list[Uop]) -> Callable[[str, bool], list[Uop]]:
    """reads: puts the register into a given one. bits: that it has. writes: take it from ALL."""

    def of_warp(kind: str, wanted: bool) -> list[Uop]:
        found = [_with("and", NEW, NEW, bits), *_of_all_lanes(kind)]
        return [*found, *reads(VALUE), *_left(kind, ALL, VALUE, ALL), *writes, *(_handed_on(kind) if wanted else ())]

    return of_warp


def kept_in_memory(writes: Writes) -> Callable[[str, bool], list[Uop]]:
    """The same of a register that is a word of memory: every lane stores what all of them leave. writes: takes it from a lane register."""
    return lambda kind, wanted: [*_of_all_lanes(kind), *_left(kind, ALL, OLD, LEFT), *writes(LEFT), *(_handed_on(kind) if wanted else ())]


def _of_all_lanes(kind: str) -> list[Uop]:
    """ALL = the operand that stays: of the highest active lane, or the bits of all."""
    if kind == WRITE:
        return [*ACTIVE, *FIND_HIGHEST, Uop("shuffle", dst=ALL, a=NEW, b=HIGHEST)]
    return [*ACTIVE, Uop("or_lanes", dst=ALL, a=NEW, b=IMMEDIATE)]


def _handed_on(kind: str) -> list[Uop]:
    """OLD = what the lane before has left, from what there was."""
    found = [*FIND_BEFORE, Uop("shuffle", dst=BEFORE, a=NEW, b=BEFORE)]
    return [*found, *_left(kind, BEFORE, OLD, BEFORE), Uop("sel", dst=OLD, a=BEFORE, b=OLD, c=BELOW)]


def _one(register: int) -> Reads:
    return lambda to: [Uop("mov", dst=to, a=register)]


def _both(to: int) -> list[Uop]:
    return [_with("shl", to, WARP_ROUNDING_MODE, MODE_SHIFT), Uop("or", dst=to, a=to, b=WARP_FLAGS)]


def _of_warp(number: int, reads: Reads, bits: int, writes: list[Uop]) -> Csr:
    return BY_NUMBER[number]._replace(reads=reads, of_warp=_changed(reads, bits, writes))


WRITE_BOTH = [
    _with("shr", WARP_ROUNDING_MODE, ALL, MODE_SHIFT),
    _with("and", WARP_FLAGS, ALL, FLAG_BITS),
]
FLOAT_CSRS = (
    _of_warp(1, _one(WARP_FLAGS), FLAG_BITS, [Uop("mov", dst=WARP_FLAGS, a=ALL)]),
    _of_warp(2, _one(WARP_ROUNDING_MODE), MODE_BITS, [Uop("mov", dst=WARP_ROUNDING_MODE, a=ALL)]),
    _of_warp(3, _both, MODE_BITS << MODE_SHIFT | FLAG_BITS, WRITE_BOTH),
)
