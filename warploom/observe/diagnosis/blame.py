"""Blame: a wait for a result is on the account of the instruction that waits; here it is laid on the one that is waited for."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from warploom.isa import uop as u
from warploom.isa.analysis.control_flow import Flow
from warploom.machine.config.pipes import latency as of_class
from warploom.observe.facts.producers import LOADS, Producers
from warploom.observe.profile import ISSUES, LANES, LANES_DIVERGED, Profile

# A reason, and the units whose results it waits for.
RESULTS: dict[str, tuple[int, ...]] = {
    "long_scoreboard": (u.MEMORY, u.TEXTURE),
    "short_scoreboard": (u.SHARED, u.SPECIAL, u.ALU),
    "wait": (u.ALU,),
    "waitcnt": LOADS,
}
LEAST = 0.001  # share of all warp-cycles below which a wait is not followed back
FROM_MEMORY = 1 << 20  # a load is slower than any arithmetic: its latency stands in no table
MOST_CHAIN = 64  # instructions of a loop among which a chain is looked for, each with its own


class Blame:
    """Who is waited for. caused: float64[instructions], the warp-cycles that others wait for a result of each."""

    def __init__(self, found: Profile) -> None:
        self.found, self.producers = found, Producers(found.program)
        self.caused = np.zeros(len(found.program))
        for reason, units in RESULTS.items():
            waits = found.of(reason)
            for waiting in np.flatnonzero(waits > LEAST * found.warp_cycles).tolist():
                made = self.producers.of(waiting, units)
                slowest = max((self.latency(number) for number in made), default=0)
                guilty = [number for number in made if self.latency(number) == slowest]
                for number in guilty:
                    self.caused[number] += waits[waiting] / len(guilty)

    def latency(self, instruction: int) -> int:
        """Cycles from the issue of an instruction to its result; FROM_MEMORY for a load."""
        unit, kind = (int(self.found.program.code[instruction, column]) for column in (u.ISSUE_UNIT, u.ISSUE_LATENCY))
        if unit in (u.MEMORY, u.TEXTURE):
            return FROM_MEMORY
        if unit == u.SHARED:
            return int(self.found.config.shared.latency)
        name = u.LATENCIES[kind]
        return of_class(self.found.config, name) if name not in ("control", "memory") else 0

    def recurrence(self, instructions: list[int]) -> tuple[int, ...]:
        """The longest chain of instructions that a loop repeats in which each needs the result of the one before, and the first that of
        the last one, an iteration earlier; () where there is none. Between equal ones that of numbers with a point goes before a
        counter's."""
        inside = set(instructions)
        needs = {
            number: [made for made in self.producers.of(number, (*LOADS, u.ALU, u.SPECIAL), read_only=True) if made in inside]
            for number in inside
        }
        found = [way for number in sorted(inside)[:MOST_CHAIN] for way in self._back_to(number, needs)]
        return max(found, key=lambda way: (sum(map(self.latency, way)), any(map(self._of_floats, way)), way[0]), default=())

    def _back_to(self, start: int, needs: dict[int, list[int]]) -> Iterator[tuple[int, ...]]:
        """The shortest chain from an instruction back to itself."""
        seen: set[int] = set()
        ways: list[tuple[int, ...]] = [(start,)]
        while ways:
            way = ways.pop(0)
            for made in needs[way[-1]]:
                if made == start:
                    yield way
                    return
                if made not in seen:
                    seen.add(made)
                    ways.append((*way, made))

    def _of_floats(self, instruction: int) -> bool:
        name = u.LATENCIES[int(self.found.program.code[instruction, u.ISSUE_LATENCY])]
        return name.startswith(("float", "fma", "double", "special", "half"))


@lru_cache(maxsize=1)
def blame(found: Profile) -> Blame:
    """Who is waited for in a run."""
    return Blame(found)


def loops(found: Profile) -> list[list[int]]:
    """The instructions of each loop, the innermost ones first."""
    flow = Flow(found.program)
    inside = [
        sorted(number for block in loop.blocks for number in range(flow.blocks[block].first, flow.blocks[block].last + 1))
        for loop in flow.loops
    ]
    return sorted(inside, key=len)


def before_barrier(found: Profile, barrier: int) -> list[int]:
    """The instructions that a warp may execute after the barrier before this one, and before it."""
    before = blame(found).producers.before
    seen: set[int] = set()
    open_ones = list(before[barrier])
    while open_ones:
        number = open_ones.pop()
        if number in seen or number == barrier or _is_barrier(found, number):
            continue
        seen.add(number)
        open_ones += before[number]
    return sorted(seen)


def behind_barriers(found: Profile) -> dict[str, float]:
    """The waits at barriers that only pass on another wait, by `memory` and `shared`: the warps of a block do the same there, and
    come one after the other since a unit serves them so. Where some have more to do than others, it is the barrier's own matter."""
    passed = {"memory": 0.0, "shared": 0.0}
    of_memory, of_shared = found.of("long_scoreboard", "lg_throttle", "drain"), found.of("short_scoreboard", "mio_throttle")
    waits = found.of("barrier")
    for barrier in np.flatnonzero(waits > LEAST * found.warp_cycles).tolist():
        before, arrivals = before_barrier(found, barrier), int(found.counts[barrier, ISSUES])
        if not before or not arrivals or _uneven(found, before, arrivals):
            continue
        spent = float(found.spent[before].sum())
        memory, shared = float(of_memory[before].sum()), float(of_shared[before].sum())
        if memory + shared < spent / 2:
            continue
        passed["memory"] += int(waits[barrier]) * memory / (memory + shared)
        passed["shared"] += int(waits[barrier]) * shared / (memory + shared)
    return passed


def _uneven(found: Profile, instructions: list[int], arrivals: int) -> bool:
    """Whether some warps, or some lanes of them, do what others that arrive at the same barrier do not."""
    issues, counts = found.counts[instructions, ISSUES], found.counts[instructions]
    return bool((issues % arrivals).any() or counts[:, LANES_DIVERGED].sum() > counts[:, LANES].sum() / 8)


def _is_barrier(found: Profile, instruction: int) -> bool:
    first, count = (int(found.program.code[instruction, column]) for column in (u.FIRST_UOP, u.COUNT))
    return any(u.OPERATIONS[int(row[u.OP])].name == "barrier" for row in found.program.uops[first : first + count])
