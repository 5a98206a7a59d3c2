"""Guards that a compiler has copied: a split whose two sides no longer meet at one join, or whose branch no longer follows it.

In hardware nothing: a join takes the top of the warp's stack, whichever join it is. The first side's join sends the other lanes back to the
split; theirs brings all together, and all continue after *that* one. So where a compiler has copied the join, with what follows it, into
both sides (jump threading and tail duplication do, at -O2 and -O3, unless a function is *convergent*), the lanes of the first side do in
silence what was meant for the second. Copies of a split together with its join, as of a loop that is unrolled, are sound, and so are
joins after which both sides do the same.

The other way to lose a guard is to decide its branch earlier: where the condition does not change in a loop, -O3 makes two loops of it, one
for each side, and the branch between them comes before any split (loop unswitching). Each loop has a copy of the split, and nothing left
to guard: no branch follows it, or others do, of its sides' own. Those do not ask for its condition, which is a constant because on each
side it is known, or still what the branch in front of both has asked for.

Found by following all paths from each split, with the number of splits that are open: where it comes back to zero is a join of this one.
Copies of one split have its source line; two of that kind on different sides of one branch are what unswitching leaves. What branches ask
for: `conditions.py`.

Source: the manual of LLVM, "convergent" and "simple-loop-unswitch"; Tine et al., MICRO 2021, section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations

from warploom.isa import uop as u
from warploom.isa.analysis.dominators import immediate_dominators, reachable
from warploom.isa.analysis.successors import ways
from warploom.isa.diagnostics import Diagnostic, Severity
from warploom.isa.program import Position, Program
from warploom.isa.vortex.conditions import Conditions

SPLIT, JOIN, JUMP = (u.NUMBER[name] for name in ("split", "join", "jump"))
DEEPEST = 32  # splits inside each other that are followed
MOST_COPIES = 16  # of one split that are compared: a loop that is unrolled has many
MOST = 1 << 16  # instructions beyond which nothing is looked for
FIX = (
    "compile with `warploom cc`, with clang's -fconvergent-functions, or optimise less; in C, let both sides meet before one join; "
    "or add --set core.divergence=stack"
)


def copied_guards(program: Program) -> list[Diagnostic]:
    """A warning for each split with several joins after which the program continues in different places, and for each whose branch is
    in front of its copies."""
    operations = _control_of(program)
    splits = [number for number, operation in enumerate(operations) if operation == SPLIT]
    if not splits or len(program) > MOST:
        return []
    successors = ways(program).successors
    conditions = Conditions(program, successors)
    found, bare, asked = [], [], {}
    for split in splits:
        joins, branches = _sides_of(split, operations, successors)
        if len({_continues(join + 1, operations, successors) for join in joins}) > 1:
            found.append(_several_joins(program, split, joins))
        if not branches:
            bare.append((split, "no branch follows this split"))
        elif conditions.is_constant(split):
            bare.append((split, "the condition of this split is a constant"))
        else:
            asked[split] = branches
    reasons = dict(bare)
    found += [_no_branch(program, one, branch, reasons[one]) for one, _, branch in _parted(program, list(reasons), successors)]
    # Where it is not known what a condition is made of, nothing is said: its branch may ask for it, the one in front may not.
    empty = [split for split in _copied(program, list(asked)) if conditions.related(split, asked[split]) is False]

    def asks_for_both(branch: int, one: int, other: int) -> bool:
        return all(conditions.related(branch, [split]) is True for split in (one, other))

    return found + [
        _no_branch(program, one, branch, "no branch that follows this split asks for its condition")
        for one, _, branch in _parted(program, empty, successors, asks_for_both)
    ]


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


def _sides_of(split: int, operations: Sequence[int], successors: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """Where a side of a split may end, in the order of the program, and the branches in it that no inner split guards."""
    start = [(place, 1) for place in successors[split]]
    seen, waiting = set(start), start
    found: set[int] = set()
    branches: set[int] = set()
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
        elif open_splits == 1 and len(successors[place]) > 1:
            branches.add(place)
        for following in successors[place]:
            state = (following, open_splits)
            if open_splits <= DEEPEST and state not in seen:
                seen.add(state)
                waiting.append(state)
    return sorted(found), sorted(branches)


def _copies(program: Program, splits: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
    """(where a function begins, splits in it that come from one place in the source, two at least)."""
    copies: dict[tuple[int, Position], list[int]] = {}
    for split in splits:
        copies.setdefault((_function_of(program, split), program.position(split)), []).append(split)
    yield from ((begins, found) for (begins, position), found in copies.items() if len(found) > 1 and position.line)


def _copied(program: Program, splits: Sequence[int]) -> Iterator[int]:
    """Those of which there are copies."""
    return (split for _, found in _copies(program, splits) for split in found)


def _parted(
    program: Program,
    bare: Sequence[int],
    successors: Sequence[Sequence[int]],
    counts: Callable[[int, int, int], bool] = lambda branch, one, other: True,
) -> Iterator[tuple[int, int, int]]:
    """Copies of one split that guard nothing and stand on different sides of one branch: two of them, and the branch.

    counts: whether a branch, and the two copies that it parts, are looked for. Other copies of that split may stand on the sides of
    another branch.
    """
    graph = [*successors, ()]  # with the end, where all ways out lead
    for begins, splits in _copies(program, bare):
        dominator = immediate_dominators(graph, begins)
        for one, other in combinations(splits[:MOST_COPIES], 2):
            branch = _last_before_both(dominator, one, other)
            parts = branch is not None and branch not in (one, other) and _parts(branch, one, other, graph)
            if branch is not None and parts and counts(branch, one, other):
                yield one, other, branch
                break


def _last_before_both(dominator: Sequence[int], one: int, other: int) -> int | None:
    """The last instruction that every way to either of two passes."""
    before = set(_dominators_of(dominator, one))
    return next((place for place in _dominators_of(dominator, other) if place in before), None)


def _dominators_of(dominator: Sequence[int], place: int) -> Iterator[int]:
    """A place and those that every way to it passes, the last first."""
    while place >= 0:
        yield place
        if dominator[place] == place:
            return
        place = dominator[place]


def _parts(branch: int, one: int, other: int, successors: Sequence[Sequence[int]]) -> bool:
    """Whether one side of a branch leads to the first only, and the other to the second, before the branch comes again."""
    without = list(successors)
    without[branch] = ()
    sides = [(one in found, other in found) for found in (reachable(without, [successor]) for successor in successors[branch])]
    return sorted(sides) == [(False, True), (True, False)]


def _continues(place: int, operations: Sequence[int], successors: Sequence[Sequence[int]]) -> int:
    """The first instruction from a place on that is not a jump."""
    passed: set[int] = set()
    while place < len(operations) and operations[place] == JUMP and place not in passed:
        passed.add(place)
        place = successors[place][0]
    return place


def _several_joins(program: Program, split: int, joins: Sequence[int]) -> Diagnostic:
    places = ", ".join(_address(program, join) for join in joins)
    said = (
        f"the two sides of this split end at {len(joins)} joins (at {places}), and the program differs after them: "
        "all lanes continue where the second side does. A compiler has copied the join, or the source has several"
    )
    return Diagnostic(Severity.WARNING, said, _in_its_function(program, split), fix=FIX)


def _no_branch(program: Program, split: int, branch: int, reason: str) -> Diagnostic:
    line = f" (line {at.line})" if (at := program.position(branch)).line else ""
    said = (
        f"{reason}: its copies stand on both sides of the branch at {_address(program, branch)}{line}, where nothing "
        "is split. A compiler has moved the branch out of its guard: lanes that disagree there are not kept apart"
    )
    return Diagnostic(Severity.WARNING, said, _in_its_function(program, split), fix=FIX)


def _address(program: Program, instruction: int) -> str:
    return f"{int(program.code[instruction, u.ADDRESS]) & 0xFFFFFFFF:#x}"


def _function_of(program: Program, instruction: int) -> int:
    """Where the function begins that an instruction is in."""
    return max((start for start in program.labels.values() if start <= instruction), default=0)


def _in_its_function(program: Program, instruction: int) -> Position:
    """Where an instruction came from in the file that its function is in: the line that calls an intrinsic, not the intrinsic's own."""
    begins = _function_of(program, instruction)
    file = program.position(begins).file
    return next((at for at in _backwards(program, instruction, begins) if at.line and at.file == file), program.position(instruction))


def _backwards(program: Program, last: int, first: int) -> Iterable[Position]:
    return (program.position(number) for number in range(last, first - 1, -1))
