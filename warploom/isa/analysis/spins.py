"""Loops that wait: those that only somebody else's write to memory can end, or that turn until they have a lock.

A compiler for a machine with independent threads ends such loops with a hint that other lanes may run (NVIDIA's YIELD), because a lane
of the same warp may be the one that is waited for. Here the loops are found in any program:

* A loop that reads memory and carries no register from one turn to the next does the same in each turn until what it reads changes.
* A loop with an atomic exchange or compare-and-swap whose new value is the same in each turn tries to take something, however long
  it waits between its tries. (One that puts a new value there each time computes with it: a sum of floats, say.)

Sources: Diamos et al., US 10,067,768, "Execution of divergent threads using a convergence barrier" (a yield where lanes wait for others);
"Control flow management in modern GPUs", arXiv:2407.02944.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from warploom.isa import uop as u
from warploom.isa.analysis.control_flow import Flow, Loop
from warploom.isa.program import Program

SWAPS = (u.NUMBER["atomic_exchange"], u.NUMBER["atomic_cas"])
UNSEEN = {number for number, operation in enumerate(u.OPERATIONS) if operation.flow in (u.CALLS, u.THROUGH_REGISTER)}
SCALAR_PAIRS = {u.NUMBER["ballot"], u.NUMBER["read_mask"], u.NUMBER["write_mask"]}
Row = Sequence[int]


def with_yields(program: Program) -> Program:
    """The same program, with YIELDS on the jumps that lead back in loops that wait."""
    flow = Flow(program)
    uops = program.uops.copy()
    for loop in flow.loops:
        if waits(program, flow, loop):
            for number in loop.back_edges:
                first = int(program.code[number, u.FIRST_UOP])
                for row in uops[first : first + int(program.code[number, u.COUNT])]:
                    row[u.FLAGS] |= u.YIELDS if u.TO_TARGET in u.OPERATIONS[row[u.OP]].flow else 0
    return replace(program, uops=uops)


def waits(program: Program, flow: Flow, loop: Loop) -> bool:
    """Whether a loop is one that waits for others."""
    rows = {block: list(_rows(program, flow.blocks[block].first, flow.blocks[block].last)) for block in loop.blocks}
    every = [row for part in rows.values() for row in part]
    if any(row[u.OP] in UNSEEN for row in every):
        return False
    changing = {code for row in every if not _is_constant(row) for code in written(row)}
    if any(row[u.OP] in SWAPS and not changing & {row[u.B], row[u.C]} for row in every):
        return True
    reads = any(u.OPERATIONS[row[u.OP]].unit == u.MEMORY and "d" in u.OPERATIONS[row[u.OP]].operands for row in every)
    return reads and not _carried(flow, loop, rows)


def _carried(flow: Flow, loop: Loop, rows: dict[int, list[Row]]) -> set[int]:
    """The registers that a turn of a loop reads as the turn before it has left them."""
    header = flow.block_of(loop.header)
    wanted: dict[int, set[int]] = {block: set() for block in loop.blocks}
    changed = True
    while changed:
        changed = False
        for block in loop.blocks:
            found = set().union(
                *(wanted[following] for following in flow.blocks[block].successors if following in rows and following != header)
            )
            for row in reversed(rows[block]):
                if row[u.PREDICATE] == u.NONE:
                    found -= set(written(row))
                found |= set(read(row))
            if found != wanted[block]:
                wanted[block], changed = found, True
    return wanted[header] & {code for part in rows.values() for row in part for code in written(row)}


def _rows(program: Program, first: int, last: int) -> Iterator[Row]:
    for number in range(first, last + 1):
        start = int(program.code[number, u.FIRST_UOP])
        yield from program.uops[start : start + int(program.code[number, u.COUNT])].tolist()


def _is_constant(row: Row) -> bool:
    return row[u.OP] == u.NUMBER["mov"] and row[u.A] == u.IMMEDIATE and row[u.PREDICATE] == u.NONE


def written(row: Row) -> range:
    """The operand codes that a micro-op writes."""
    operation = u.OPERATIONS[row[u.OP]]
    if row[u.DST] == u.NONE:
        return range(0)
    return range(row[u.DST], row[u.DST] + (2 if row[u.OP] in SCALAR_PAIRS else u.registers_written(operation)))


def read(row: Row) -> Iterator[int]:
    """The operand codes of registers that a micro-op reads."""
    operation = u.OPERATIONS[row[u.OP]]
    for letter, column in zip("abc", (u.A, u.B, u.C), strict=True):
        if row[column] >= 0:
            yield row[column]
            if letter in operation.pairs or row[u.OP] in SCALAR_PAIRS:
                yield row[column] + 1
    if row[u.PREDICATE] != u.NONE:
        yield from (row[u.PREDICATE], row[u.PREDICATE] + 1)
