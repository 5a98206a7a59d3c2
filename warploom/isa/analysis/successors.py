"""Ways: which instructions may follow an instruction, for one lane. The edges of the control-flow graph.

Each operation's row in `isa/uop.py` says where a lane may go from it; the operands of a micro-op, and what is known of a branch's
condition (`conditions.py`), may rule some of that out. They are the ways of a *lane*, not of a warp: a lane that a mask leaves out
waits, and where it goes on later is where its way leads. So an instruction that only sets lanes apart and puts them together
(Vortex's split and join) leads to the next one, and guppy's mask stack becomes a stack of places:

    push_mask L      goes on, with L on the stack
    branch_push t r  goes on or to t, with r on the stack
    pop_mask         goes to the place on top of the stack
    mask_nonzero     goes on, or to the place on top of the stack

What lies on the stack at each instruction is found by following all paths with their stacks, so that a routine that is
called through the stack leads back to its callers.

A call continues with the instruction after it when the called function can return. A jump through a register whose target is known (its
TARGET) is a call or a jump. One that keeps no way back is taken for a return: the lane leaves the function. A jump through a table looks
the same, so what only a table or a pointer names is not seen to be reached.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from warploom.isa import uop as u
from warploom.isa.analysis.conditions import known_conditions
from warploom.isa.counts import running_sum
from warploom.isa.program import Program

DEEPEST = 128  # entries of the deepest mask stack that a machine can have; one more is a fault, where the lane's way ends
STACKS = 200  # different stacks that are followed through an instruction, on average, before the search is given up


@dataclass
class Step:
    """What one instruction does to a lane's way. Places are instruction numbers, inside the program or not."""

    goes: tuple[int, ...] = ()  # where it may go on
    ends: bool = False  # the lane may end here
    pops: bool = False  # it may go on at the place on top of the mask stack
    pushes: int | None = None  # a place that it puts there
    calls: int | None = None  # a function that it calls; what comes back goes to the next instruction
    returns: bool = False  # it may leave the function


@dataclass(frozen=True)
class Ways:
    """The edges of a program's graph. `len(successors)` stands for the end of the lane, or of its function.

    successors: for each instruction those that may follow, in the order: next, target, others. runs_off: instructions
    that may lead to where there is no instruction. calls: (instruction, called function) pairs.
    """

    successors: tuple[tuple[int, ...], ...]
    runs_off: tuple[int, ...]
    calls: tuple[tuple[int, int], ...]


def ways(program: Program) -> Ways:
    """The edges of a program's control-flow graph."""
    found = _ways(program, {})
    conditions = known_conditions(program, found.successors)
    return _ways(program, conditions) if conditions else found


def _ways(program: Program, conditions: Mapping[int, bool]) -> Ways:
    """The edges, when it is known of some branches whether they are taken: `conditions`, by micro-op."""
    size = len(program)
    steps = _steps(program, conditions)
    popped = _popped(steps, program.launch.entry)
    returning = _returning(steps, popped)
    successors: list[tuple[int, ...]] = []
    runs_off: list[int] = []
    for number, step in enumerate(steps):
        if step.goes == (number + 1,) and number + 1 < size and not (step.ends or step.pops or step.calls is not None):
            successors.append(step.goes)
            continue
        places = [*step.goes, *sorted(popped[number])]
        if step.calls in returning:
            places.append(number + 1)
        inside = [place for place in dict.fromkeys(places) if 0 <= place < size]
        called = [] if step.calls is None else [step.calls]
        outside = any(not 0 <= place < size for place in places + called)
        if outside:
            runs_off.append(number)
        if outside or step.ends or not inside:
            inside.append(size)
        successors.append(tuple(inside))
    calls = tuple((number, step.calls) for number, step in enumerate(steps) if step.calls is not None and 0 <= step.calls < size)
    return Ways(tuple(successors), tuple(runs_off), calls)


def _steps(program: Program, conditions: Mapping[int, bool]) -> list[Step]:
    """What each instruction does to a lane's way: most only lead to the next one."""
    steps = [Step((number + 1,)) for number in range(len(program))]
    before = running_sum(np.append(False, program.uops[:, u.UNIT] == u.CONTROL))  # control micro-ops before each one
    first, count = program.code[:, u.FIRST_UOP], program.code[:, u.COUNT]
    for number in np.flatnonzero(before[first + count] > before[first]).tolist():
        steps[number] = _step(program, number, conditions)
    return steps


def _step(program: Program, number: int, conditions: Mapping[int, bool]) -> Step:
    """What the control micro-ops of an instruction do, of which there are some."""
    first, count = int(program.code[number, u.FIRST_UOP]), int(program.code[number, u.COUNT])
    rows = [(k, row) for k, row in enumerate(program.uops[first : first + count].tolist(), first) if row[u.UNIT] == u.CONTROL]
    step = Step()
    for k, row in rows:
        for letter in _settled(row, conditions.get(k)):
            _go(step, letter, row, number + 1)
        if row[u.PREDICATE] != u.NONE:
            step.goes = (number + 1, *step.goes)
    return step


def _settled(row: Sequence[int], taken: bool | None) -> str:
    """The letters of an operation's control flow, without those that this micro-op's operands rule out. taken: of a branch, if known."""
    operation = u.OPERATIONS[row[u.OP]]
    if operation.name == "branch":
        if row[u.IMM] == 0:
            taken = bool(row[u.FLAGS] & u.NEGATE)
        return operation.flow if taken is None else u.TO_TARGET if taken else u.NEXT
    if operation.flow == u.THROUGH_REGISTER and row[u.TARGET] != u.NONE:
        return u.TO_TARGET if row[u.DST] == u.NONE else u.CALLS
    if operation.flow == u.THROUGH_REGISTER and row[u.DST] != u.NONE:
        return u.NEXT
    if operation.name == "set_mask" and row[u.A] == u.IMMEDIATE:
        return u.ENDS if row[u.IMM] == 0 else u.NEXT
    return operation.flow


def _go(step: Step, letter: str, row: Sequence[int], following: int) -> None:
    if letter == u.NEXT:
        step.goes += (following,)
    elif letter == u.TO_TARGET:
        step.goes += (row[u.TARGET],)
    elif letter == u.ENDS:
        step.ends = True
    elif letter == u.POPS:
        step.pops = True
    elif letter == u.PUSHES_TARGET:
        step.pushes = row[u.TARGET]
    elif letter == u.PUSHES_RECONVERGENCE:
        step.pushes = row[u.RECONVERGE]
    elif letter == u.CALLS:
        step.calls = row[u.TARGET]
    elif letter == u.THROUGH_REGISTER:
        step.ends = step.returns = True


def _popped(steps: Sequence[Step], entry: int) -> list[set[int]]:
    """Where each instruction's pop may lead. A pop of an empty stack is a fault, and leads nowhere.

    A program that pushes different places in a loop without popping them has more stacks than can be followed; then every pop may
    lead to every place that is ever pushed.
    """
    found: list[set[int]] = [set() for _ in steps]
    if not any(step.pops for step in steps):
        return found
    start: tuple[int, tuple[int, ...]] = (entry, ())
    seen = {start}
    waiting = [start] if 0 <= entry < len(steps) else []
    while waiting:
        number, stack = waiting.pop()
        step = steps[number]
        after = stack if step.pushes is None else (*stack, step.pushes)
        following = [(place, after) for place in step.goes]
        if step.calls is not None:
            following += [(step.calls, after), (number + 1, after)]
        if step.pops and stack:
            found[number].add(stack[-1])
            following.append((stack[-1], stack[:-1]))
        for state in following:
            if 0 <= state[0] < len(steps) and len(state[1]) <= DEEPEST and state not in seen:
                seen.add(state)
                waiting.append(state)
        if len(seen) > STACKS * len(steps) + DEEPEST:
            everywhere = {step.pushes for step in steps if step.pushes is not None}
            return [everywhere if step.pops else set() for step in steps]
    return found


def _returning(steps: Sequence[Step], popped: Sequence[set[int]]) -> set[int]:
    """The instructions from which a return of the function that they belong to can be reached."""
    before: dict[int, list[int]] = {}
    callers: dict[int, list[int]] = {}
    for number, step in enumerate(steps):
        for place in (*step.goes, *popped[number]):
            before.setdefault(place, []).append(number)
        if step.calls is not None:
            callers.setdefault(step.calls, []).append(number)
    found: set[int] = set()
    waiting = [number for number, step in enumerate(steps) if step.returns]
    while waiting:
        number = waiting.pop()
        if number in found:
            continue
        found.add(number)
        waiting += before.get(number, [])
        waiting += [caller for caller in callers.get(number, []) if caller + 1 in found]
        if number > 0 and steps[number - 1].calls in found:
            waiting.append(number - 1)
    return found
