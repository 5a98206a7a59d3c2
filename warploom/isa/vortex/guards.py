"""Guards that a compiler has copied: a split whose two sides no longer meet at one join.

In hardware nothing: a join takes the top of the warp's stack, whichever join it is. The first side's join sends the other lanes back to the
split; theirs brings all together, and all continue after *that* one. So where a compiler has copied the join, with what follows it, into
both sides (jump threading and tail duplication do, at -O2 and -O3, unless a function is *convergent*), the lanes of the first side do in
silence what was meant for the second. Copies of a split together with its join, as of a loop that is unrolled, are sound, and so are
joins after which both sides do the same.

Found by following all paths from each split, with the number of splits that are open: where it comes back to zero is a join of this one.

Source: the manual of LLVM, "convergent"; Tine et al., MICRO 2021, section 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from warploom.isa import uop as u
from warploom.isa.analysis.successors import ways
from warploom.isa.diagnostics import Diagnostic, Severity
from warploom.isa.program import Position, Program

SPLIT, JOIN, JUMP = (u.NUMBER[name] for name in ("split", "join", "jump"))
DEEPEST = 32  # splits inside each other that are followed
MOST = 1 << 16  # instructions beyond which nothing is looked for
FIX = (
    "compile with `warploom cc`, with clang's -fconvergent-functions, or optimise less; in C, let both sides meet before one join; "
    "or add --set core.divergence=stack"
)


def copied_guards(program: Program) -> list[Diagnostic]:
    """A warning for each split with several joins after which the program continues in different places."""
    operations = _control_of(program)
    splits = [number for number, operation in enumerate(operations) if operation == SPLIT]
    if not splits or len(program) > MOST:
        return []
    successors = ways(program).successors
    found = []
    for split in splits:
        joins = _joins_of(split, operations, successors)
        if len({_continues(join + 1, operations, successors) for join in joins}) > 1:
            found.append(_warning(program, split, joins))
    return found


def _control_of(program: Program) -> list[int]:
    """For each instruction the number of its split, join or jump; else -1."""
    found = [-1] * len(program)
    firsts, counts = program.code[:, u.FIRST_UOP].tolist(), program.code[:, u.COUNT].tolist()
    owners = {first + count - 1: number for number, (first, count) in enumerate(zip(firsts, counts, strict=True))}
    kinds = program.uops[:, u.OP]
    for kind in (SPLIT, JOIN, JUMP):
        for k in (kinds == kind).nonzero()[0].tolist():
            if k in owners:
                found[owners[k]] = kind
    return found


def _joins_of(split: int, operations: Sequence[int], successors: Sequence[Sequence[int]]) -> list[int]:
    """Where a side of a split may end, in the order of the program."""
    start = [(place, 1) for place in successors[split]]
    seen, waiting = set(start), start
    found: set[int] = set()
    while waiting:
        place, open_splits = waiting.pop()
        if place >= len(operations):
            continue
        if operations[place] == JOIN:
            open_splits -= 1
            if open_splits == 0:
                found.add(place)
                continue
        elif operations[place] == SPLIT:
            open_splits += 1
        for following in successors[place]:
            state = (following, open_splits)
            if open_splits <= DEEPEST and state not in seen:
                seen.add(state)
                waiting.append(state)
    return sorted(found)


def _continues(place: int, operations: Sequence[int], successors: Sequence[Sequence[int]]) -> int:
    """The first instruction from a place on that is no jump."""
    passed: set[int] = set()
    while place < len(operations) and operations[place] == JUMP and place not in passed:
        passed.add(place)
        place = successors[place][0]
    return place


def _warning(program: Program, split: int, joins: Sequence[int]) -> Diagnostic:
    places = ", ".join(f"{int(program.code[join, u.ADDRESS]) & 0xFFFFFFFF:#x}" for join in joins)
    said = (
        f"the two sides of this split end at {len(joins)} joins (at {places}), and the program differs after them: "
        "all lanes continue where the second side does. A compiler has copied the join, or the source has several"
    )
    return Diagnostic(Severity.WARNING, said, _in_its_function(program, split), fix=FIX)


def _in_its_function(program: Program, instruction: int) -> Position:
    """Where an instruction came from in the file that its function is in: the line that calls an intrinsic, not the intrinsic's own."""
    begins = max((start for start in program.labels.values() if start <= instruction), default=0)
    file = program.position(begins).file
    return next((at for at in _backwards(program, instruction, begins) if at.line and at.file == file), program.position(instruction))


def _backwards(program: Program, last: int, first: int) -> Iterable[Position]:
    return (program.position(number) for number in range(last, first - 1, -1))
