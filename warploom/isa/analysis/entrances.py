"""Entrances: from which of a user's instructions the run-time is entered that a compiler has linked with the program.

What happens in memcpy happens at a line that its user has never seen. The line that a message is about is the one that calls it: each
instruction of the run-time is reached by direct calls and jumps from some of the user's, whatever lies between them there.
"""

from __future__ import annotations

from collections.abc import Mapping

from warploom.isa.analysis.successors import ways
from warploom.isa.program import Program


def entrances(program: Program) -> Mapping[int, tuple[int, ...]]:
    """By instruction of the run-time: the user's instructions that lead there, in order, of those that have a line.

    What only the run-time itself leads to is not among them.
    """
    found: Mapping[int, tuple[int, ...]] = program.once("entrances", lambda: _entrances(program))
    return found


def only_caller(program: Program, instruction: int) -> int:
    """The user's instruction that leads to one of the run-time; -1 where none or several do, and of an instruction that is a user's."""
    callers = entrances(program).get(instruction, ()) if program.in_runtime(instruction) else ()
    return callers[0] if len(callers) == 1 else -1


def _entrances(program: Program) -> Mapping[int, tuple[int, ...]]:
    if not any(source.of_runtime for source in program.sources):
        return {}
    inside = [program.in_runtime(number) for number in range(len(program))]
    edges = ways(program)
    following: dict[int, list[int]] = {}
    for number, then in [*enumerate(edges.successors), *((caller, (called,)) for caller, called in edges.calls)]:
        following.setdefault(number, []).extend(place for place in then if place < len(program) and inside[place])
    reached: dict[int, set[int]] = {}
    for number, first in following.items():
        if inside[number] or not program.position(number).line:
            continue
        seen: set[int] = set()
        waiting = list(first)
        while waiting:
            place = waiting.pop()
            if place not in seen:
                seen.add(place)
                waiting += following.get(place, [])
        for place in seen:
            reached.setdefault(place, set()).add(number)
    return {place: tuple(sorted(numbers)) for place, numbers in reached.items()}
