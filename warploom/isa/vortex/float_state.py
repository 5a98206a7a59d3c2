"""Flags and rounding mode of floats: one register of each for a warp, into which every active lane adds its flags.

In hardware: five bits and three beside the warp table, and an OR of the lanes' flags at write-back. An instruction that writes them is
executed lane after lane, lowest first, on the one register: what the highest active lane writes stays, and each lane is given what the
lane before it has left there, the first one what there was. So an instruction that sets or clears bits gives a lane what all lanes below
it have set or cleared.
Source: github.com/vortexgpgpu/vortex, sim/simx/execute.cpp and hw/rtl/core/VX_csr_data.sv, 2022-01 and 2024-08.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.isa.riscv.csr import BY_NUMBER, CLEAR, FLAG_BITS, MODE_BITS, NEW, OLD, WRITE, Csr, Reads
from warploom.isa.riscv.instruction import temporary
from warploom.isa.riscv.registers import WARP_FLAGS, WARP_ROUNDING_MODE
from warploom.isa.uop import IMMEDIATE, SCALAR, SPECIAL_NUMBER, Uop

LOW, HIGH, HIGHEST, ALL, VALUE = (SCALAR + 6 + number for number in range(5))  # of the warp, inside an instruction
LANE, WORD, UPPER, BELOW, BEFORE, ABOVE = (temporary(4 + number) for number in range(6))  # of a lane
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


def _gathered_below(bits: int) -> list[Uop]:
    """BEFORE = the OR of what NEW has in the active lanes below, in these bits: a ballot a bit, and the lanes below in it."""
    found = [
        _special("lane", LANE),
        Uop("mov", dst=BELOW, a=IMMEDIATE, imm=-1),
        Uop("shl", dst=BELOW, a=BELOW, b=LANE),
        _with("xor", BELOW, BELOW, -1),  # of the own word of lanes
        _with("and", UPPER, LANE, 32),
        Uop("sel", dst=ABOVE, a=BELOW, b=IMMEDIATE, c=UPPER),  # of the upper word
        Uop("mov", dst=WORD, a=IMMEDIATE, imm=-1),
        Uop("sel", dst=BELOW, a=WORD, b=BELOW, c=UPPER),  # of the lower one
        Uop("mov", dst=BEFORE, a=IMMEDIATE, imm=0),
    ]
    for bit in range(bits.bit_length()):
        found += [
            _with("and", WORD, NEW, 1 << bit),
            Uop("ballot", dst=LOW, a=WORD),
            Uop("and", dst=WORD, a=BELOW, b=LOW),
            Uop("and", dst=UPPER, a=ABOVE, b=HIGH),
            Uop("or", dst=WORD, a=WORD, b=UPPER),
            _with("minu", WORD, WORD, 1),
            _with("shl", WORD, WORD, bit),
            Uop("or", dst=BEFORE, a=BEFORE, b=WORD),
        ]
    return found


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
        found = [*reads(OLD), _with("and", NEW, NEW, bits)]
        if kind == WRITE:
            found += [*ACTIVE, *FIND_HIGHEST, Uop("shuffle", dst=ALL, a=NEW, b=HIGHEST)]
        else:
            found.append(Uop("or_lanes", dst=ALL, a=NEW, b=IMMEDIATE))
        found += [*reads(VALUE), *_left(kind, ALL, VALUE, ALL), *writes]
        if wanted and kind == WRITE:
            found += [*FIND_BEFORE, Uop("shuffle", dst=BEFORE, a=NEW, b=BEFORE), Uop("sel", dst=OLD, a=BEFORE, b=OLD, c=BELOW)]
        elif wanted:
            found += [*_gathered_below(bits), *_left(kind, BEFORE, OLD, BEFORE), Uop("mov", dst=OLD, a=BEFORE)]
        return found

    return of_warp


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
