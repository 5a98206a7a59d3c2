"""The instruction set: all rows, and the decoder that finds the row of a word."""

from __future__ import annotations

from collections.abc import Sequence

from warploom.isa.sass.instruction import Instruction, Row
from warploom.isa.sass.rows import floats, flow, integers, memory, units
from warploom.isa.sass.word import BYTES

ROWS: tuple[Row, ...] = (*integers.ROWS, *floats.ROWS, *memory.ROWS, *flow.ROWS, *units.ROWS)
BY_CODE: dict[int, Row] = {form << 9 | row.code: row for row in ROWS for form in row.forms}


def decode(word: int, address: int = 0, architecture: int = 80) -> Instruction:
    """The instruction of a word; its `row` is None where the table has none."""
    return Instruction(word, address, architecture, BY_CODE.get(word & 0xFFF))


def decoded(code: bytes, architecture: int) -> Sequence[Instruction]:
    """The instructions of a kernel's code, from address 0 on."""
    return [
        decode(int.from_bytes(code[place : place + BYTES], "little"), place, architecture)
        for place in range(0, len(code) // BYTES * BYTES, BYTES)
    ]


def meanings() -> dict[str, tuple[str, str]]:
    """By an opcode's name: the operands that it has, and what it does. For views, which know no instruction set."""
    return {row.name: (" ".join([row.name, ", ".join(spec.role for spec in row.operands)]).strip(), row.meaning) for row in reversed(ROWS)}
