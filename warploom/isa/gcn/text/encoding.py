"""An instruction while its text is being encoded: the form that is tried, and the fields that are known so far.

The scalar registers and literals that an instruction reads are counted, because a vector instruction has one path to the scalar
registers, and room for one literal.

Source: AMD "Vega" Instruction Set Architecture, section 6.2.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from warploom.isa.gcn.instruction import Row, Written
from warploom.isa.gcn.registers import LITERAL
from warploom.isa.gcn.text.parser import Mistake, Operand, Resolve


@dataclass
class Encoding:
    """row, kind: the instruction in one of its forms, at an address. resolve: the address of a label. scalars: operand codes of the scalar
    registers and literals that it reads. wide_address: lanes bring addresses of 64 bits."""

    row: Row
    kind: str
    address: int
    resolve: Resolve
    fields: dict[str, int] = field(default_factory=dict)
    literal: int | None = None
    scalars: set[int] = field(default_factory=set)
    wide_address: bool = False

    def total(self, found: Operand) -> int:
        """A number with labels in it."""
        return (found.value or 0) + sum(sign * self.resolve(name) for sign, name in found.terms)

    def set_literal(self, value: int, text: str) -> None:
        """The 32 bits after the instruction. Raises Mistake where others are there already."""
        value &= 0xFFFFFFFF
        if self.literal not in (None, value):
            raise Mistake(f"{text!r}: an instruction has room for one literal", text)
        self.literal = value

    def count(self, code: int) -> None:
        """An operand is read: one more scalar, if it is one."""
        if code < 128 or code == LITERAL or 251 <= code <= 253:
            self.scalars.add(code)

    def written(self) -> Written:
        """What has come of it."""
        return Written(self.row, self.kind, self.fields, self.literal)
