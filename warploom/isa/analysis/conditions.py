"""Conditions that are known before a program runs: branches that are always taken, or never.

`compare` leaves one of three bits, 4, 2 or 1, so a branch that asks for all three is taken wherever its register was
last written by a `compare`; where nothing has written the register, it is 0, as a launch leaves it, and the branch is not taken.
tiny-gpu's `BRnzp` is such a branch: its jump back to the head of a loop.

What a register may hold is followed along the paths that can be taken (Wegman and Zadeck, "Constant Propagation with Conditional
Branches", 1991). A program that calls functions or jumps through registers is left alone: its paths are not all seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from warploom.isa import uop as u
from warploom.isa.program import Program

ZERO, ONE_BIT, ANYTHING = 1, 2, 4  # what a register may hold: a set of these
COMPARED = 7  # the bits of which `compare` leaves one
BRANCH, COMPARE = u.NUMBER["branch"], u.NUMBER["compare"]
UNSEEN = {number for number, operation in enumerate(u.OPERATIONS) if operation.flow in (u.CALLS, u.THROUGH_REGISTER)}
Held = tuple[int, ...]  # of each register that is followed, what it may hold


def known_conditions(program: Program, successors: Sequence[Sequence[int]]) -> Mapping[int, bool]:
    """Whether a branch is taken, for each branch micro-op that always goes the same way.

    successors: the instructions that may follow each instruction when nothing is known of conditions.
    """
    uops, entry = program.uops, program.launch.entry
    asked = (uops[:, u.OP] == BRANCH) & (uops[:, u.IMM] & COMPARED == COMPARED) & (uops[:, u.A] >= 0) & (uops[:, u.A] < u.SCALAR)
    compared = set(uops[uops[:, u.OP] == COMPARE, u.DST].tolist())
    # A launch clears the registers that the program says it has, and no hidden ones.
    registers = sorted(register for register in set(uops[asked, u.A].tolist()) & compared if register < program.registers)
    if not registers or UNSEEN & set(uops[:, u.OP].tolist()) or not 0 <= entry < len(program):
        return {}
    return _Search(program, registers, successors).found()


class _Search:
    def __init__(self, program: Program, registers: list[int], successors: Sequence[Sequence[int]]) -> None:
        self.program, self.successors = program, successors
        self.place = {register: index for index, register in enumerate(registers)}
        self.rows = program.uops.tolist()
        self.bundles = program.code[:, (u.FIRST_UOP, u.COUNT)].tolist()

    def found(self) -> dict[int, bool]:
        """What is known of each branch that can be reached."""
        launch = self.program.launch
        written = {register for register, _ in launch.registers}
        before: dict[int, Held] = {launch.entry: tuple(ANYTHING if register in written else ZERO for register in self.place)}
        conditions: dict[int, bool | None] = {}
        waiting = [launch.entry]
        while waiting:
            number = waiting.pop()
            after, places = self.follow(number, before[number], conditions)
            for place in places:
                if not 0 <= place < len(self.bundles):
                    continue
                merged = tuple(a | b for a, b in zip(after, before.get(place, after), strict=True))
                if merged != before.get(place):
                    before[place] = merged
                    waiting.append(place)
        return {k: taken for k, taken in conditions.items() if taken is not None}

    def follow(self, number: int, held: Held, conditions: dict[int, bool | None]) -> tuple[Held, Sequence[int]]:
        """What the registers hold after an instruction, and the instructions that may follow it then. Notes its branches' conditions."""
        first, count = self.bundles[number]
        now = list(held)
        places = self.successors[number]
        for k in range(first, first + count):
            row = self.rows[k]
            if row[u.OP] == BRANCH:
                conditions[k] = taken = self.taken(row, now)
                if taken is not None:
                    places = [row[u.TARGET] if taken else number + 1]
            for index in self.written(row):
                value = ONE_BIT if row[u.OP] == COMPARE else ANYTHING
                now[index] = value if row[u.PREDICATE] == u.NONE else now[index] | value
        return tuple(now), places

    def taken(self, row: Sequence[int], held: Sequence[int]) -> bool | None:
        """Whether a branch is taken; None where that is not known."""
        if row[u.A] not in self.place or row[u.PREDICATE] != u.NONE or row[u.IMM] & COMPARED != COMPARED:
            return None
        value = held[self.place[row[u.A]]]
        if value not in (ZERO, ONE_BIT):
            return None
        return (value == ONE_BIT) != bool(row[u.FLAGS] & u.NEGATE)

    def written(self, row: Sequence[int]) -> list[int]:
        """Which of the registers that are followed a micro-op writes."""
        wide = u.registers_written(u.OPERATIONS[row[u.OP]])
        return [self.place[register] for register in range(row[u.DST], row[u.DST] + wide) if register in self.place]
