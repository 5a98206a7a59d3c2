"""Consequences: does anything come of a value of shared memory that nobody has written?

In a tiled product whose tiles stand out over the matrix, threads outside of it read places that nobody has written, add up what they find,
and store nothing. That is right. A value that nobody has written does harm where it decides something, or ends up in memory.

So two things are asked. Of the program: does such a value only go through arithmetic, in which it shows in every result, and to stores in
global memory; never to a branch, a comparison, an address, another lane or another place of shared memory? Then every run takes the same
path, whatever the value is. And of a few more runs, in which those reads find other values (`Checker.stands_for`): is memory the same after
each of them? In one they are not numbers where they are read as floats, which stay such in all that is computed of them.

A comparison is not taken into this, also where its result is thrown away: it has one bit, so that no few values show it. s[i] == 7 is false
for nearly all of them. To know more, each register of a lane would have to carry along whether it depends on such a value.

This is what Valgrind's Memcheck asks of each bit (Seward and Nethercote, "Using Valgrind to detect undefined value errors with
bit-precision", USENIX 2005), for a few runs' time only where there is such a read, and for none elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from warploom.checks import shadow as s
from warploom.isa import uop as u
from warploom.isa.analysis.register_use import use_of
from warploom.isa.analysis.successors import ways
from warploom.isa.program import Program

# What such words hold in further runs (`Checker.stands_for`): no number, a large one, and any. Each place has its own, or s[i] - s[j] would
# be 0 in all of them: so many of the low bits differ that the first stays no number, and the second large.
VALUES = tuple(word | bits << 32 for word, bits in ((0xFFFFFFFF, 22), (0x7F7F7F7F, 22), (0x7F7F7F7F, 32)))

# Operations whose result differs with each of their operands, whatever the other ones are, but for a factor of 0.
CARRIES = frozenset(u.NUMBER[name] for name in (
    "mov", "add", "sub", "carry", "mul", "mulh", "mulhu", "mad", "xor", "shl", "shr", "sra", "shrd", "fadd", "fsub", "fmul", "fma", "fmad",
    "fdiv", "fsqrt", "f2i", "f2u", "i2f", "u2f", "h2f", "f2h", "f2d", "d2f", "i2d", "u2d", "l2d", "ul2d", "d2i", "d2u", "d2l", "d2ul",
    "d2h", "dadd", "dsub", "dmul", "dfma", "ddiv", "dsqrt",
))  # fmt: skip
COUNTS = {u.NUMBER["shl"]: u.B, u.NUMBER["shr"]: u.B, u.NUMBER["sra"]: u.B, u.NUMBER["shrd"]: u.C}  # where shifts have how far
STORE, SLTU, OR, SEL = (u.NUMBER[name] for name in ("store", "sltu", "or", "sel"))
SAME = (u.NUMBER["feq"], u.NUMBER["deq"])
BY_NUMBER = [u.NUMBER[name] for name in ("get_register", "put_register", "put_scalar")]


def without_harmless(found: np.ndarray, program: Program, memory: np.ndarray, run: Callable[[int], np.ndarray | None]) -> np.ndarray:
    """The findings of a run without reads of which nothing comes. found: `findings`, which stays as it is. memory: after the run.

    run: memory after a run in which such reads find one of VALUES; None where that did not end.
    """
    loads = unwritten_reads(found) if program.language.harmless_reads else None
    if loads is None or not only_stored(program, loads):
        return found
    for value in VALUES:
        other = run(value)
        if other is None or not np.array_equal(other, memory):
            return found
    rows = found[1 : 1 + int(found[0, s.COUNT])]
    left = np.concatenate([found[:1], rows[rows[:, s.KIND] != s.UNINITIALISED]])
    left[0, s.COUNT] = len(left) - 1
    return left


def unwritten_reads(found: np.ndarray) -> list[int] | None:
    """The micro-ops that have read shared memory that nobody had written. None where something else was read so. found: `findings`."""
    rows = found[1 : 1 + int(found[0, s.COUNT])]
    rows = rows[rows[:, s.KIND] == s.UNINITIALISED]
    return [int(one) for one in rows[:, s.UOP]] if len(rows) and (rows[:, s.SPACE] == u.SHARED_SPACE).all() else None


def only_stored(program: Program, loads: Iterable[int]) -> bool:
    """Whether what these micro-ops load goes through arithmetic and to stores in global memory only, on every path."""
    rows = program.uops.tolist()
    sources = set(loads)
    if np.isin(program.uops[:, u.OP], BY_NUMBER).any() or any(rows[k][u.OP] != u.NUMBER["load"] for k in sources):
        return False
    spans = [range(first, first + count) for first, count in program.code[:, [u.FIRST_UOP, u.COUNT]].tolist()]
    graph = ways(program)
    if graph.calls:
        return False
    before: list[frozenset[int]] = [frozenset()] * len(spans)
    waiting = [number for number, span in enumerate(spans) if not sources.isdisjoint(span)]
    while waiting:
        number = waiting.pop()
        after = set(before[number])
        for k in spans[number]:
            if not _step(rows[k], after, k in sources):
                return False
        for place in graph.successors[number]:
            if place < len(spans) and not after <= before[place]:
                before[place] |= after
                waiting.append(place)
    return True


def _step(row: list[int], holding: set[int], loads: bool) -> bool:
    """One micro-op: `holding` are the registers that hold such values, or something computed of them. False where it decides something."""
    use = use_of(row)
    operands = [row[column] for column in (u.A, u.B, u.C) if row[column] >= 0]
    read = holding.intersection([*use.reads, *operands])
    if read and not loads:
        if row[u.OP] == STORE:
            address = set(use.reads) - {row[u.B], row[u.B] + 1} | {row[u.A]}
            return row[u.SPACE] == u.GLOBAL_SPACE and holding.isdisjoint(address)
        if not (row[u.OP] in CARRIES or _within_an_instruction(row)) or row[u.DST] >= u.SCALAR or row[u.PREDICATE] in holding:
            return False
        if row[u.OP] in COUNTS and row[COUNTS[row[u.OP]]] in holding:
            return False
    if loads and read:
        return False  # an address
    if read or loads:
        holding.update(use.writes)
    elif row[u.PREDICATE] < u.SCALAR:
        holding.difference_update(use.writes)
    return True


def _within_an_instruction(row: list[int]) -> bool:
    """Whether a micro-op is part of arithmetic in 64 bits, or of a conversion: the carry of a sum, two pieces of a shifted number that
    become one word, whether a float is a number, and what is chosen by that.

    Their operands or results are temporaries of one instruction, which those of a kernel's own comparisons are not.
    """
    if row[u.OP] == SLTU:
        return u.HIDDEN <= row[u.DST] < u.SCALAR
    if row[u.OP] in SAME:
        return row[u.A] == row[u.B] and u.HIDDEN <= row[u.DST] < u.SCALAR
    chosen = (u.A, u.C) if row[u.OP] == SEL else (u.A, u.B)
    return row[u.OP] in (OR, SEL) and all(u.HIDDEN <= row[column] < u.SCALAR for column in chosen)
