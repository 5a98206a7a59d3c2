"""What a branch and a split ask for: the instructions whose results their conditions are made of.

In hardware nothing: a split takes a register and a branch takes registers, and nobody checks that they mean the same. A compiler may write
one condition in two ways (`x > 7` as a number for the split, as a comparison in the branch), so what tells them apart from strangers is
where they come from: a load, a thread number or another value that both are computed from.

Found by following registers back to the instructions that wrote them, through arithmetic, up to loads, to special registers and to
constants. Two reads of one special register are the same; two loads are not, since a store may stand between them. A condition that is
made of too much, or too far away, is followed no further: of two that have nothing in common so far it is then not known whether they have.

Source: Weiser, "Program slicing", ICSE 1981.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from warploom.isa import uop as u
from warploom.isa.analysis.dominators import reversed_graph
from warploom.isa.program import Program

ADD = u.NUMBER["add"]
TELLS = [u.NUMBER["special"], u.NUMBER["read_counter"]]  # what reads no register and is not a constant
ZERO = 0  # the register that is always 0
MOST = 64  # origins that one condition is followed to
FARTHEST = 1 << 13  # instructions that are passed on the way to them

Origin = int | tuple[tuple[int, int], ...]  # an instruction; or the operations and numbers of one that reads no register


class Writers(NamedTuple):
    """Who may have written a register last. found: instructions, None for what was before the start. passed: how many instructions were
    looked at. whole: whether these are all."""

    found: frozenset[int | None]
    passed: int
    whole: bool


class Origins(NamedTuple):
    """What a condition is made of. whole: whether that is all."""

    found: frozenset[Origin]
    whole: bool


class Conditions:
    """The conditions of a program, whose instructions lead to `successors`."""

    def __init__(self, program: Program, successors: Sequence[Sequence[int]]) -> None:
        self.program = program
        self.before = reversed_graph([*successors, ()])  # for each instruction, and the end, those that lead to it
        written, read = program.uops[:, u.DST].tolist(), program.uops[:, [u.A, u.B, u.C]].ravel().tolist()
        spans = [(first, first + count) for first, count in program.code[:, [u.FIRST_UOP, u.COUNT]].tolist()]
        self.destinations = [written[first:end] for first, end in spans]
        self.sources = [read[3 * first : 3 * end] for first, end in spans]
        self._known_writers: dict[tuple[int, int], Writers] = {}
        self._known_origins: dict[int, Origins] = {}

    def is_constant(self, split: int) -> bool:
        """Whether a split's condition is known to be the same number however the program comes to it."""
        condition = self.sources[split][0]
        if condition == ZERO:
            return True
        writers = self._writers(split, condition)
        values = {None if place is None else _constant(self._rows(place)) for place in writers.found}
        return writers.whole and len(values) == 1 and None not in values

    def related(self, place: int, others: Iterable[int]) -> bool | None:
        """Whether a split or branch and one of some others ask for something that comes from the same; None where that is not known."""
        own = self._origins(place)
        known = True
        for other in map(self._origins, others):
            if not own.found.isdisjoint(other.found):
                return True
            known = known and own.whole and other.whole
        return False if known else None

    def _origins(self, place: int) -> Origins:
        """What an instruction reads is made of, but for constants."""
        if place not in self._known_origins:
            self._known_origins[place] = self._followed(place)
        return self._known_origins[place]

    def _followed(self, place: int) -> Origins:
        found: set[Origin] = set()
        seen: set[int] = set()
        waiting, passed, whole = [place], 0, True
        while waiting and len(found) < MOST and passed < FARTHEST:
            asking = waiting.pop()
            for register in self._reads(asking):
                writers = self._writers(asking, register)
                passed += writers.passed
                whole = whole and writers.whole
                for writer in writers.found:
                    if writer is not None and writer not in seen and not self._is_number(writer):
                        seen.add(writer)
                        found.add(self._origin(writer))
                        if not (self._rows(writer)[:, u.UNIT] == u.MEMORY).any():
                            waiting.append(writer)
        return Origins(frozenset(found), whole and not waiting)

    def _writers(self, place: int, register: int) -> Writers:
        """The instructions that may have written a register last before one that reads it."""
        known = (place, register)
        if known not in self._known_writers:
            self._known_writers[known] = self._walk_back(place, register)
        return self._known_writers[known]

    def _walk_back(self, place: int, register: int) -> Writers:
        found: set[int | None] = set()
        seen, waiting = {place}, [place]
        while waiting and len(seen) < FARTHEST:
            at = waiting.pop()
            if not self.before[at]:
                found.add(None)
            for earlier in self.before[at]:
                if register in self.destinations[earlier]:
                    found.add(earlier)
                elif earlier not in seen:
                    seen.add(earlier)
                    waiting.append(earlier)
        return Writers(frozenset(found), len(seen), not waiting)

    def _reads(self, place: int) -> Iterator[int]:
        return (register for register in sorted(set(self.sources[place])) if 0 < register < u.HIDDEN)

    def _is_number(self, place: int) -> bool:
        """Whether an instruction's result depends on nothing."""
        rows = self._rows(place)
        return not any(self._reads(place)) and not ((rows[:, u.UNIT] == u.MEMORY) | np.isin(rows[:, u.OP], TELLS)).any()

    def _origin(self, place: int) -> Origin:
        """What the result of an instruction is known by."""
        rows = self._rows(place)
        if any(self._reads(place)) or (rows[:, u.UNIT] == u.MEMORY).any():
            return place
        return tuple((operation, number) for operation, number in rows[:, [u.OP, u.IMM]].tolist())

    def _rows(self, place: int) -> np.ndarray:
        """The micro-ops of an instruction."""
        first, count = self.program.code[place, [u.FIRST_UOP, u.COUNT]].tolist()
        return self.program.uops[first : first + count]


def _constant(rows: np.ndarray) -> int | None:
    """The number that an instruction writes, or None where it depends on something."""
    alone = len(rows) == 1 and rows[0, u.OP] == ADD and rows[0, u.A] == ZERO and rows[0, u.B] == u.IMMEDIATE
    return int(rows[0, u.IMM]) if alone else None
