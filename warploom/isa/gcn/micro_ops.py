"""The micro-ops of one instruction, and the registers that they take for values in between.

An operand of a micro-op is the number of a register, or a `Number`, which becomes the micro-op's immediate; of two different numbers one is
put into a temporary first. Everything that the vector unit does has EXEC as its predicate.
"""

from __future__ import annotations

from typing import NamedTuple

from warploom.isa.gcn.instruction import Refusal
from warploom.isa.gcn.registers import EXEC, lane_temporary, scalar_temporary
from warploom.isa.uop import IMMEDIATE, NONE, Uop, scalar

ONES = 0xFFFFFFFF
ACTIVE = scalar(EXEC)  # the predicate of the vector unit
SCALAR_TEMPORARIES = 16


class Number(NamedTuple):
    """A constant of 32 bits."""

    value: int


Value = int | Number


class MicroOps:
    """A list of micro-ops that grows, and how many temporaries it has taken."""

    def __init__(self) -> None:
        self.uops: list[Uop] = []
        self._lanes = self._scalars = 0
        self.active = ACTIVE  # which lanes a micro-op of the vector unit is for; DPP may leave some out

    def lane_temporary(self) -> int:
        """A lane register for the rest of this instruction."""
        self._lanes += 1
        return lane_temporary(self._lanes - 1)

    def reuse(self, since: int) -> None:
        """The lane registers that were taken since the one of a number are free again."""
        self._lanes = since - lane_temporary(0)

    def scalar_temporary(self) -> int:
        """A scalar register for the rest of this instruction; they come round again after sixteen."""
        self._scalars += 1
        return scalar_temporary((self._scalars - 1) % SCALAR_TEMPORARIES)

    def pair_temporary(self) -> int:
        """The first of two scalar registers for the rest of this instruction."""
        if self._scalars % SCALAR_TEMPORARIES == SCALAR_TEMPORARIES - 1:
            self._scalars += 1
        self._scalars += 2
        return scalar_temporary((self._scalars - 2) % SCALAR_TEMPORARIES)

    def add(self, name: str, dst: int = NONE, a: Value = NONE, b: Value = NONE, c: Value = NONE, **more: int) -> int:
        """A micro-op; returns its destination."""
        sources = [a, b, c]
        constants = [source.value & ONES for source in sources if isinstance(source, Number)]
        if constants:
            assert "imm" not in more
            more["imm"] = constants[0]
            for place, source in enumerate(sources):
                if isinstance(source, Number) and source.value & ONES != more["imm"]:
                    sources[place] = self.add("mov", self.scalar_temporary(), source)
        codes = [IMMEDIATE if isinstance(source, Number) else source for source in sources]
        self.uops.append(Uop(name, dst, *codes, **more))
        return dst

    def scalar(self, name: str, a: Value = NONE, b: Value = NONE, c: Value = NONE, **more: int) -> int:
        """A micro-op into a scalar temporary."""
        return self.add(name, self.scalar_temporary(), a, b, c, **more)

    def vector(self, name: str, dst: int = NONE, a: Value = NONE, b: Value = NONE, c: Value = NONE, **more: int) -> int:
        """A micro-op of the lanes that are active."""
        return self.add(name, dst, a, b, c, predicate=self.active, **more)

    def lane(self, name: str, a: Value = NONE, b: Value = NONE, c: Value = NONE, **more: int) -> int:
        """A micro-op of the lanes that are active, into a temporary."""
        return self.vector(name, self.lane_temporary(), a, b, c, **more)

    def refuse(self, reason: str) -> None:
        """Raises Refusal."""
        raise Refusal(reason)
