"""Emission: from machine code with registers to the micro-ops of a Program.

Blocks follow one another in the order in which they are given; a branch falls through to the block that follows. Copies of a phi, which
mean all at the same time, become moves in an order that loses nothing; those that form a ring go through a hidden register in a bundle.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from warploom.compiler.allocate import Allocation
from warploom.compiler.mir import Half, Hidden, Instr, MachineBlock, Micro, Operand, Reg, Scalar
from warploom.compiler.ssa import At
from warploom.compiler.variables import Tracker
from warploom.isa import uop as u
from warploom.isa.program import Position
from warploom.isa.program_builder import ProgramBuilder
from warploom.isa.uop import Uop, listing
from warploom.isa.variables import Span

EVERY_BIT = -1
MOST_IN_BUNDLE = 16  # registers that a bundle of copies moves; an instruction may use a few more
NO_IMMEDIATE = {name for name, number in u.NUMBER.items() if u.OPERATIONS[number].unit in (u.MEMORY, u.CONTROL)} | {"special", "note"}


def _ready(waiting: list[tuple[int, int, int]]) -> tuple[int, int, int] | None:
    """A copy (to, from, number) into a register that no other one reads."""
    return next((one for one in waiting if not any(other[1] == one[0] for other in waiting if other is not one)), None)


def _rings(waiting: list[tuple[int, int, int]]) -> Iterator[list[Uop]]:
    """Copies of which each overwrites what another reads, as bundles: of each ring one value is in a hidden register meanwhile.

    A ring of more registers than an instruction may use is moved in parts: the last register of a part has the value that goes round.
    """
    source_of = {to: source for to, source, _ in waiting}
    bundle: list[Uop] = []
    used = 0
    while source_of:
        ring = [next(iter(source_of))]
        while (source := source_of.pop(ring[-1])) != ring[0]:
            ring.append(source)
        kept = _hidden_for(ring[0] >= u.SCALAR)
        for begin in range(0, len(ring) - 1, MOST_IN_BUNDLE - 1):
            part = ring[begin : begin + MOST_IN_BUNDLE]
            if used + len(part) > MOST_IN_BUNDLE:
                yield bundle
                bundle, used = [], 0
            used += len(part)
            bundle += [Uop("mov", to, source) for to, source in pairwise([kept, *part, kept])]
    yield bundle


def _hidden_for(uniform: bool) -> int:
    """The first hidden register of a bundle. What makes a value of the warp passes through the warp's own: of a register of the lanes only
    those of active lanes are written, and the first lane, which a scalar operation reads, need not be one."""
    return u.scalar(u.HIDDEN_SCALARS) if uniform else u.HIDDEN


class Emitter:
    """Writes instructions into a ProgramBuilder."""

    def __init__(self, allocation: Allocation) -> None:
        self.numbers = allocation.numbers
        self.out = ProgramBuilder()
        self.tracker = Tracker(self._code, allocation.numbers)
        self.spans: tuple[Span, ...] = ()
        self._to_fix: list[tuple[int, MachineBlock]] = []
        self._hidden = u.HIDDEN  # the first hidden register of the bundle that is being made

    def function(self, blocks: list[MachineBlock]) -> ProgramBuilder:
        """The whole function."""
        starts: dict[MachineBlock, int] = {}
        blocks = self._without_empty(blocks)
        for place, block in enumerate(blocks):
            starts[block] = len(self.out.code)
            self.tracker.begin(block, len(self.out.code), block.arriving)
            following = blocks[place + 1] if place + 1 < len(blocks) else None
            for instr in block.code:
                self._instruction(instr)
                self.tracker.bind(len(self.out.code), instr.bound)
            self._end(block, following)
        for number, to in self._to_fix:
            target = starts[to]
            self.out.uops[self.out.code[number][u.FIRST_UOP]][u.TARGET] = target
            self.out.text[number] = listing(self.out.uops[self.out.code[number][u.FIRST_UOP]])
        self.spans = self.tracker.spans(blocks, starts, len(self.out.code))
        self._place_the_rest()
        return self.out

    def _place_the_rest(self) -> None:
        """Copies and jumps that the compiler has added stand in the line of what comes before them, the first ones of what comes after."""
        known = [row for row in self.out.code if row[u.LINE]]
        at = known[0] if known else None
        for row in self.out.code:
            if row[u.LINE]:
                at = row
            elif at is not None:
                row[u.LINE], row[u.COLUMN], row[u.FILE] = at[u.LINE], at[u.COLUMN], at[u.FILE]

    def _without_empty(self, blocks: list[MachineBlock]) -> list[MachineBlock]:
        """Blocks whose copies have all vanished are passed by."""
        empty = {
            block for block in blocks[1:] if len(block.after) == 1 and all(instr.copies and self._vanishes(instr) for instr in block.code)
        }
        for block in blocks:
            for place, following in enumerate(block.after):
                seen, target = {block}, following
                while target in empty and target not in seen:
                    seen.add(target)
                    target = target.after[0]
                block.after[place] = target
        return [block for block in blocks if block not in empty or block in block.after]

    def _vanishes(self, instr: Instr) -> bool:
        return bool(instr.copies) and all(isinstance(source, Reg) and self._code(to) == self._code(source) for to, source in instr.copies)

    def _end(self, block: MachineBlock, following: MachineBlock | None) -> None:
        at = block.code[-1].at if block.code else block.at
        if not block.after:
            self._add([Uop("exit")], at)
        elif len(block.after) == 1 or block.after[0] is block.after[1]:
            self._jump(block.after[0], following, at)
        else:
            true, false = block.after
            negate = block.negate
            if true is following:
                true, false, negate = false, true, not negate
            code = self._code(block.condition)
            flags = u.NEGATE if negate else 0
            self._to_fix.append((self._add([Uop("branch", a=code, imm=EVERY_BIT, target=0, flags=flags)], at), true))
            self._jump(false, following, at)

    def _jump(self, to: MachineBlock, following: MachineBlock | None, at: At) -> None:
        if to is following:
            return
        if not to.after and not to.code:
            self._add([Uop("exit")], at)
        else:
            self._to_fix.append((self._add([Uop("jump", target=0)], at), to))

    def _add(self, uops: list[Uop], at: At, latency: int = u.NONE) -> int:
        text = "; ".join(listing(uop.row()) for uop in uops)
        return self.out.add(uops, text=text, position=Position(at.line, at.column, at.file) if at.line else None, latency=latency)

    def _instruction(self, instr: Instr) -> None:
        if instr.copies:
            self._copies(instr)
            return
        used = [operand.number for uop in instr.uops for operand in (uop.dst, uop.a, uop.b, uop.c) if isinstance(operand, Hidden)]
        spare = max(used, default=-1) + 3  # a pair may begin at the last one
        self._hidden = _hidden_for(any(isinstance(uop.dst, Reg) and uop.dst.bank == "s" for uop in instr.uops))
        uops: list[Uop] = []
        for uop in instr.uops:
            spare = self._micro(uop, uops, spare)
        if uops := [uop for uop in uops if uop.name != "mov" or uop.dst != uop.a]:
            self._add(uops, instr.at, instr.latency)
        self.tracker.wrote(len(self.out.code), instr.written(), computed=bool(uops))

    def _micro(self, uop: Micro, into: list[Uop], spare: int) -> int:
        """Append a micro-op, and moves of numbers that it has no room for. Returns the next free hidden register."""
        immediate: int | None = uop.imm if uop.op in NO_IMMEDIATE or uop.imm else None
        codes = []
        for operand in (uop.a, uop.b, uop.c):
            if isinstance(operand, int):
                if immediate is None or (immediate == operand and uop.op not in NO_IMMEDIATE):
                    immediate = operand
                    codes.append(u.IMMEDIATE)
                else:
                    into.append(Uop("mov", self._hidden + spare, u.IMMEDIATE, imm=operand))
                    codes.append(self._hidden + spare)
                    spare += 1
            else:
                codes.append(self._code(operand))
        a, b, c = codes
        made = Uop(uop.op, self._code(uop.dst), a, b, c, immediate or 0)
        into.append(made._replace(size=uop.size, space=uop.space, view=uop.view, flags=uop.flags | u.nvidia_nan(uop.op)))
        return spare

    def _code(self, operand: Operand) -> int:
        if operand is None:
            return u.NONE
        if isinstance(operand, Half):
            return self._code(operand.reg) + operand.part
        if isinstance(operand, Hidden):
            return self._hidden + operand.number
        if isinstance(operand, Scalar):
            return u.scalar(operand.number)
        assert isinstance(operand, Reg)
        number = self.numbers[operand]
        return u.scalar(number) if operand.bank == "s" else number

    def _copies(self, instr: Instr) -> None:
        waiting: list[tuple[int, int, int]] = []  # to, from, number
        whose: dict[int, Reg] = {}
        for to, source in instr.copies:
            whose |= {self._code(to) + part: to for part in range(to.size)}
            for part in range(to.size):
                code = self._code(to) + part
                if isinstance(source, int):
                    waiting.append((code, u.IMMEDIATE, source))
                elif self._code(source) + part != code:
                    waiting.append((code, self._code(source) + part, 0))
        while (ready := _ready(waiting)) is not None:
            waiting.remove(ready)
            self._add([Uop("mov", ready[0], ready[1], imm=ready[2])], instr.at)
            to = whose[ready[0]]
            if all(whose[one] is not to for one, *_ in waiting):
                self.tracker.wrote(len(self.out.code), [to])
        if waiting:
            for bundle in _rings(waiting):
                self._add(bundle, instr.at)
        self.tracker.wrote(len(self.out.code), [to for to, _ in instr.copies], computed=False)
