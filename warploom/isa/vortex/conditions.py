"""What a branch and a split ask for: the instructions whose results their conditions are made of.

In hardware nothing: a split takes a register and a branch takes registers, and nobody checks that they mean the same. A compiler may write
one condition in two ways (`x > 7` as a number for the split, as a comparison in the branch), so what tells them apart from strangers is
where they come from: a load, a thread number or another value that both are computed from.

Found by following registers back to the instructions that wrote them, through arithmetic, up to loads and to constants.

Source: Weiser, "Program slicing", ICSE 1981.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np

from warploom.isa import uop as u
from warploom.isa.program import Program

ADD, SPECIAL = u.NUMBER["add"], u.NUMBER["special"]
ZERO = 0  # the register that is always 0
MOST = 64  # instructions that one condition is followed to


class Conditions:
    """Of a program, whose instructions lead to `successors`."""

    def __init__(self, program: Program, successors: Sequence[Sequence[int]]) -> None:
        self.program, self.successors = program, successors

    @cached_property
    def before(self) -> list[list[int]]:
        """For each instruction those that lead to it."""
        found: list[list[int]] = [[] for _ in range(len(self.successors) + 1)]
        for place, following in enumerate(self.successors):
            for way in following:
                found[way].append(place)
        return found

    def is_constant(self, split: int) -> bool:
        """Whether a split's condition is the same number however the program comes to it."""
        condition = int(self._rows(split)[0, u.A])
        if condition == ZERO:
            return True
        values = {None if place is None else _constant(self._rows(place)) for place in self._writers(split, condition)}
        return len(values) == 1 and None not in values

    def related(self, place: int, others: Iterable[int]) -> bool:
        """Whether a split or branch and one of some others ask for something that comes from the same."""
        own = self._origins(place)
        return any(not own.isdisjoint(self._origins(other)) for other in others)

    def _origins(self, place: int) -> set[int]:
        """The instructions that what an instruction reads is made of, but for constants."""
        found: set[int] = set()
        waiting = [place]
        while waiting and len(found) < MOST:
            asking = waiting.pop()
            for register in self._reads(asking):
                for writer in self._writers(asking, register):
                    if writer is not None and writer not in found and not self._is_number(writer):
                        found.add(writer)
                        if not (self._rows(writer)[:, u.UNIT] == u.MEMORY).any():
                            waiting.append(writer)
        return found

    def _writers(self, place: int, register: int) -> set[int | None]:
        """The instructions that may have written a register last; None where it comes from before the start."""
        found: set[int | None] = set()
        seen, waiting = {place}, [place]
        while waiting:
            at = waiting.pop()
            if not self.before[at]:
                found.add(None)
            for earlier in self.before[at]:
                if (self._rows(earlier)[:, u.DST] == register).any():
                    found.add(earlier)
                elif earlier not in seen:
                    seen.add(earlier)
                    waiting.append(earlier)
        return found

    def _reads(self, place: int) -> Iterator[int]:
        rows = self._rows(place)
        for register in np.unique(rows[:, [u.A, u.B, u.C]]).tolist():
            if 0 < register < u.HIDDEN:
                yield register

    def _is_number(self, place: int) -> bool:
        """Whether an instruction's result depends on nothing."""
        rows = self._rows(place)
        return not any(self._reads(place)) and not ((rows[:, u.UNIT] == u.MEMORY) | (rows[:, u.OP] == SPECIAL)).any()

    def _rows(self, place: int) -> np.ndarray:
        """The micro-ops of an instruction."""
        first, count = self.program.code[place, [u.FIRST_UOP, u.COUNT]].tolist()
        return self.program.uops[first : first + count]


def _constant(rows: np.ndarray) -> int | None:
    """The number that an instruction writes, or None where it depends on something."""
    alone = len(rows) == 1 and rows[0, u.OP] == ADD and rows[0, u.A] == ZERO and rows[0, u.B] == u.IMMEDIATE
    return int(rows[0, u.IMM]) if alone else None
