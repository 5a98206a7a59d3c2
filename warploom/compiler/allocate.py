"""Register allocation: linear scan over lives with holes, and spilling to local memory.

Registers are given out in the order in which lives begin, each the lowest one that is free for all of it. What a phi is copied from
or to is tried first, so that most copies vanish. A pair begins at an even number, as NVIDIA's register files want it. When the
limit is passed, the register that is used least for how long it is alive goes to local memory: every use loads it, every result is
stored.

Sources: Poletto and Sarkar, "Linear Scan Register Allocation", TOPLAS 1999; Traub, Holloway and Smith, "Quality and Speed in
Linear-scan Register Allocation", PLDI 1998 (holes); Chaitin, "Register Allocation and Spilling via Graph Coloring", 1982 (what to
spill).
"""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass
from typing import NamedTuple

from warploom.compiler.liveness import Segments, lives
from warploom.compiler.mir import Half, Hidden, Instr, MachineBlock, Micro, Operand, Reg, register_of
from warploom.isa import uop as u

MOST_ROUNDS = 200


class OutOfRegisters(ValueError):
    """No registers are left, and nothing that could go to memory."""


class Allocation(NamedTuple):
    """Where everything is. registers: lane registers in use. scalars: scalar ones, those of the launch included."""

    numbers: dict[Reg, int]
    registers: int
    scalars: int
    local_bytes: int
    spilled: int


@dataclass
class _File:
    """The registers of one kind, and what lives in each."""

    most: int
    base: int = 0

    def __post_init__(self) -> None:
        self.rows: list[list[tuple[int, int]]] = []

    def free(self, number: int, segments: Segments) -> bool:
        """Whether a register is free in all segments."""
        if number >= len(self.rows):
            return True
        row = self.rows[number]
        for first, last in segments:
            place = bisect_left(row, (first, first))
            if place < len(row) and row[place][0] < last:
                return False
            if place and row[place - 1][1] > first:
                return False
        return True

    def take(self, number: int, segments: Segments) -> None:
        """Put a life into a register."""
        while len(self.rows) <= number:
            self.rows.append([])
        for segment in segments:
            insort(self.rows[number], segment)

    def find(self, reg: Reg, segments: Segments, hints: list[int]) -> int | None:
        """A register for a life: one of the hints, or the lowest; None when none is free."""
        step = reg.size
        for number in [*hints, *range(0, self.most - step + 1, step)]:
            if number % step == 0 and number + step <= self.most and all(self.free(number + k, segments) for k in range(step)):
                for k in range(step):
                    self.take(number + k, segments)
                return number
        return None


def allocate(blocks: list[MachineBlock], limit: int, first_scalar: int, local_bytes: int = 0) -> Allocation:
    """Registers for a function. limit: lane registers that it may use. local_bytes: local memory that is in use. Raises OutOfRegisters."""
    spilled: set[Reg] = set()
    temporary: set[Reg] = set()
    for _ in range(MOST_ROUNDS):
        segments = lives(blocks)
        found = _scan(blocks, segments, limit, first_scalar)
        if isinstance(found, tuple):
            numbers, registers, scalars = found
            return Allocation(numbers, registers, scalars, local_bytes, len(spilled))
        victim = _victim(blocks, segments, found, temporary)
        spilled.add(victim)
        local_bytes = -(-local_bytes // 8) * 8
        _spill(blocks, victim, local_bytes, temporary)
        local_bytes += 4 * victim.size
    raise OutOfRegisters(f"the kernel does not fit {limit} registers")


def _scan(
    blocks: list[MachineBlock], segments: dict[Reg, Segments], limit: int, first_scalar: int
) -> tuple[dict[Reg, int], int, int] | Reg:
    """Numbers for all registers, and how many are used; or the register that found no room."""
    friends: dict[Reg, list[Reg]] = {}
    for block in blocks:
        for instr in block.code:
            for to, source in instr.copies:
                if isinstance(source, Reg):
                    friends.setdefault(to, []).append(source)
                    friends.setdefault(source, []).append(to)
    numbers: dict[Reg, int] = {}
    lanes = _File(limit)
    regions: dict[int, _File] = {}
    next_scalar = first_scalar
    for reg in sorted(segments, key=lambda reg: (segments[reg][0][0], reg.number)):
        hints = [numbers[one] for one in friends.get(reg, ()) if one in numbers and one.size == reg.size and one.bank == reg.bank]
        if reg.bank == "v":
            number = lanes.find(reg, segments[reg], hints)
            if number is None:
                return reg
            numbers[reg] = number
            continue
        file = regions.setdefault(reg.region, _File(u.SCALARS))
        found = file.find(reg, segments[reg], hints)
        assert found is not None
        numbers[reg] = found
    for number in sorted(regions):  # regions never share a register
        file = regions[number]
        for reg in numbers:
            if reg.bank == "s" and reg.region == number:
                numbers[reg] += next_scalar
        next_scalar += len(file.rows)
    most = u.HIDDEN_SCALARS if regions else u.SCALARS - 2
    if next_scalar > most:
        raise OutOfRegisters(f"the kernel wants {next_scalar} scalar registers, a warp has {most}")
    return numbers, max(len(lanes.rows), 1), next_scalar


def _victim(blocks: list[MachineBlock], segments: dict[Reg, Segments], asking: Reg, temporary: set[Reg]) -> Reg:
    """What goes to local memory: alive where there is no room, and used least for its length."""
    start = segments[asking][0][0]
    there = [
        reg for reg, parts in segments.items()
        if reg.bank == "v" and reg not in temporary and (reg is asking or any(first <= start < last for first, last in parts))
    ]  # fmt: skip
    if not there:
        raise OutOfRegisters("one instruction needs more registers than there may be")
    uses: dict[Reg, int] = {}
    for block in blocks:
        for instr in block.code:
            for reg in (*instr.read(), *instr.written()):
                uses[reg] = uses.get(reg, 0) + 1
    return max(there, key=lambda reg: (sum(last - first for first, last in segments[reg]) / uses.get(reg, 1), -reg.number))


def _spill(blocks: list[MachineBlock], victim: Reg, place: int, temporary: set[Reg]) -> None:
    """Rewrite the code so that a register lives in local memory."""

    def swap(operand: Operand, new: Reg) -> Operand:
        if operand is victim:
            return new
        return Half(new, operand.part) if isinstance(operand, Half) and operand.reg is victim else operand

    def access(op: str, reg: Reg, instr: Instr) -> Instr:
        dst, source = (reg, None) if op == "load" else (None, reg)
        size = 4 * victim.size
        return Instr([Micro("mov", Hidden(0), 0), Micro(op, dst, Hidden(0), source, None, place, size, u.LOCAL_SPACE)], instr.at, True)

    for block in blocks:
        code: list[Instr] = []
        for instr in block.code:
            reads, writes = victim in instr.read(), victim in instr.written()
            if not reads and not writes:
                code.append(instr)
                continue
            new = Reg(victim.number, victim.size, "v", victim.name)
            temporary.add(new)
            partly = writes and victim.size == 2 and not instr.copies
            if reads or partly:
                code.append(access("load", new, instr))
            for uop in instr.uops:
                uop.dst, uop.a, uop.b, uop.c = (swap(operand, new) for operand in (uop.dst, uop.a, uop.b, uop.c))
            instr.copies = [(new if to is victim else to, swap(source, new)) for to, source in instr.copies]
            code.append(instr)
            if writes:
                code.append(access("store", new, instr))
        if register_of(block.condition) is victim:
            new = Reg(victim.number, victim.size, "v", victim.name)
            temporary.add(new)
            code.append(access("load", new, code[-1] if code else Instr([], block.at)))
            block.condition = swap(block.condition, new)
        block.code = code
