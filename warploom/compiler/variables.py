"""Variables of the source, kept through the compiler: a block of SSA says which value each is given, the code says where that value is."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from warploom.compiler.mir import Bound, MachineBlock, Operand, Reg
from warploom.compiler.ssa import FLOATS, Block, Value
from warploom.isa import uop as u
from warploom.isa.variables import NOTHING, THERE, Event, Place, Span


class Tracker:
    """Collects events while code is emitted. code_of: the number of a register, as an operand says it; numbers: those that have one."""

    def __init__(self, code_of: Callable[[Operand], int], numbers: dict[Reg, int]) -> None:
        self._code_of, self._numbers = code_of, numbers
        self._events: dict[MachineBlock, list[Event]] = {}
        self._block: MachineBlock | None = None

    def begin(self, block: MachineBlock, at: int, arriving: Iterable[Reg]) -> None:
        """A block begins at an instruction. arriving: the registers of its phis, which are there on every way to it."""
        self._block = block
        self._events[block] = []
        self.wrote(at, arriving)
        self.bind(at, block.bound)

    def wrote(self, at: int, registers: Iterable[Reg], *, computed: bool = True) -> None:
        """From an instruction on these registers are there. computed: the instruction before has computed them; else they were there."""
        assert self._block is not None
        kind = "" if computed else THERE
        known = (reg for reg in registers if reg in self._numbers)
        self._events[self._block] += [Event(at, 1 + reg.number, "", self._code_of(reg), reg.size, kind) for reg in known]

    def bind(self, at: int, bound: Iterable[Bound]) -> None:
        """From an instruction on variables are what these registers hold; (name, None, "", 0) for what is in none."""
        assert self._block is not None
        self._events[self._block] += [
            Event(at, 1 + reg.number if reg is not None and reg in self._numbers else NOTHING, name, kind=kind, most=words)
            for name, reg, kind, words in bound
        ]

    def spans(self, blocks: list[MachineBlock], starts: dict[MachineBlock, int], end: int) -> tuple[Span, ...]:
        """The code in its order; of each block what follows it."""
        number = {block: place for place, block in enumerate(blocks)}
        stops = [*(starts[block] for block in blocks[1:]), end]
        return tuple(
            Span(starts[block], stop, tuple(number[one] for one in block.after if one in number), tuple(self._events[block]))
            for block, stop in zip(blocks, stops, strict=True)
        )


def kind_of(value: Value) -> str:
    """How a person reads the number in a value's register, as `isa.variables.Place` says it."""
    if value.type in FLOATS:
        return "f"
    return "b" if value.type == "i1" else "u" if value.lo >= 0 else "i"


def given(blocks: list[Block], words: Callable[[Value], int]) -> tuple[Place, ...]:
    """What the launch gives that a function reads, each in its scalar registers. words: how many of them a value takes."""
    known: dict[int, Place] = {}
    for block in blocks:
        read = [operand for value in (*block.phis, *block.code) for operand in value.args]
        for value in [*read, *([block.condition] if block.condition is not None else [])]:
            if value.op == "param" and value.access is not None:
                known.setdefault(int(value.imm), Place(value.access.space, u.scalar(int(value.imm)), words(value), kind_of(value)))
    return tuple(known.values())
