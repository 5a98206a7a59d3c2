"""All instructions of RV32IMAFC with Zicsr and Zicond: the extensions' tables as one, and what a word is."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np

from warploom.isa.counts import running_sum, tally
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
LONG = 3  # the lowest two bits of an instruction of 32 bits


class Decoded(NamedTuple):
    """An instruction in its place. row: None for a word that is none. values: its fields."""

    address: int
    word: int
    size: int
    row: Instruction | None
    values: Mapping[str, int]

    @property
    def data(self) -> bytes:
        """Its bytes."""
        return self.word.to_bytes(self.size, "little")


class Table:
    """Instructions by word. A look-up goes by the lowest seven bits (the major opcode), then through the few rows that have those."""

    def __init__(self, rows: tuple[Instruction, ...], csr_names: Mapping[int, str] | None = None, flags_of_warp: bool = False) -> None:
        self.rows = rows
        self.flags_of_warp = flags_of_warp  # rounding mode and flags of floats belong to a warp, not to a lane
        self.csr_names = {number: one.name for number, one in csr.BY_NUMBER.items()} if csr_names is None else csr_names
        self.by_mnemonic = {row.mnemonic: row for row in rows}
        self._by_opcode: list[list[Instruction]] = [[] for _ in range(128)]
        for row in rows:
            for opcode in range(128):
                known = row.encoding.mask & 127
                if opcode & known == row.encoding.match & 127:
                    self._by_opcode[opcode].append(row)
        self._short = [opcode & LONG != LONG and any(row.size == 2 for row in rows) for opcode, rows in enumerate(self._by_opcode)]

    def row_of(self, word: int) -> Instruction | None:
        """The row of a word: of 16 bits where its lowest two are not both 1. None where there is no such instruction."""
        return next((row for row in self._by_opcode[word & 127] if row.matches(word)), None)

    def decode(self, data: bytes, offset: int, address: int) -> Decoded:
        """The instruction that begins at a byte of `data`, which lies at an address."""
        size = 2 if self._short[data[offset] & 127] else 4
        word = int.from_bytes(data[offset : offset + size], "little")
        if offset + size > len(data):
            return Decoded(address, word, len(data) - offset, None, {})
        row = self.row_of(word)
        return Decoded(address, word, size, row, row.encoding.decode(word) if row is not None else {})

    def decode_span(self, data: bytes, address: int, starts: Collection[int] = ()) -> list[Decoded]:
        """All instructions in some bytes, which lie from an address on.

        starts: addresses at which an instruction begins, whatever comes before: what runs into one ends there, and is none.
        """
        if not data:
            return []
        sizes, cut = self._sizes(data, {start - address for start in starts if address < start < address + len(data)})
        ends = running_sum(sizes)
        words = _words(data, ends - sizes, np.array(sizes, np.int64))
        different, which = np.unique(words, return_inverse=True)
        known = self.meanings_of(different)
        found = [
            Decoded(end - size, word, size, *known[number])
            for end, word, size, number in zip((ends + address).tolist(), words.tolist(), sizes, which.tolist(), strict=True)
        ]
        for number in cut:
            found[number] = found[number]._replace(row=None, values={})
        return found

    def _sizes(self, data: bytes, starts: Collection[int]) -> tuple[list[int], list[int]]:
        """(bytes of one instruction after the other, the numbers of those that are cut off). starts: places where one begins."""
        if not any(self._short) and all(start % 4 == 0 for start in starts):
            whole, rest = divmod(len(data), 4)
            return [4] * whole + [rest] * (rest > 0), [whole] * (rest > 0)
        sizes, cut, place = list[int](), list[int](), 0
        while place < len(data):
            size = 2 if self._short[data[place] & 127] else 4
            left = 2 if size == 4 and place + 2 in starts else min(size, len(data) - place)
            if left < size:
                cut.append(len(sizes))
            sizes.append(left)
            place += left
        return sizes, cut

    def meanings_of(self, words: np.ndarray) -> list[tuple[Instruction | None, Mapping[str, int]]]:
        """`row_of` and the fields of many words at once: a comparison of all words for each row, as a decoder has one for each."""
        numbers = np.full(len(words), -1, np.int64)
        for number, row in enumerate(self.rows):
            numbers[(numbers < 0) & row.match_all(words)] = number
        found: list[tuple[Instruction | None, Mapping[str, int]]] = [(None, {})] * len(words)
        for number in np.flatnonzero(tally(numbers[numbers >= 0])).tolist():
            row, places = self.rows[number], np.flatnonzero(numbers == number)
            fields = row.encoding.decode_all(words[places])
            for place, *values in zip(places.tolist(), *(column.tolist() for column in fields.values()), strict=True):
                found[place] = row, dict(zip(fields, values, strict=True))
        return found


def _words(data: bytes, places: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The words of instructions of at most 4 bytes at some places."""
    padded = np.frombuffer(data + bytes(3), np.uint8)
    found = np.zeros(len(places), np.uint32)
    for byte in range(4):
        found |= np.where(sizes > byte, padded[places + byte], 0).astype(np.uint32) << np.uint32(8 * byte)
    return found


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
