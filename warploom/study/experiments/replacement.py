"""Hit rates of replacement policies on two patterns: a loop that is larger than the cache, and reuse between passing lines."""

from __future__ import annotations

import random
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from warploom.isa.numbers import percentage
from warploom.machine.config.presets import load_config
from warploom.machine.memory.replacement import POLICIES
from warploom.study.experiments.experiment import Claim, Experiment, Findings, Runner, Units, checked
from warploom.study.figure import Figure, Panel, Series
from warploom.study.kernels import FREE, Kernel
from warploom.study.sweep import Outcome, Task
from warploom.study.table import Column, Table

LINES, LINE, LANES = 16, 128, 32  # one set of 16 ways
ROUNDS = 24
EXPECTED_ROUNDS = 1000  # of the naive cache that random replacement is held against
CYCLIC = (8, 12, 15, 16, 17, 18, 20, 24, 32)  # lines of the loop
HOT = 8  # lines that come again in every round
PASSING = (0, 2, 4, 6, 8, 9, 10, 12, 16)  # lines between that never come again
PATTERNS = {"loop": CYCLIC, "reuse": PASSING}
MACHINE: dict[str, Any] = {"l1.bytes": LINES * LINE, "l1.line": LINE, "l1.ways": LINES, "l1.sets": 0, "fetch.buffer": 0}


def cyclic(lines: int) -> list[int]:
    """0, 1, 2 ... and again from the start."""
    return [number for _ in range(ROUNDS) for number in range(lines)]


def reuse(passing: int) -> list[int]:
    """The hot lines, then lines that are never wanted again, and again from the start."""
    found: list[int] = []
    for turn in range(ROUNDS):
        found += range(HOT)
        found += range(HOT + turn * passing, HOT + (turn + 1) * passing)
    return found


def kernel(pattern: Sequence[int]) -> Kernel:
    """A warp loads one line after the other, each when the one before has come."""
    k = Kernel()
    zero, value = FREE, FREE + 1
    for line in pattern:
        k.load(value, zero, offset=line * LINE)
        k.op("add", zero, zero, value)  # memory is all zeros: only the waiting is wanted
    k.exit()
    return k


def expected_random(lines: int) -> float:
    """Hit rate of random replacement on a loop: a set of lines, Python's random numbers, many rounds.

    With one line too many it must come to 1 - 2 / (capacity + 1): the missing line is then equally often each number of lines ahead.
    """
    chance = random.Random(1985)
    held: list[int] = []
    hits = 0
    for turn in range(EXPECTED_ROUNDS):
        for line in range(lines):
            if line in held:
                hits += turn > 0
            elif len(held) < LINES:
                held.append(line)
            else:
                held[chance.randrange(LINES)] = line
    return hits / (lines * (EXPECTED_ROUNDS - 1))


def measure(run: Runner, units: Units = MappingProxyType({})) -> Findings:
    """Hit rates after the first round, for each policy, pattern and size."""
    policies = (*POLICIES, *units)
    points = [(pattern, size, policy) for pattern, sizes in PATTERNS.items() for size in sizes for policy in policies]
    tasks = []
    for pattern, size, policy in points:
        order = cyclic(size) if pattern == "loop" else reuse(size)
        program = kernel(order).program(f"{pattern}-{size}", threads=LANES, block=LANES, memory_bytes=(max(order) + 1) * LINE)
        ours = {} if policy in units else {"l1.replacement": policy}
        theirs = {"replacement": units[policy]} if policy in units else {}
        tasks.append(Task(program, load_config("sm", MACHINE | ours), units=theirs))
    outcomes = dict(zip(points, checked(points, run(tasks)), strict=True))
    rows = []
    for pattern, sizes in PATTERNS.items():
        for size in sizes:
            row: dict[str, Any] = {"pattern": pattern, "size": size}
            row |= {policy: _rate(pattern, size, outcomes[pattern, size, policy]) for policy in policies}
            row["published"] = expected_random(size) if pattern == "loop" else None
            rows.append(row)
    columns = [Column("pattern", "pattern"), Column("size", "lines")]
    columns += [Column(policy, policy, percent=True) for policy in policies]
    columns.append(Column("published", "random, naive cache", percent=True))
    notes = (
        f"loop: so many lines one after the other, again and again; reuse: {HOT} lines that come again, so many others between; "
        f"the cache holds {LINES} lines; hit rate of the lines that come again, from their second time on",
    )
    table = Table(rows, tuple(columns), notes)
    return Findings(table, _figure(rows, policies), _claims(rows))


def _rate(pattern: str, size: int, outcome: Outcome) -> float:
    again = (size if pattern == "loop" else HOT) * (ROUNDS - 1)
    return outcome.counters["l1_hits"] / again


def _figure(rows: list[dict[str, Any]], policies: tuple[str, ...]) -> Figure:
    panels = []
    for pattern, sizes in PATTERNS.items():
        of_pattern = [row for row in rows if row["pattern"] == pattern]
        series = [Series(policy, sizes, tuple(100 * row[policy] for row in of_pattern)) for policy in policies]
        if pattern == "loop":
            expected = tuple(100 * row["published"] for row in of_pattern)
            series.append(Series("random, a naive cache", sizes, expected, published=True))
        title = "a loop over lines" if pattern == "loop" else f"{HOT} lines that come again, others between"
        label = "lines of the loop" if pattern == "loop" else "lines between that never come again"
        panels.append(Panel(title, label, "hit rate (%)", tuple(series), ticks=tuple(range(0, max(sizes) + 1, 4))))
    return Figure(f"No policy is best: a cache of {LINES} lines", tuple(panels))


def _claims(rows: list[dict[str, Any]]) -> tuple[Claim, ...]:
    of = {(row["pattern"], row["size"]): row for row in rows}
    over = of["loop", LINES + 1]
    distance = max(abs(of["loop", size]["random"] - of["loop", size]["published"]) for size in CYCLIC)
    hot = of["reuse", HOT - 2]
    return (
        Claim(
            f"a loop of {LINES + 1} lines in {LINES}: LRU, FIFO",
            "0 %, 0 %",
            f"{percentage(over['lru'])}, {percentage(over['fifo'])}",
            "both throw out exactly the line that is wanted next: it must be exact",
        ),
        Claim(
            "random is better on such a loop",
            f"{percentage(1 - 2 / (LINES + 1))}, from 1 - 2 / (lines of the cache + 1)",
            f"{percentage(over['random'])}; at most {percentage(distance)} from a naive cache at all sizes",
            f"the rule is of the steady state, ours is {ROUNDS} rounds of one sequence of random numbers",
        ),
        Claim(
            f"reuse with {HOT - 2} lines between: LRU keeps all, FIFO does not",
            "100 %, less",
            f"{percentage(hot['lru'])}, {percentage(hot['fifo'])}",
            f"{HOT} + {HOT - 2} lines fit into {LINES}: LRU moves a line to the front when it is used, FIFO lets it age",
        ),
        Claim(
            "tree pseudo-LRU is close to LRU",
            "close",
            f"loop of {LINES + 1}: {percentage(over['plru'])} against {percentage(over['lru'])}; "
            f"reuse: {percentage(hot['plru'])} against {percentage(hot['lru'])}",
            f"{LINES - 1} bits forget most of the order: what it throws out is not always the line that is wanted next",
        ),
    )


EXPERIMENT = Experiment(
    "replacement",
    "Cache replacement",
    "Which line should go when a cache is full?",
    'J. E. Smith and J. R. Goodman, "Instruction cache replacement policies and organizations", IEEE Transactions on Computers 1985: '
    "random beats LRU and FIFO on loops that do not fit",
    f"One warp loads one line after the other through a first-level cache of one set of {LINES} ways, on the preset sm.",
    measure,
    "replacement",
)
