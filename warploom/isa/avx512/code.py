"""What a row's lowering writes into: the micro-ops of one instruction.

An operand of a micro-op is the number of a register, or a `Number`, which becomes the micro-op's immediate; of two different numbers one is
put into a temporary first. An instruction that needs two units, memory and control, issues in two halves.
"""

from __future__ import annotations

from typing import NamedTuple

from warploom.isa import uop as u
from warploom.isa.avx512.decoder import Decoded
from warploom.isa.avx512.instruction import Refusal
from warploom.isa.avx512.operands import Immediate, Memory, Operand, Register
from warploom.isa.avx512.registers import OFFSETS, general, lane_temporary, mask, scalar_temporary
from warploom.isa.uop import IMMEDIATE, NONE, Uop

EVERY_LANE = 0xFFFF


class Number(NamedTuple):
    """A constant of 32 bits."""

    value: int


Value = int | Number


class Code:
    """The micro-ops of one instruction. live: flags that somebody reads after it."""

    def __init__(self, one: Decoded, live: str = "", number_of: dict[int, int] | None = None, end: int = 0) -> None:
        assert one.row is not None
        self.one, self.row, self.live = one, one.row, live
        self.number_of, self.end = number_of or {}, end
        self.halves: list[list[Uop]] = [[]]
        self._lanes = self._scalars = 0
        self._restriction: int | None = None

    # -----------------------------------------------------------------------------------------------------
    # Operands

    @property
    def operands(self) -> tuple[Operand, ...]:
        """The instruction's operands, as written."""
        return self.one.written.operands

    @property
    def lanes(self) -> int:
        """Elements of 32 bits that its vectors have."""
        return self.one.bits // 32

    @property
    def bits(self) -> int:
        """Bits of its general registers."""
        return 64 if self.one.w else 32

    @property
    def following(self) -> int:
        """Address of the next instruction."""
        return self.one.address + self.one.size

    def register(self, place: int) -> Register:
        """An operand that is a register."""
        operand = self.operands[place]
        assert isinstance(operand, Register)
        return operand

    def immediate(self, place: int) -> int:
        """An operand that is a number."""
        operand = self.operands[place]
        assert isinstance(operand, Immediate)
        return operand.value

    def lane_temporary(self) -> int:
        """A lane register for the rest of this instruction."""
        self._lanes += 1
        return lane_temporary(self._lanes - 1)

    def scalar_temporary(self) -> int:
        """A scalar register for the rest of this instruction."""
        self._scalars += 1
        return scalar_temporary((self._scalars - 1) % 16)

    # -----------------------------------------------------------------------------------------------------
    # Micro-ops

    def add(self, name: str, dst: int = NONE, a: Value = NONE, b: Value = NONE, c: Value = NONE, **more: int) -> int:
        """A micro-op; returns its destination."""
        sources = [a, b, c]
        constants = {source.value & 0xFFFFFFFF for source in sources if isinstance(source, Number)}
        if constants:
            assert "imm" not in more
            more["imm"] = constants.pop()
            for place, source in enumerate(sources):
                if isinstance(source, Number) and source.value & 0xFFFFFFFF != more["imm"]:
                    sources[place] = self.add("mov", self.scalar_temporary(), source)
        codes = [IMMEDIATE if isinstance(source, Number) else source for source in sources]
        self.halves[-1].append(Uop(name, dst, *codes, **more))
        return dst

    def lane(self, name: str, a: Value = NONE, b: Value = NONE, c: Value = NONE, **more: int) -> int:
        """A micro-op into a temporary of all lanes."""
        return self.add(name, self.lane_temporary(), a, b, c, **more)

    def scalar(self, name: str, a: Value = NONE, b: Value = NONE, c: Value = NONE, **more: int) -> int:
        """A micro-op into a scalar temporary."""
        return self.add(name, self.scalar_temporary(), a, b, c, **more)

    def second_half(self) -> None:
        """What follows needs a different unit."""
        self.halves.append([])

    # -----------------------------------------------------------------------------------------------------
    # Vectors

    def restriction(self) -> int:
        """The predicate of lanes that take part: the opmask, the width of the vectors, both; NONE for all."""
        if self._restriction is None:
            number = self.one.written.mask
            self._restriction = mask(number) if number else NONE
            if self.lanes < 16:
                width = Number((1 << self.lanes) - 1)
                self._restriction = self.scalar("and", mask(number), width) if number else self.scalar("mov", width)
        return self._restriction

    def restrict(self, lanes: int) -> None:
        """Only these lanes take part, whatever the width."""
        self._restriction = self.scalar("mov", Number(lanes))

    def vector(self, place: int) -> int:
        """The lane register that holds a source vector; from memory it is loaded."""
        operand = self.operands[place]
        if isinstance(operand, Register):
            return operand.number
        assert isinstance(operand, Memory)
        address, offset = self.lane_address(operand)
        return self.add("load", self.lane_temporary(), address, imm=offset, predicate=self.restriction())

    def put(self, name: str, a: Value = NONE, b: Value = NONE, c: Value = NONE, **more: int) -> None:
        """The micro-op that gives the result of a vector instruction, in the lanes that take part. The others keep what they have, or
        become zero."""
        target = self.register(0).number
        predicate = self.restriction()
        self.add(name, target, a, b, c, predicate=predicate, **more)
        self.clear_rest(target)

    def clear_rest(self, target: int) -> None:
        """Lanes that do not take part become zero: under {z}, and those above the width."""
        if self.one.written.zeroing and self.one.written.mask:
            self.add("mov", target, Number(0), predicate=self.restriction(), flags=u.NEGATE_PREDICATE)
        elif self.lanes < 16:
            width = self.restriction()
            if self.one.written.mask:
                width = self.scalar("mov", Number((1 << self.lanes) - 1))
            self.add("mov", target, Number(0), predicate=width, flags=u.NEGATE_PREDICATE)

    def put_mask(self, holds: int, latency: int = u.L_MASK) -> None:
        """The opmask that a comparison gives: lanes that do not take part have 0. Its way to the masks takes longer than arithmetic."""
        self.add("ballot", mask(self.register(0).number), holds, predicate=self.restriction(), latency=latency)

    # -----------------------------------------------------------------------------------------------------
    # Memory

    def address(self, memory: Memory) -> tuple[int, int]:
        """(scalar register or NONE, offset) of an address in memory."""
        offset = memory.displacement
        base = general(memory.base) if memory.base >= 0 else NONE
        if memory.indexed < 0 or memory.vector:
            return base, offset
        index = general(memory.indexed)
        if memory.scale > 1:
            index = self.scalar("shl", index, Number(memory.scale.bit_length() - 1))
        return (index if base == NONE else self.scalar("add", base, index)), offset

    def lane_address(self, memory: Memory) -> tuple[int, int]:
        """(register, offset) of the lanes' addresses: one after another, or all the same."""
        base, offset = self.address(memory)
        if memory.vector:
            index = memory.indexed
            if memory.scale > 1:
                index = self.lane("shl", index, Number(memory.scale.bit_length() - 1))
            return (index if base == NONE else self.lane("add", index, base)), offset
        if memory.broadcast:
            return base, offset
        return (OFFSETS if base == NONE else self.lane("add", OFFSETS, base)), offset

    # -----------------------------------------------------------------------------------------------------
    # General registers

    def refuse(self, reason: str) -> None:
        """Raises Refusal."""
        raise Refusal(reason)
