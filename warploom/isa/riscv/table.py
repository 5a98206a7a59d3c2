"""All instructions of RV32IMAFC with Zicsr and Zicond: the extensions' tables as one, and what a word is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from warploom.isa.riscv import atomic, compressed, csr, floating, integer, multiply
from warploom.isa.riscv.instruction import Instruction

INSTRUCTIONS: tuple[Instruction, ...] = (
    *integer.INSTRUCTIONS,
    *multiply.INSTRUCTIONS,
    *atomic.INSTRUCTIONS,
    *floating.INSTRUCTIONS,
    *csr.INSTRUCTIONS,
    *compressed.INSTRUCTIONS,
)
BY_MNEMONIC: Mapping[str, Instruction] = {row.mnemonic: row for row in INSTRUCTIONS}
MOST_KNOWN = 1 << 16  # words that a table remembers
LONG = 3  # the lowest two bits of an instruction of 32 bits


class Decoded(NamedTuple):
    """An instruction in its place. row: None for a word that is none. values: its fields."""

    address: int
    word: int
    size: int
    row: Instruction | None
    values: Mapping[str, int]


class Table:
    """Instructions by word. A look-up goes by the lowest seven bits (the major opcode), then through the few rows that have those."""

    def __init__(self, rows: tuple[Instruction, ...], csr_names: Mapping[int, str] | None = None) -> None:
        self.rows = rows
        self.csr_names = {number: one.name for number, one in csr.BY_NUMBER.items()} if csr_names is None else csr_names
        self._known: dict[int, tuple[Instruction | None, Mapping[str, int]]] = {}  # words that have been met: programs repeat them
        self.by_mnemonic = {row.mnemonic: row for row in rows}
        self._by_opcode: list[list[Instruction]] = [[] for _ in range(128)]
        for row in rows:
            for opcode in range(128):
                known = row.encoding.mask & 127
                if opcode & known == row.encoding.match & 127:
                    self._by_opcode[opcode].append(row)

    def row_of(self, word: int) -> Instruction | None:
        """The row of a word: of 16 bits where its lowest two are not both 1. None where there is no such instruction."""
        return next((row for row in self._by_opcode[word & 127] if row.matches(word)), None)

    def decode(self, data: bytes, offset: int, address: int) -> Decoded:
        """The instruction that begins at a byte of `data`, which lies at an address."""
        short = data[offset] & LONG != LONG and any(row.size == 2 for row in self._by_opcode[data[offset] & 127])
        size = 2 if short else 4
        word = int.from_bytes(data[offset : offset + size], "little")
        if offset + size > len(data):
            return Decoded(address, word, len(data) - offset, None, {})
        known = self._known.get(word)
        if known is None:
            row = self.row_of(word)
            known = row, row.encoding.decode(word) if row is not None else {}
            if len(self._known) < MOST_KNOWN:
                self._known[word] = known
        return Decoded(address, word, size, *known)


TABLE = Table(INSTRUCTIONS)


def base_of(row: Instruction, values: Mapping[str, int]) -> tuple[Instruction, Mapping[str, int]]:
    """The instruction of 32 bits that one stands for, with its fields; itself where it is one."""
    if row.expands is None:
        return row, values
    name, fields = row.expands(values)
    return BY_MNEMONIC[name], fields


def meanings() -> dict[str, tuple[str, str]]:
    """By mnemonic: how an instruction is written, and what it does. For views, which know no instruction set."""
    return {row.mnemonic: (row.syntax, row.meaning) for row in INSTRUCTIONS}
