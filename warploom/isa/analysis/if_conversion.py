"""If-conversion: short branches become predicates, so that lanes that disagree need no path of their own.

    branch c -> behind          p = ballot c
    add  r1, r1, r2        =>   @!p add r1, r1, r2
    behind: ...                 behind: ...

Every lane walks through the instructions, and a scalar register says which lanes they write: no branch has to be resolved, no path
waits, and all lanes stay together. The price is that the instructions take their issue slots even when no lane wants them, so it
pays for a few only. Compilers for GPUs do it as a matter of course; the article "What's up with my branch on GPU?" names it as the
way to be rid of a branch. Source: Allen, Kennedy, Porterfield and Warren, "Conversion of control dependence to data
dependence", POPL 1983.

Instructions keep their numbers: the branch becomes the one that makes the predicate, and the jump over an else becomes a `nop`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from warploom.isa import uop as u
from warploom.isa.counts import running_sum
from warploom.isa.numbers import whole_number
from warploom.isa.program import Program
from warploom.isa.uop import Uop

BRANCH, JUMP = u.NUMBER["branch"], u.NUMBER["jump"]
ACROSS = tuple(number for number, row in enumerate(u.OPERATIONS) if row.datapath == u.CROSS_LANE)  # between lanes, or lanes and scalars
ALL_BITS = -1


class Hammock(NamedTuple):
    """A branch and what lies between it and where its lanes meet: `skipped` by the lanes that take it, `other` run by them only."""

    branch: int
    skipped: range
    jump: int  # the jump from the end of `skipped` over `other`; NONE without an else
    other: range


def if_convert(program: Program, longest: int = 4) -> Program:
    """The same program with its short branches as predicates.

    A branch is converted when it leads forward over at most `longest` instructions, or those and an else of at most as many, which
    only compute in lanes (unit ALU, no scalar destination, no predicate, nothing of the cross-lane datapath) and into which nothing
    else leads. A jump through a table is not seen. Two scalar registers more are used when anything is converted.
    Raises ValueError when `longest` is negative or no whole number.
    """
    longest = whole_number("longest", longest, 0)
    pair = u.scalar(program.scalars)
    found = [] if program.scalars + 2 > u.SCALARS else list(_hammocks(program, longest))
    if not found:
        return program
    code, text = program.code.copy(), list(program.text)
    bundles = [_rows(program, number) for number in range(len(program))]
    for hammock in found:
        number = hammock.branch
        branch = bundles[number][0]
        taken = not branch[u.FLAGS] & u.NEGATE  # lanes in which the condition holds are those that skip
        bundles[number] = _condition(branch, pair)
        code[number, [u.ISSUE_UNIT, u.ISSUE_LATENCY]] = u.ALU, u.L_ALU
        _use(code[number], pair, writes=True)
        text[number] = f"{u.operand_name(pair)} = {text[number]}"
        for place, negate in [*((n, taken) for n in hammock.skipped), *((n, not taken) for n in hammock.other)]:
            for row in bundles[place]:
                row[u.PREDICATE] = pair
                row[u.FLAGS] |= u.NEGATE_PREDICATE if negate else 0
            _use(code[place], pair)
            text[place] = f"@{'!' if negate else ''}{u.operand_name(pair)} {text[place]}"
        if hammock.jump != u.NONE:
            bundles[hammock.jump] = np.array([Uop("nop").row()], np.int32)
    code[:, u.COUNT] = [len(rows) for rows in bundles]
    code[:, u.FIRST_UOP] = running_sum(code[:, u.COUNT]) - code[:, u.COUNT]
    return replace(program, uops=np.concatenate(bundles), code=code, text=tuple(text), scalars=program.scalars + 2)


def _hammocks(program: Program, longest: int) -> Iterable[Hammock]:
    """The branches that can be converted, in order; what lies between them does not overlap."""
    entries = _entries(program)
    free = 0  # the first instruction that is not part of one yet
    for number in range(len(program)):
        rows = _rows(program, number)
        if number < free or len(rows) != 1 or rows[0, u.OP] != BRANCH or rows[0, u.PREDICATE] != u.NONE or rows[0, u.A] < 0:
            continue
        hammock = _hammock(program, number, int(rows[0, u.TARGET]))
        sides = (hammock.skipped, hammock.other)
        inside = [*hammock.skipped, *hammock.other]
        if not inside or max(map(len, sides)) > longest or not all(_computes(program, place) for place in inside):
            continue
        led_to = [place for place in [*inside, hammock.jump] if entries.get(place, set()) - {number}]
        meets = hammock.other.stop if hammock.other else hammock.skipped.stop
        if (
            not led_to
            and int(program.code[number, u.USES]) < u.MAX_USES
            and meets < len(program)
            and not number < program.launch.entry < meets
        ):
            yield hammock
            free = meets


def _hammock(program: Program, number: int, target: int) -> Hammock:
    """A branch at `number` to `target`, with an else when a jump stands before the target that leads on from there."""
    last = target - 1
    if last > number and target < len(program):
        rows = _rows(program, last)
        behind = int(rows[0, u.TARGET])
        if len(rows) == 1 and rows[0, u.OP] == JUMP and rows[0, u.PREDICATE] == u.NONE and behind > target:
            return Hammock(number, range(number + 1, last), last, range(target, behind))
    return Hammock(number, range(number + 1, target), u.NONE, range(0))


def _entries(program: Program) -> dict[int, set[int]]:
    """The instructions that lead to each instruction other than by being the one before it."""
    entries: dict[int, set[int]] = {}
    for number in range(len(program)):
        for row in _rows(program, number):
            for column in (u.TARGET, u.RECONVERGE):
                if row[u.UNIT] == u.CONTROL and row[column] != u.NONE and not (column == u.RECONVERGE and row[u.OP] == BRANCH):
                    entries.setdefault(int(row[column]), set()).add(number)
    return entries


def _rows(program: Program, number: int) -> np.ndarray:
    """A copy of an instruction's micro-ops."""
    first = int(program.code[number, u.FIRST_UOP])
    return program.uops[first : first + int(program.code[number, u.COUNT])].copy()


def _computes(program: Program, number: int) -> bool:
    """Whether an instruction does nothing but compute in its lanes, and has room for a predicate."""
    rows = _rows(program, number)
    alone = (rows[:, u.UNIT] == u.ALU) & (rows[:, u.DST] < u.SCALAR) & (rows[:, u.PREDICATE] == u.NONE) & ~np.isin(rows[:, u.OP], ACROSS)
    return bool(alone.all()) and int(program.code[number, u.USES]) < u.MAX_USES


def _condition(branch: np.ndarray, pair: int) -> np.ndarray:
    """The micro-ops that put the lanes in which a branch's condition bits are not all zero into a scalar pair."""
    source, bits = int(branch[u.A]), int(branch[u.IMM])
    if bits == ALL_BITS:
        made = [Uop("ballot", dst=pair, a=source)]
    else:
        made = [Uop("and", dst=u.HIDDEN, a=source, b=u.IMMEDIATE, imm=bits), Uop("ballot", dst=pair, a=u.HIDDEN)]
    return np.array([uop.row() for uop in made], np.int32)


def _use(row: np.ndarray, pair: int, *, writes: bool = False) -> None:
    """Let the scoreboard look at the predicate too; what is written stands first."""
    group = u.SCALAR_GROUP + pair - u.SCALAR
    uses = int(row[u.USES])
    groups = row[u.USE : u.USE + uses].tolist()
    row[u.USES] = uses + 1
    row[u.USE : u.USE + uses + 1] = [group, *groups] if writes else [*groups, group]
    row[u.WRITES] += 1 if writes else 0
