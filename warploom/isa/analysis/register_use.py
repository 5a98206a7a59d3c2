"""Registers: what each micro-op reads and writes, and which reads may come before any write.

What may be unwritten is found as a compiler finds it: by what is written on every path of a lane to a place (Aho, Lam, Sethi and Ullman,
"Compilers", section 9.2.6, "Available expressions", which has the same equations). A write under a predicate is none, since it leaves lanes
out, and a called function is taken to write nothing. So more is found than is wrong. Not found are reads behind a jump through a table
whose targets nobody sees, of registers that are found by a number in a program with such a write, and in stores of a program with
functions. An instruction that writes a part of a register keeps the rest: that does not count as a use of it.

Judged are registers that have names: the others are a front end's own. A front end may keep one that nobody ever writes and that is zero.
Where lanes are elements of a CPU's vectors, instructions without a mask compute in all of them, and what comes of those that nobody has
written is thrown away later; so vectors are not judged.
"""

from __future__ import annotations

from typing import NamedTuple

from warploom.isa import uop as u
from warploom.isa.analysis.successors import ways
from warploom.isa.program import Program

ALWAYS_ZERO = "zero"  # RISC-V's x0, by its name
SCALAR_PAIRS = {"ballot": "d", "read_mask": "d", "write_mask": "a", "lane_bit": "a"}
LANES_ARE_ELEMENTS = ("avx512",)
OF_OTHER_LANES = ("shuffle", "shuffle_up", "shuffle_down", "shuffle_xor", "insert_lane")  # whose source a is a different lane's
SCALAR_BY_NUMBER, LANE_BY_NUMBER = "put_scalar", "put_register"  # write a register that only their operand names
CANCELS = ("xor", "sub")  # nothing of a register is read where it is both operands
COLUMN = {"d": u.DST, "a": u.A, "b": u.B, "c": u.C, "m": u.A}


class Use(NamedTuple):
    """Operand codes that a micro-op reads and writes. whole: what it writes is written for all lanes, whatever mask and predicate say."""

    reads: tuple[int, ...]
    writes: tuple[int, ...]
    whole: bool


def use_of(row: list[int]) -> Use:
    """The registers of one micro-op."""
    operation = u.OPERATIONS[row[u.OP]]
    pairs = u.pairs_of(operation, row[u.SIZE]) + SCALAR_PAIRS.get(operation.name, "")
    reads: list[int] = []
    for letter in operation.operands:
        if letter not in "abcm" or (letter == "a" and operation.name in OF_OTHER_LANES):
            continue
        code = row[COLUMN[letter]]
        if code >= 0:
            reads += [code, code + 1] if letter in pairs else [code]
    if operation.name in CANCELS and row[u.A] == row[u.B]:
        reads = []
    destination = row[u.DST]
    once = destination >= u.SCALAR and operation.datapath != u.CROSS_LANE  # works on lane 0's registers, whatever the mask
    if once:
        reads = [code for code in reads if code >= u.SCALAR]
    if row[u.PREDICATE] >= u.SCALAR:
        reads.append(row[u.PREDICATE])
    count = 2 if "d" in SCALAR_PAIRS.get(operation.name, "") else u.registers_written(operation, row[u.SIZE])
    writes = range(destination, destination + count) if destination >= 0 else ()
    return Use(tuple(reads), tuple(writes), destination >= u.SCALAR or operation.name == "insert_lane")


def named_registers(program: Program) -> set[int]:
    """The codes of the registers that are judged: those with names that the launch does not fill."""
    lanes = {code for code, name in enumerate(program.register_names) if name and name != ALWAYS_ZERO}
    lanes = set() if program.isa in LANES_ARE_ELEMENTS or _has(program, LANE_BY_NUMBER) else lanes
    scalars = set() if _has(program, SCALAR_BY_NUMBER) else {u.scalar(number) for number, name in enumerate(program.scalar_names) if name}
    filled = {code for code, _ in program.launch.registers} | {u.scalar(number) for number in range(len(program.launch.scalars))}
    return (lanes | scalars) - filled


def _has(program: Program, operation: str) -> bool:
    return bool((program.uops[:, u.OP] == u.NUMBER[operation]).any())


def saves_registers(program: Program) -> bool:
    """Whether it has functions that return: these may store registers that they do not own, to load them again."""
    through = [number for number, operation in enumerate(u.OPERATIONS) if operation.flow == u.THROUGH_REGISTER]
    return bool((program.uops[:, u.OP, None] == through).any())


def possibly_unwritten(program: Program) -> dict[int, tuple[int, ...]]:
    """By micro-op: the registers that it reads and that nobody may have written before."""
    judged = {code: number for number, code in enumerate(sorted(named_registers(program)))}
    uses = [use_of(row) for row in program.uops.tolist()]
    stores = {u.NUMBER["store"], u.NUMBER["store_scalar"]} if saves_registers(program) else set()

    def judged_reads(k: int, span: range, kept: set[int]) -> list[int]:
        reads = [code for code in uses[k].reads if code in judged and not (code in kept and _keeps(program, span, k))]
        if int(program.uops[k, u.OP]) in stores:
            saved = int(program.uops[k, u.B])
            reads = [code for code in reads if code not in (saved, saved + 1)]
        return reads

    spans = [range(first, first + count) for first, count in program.code[:, [u.FIRST_UOP, u.COUNT]].tolist()]
    defines = [0] * len(spans)
    for number, span in enumerate(spans):
        for k in span:
            if uses[k].whole or program.uops[k, u.PREDICATE] < u.SCALAR:
                defines[number] |= sum(1 << judged[code] for code in uses[k].writes if code in judged)
    written = _written(program, defines, (1 << len(judged)) - 1)
    found: dict[int, tuple[int, ...]] = {}
    for number, span in enumerate(spans):
        known, results = written[number], {code for k in span for code in uses[k].writes}
        for k in span:
            missing = tuple(dict.fromkeys(code for code in judged_reads(k, span, results) if not known >> judged[code] & 1))
            if missing:
                found[k] = missing
            if uses[k].whole or program.uops[k, u.PREDICATE] < u.SCALAR:
                known |= sum(1 << judged[code] for code in uses[k].writes if code in judged)
    return found


def _keeps(program: Program, span: range, k: int) -> bool:
    """Whether a micro-op takes bits of a register that only come back into a result: nothing but an `or` of its instruction reads them."""
    rows = program.uops[span.start : span.stop].tolist()
    row = rows[k - span.start]
    bits = row[u.DST]
    temporary = u.HIDDEN <= bits < u.SCALAR or bits >= u.scalar(u.HIDDEN_SCALARS)
    if not temporary or row[u.OP] != u.NUMBER["and"] or u.IMMEDIATE not in (row[u.A], row[u.B]):
        return False
    readers = [one for one in rows[k - span.start + 1 :] if bits in use_of(one).reads]
    return len(readers) == 1 and readers[0][u.OP] == u.NUMBER["or"]


def _written(program: Program, defines: list[int], everything: int) -> list[int]:
    """By instruction: a bit for each register that is written on every path to it. Where none is seen, nothing is taken to be."""
    size = len(defines)
    graph = ways(program)
    following = [set(places) - {size} for places in graph.successors]
    for caller, function in graph.calls:
        following[caller].add(function)
    before = [everything] * size
    reached = [False] * size
    waiting = []
    if 0 <= program.launch.entry < size:
        before[program.launch.entry], reached[program.launch.entry] = 0, True
        waiting.append(program.launch.entry)
    while waiting:
        number = waiting.pop()
        after = before[number] | defines[number]
        for place in following[number]:
            if not reached[place] or before[place] & ~after:
                before[place] &= after
                reached[place] = True
                waiting.append(place)
    return [known if there else 0 for known, there in zip(before, reached, strict=True)]
