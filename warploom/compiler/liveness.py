"""Liveness: from where to where each virtual register holds something that is still wanted.

Places count instructions, two each: operands are read at an even place, results are written at the odd one after it. A register's life is
a list of segments [first, last), with holes where what it holds is not wanted.
Source: Aho, Lam, Sethi and Ullman, "Compilers", section 9.2.5; Wimmer and Franz, "Linear Scan Register Allocation on SSA Form", CGO 2010.
"""

from __future__ import annotations

from warploom.compiler.mir import Instr, MachineBlock, Reg, register_of

Segments = list[tuple[int, int]]


def lives(blocks: list[MachineBlock]) -> dict[Reg, Segments]:
    """The segments of every register, in the order of the code."""
    place = 0
    spans = {}
    for block in blocks:
        first = place
        for instr in block.code:
            instr.place = place
            place += 2
        place += 2  # the branch
        spans[block] = (first, place)
    ends, _ = live_out(blocks)
    found: dict[Reg, Segments] = {}
    for block in reversed(blocks):
        first, last = spans[block]
        until = dict.fromkeys(ends[block], last)
        condition = register_of(block.condition)
        if condition is not None:
            until.setdefault(condition, last - 1)
        for instr in reversed(block.code):
            reads = instr.read()
            for reg in instr.written():
                end = until.pop(reg, instr.place + 2)
                start = instr.place if instr.early else instr.place + 1
                found.setdefault(reg, []).append((start, max(end, start + 1)))
                if reg not in reads and _partly(instr, reg):
                    until[reg] = start
            for reg in reads:
                until.setdefault(reg, instr.place + 1)
        for reg, end in until.items():
            found.setdefault(reg, []).append((first, end))
    return {reg: _joined(segments) for reg, segments in found.items()}


def _partly(instr: Instr, reg: Reg) -> bool:
    """Whether an instruction writes one word of a pair and leaves the other as it was."""
    if reg.size == 1 or instr.copies:
        return False
    halves: set[int] = set()
    for uop in instr.uops:
        if register_of(uop.dst) is reg:
            halves |= {0, 1} if uop.dst is reg else {uop.dst.part}  # type: ignore[union-attr]
    return len(halves) < 2


def _joined(segments: Segments) -> Segments:
    joined: Segments = []
    for first, last in sorted(segments):
        if joined and first <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return joined


def live_out(blocks: list[MachineBlock]) -> tuple[dict[MachineBlock, set[Reg]], dict[MachineBlock, set[Reg]]]:
    """The registers that something after a block reads, and those that it or something after it does."""
    reads: dict[MachineBlock, set[Reg]] = {}
    writes: dict[MachineBlock, set[Reg]] = {}
    for block in blocks:
        used: set[Reg] = set()
        made: set[Reg] = set()
        for instr in block.code:
            used.update(reg for reg in instr.read() if reg not in made)
            made.update(reg for reg in instr.written() if not _partly(instr, reg))
        condition = register_of(block.condition)
        if condition is not None and condition not in made:
            used.add(condition)
        reads[block], writes[block] = used, made
    before = {block: set(reads[block]) for block in blocks}
    after: dict[MachineBlock, set[Reg]] = {block: set() for block in blocks}
    changed = True
    while changed:
        changed = False
        for block in reversed(blocks):
            out: set[Reg] = set()
            for other in block.after:
                out |= before[other]
            if out != after[block]:
                after[block] = out
                before[block] = reads[block] | (out - writes[block])
                changed = True
    return after, before
