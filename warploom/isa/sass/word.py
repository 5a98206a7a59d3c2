"""The word of 128 bits, and what is at the same place in every instruction.

Low bits first: opcode 0 to 8, form 9 to 11, guard predicate 12 to 14 and its NOT 15; operands and modifiers; and from bit 105 on the
control word, with which the compiler tells the hardware when the instruction may issue:

    stall    105 to 108   cycles until the warp's next instruction may issue
    yield    109          0: the scheduler prefers a different warp next
    write    110 to 112   the scoreboard that counts until the result is written; 7: none
    read     113 to 115   the scoreboard that counts until the operands are read; 7: none
    wait     116 to 121   scoreboards that have to be at 0 before it issues, a bit each
    reuse    122 to 125   operands that stay in the register bank's cache for the next instruction, a bit each

Source: Z. Jia et al., "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", arXiv 1804.06826, chapter 2.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

BITS = 128
BYTES = 16
NO_SCOREBOARD = 7
ALWAYS = 7  # the predicate that is always true
ZERO, UNIFORM_ZERO = 255, 63  # registers that are 0


class Span(NamedTuple):
    """Neighbouring bits: the lowest one, and how many."""

    low: int
    width: int


Field = tuple[Span, ...]  # bits of one number, its low bits first


def bits(low: int, width: int = 1) -> Field:
    """A number in one place."""
    return (Span(low, width),)


OPCODE, FORM = Span(0, 9), Span(9, 3)
COMMON: dict[str, Field] = {
    "opcode": (OPCODE,),
    "form": (FORM,),
    "guard": bits(12, 3),
    "guard_not": bits(15),
    "stall": bits(105, 4),
    "yield": bits(109),
    "write": bits(110, 3),
    "read": bits(113, 3),
    "wait": bits(116, 6),
    "reuse": bits(122, 4),
}


class Control(NamedTuple):
    """A control word, as its bits are."""

    stall: int
    runs_on: bool
    write: int
    read: int
    wait: int
    reuse: int

    def __str__(self) -> str:
        """As a listing shows it: stall, `y` for a yield, scoreboards set by the result and by the operands, scoreboards waited for."""
        scoreboards = "".join("-" if number == NO_SCOREBOARD else str(number) for number in (self.write, self.read))
        waits = "".join(str(number) if self.wait >> number & 1 else "-" for number in range(6))
        return f"{self.stall:2} {'-' if self.runs_on else 'y'} {scoreboards} {waits}"


class Coded(Protocol):
    """An instruction as its operands see it."""

    @property
    def word(self) -> int:
        """Its 128 bits."""

    @property
    def address(self) -> int:
        """Where it lies, in bytes."""

    @property
    def architecture(self) -> int:
        """80 for sm_80."""

    @property
    def name(self) -> str:
        """The opcode's name without modifiers."""

    @property
    def form(self) -> int:
        """Bits 9 to 11."""

    def at(self, low: int, width: int) -> int:
        """A number in the word."""

    def reused(self, role: str) -> bool:
        """Whether the register of an operand stays in the reuse cache."""


def get(word: int, field: Field) -> int:
    """The number in a field of a word."""
    value = shift = 0
    for low, width in field:
        value |= (word >> low & (1 << width) - 1) << shift
        shift += width
    return value


def put(field: Field, value: int) -> int:
    """A word that has a number in a field, and 0 elsewhere. Raises ValueError where it does not fit."""
    word, rest = 0, value
    for low, width in field:
        word |= (rest & (1 << width) - 1) << low
        rest >>= width
    if rest:
        raise ValueError(f"{value:#x} does not fit into {sum(width for _, width in field)} bits")
    return word


def mask(field: Field) -> int:
    """The bits of a field."""
    return sum(((1 << width) - 1) << low for low, width in field)


def control(word: int) -> Control:
    """The control word of an instruction."""
    stall, runs_on, write, read, wait, reuse = (get(word, COMMON[name]) for name in ("stall", "yield", "write", "read", "wait", "reuse"))
    return Control(stall, bool(runs_on), write, read, wait, reuse)


def signed(value: int, width: int) -> int:
    """A number of so many bits in two's complement."""
    return value - (1 << width) if value >> width - 1 else value
