"""Encodings of RISC-V: which bits of a word are fixed, and where the pieces of each operand lie.

A row gives its encoding as the specification's tables do, from the highest bit to the lowest:

    imm[12|10:5] rs2 rs1 000 imm[4:1|11] 1100011

Zeros and ones are fixed, and a `-` is a bit that the decoder does not look at, 0 in what is assembled. A name alone is a field of its
usual width. `name[12|10:5]` is a piece of a scattered field: bit 12 of its value, then bits 10 to 5. Bits of the value that lie nowhere
are zero (a branch goes to even addresses). `imm` has a sign, in the highest bit that it has anywhere; everything else has none.

In hardware: a RISC-V decoder is wires and a few gates, since registers always lie in the same places; the immediates are scattered to keep
most of their bits in place, and the sign in bit 31. Source: RISC-V Unprivileged Specification 20240411, "Base Instruction Formats".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

WIDTHS = {
    "rd": 5, "rs1": 5, "rs2": 5, "rs3": 5, "rm": 3, "csr": 12, "shamt": 5, "zimm": 5, "aq": 1, "rl": 1, "pred": 4, "succ": 4, "unit": 2,
    "rd'": 3, "rs1'": 3, "rs2'": 3, "uimm": 0, "imm": 0,
}  # fmt: skip
SIGNED = ("imm",)
COMPRESSED_FIRST = 8  # a register field of three bits names x8 to x15, which compilers use most
_TOKEN = re.compile(r"([01-]+)|([a-z0-9']+)(?:\[([0-9:|]+)\])?")


class Piece(NamedTuple):
    """Some neighbouring bits of a word that hold some neighbouring bits of a field's value."""

    field: str
    shift: int  # lowest bit in the word
    value_shift: int  # lowest bit of the value
    bits: int


@dataclass(frozen=True)
class Encoding:
    """One row's encoding, read from its text. bits: of the word, 32 or 16. match: the fixed ones among them."""

    text: str
    bits: int = 32

    @cached_property
    def _read(self) -> tuple[int, int, tuple[Piece, ...]]:
        mask = match = 0
        pieces: list[Piece] = []
        place = self.bits
        for token in self.text.split():
            found = _TOKEN.fullmatch(token)
            if found is None:
                raise ValueError(f"{self.text!r}: {token!r} is not part of an encoding")
            fixed, name, ranges = found.groups()
            if fixed:
                place -= len(fixed)
                mask |= sum(1 << bit for bit, digit in enumerate(reversed(fixed)) if digit != "-") << place
                match |= int(fixed.replace("-", "0"), 2) << place
                continue
            for part in ranges.split("|") if ranges else [f"{WIDTHS[name] - 1}:0"]:
                high, _, low = part.partition(":")
                width = int(high) - int(low or high) + 1
                place -= width
                pieces.append(Piece(name, place, int(low or high), width))
        if place != 0:
            raise ValueError(f"{self.text!r}: it has {self.bits - place} bits, not {self.bits}")
        return mask, match, tuple(pieces)

    @property
    def mask(self) -> int:
        """The bits that are fixed."""
        return self._read[0]

    @property
    def match(self) -> int:
        """What the fixed bits are."""
        return self._read[1]

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """Where the operands lie."""
        return self._read[2]

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """Names of the operands."""
        return tuple(dict.fromkeys(piece.field for piece in self.pieces))

    def range_of(self, field: str) -> tuple[int, int, int]:
        """(least, most, step) of the values that a field can have."""
        own = [piece for piece in self.pieces if piece.field == field]
        top = max(piece.value_shift + piece.bits for piece in own)
        step = 1 << min(piece.value_shift for piece in own)
        if field in SIGNED:
            return -(1 << (top - 1)), (1 << (top - 1)) - step, step
        return 0, (1 << top) - step, step

    def encode(self, values: dict[str, int]) -> int:
        """The word for a value a field. Values are within `range_of`; of one that is not, bits are lost."""
        word = self.match
        for piece in self.pieces:
            word |= (values[piece.field] >> piece.value_shift & (1 << piece.bits) - 1) << piece.shift
        return word

    def decode(self, word: int) -> dict[str, int]:
        """The fields' values in a word."""
        values = dict.fromkeys(self.fields, 0)
        for piece in self.pieces:
            values[piece.field] |= (word >> piece.shift & (1 << piece.bits) - 1) << piece.value_shift
        for field in SIGNED:
            if field in values:
                least = self.range_of(field)[0]
                values[field] -= -2 * least if values[field] >= -least else 0
        return values

    def decode_all(self, words: np.ndarray) -> dict[str, np.ndarray]:
        """`decode` of many words at once."""
        wide = words.astype(np.int64)
        values = {name: np.zeros_like(wide) for name in self.fields}
        for piece in self.pieces:
            values[piece.field] |= (wide >> piece.shift & (1 << piece.bits) - 1) << piece.value_shift
        for field in SIGNED:
            if field in values:
                least = self.range_of(field)[0]
                values[field] += np.where(values[field] >= -least, 2 * least, 0)
        return values

    def matches(self, word: int) -> bool:
        """Whether the fixed bits of a word are this row's."""
        return word & self.mask == self.match
