"""Machine code before registers are given out: instructions on virtual registers, in blocks.

An instruction is a bundle of micro-ops, as the machine issues it. Its operands are virtual registers (of a lane or, where all lanes
agree, of the warp; one of 32 bits or a pair), halves of pairs, hidden registers that live in the bundle alone, and numbers. What
meets in a phi is copied at the end of the blocks before it, all copies of a block at the same time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from warploom.compiler.ssa import At
from warploom.isa.uop import NONE

NOWHERE = At()


@dataclass(eq=False, slots=True)
class Reg:
    """A virtual register. size: 1 or 2 words. bank: "v", a lane's, or "s", the warp's."""

    number: int
    size: int = 1
    bank: str = "v"
    region: int = 0  # of the warp's: those of different regions never share a register, see `uniform.py`

    def __repr__(self) -> str:
        return f"{'%' if self.bank == 'v' else '%s'}{self.number}{'' if self.size == 1 else 'L'}"


class Half(NamedTuple):
    """One word of a pair."""

    reg: Reg
    part: int  # 0: the low word

    def __repr__(self) -> str:
        return f"{self.reg!r}.{'lh'[self.part]}"


class Hidden(NamedTuple):
    """A register that lives inside a bundle."""

    number: int

    def __repr__(self) -> str:
        return f"h{self.number}"


class Scalar(NamedTuple):
    """A scalar register that the launch has written."""

    number: int

    def __repr__(self) -> str:
        return f"s{self.number}"


Bound = tuple[str, Reg | None, str, int]  # a variable's name, its register where it has one, its kind and words (`isa.variables.Place`)
Operand = Reg | Half | Hidden | Scalar | int | None


@dataclass(slots=True)
class Micro:
    """One micro-op. Numbers among the sources become the immediate, or are moved to a hidden register where it is taken."""

    op: str
    dst: Operand = None
    a: Operand = None
    b: Operand = None
    c: Operand = None
    imm: int = 0
    size: int = 4
    space: int = 0
    view: int = -1
    flags: int = 0

    def __repr__(self) -> str:
        parts = [repr(operand) for operand in (self.dst, self.a, self.b, self.c) if operand is not None]
        return f"{self.op} {', '.join(parts)}{f' +{self.imm}' if self.imm else ''}".rstrip()


@dataclass(eq=False, slots=True)
class Instr:
    """An instruction. early: a result is written before all operands have been read, so it shares no register with any of them.

    latency: its latency class, where its micro-ops do not say it. row: of an access, see `ssa.Access`.
    """

    uops: list[Micro]
    at: At = NOWHERE
    early: bool = False
    copies: list[tuple[Reg, Operand]] = field(default_factory=list)  # of phis: to, from; all at the same time
    place: int = 0
    latency: int = NONE
    row: int = 0
    bound: list[Bound] = field(default_factory=list)  # variables of the source from here on

    def written(self) -> list[Reg]:
        """The virtual registers that it writes."""
        found = [to for to, _ in self.copies]
        for uop in self.uops:
            reg = register_of(uop.dst)
            if reg is not None and reg not in found:
                found.append(reg)
        return found

    def read(self) -> list[Reg]:
        """The virtual registers of which it reads what earlier instructions have left, not only what its own micro-ops have written."""
        found = [reg for _, source in self.copies if (reg := register_of(source)) is not None]
        made: set[tuple[Reg, int]] = set()
        for uop in self.uops:
            for operand in (uop.a, uop.b, uop.c):
                reg = register_of(operand)
                if reg is not None and reg not in found and not made.issuperset(_words(operand)):
                    found.append(reg)
            made.update(_words(uop.dst))
        return found

    def __repr__(self) -> str:
        if self.copies:
            return ", ".join(f"{to!r} <- {source!r}" for to, source in self.copies)
        return "; ".join(map(repr, self.uops))


def _words(operand: Operand) -> list[tuple[Reg, int]]:
    """The words of virtual registers that an operand is."""
    if isinstance(operand, Half):
        return [(operand.reg, operand.part)]
    return [(operand, part) for part in range(operand.size)] if isinstance(operand, Reg) else []


def register_of(operand: Operand) -> Reg | None:
    """The virtual register that an operand is, or is a half of."""
    return operand if isinstance(operand, Reg) else operand.reg if isinstance(operand, Half) else None


@dataclass(eq=False, slots=True)
class MachineBlock:
    """A block. after: where it goes on; of two the first where `condition` is not zero (negate: where it is zero).

    arriving: the registers of its phis. bound: variables of the source from its beginning on.
    """

    number: int
    at: At
    code: list[Instr] = field(default_factory=list)
    before: list[MachineBlock] = field(default_factory=list)
    after: list[MachineBlock] = field(default_factory=list)
    condition: Operand = None
    negate: bool = False
    arriving: list[Reg] = field(default_factory=list)
    bound: list[Bound] = field(default_factory=list)


def printed(blocks: list[MachineBlock]) -> Iterator[str]:
    """The function as text, a line an instruction."""
    for block in blocks:
        yield f"m{block.number}:"
        yield from (f"    {instr!r}" for instr in block.code)
        to = ", ".join(f"m{one.number}" for one in block.after)
        ends = f"branch{'.not' if block.negate else ''} {block.condition!r}, {to}" if len(block.after) == 2 else f"jump {to}"
        yield f"    {ends if block.after else 'exit'}"
