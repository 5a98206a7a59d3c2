"""The texture unit as programs see it: the instruction `tex`, and who writes the unit's registers.

A core has two units, whose registers (`isa/views.py`, FIXED_...) lie in a window of its address space. In 2021 each unit has control
registers of its own, for one level of detail; in 2022 one control register chooses the unit and the others belong to that; from 2023 on the
host writes them before the start, as device configuration registers: here the buffer `dcr`, pairs of a number and a value. In 2026 votes
have taken the opcode.
Source: github.com/vortexgpgpu/vortex, hw/rtl/VX_define.vh and VX_types.vh, 2021-10, 2022-01 and 2024-08.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from warploom.isa.launching import BufferError
from warploom.isa.regions import KINDS, SCRATCHPAD, Region
from warploom.isa.riscv.csr import Csr, Reads, Writes
from warploom.isa.riscv.fields import Encoding
from warploom.isa.riscv.instruction import Instruction, Operands, temporary
from warploom.isa.uop import IMMEDIATE, Uop
from warploom.isa.views import (
    FIXED_2021,
    FIXED_2022,
    FIXED_2024,
    FIXED_ADDRESS,
    FIXED_ARITHMETIC,
    FIXED_FILTER,
    FIXED_FORMAT,
    FIXED_HEIGHT,
    FIXED_LEVELS,
    FIXED_OFFSETS,
    FIXED_WIDTH,
    FIXED_WORDS,
    FIXED_WRAP_U,
    FIXED_WRAP_V,
)
from warploom.isa.vortex.counters import DCR_CLASS
from warploom.isa.vortex.generation import Generation
from warploom.isa.vortex.graphics import FIRST_DCR, REGISTERS, is_register

UNITS = 2
WINDOW = 0xFFFFF800  # where the units' registers lie
UNIT_BYTES = 4 * FIXED_WORDS
CHOSEN = UNIT_BYTES - 4  # the last word of the first unit's: which unit the control registers of 2022 belong to
WINDOW_BYTES = UNITS * UNIT_BYTES
FIRST_CSR, CSRS_OF_2021 = 0xFD0, 7
DCR_STAGE, DCR_ADDRESS, DCR_SIZE, DCR_FORMAT, DCR_FILTER, DCR_WRAP, DCR_OFFSETS = range(6, 13)
NAMES = {
    FIXED_ADDRESS: "address", FIXED_WIDTH: "width", FIXED_HEIGHT: "height", FIXED_FORMAT: "format", FIXED_FILTER: "filter",
    FIXED_WRAP_U: "wrap_u", FIXED_WRAP_V: "wrap_v",
}  # fmt: skip
WHERE, LOW = temporary(3), temporary(4)


def _tex(o: Operands) -> list[Uop]:
    return [Uop("sample_fixed", dst=o.rd, a=o.rs1, b=o.rs2, c=o["rs3"], imm=WINDOW + UNIT_BYTES * o["unit"])]


def rows(generation: Generation) -> tuple[Instruction, ...]:
    """`vx_tex` of a generation that has it."""
    encodings = {
        2021: "rs3 unit[1:0] rs2 rs1 101 rd 1101011",
        2022: "rs3 unit[1:0] rs2 rs1 000 rd 1011011",
        2024: "rs3 unit[1:0] rs2 rs1 000 rd 0101011",
    }
    encoding = encodings.get(generation.number)
    if encoding is None:
        return ()
    said = "rd = the texel at (rs1, rs2), level rs3, of the texture in a unit, four bytes; all fixed point"
    return (Instruction("vx_tex", "texture", Encoding(encoding), "rd, rs1, rs2, rs3, unit", said, _tex, {"unit": (2, 3)}),)


# ---------------------------------------------------------------------------------------------------------
# Control registers


def _word(unit: int, word: int) -> int:
    return WINDOW + UNIT_BYTES * unit + 4 * word


def _fixed(unit: int, word: int) -> tuple[Reads, Writes]:
    at = _word(unit, word)
    return lambda to: [Uop("load", dst=to, imm=at)], lambda of: [Uop("store", b=of, imm=at)]


def _of_chosen(word: int) -> tuple[Reads, Writes]:
    """A register of the unit that the control register 0xfd0 names."""
    where = [Uop("load", dst=WHERE, imm=WINDOW + CHOSEN), Uop("and", dst=WHERE, a=WHERE, b=IMMEDIATE, imm=UNITS - 1),
             Uop("shl", dst=WHERE, a=WHERE, b=IMMEDIATE, imm=UNIT_BYTES.bit_length() - 1)]  # fmt: skip
    at = _word(0, word)
    return lambda to: [*where, Uop("load", dst=to, a=WHERE, imm=at)], lambda of: [*where, Uop("store", a=WHERE, b=of, imm=at)]


def _both_wraps(unit: int) -> tuple[Reads, Writes]:
    """The wraps of 2021 in one register: v << 2 | u."""
    u, v = _word(unit, FIXED_WRAP_U), _word(unit, FIXED_WRAP_V)

    def reads(to: int) -> list[Uop]:
        shifted = Uop("shl", dst=to, a=to, b=IMMEDIATE, imm=2)
        return [Uop("load", dst=to, imm=v), shifted, Uop("load", dst=LOW, imm=u), Uop("or", dst=to, a=to, b=LOW)]

    def writes(of: int) -> list[Uop]:
        low = Uop("and", dst=LOW, a=of, b=IMMEDIATE, imm=3)
        return [low, Uop("store", b=LOW, imm=u), Uop("shr", dst=LOW, a=of, b=IMMEDIATE, imm=2), Uop("store", b=LOW, imm=v)]

    return reads, writes


def csrs(generation: Generation) -> list[Csr]:
    """The control registers of the texture units; from 2023 on there are none."""
    if generation.number == 2021:
        words = (FIXED_ADDRESS, FIXED_FORMAT, None, FIXED_FILTER, FIXED_OFFSETS, FIXED_WIDTH, FIXED_HEIGHT)
        found = []
        for unit in range(UNITS):
            for place, word in enumerate(words):
                number = FIRST_CSR + CSRS_OF_2021 * unit + place
                name = "wrap" if word is None else "offset" if word == FIXED_OFFSETS else NAMES[word]
                what = "wraps of the texture in unit {}, v << 2 | u" if word is None else f"{_meaning(name)} of the texture in unit {{}}"
                ways = _both_wraps(unit) if word is None else _fixed(unit, word)
                found.append(Csr(number, f"tex{unit}_{name}", what.format(unit), *ways))
        return found
    if generation.number == 2022:
        found = [Csr(FIRST_CSR, "tex_unit", "which texture unit the following belong to", *_fixed(0, CHOSEN // 4))]
        for place, word in enumerate((*NAMES, *range(FIXED_OFFSETS, FIXED_OFFSETS + FIXED_LEVELS))):
            name = NAMES.get(word, f"offset_{word - FIXED_OFFSETS}")
            found.append(Csr(FIRST_CSR + 1 + place, f"tex_{name}", f"{_meaning(name)} of the texture", *_of_chosen(word)))
        return found
    return []


def _meaning(name: str) -> str:
    if name.startswith("offset"):
        return "bytes to level " + name.removeprefix("offset").removeprefix("_") if name != "offset" else "bytes to the level"
    return {"width": "log2 of the width", "height": "log2 of the height", "wrap_u": "wrap in u", "wrap_v": "wrap in v"}.get(name, name)


# ---------------------------------------------------------------------------------------------------------
# What is there before the first cycle


def region(generation: Generation, dcr: Sequence[int] | np.ndarray) -> Region:
    """The window with the units' registers. dcr: numbers and values, in turn, as a host writes them. Raises BufferError."""
    words = np.zeros((UNITS, FIXED_WORDS), np.uint32)
    words[:, FIXED_ARITHMETIC] = {2021: FIXED_2021, 2022: FIXED_2022}.get(generation.number, FIXED_2024)
    given = np.asarray(dcr).ravel().astype(np.int64)
    if len(given) % 2:
        raise BufferError(f"dcr has {len(given)} numbers: it holds pairs, the number of a register and its value")
    stage = 0
    for number, value in given.reshape(-1, 2).tolist():
        if number == DCR_STAGE:
            if not 0 <= value < UNITS:
                raise BufferError(f"dcr {DCR_STAGE} = {value}: there are the texture units 0 and {UNITS - 1}")
            stage = value
        elif not 0 < number <= DCR_CLASS and not is_register(number):  # those of the start and of counters, and of other units
            _set(words[stage], number, value & 0xFFFFFFFF)
    data = words.astype("<u4").view(np.uint8).ravel()
    return Region("texture units", WINDOW, WINDOW_BYTES, of_core=True, kind=KINDS[SCRATCHPAD], data=data)


def _set(words: np.ndarray, number: int, value: int) -> None:
    """One device configuration register of a unit."""
    low, high = value & 0xFFFF, value >> 16
    pairs = {DCR_SIZE: ((FIXED_WIDTH, low), (FIXED_HEIGHT, high)), DCR_WRAP: ((FIXED_WRAP_U, low), (FIXED_WRAP_V, high)),
             DCR_ADDRESS: ((FIXED_ADDRESS, value << 6 & 0xFFFFFFFF),), DCR_FORMAT: ((FIXED_FORMAT, value),),
             DCR_FILTER: ((FIXED_FILTER, value),)}  # fmt: skip
    level = number - DCR_OFFSETS
    if number in pairs:
        for word, part in pairs[number]:
            words[word] = part
    elif 0 <= level < FIXED_LEVELS:
        words[FIXED_OFFSETS + level] = value
    else:
        last = DCR_OFFSETS + FIXED_LEVELS - 1
        raise BufferError(
            f"dcr {number}: the registers of the texture units are {DCR_STAGE} to {last}, "
            f"those of raster engine and output merger {FIRST_DCR} to {FIRST_DCR + REGISTERS - 1}"
        )
