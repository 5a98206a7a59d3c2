"""Register allocation: linear scan over lives with holes, and spilling to local memory.

Registers are given out in the order in which lives begin, each the lowest one that is free for all of it. What a phi is copied from
or to is tried first, so that most copies vanish. A pair begins at an even number, as NVIDIA's register files want it. When the
limit is passed, the register that is used least for how long it is alive goes to local memory, and its room to who asked: every use
loads it, every result is stored. What those accesses need is found room for in the next round.

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

    def leave(self, number: int, size: int, segments: Segments) -> None:
        """Make a life's register free again."""
        for row in self.rows[number : number + size]:
            for segment in segments:
                row.remove(segment)

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
        found, victims = _scan(blocks, segments, limit, first_scalar, temporary)
        if not victims:
            return Allocation(*found, local_bytes, len(spilled))
        places: dict[Reg, int] = {}
        for victim in victims:
            places[victim] = local_bytes = -(-local_bytes // 8) * 8
            local_bytes += 4 * victim.size
        spilled.update(victims)
        _spill(blocks, places, temporary)
    raise OutOfRegisters(f"the kernel does not fit {limit} registers")


def _scan(
    blocks: list[MachineBlock], segments: dict[Reg, Segments], limit: int, first_scalar: int, temporary: set[Reg]
) -> tuple[tuple[dict[Reg, int], int, int], list[Reg]]:
    """Numbers for all registers, and how many are used; and the registers that have to go to memory before there is room for all."""
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
    uses: dict[Reg, int] = {}
    victims: list[Reg] = []
    for reg in sorted(segments, key=lambda reg: (segments[reg][0][0], reg.number)):
        hints = [numbers[one] for one in friends.get(reg, ()) if one in numbers and one.size == reg.size and one.bank == reg.bank]
        if reg.bank == "v":
            while (number := lanes.find(reg, segments[reg], hints)) is None:
                uses = uses or _uses(blocks)
                victims.append(_victim(segments, reg, temporary.union(victims), uses))
                if victims[-1] is reg:
                    break
                if victims[-1] in numbers:
                    lanes.leave(numbers.pop(victims[-1]), victims[-1].size, segments[victims[-1]])
            if number is not None:
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
    return (numbers, max(len(lanes.rows), 1), next_scalar), victims


def _uses(blocks: list[MachineBlock]) -> dict[Reg, int]:
    """How many instructions read or write each register."""
    uses: dict[Reg, int] = {}
    for block in blocks:
        for instr in block.code:
            for reg in (*instr.read(), *instr.written()):
                uses[reg] = uses.get(reg, 0) + 1
    return uses


def _victim(segments: dict[Reg, Segments], asking: Reg, kept: set[Reg], uses: dict[Reg, int]) -> Reg:
    """What goes to local memory: alive where there is no room, and used least for its length."""
    start = segments[asking][0][0]
    there = [
        reg for reg, parts in segments.items()
        if reg.bank == "v" and reg not in kept and (reg is asking or any(first <= start < last for first, last in parts))
    ]  # fmt: skip
    if not there:
        raise OutOfRegisters("one instruction needs more registers than there may be")
    return max(there, key=lambda reg: (sum(last - first for first, last in segments[reg]) / uses.get(reg, 1), -reg.number))


def _spill(blocks: list[MachineBlock], places: dict[Reg, int], temporary: set[Reg]) -> None:
    """Rewrite the code so that registers live in local memory. places: of each, bytes from its begin."""
    for block in blocks:
        code: list[Instr] = []
        for instr in block.code:
            reads, writes = instr.read(), instr.written()
            stores: list[Instr] = []
            for victim in dict.fromkeys(reg for reg in (*reads, *writes) if reg in places):
                new = _in_place_of(victim, temporary)
                partly = victim in writes and victim.size == 2 and not instr.copies
                if victim in reads or partly:
                    code.append(_access("load", new, places[victim], instr))
                if victim in writes:
                    stores.append(_access("store", new, places[victim], instr))
                for uop in instr.uops:
                    uop.dst, uop.a, uop.b, uop.c = (_swap(operand, victim, new) for operand in (uop.dst, uop.a, uop.b, uop.c))
                instr.copies = [(new if to is victim else to, _swap(source, victim, new)) for to, source in instr.copies]
            code += [instr, *stores]
        condition = register_of(block.condition)
        if condition in places:
            new = _in_place_of(condition, temporary)
            code.append(_access("load", new, places[condition], code[-1] if code else Instr([], block.at)))
            block.condition = _swap(block.condition, condition, new)
        block.code = code


def _in_place_of(victim: Reg, temporary: set[Reg]) -> Reg:
    """A register that holds for one instruction what lives in local memory."""
    new = Reg(victim.number, victim.size, "v")
    temporary.add(new)
    return new


def _swap(operand: Operand, victim: Reg, new: Reg) -> Operand:
    if operand is victim:
        return new
    return Half(new, operand.part) if isinstance(operand, Half) and operand.reg is victim else operand


def _access(op: str, reg: Reg, place: int, instr: Instr) -> Instr:
    """A load or a store of a register in local memory, on behalf of an instruction."""
    dst, source = (reg, None) if op == "load" else (None, reg)
    return Instr([Micro("mov", Hidden(0), 0), Micro(op, dst, Hidden(0), source, None, place, 4 * reg.size, u.LOCAL_SPACE)], instr.at, True)
