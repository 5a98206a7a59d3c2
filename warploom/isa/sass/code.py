"""The micro-ops of one instruction: operands as micro-ops have them, and the registers for values in between.

Lane registers R0 to R254 are lane registers of the machine; predicates P0 to P6 are lane registers after them that hold 0 or 1, and so is
the result of BAR.RED. Uniform registers and predicates are scalar registers. A guard becomes a mask in two hidden scalar registers. A
constant is an immediate, which a launch fills in (`Lowered.filled`), so that no launch lowers a kernel again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from warploom.isa.sass.instruction import Instruction
from warploom.isa.sass.operands import BINDLESS, CONSTANT, IMMEDIATE, PREDICATE, REGISTER, UNIFORM, UNIFORM_PREDICATE, Value
from warploom.isa.uop import HIDDEN, HIDDEN_SCALARS, NEGATE_PREDICATE, NONE, SCALAR, Uop, nvidia_nan, scalar
from warploom.isa.uop import IMMEDIATE as NUMBER_OPERAND

ONES, SIGN = 0xFFFFFFFF, 0x80000000
UNIFORM_PREDICATES = 64  # the scalar register of UP0
SCALARS = 72
PREDICATES = 7
RESULT = PREDICATES  # after the predicates: what BAR.RED has counted
EXTRA = PREDICATES + 1  # lane registers that a kernel has beside those of its own
TEMPORARIES, SCALAR_TEMPORARIES = 64, 16


class Refusal(Exception):
    """An instruction that has no meaning here. One clause, without the instruction's name."""


class Number(NamedTuple):
    """A number of 32 bits."""

    value: int


class Bank(NamedTuple):
    """A word of a constant bank, which a launch fills in. offset: in bytes."""

    bank: int
    offset: int


Operand = int | Number | Bank
ZERO, ONE = Number(0), Number(1)


class Patch(NamedTuple):
    """A micro-op whose immediate is a constant: its place among those of its instruction."""

    place: int
    constant: Bank


class Kernel(NamedTuple):
    """What an instruction has to be told of its kernel. number_of: instructions by address. end: the number after the last one.
    bases: where constant banks begin in the constant memory. stack_bytes: of a thread. functions: where tables of approximate functions
    begin, in words. meets: where the parts of a warp come together that take turns from an instruction on, by its address."""

    registers: int
    number_of: Mapping[int, int]
    end: int
    bases: Mapping[int, int]
    stack_bytes: int = 0
    functions: Mapping[str, int] = MappingProxyType({})
    meets: Mapping[int, int] = MappingProxyType({})


class Code:
    """One instruction as micro-ops."""

    def __init__(self, one: Instruction, kernel: Kernel) -> None:
        self.one, self.kernel = one, kernel
        self.uops: list[Uop] = []
        self.patches: list[Patch] = []
        self.unit = self.latency = NONE
        self._lanes = self._scalars = 0
        self.predicate, self.flags = NONE, 0
        self.uniform = one.row is not None and one.row.uniform_guard

    # -----------------------------------------------------------------------------------------------------
    # Micro-ops

    def add(self, name: str, dst: int = NONE, a: Operand = NONE, b: Operand = NONE, c: Operand = NONE, **more: int) -> int:
        """A micro-op whatever the guard says; returns its destination. Of several immediates all but one are put into scalar registers."""
        codes: list[int] = []
        immediate: Number | Bank | None = None
        for source in (a, b, c):
            if isinstance(source, int):
                codes.append(source)
            elif (immediate is None or source == immediate) and "imm" not in more:
                immediate = source
                codes.append(NUMBER_OPERAND)
            else:
                codes.append(self.add("mov", self.scalar_temporary(), source))
        if isinstance(immediate, Number):
            more["imm"] = immediate.value & ONES
        elif immediate is not None:
            self.patches.append(Patch(len(self.uops), immediate))
        more["flags"] = more.get("flags", 0) | nvidia_nan(name)
        self.uops.append(Uop(name, dst, *codes, **more))
        return dst

    def put(self, name: str, dst: int = NONE, a: Operand = NONE, b: Operand = NONE, c: Operand = NONE, **more: int) -> int:
        """A micro-op under the instruction's guard."""
        if self.predicate != NONE:
            more["predicate"] = self.predicate
            more["flags"] = more.get("flags", 0) | self.flags
        return self.add(name, dst, a, b, c, **more)

    def new(self, name: str, a: Operand = NONE, b: Operand = NONE, c: Operand = NONE, **more: int) -> int:
        """A micro-op into a temporary: a scalar register in an instruction of the uniform unit."""
        return self.add(name, self.scalar_temporary() if self.uniform else self.temporary(), a, b, c, **more)

    def temporary(self) -> int:
        """A lane register for the rest of this instruction."""
        self._lanes += 1
        if self._lanes > TEMPORARIES:
            raise Refusal("it needs more registers in between than there are")
        return HIDDEN + self._lanes - 1

    def keeping(self, compute: Callable[[], Operand]) -> Operand:
        """A value whose temporaries are free again afterwards."""
        kept = self.temporary()
        before = self._lanes
        value = compute()
        if isinstance(value, int):
            self.add("mov", kept, value)
            value = kept
        self._lanes = before
        return value

    def keeping_pair(self, compute: Callable[[], int]) -> int:
        """A value of 64 bits whose temporaries are free again afterwards."""
        kept = self.pair()
        before = self._lanes
        value = compute()
        for word in range(2):
            self.add("mov", kept + word, value + word)
        self._lanes = before
        return kept

    def pair(self) -> int:
        """Two lane registers in a row."""
        first = self.temporary()
        self.temporary()
        return first

    def scalar_temporary(self) -> int:
        """A scalar register for the rest of this instruction; they come round again."""
        self._scalars += 1
        return scalar(HIDDEN_SCALARS + (self._scalars - 1) % SCALAR_TEMPORARIES)

    def mask_temporary(self) -> int:
        """Two scalar registers in a row, for a mask."""
        if self._scalars % SCALAR_TEMPORARIES == SCALAR_TEMPORARIES - 1:
            self._scalars += 1
        self._scalars += 2
        return scalar(HIDDEN_SCALARS + (self._scalars - 2) % SCALAR_TEMPORARIES)

    def begin(self) -> None:
        """The guard, as the predicate of the micro-ops that follow."""
        guard = self.one.guard
        if guard.true:
            return
        self.predicate = self.mask_of(guard._replace(inverted=False))
        self.flags = NEGATE_PREDICATE if guard.inverted else 0

    def mask_of(self, value: Value) -> int:
        """The lanes in which a predicate holds, as a pair of scalar registers."""
        pair = self.mask_temporary()
        if value.kind == UNIFORM_PREDICATE:
            self.add("sub", pair, ZERO, self.truth(value))
            self.add("mov", pair + 1, pair)
        else:
            self.add("ballot", pair, self.truth(value))
        return pair

    # -----------------------------------------------------------------------------------------------------
    # Operands

    def value(self, role: str) -> Value:
        """An operand of the instruction."""
        return self.one.values[role]

    def plain(self, value: Value, word: int = 0) -> Operand:
        """An operand's word without its signs; word 1 is the high half of a pair."""
        if value.kind == REGISTER:
            return ZERO if value.zero else value.number + word
        if value.kind == UNIFORM:
            return ZERO if value.zero else scalar(value.number + word)
        if value.kind == IMMEDIATE:
            return Number(value.number if not word else ONES * (value.number >> 31))
        if value.kind == CONSTANT:
            return Bank(value.bank, value.number + 4 * word)
        if value.kind == BINDLESS:
            raise Refusal("a constant bank that a register chooses is something that this machine does not have")
        raise Refusal("an operand of this kind has no value")

    def integer(self, role: str, inverts: bool = False) -> Operand:
        """A source of integer arithmetic. inverts: its sign is a NOT."""
        value = self.value(role)
        found = self.plain(value)
        if value.negative and value.kind != IMMEDIATE:
            return self.inverted(found) if inverts else self.negated(found)
        return self.inverted(found) if value.inverted else found

    def float(self, role: str) -> Operand:
        """A source of single precision, with its signs."""
        value = self.value(role)
        found = self.plain(value)
        if value.kind == IMMEDIATE:
            return found
        if value.absolute:
            found = self.made("and", found, SIGN - 1)
        return self.made("xor", found, SIGN) if value.negative else found

    def made(self, name: str, source: Operand, number: int) -> Operand:
        """A source and a number, combined."""
        if isinstance(source, Number):
            value = {"and": source.value & number, "xor": source.value ^ number, "or": source.value | number}[name]
            return Number(value)
        return self.new(name, source, Number(number))

    def negated(self, source: Operand) -> Operand:
        """The negative of a source."""
        return Number(-source.value & ONES) if isinstance(source, Number) else self.new("sub", ZERO, source)

    def inverted(self, source: Operand) -> Operand:
        """A source with its bits inverted."""
        return self.made("xor", source, ONES)

    def truth(self, value: Value) -> Operand:
        """A predicate as 0 or 1."""
        if value.number == PREDICATES:
            return ZERO if value.inverted else ONE
        place = scalar(UNIFORM_PREDICATES + value.number) if value.kind == UNIFORM_PREDICATE else self.kernel.registers + value.number
        if not value.inverted:
            return place
        return self.add("xor", self.scalar_temporary() if value.kind == UNIFORM_PREDICATE else self.temporary(), place, ONE)

    def predicate_of(self, role: str) -> Operand:
        """A predicate operand as 0 or 1."""
        return self.truth(self.value(role))

    # -----------------------------------------------------------------------------------------------------
    # Results

    def target(self, role: str = "d", words: int = 1) -> int:
        """The register of a result; temporaries for the register that is 0."""
        value = self.value(role)
        if value.zero:
            if value.kind == UNIFORM:
                return self.mask_temporary() if words > 1 else self.scalar_temporary()
            first = self.temporary()
            for _ in range(words - 1):
                self.temporary()
            return first
        return scalar(value.number) if value.kind == UNIFORM else value.number

    def flag(self, role: str) -> int | None:
        """The register of a predicate that is written; None for the one that is always true."""
        value = self.value(role)
        if value.number == PREDICATES:
            return None
        return scalar(UNIFORM_PREDICATES + value.number) if value.kind == UNIFORM_PREDICATE else self.kernel.registers + value.number

    def set_flag(self, role: str, truth: Operand) -> None:
        """Write a predicate, 0 or 1."""
        place = self.flag(role)
        if place is not None:
            self.put("mov", place, truth)

    def refuse(self, reason: str) -> None:
        """Raises Refusal."""
        raise Refusal(reason)


def is_scalar(operand: Operand) -> bool:
    """Whether an operand is a scalar register."""
    return isinstance(operand, int) and operand >= SCALAR


__all__ = ["PREDICATE", "Bank", "Code", "Kernel", "Number", "Operand", "Patch", "Refusal", "is_scalar"]
