"""Profile: what each line of the source cost, and why.

A line's cycles are warp-cycles: those in which a warp issued an instruction of the line, or stood at it and waited for a
reason by Nsight Compute's name. A wait is on the account of the instruction that waits, not of the one that is waited for, as in NVIDIA's
profiler; only a wait at a barrier is on the barrier's own account. Together they are all the cycles of all warps.

On cores that run one instruction at a time a core is one warp, and what it does is the state of its sequencer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

import numpy as np

from warploom.isa import uop as u
from warploom.isa.analysis.entrances import only_caller
from warploom.isa.program import Program
from warploom.machine.accounting import reasons as r
from warploom.machine.config.schema import Config
from warploom.machine.run.result import RunResult
from warploom.machine.sequencer.states import DECODE
from warploom.observe.facts import lane_states
from warploom.observe.facts import timeline as t
from warploom.observe.facts.events import profile_of
from warploom.observe.facts.lane_addresses import Addresses, lane_addresses
from warploom.observe.facts.timeline import Activity

# What is counted beside cycles, by instruction and by line: columns of `Profile.counts`.
COUNTS = {
    "issues": "warp-instructions issued",
    "lanes": "active lanes, summed over the issues",
    "diverged": "branches at which the lanes of a warp disagreed",
    "accesses": "warp accesses to memory or textures",
    "transactions": "transactions that they took",
    "transactions_needed": "transactions that would do for as many bytes, were they together; 0 for textures, where the filter decides",
    "hits": "transactions that found their line in the first cache",
    "misses": "transactions that did not",
    "shared_accesses": "warp accesses to shared memory",
    "passes": "passes of shared memory that they took",
    "passes_needed": "passes that would do without bank conflicts",
    "lanes_diverged": "lanes of the issues that had diverged: their thread waited for others of its warp",
    "lanes_ended": "lanes of the issues whose thread had ended",
}
(ISSUES, LANES, DIVERGED, ACCESSES, TRANSACTIONS, TRANSACTIONS_NEEDED, HITS, MISSES, SHARED_ACCESSES, PASSES,
 PASSES_NEEDED, LANES_DIVERGED, LANES_ENDED) = range(len(COUNTS))  # fmt: skip


@dataclass(frozen=True, eq=False)
class Line:
    """What a line of the source cost; a program without a source has a line per instruction.

    number: from 1, or 0 without a source. text: the line. instructions: their numbers. spent: int64[activities], warp-cycles.
    counts: int64[len(COUNTS)]. file: which of the program's sources it is in.
    """

    number: int
    text: str
    instructions: tuple[int, ...]
    spent: np.ndarray
    counts: np.ndarray
    file: int = 0

    @property
    def cycles(self) -> int:
        """Warp-cycles of the line."""
        return int(self.spent.sum())

    def each(self, count: int, per: int) -> float | None:
        """One count divided by a second one, as TRANSACTIONS by ACCESSES; None where there is nothing to count."""
        return float(self.counts[count] / self.counts[per]) if self.counts[per] else None

    @property
    def hit_rate(self) -> float | None:
        """The share of the looked-up transactions that hit the first cache, 0 to 1."""
        looked = int(self.counts[HITS] + self.counts[MISSES])
        return float(self.counts[HITS] / looked) if looked else None


@dataclass(frozen=True, eq=False)
class Profile:
    """What each instruction of a run cost.

    spent: int64[instructions, activities], warp-cycles by what `activities` says. counts: int64[instructions, len(COUNTS)].
    counters: of the run. addresses: what the lanes of a warp asked memory for, of some instructions (`lane_addresses`).
    findings: of a run with checks. units: as a `RunResult` has them.
    """

    program: Program
    config: Config
    status: str
    cycles: int
    activities: tuple[Activity, ...]
    spent: np.ndarray
    counts: np.ndarray
    counters: dict[str, int]
    addresses: Addresses
    findings: tuple[Any, ...] = ()
    units: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_warps(self) -> bool:
        """Whether the cores have warps; else they run one instruction at a time."""
        return self.config.has.warps

    @property
    def warp_cycles(self) -> int:
        """Warp-cycles of the whole run."""
        return int(self.spent.sum())

    def share(self, *names: str) -> float:
        """The share of all warp-cycles that went to these activities, 0 to 1."""
        return int(self.of(*names).sum()) / self.warp_cycles if self.warp_cycles else 0.0

    def of(self, *names: str) -> np.ndarray:
        """int64[instructions]: the warp-cycles of each that went to these activities."""
        return self.spent[:, [number for number, activity in enumerate(self.activities) if activity.name in names]].sum(axis=1)

    @property
    def block_threads(self) -> int:
        """Threads of a block."""
        return self.program.launch.block_threads or self.config.core.threads_per_block

    @property
    def warps(self) -> int:
        """Warps of the whole launch."""
        whole, rest = divmod(self.program.launch.threads, self.block_threads)
        lanes = self.config.core.lanes if self.has_warps else self.config.core.threads_per_block
        return whole * -(-self.block_threads // lanes) + -(-rest // lanes)

    @property
    def busy_cores(self) -> int:
        """Cores that had a block at any time, at most."""
        blocks = -(-self.program.launch.threads // self.block_threads)
        return max(min(self.config.gpu.cores, self.warps if self.config.gpu.dispatch == "split" else blocks), 1)

    def lane_shares(self) -> dict[str, float]:
        """The shares of the lanes of all issues that were active, and that were not, by the word for why; 0 to 1."""
        full = int(self.counts[:, ISSUES].sum()) * (self.config.core.lanes if self.has_warps else self.config.core.threads_per_block)
        counted = {"active": LANES, lane_states.DIVERGED: LANES_DIVERGED, lane_states.ENDED: LANES_ENDED}
        shares = {name: int(self.counts[:, column].sum()) / full if full else 0.0 for name, column in counted.items()}
        return shares | {lane_states.NO_THREAD: 1 - sum(shares.values()) if full else 0.0}

    def line_of(self, instruction: int) -> str:
        """`line 12` for a message, or `instruction 7` without a source."""
        place = self.program.position(instruction)
        if place.file:
            return self.program.place_text(instruction, only_caller(self.program, instruction))
        return f"line {place.line}" if place.line else f"instruction {instruction}"

    def lines(self) -> list[Line]:
        """The lines that have instructions, file by file: those whose text is here first, then by their first instructions.

        Those of a compiler's run-time only if they have taken any time: a program is linked with more of it than it calls.
        """
        program = self.program
        groups: dict[tuple[int, int, int], list[int]] = {}
        for instruction in range(len(program)):
            place = program.position(instruction)
            groups.setdefault((place.file, place.line, 0 if place.line else instruction), []).append(instruction)
        sources = [source.lines for source in program.sources]
        found = []
        first = {file: numbers[0] for (file, _, _), numbers in reversed(groups.items())}
        ranks = {file: (not program.sources[file].text.strip(), number) for file, number in first.items()}
        for (file, number, _), mine in sorted(groups.items(), key=lambda group: (ranks[group[0][0]], group[0])):
            if program.sources[file].of_runtime and not self.spent[mine].any():
                continue
            text = sources[file][number - 1] if 0 < number <= len(sources[file]) else program.text[mine[0]]
            if not text.strip():  # its file is not here, as a compiler's run-time
                text = f"{PurePath(program.sources[file].path).name}: {program.text[mine[0]]}"
            elif len(sources) > 1 and program.sources[file].path.startswith("<"):  # no file: a text that was made, whose lines say nothing
                text = f"{program.sources[file].path} {text.strip()}"
            found.append(Line(number, text, tuple(mine), self.spent[mine].sum(axis=0), self.counts[mine].sum(axis=0), file))
        return found


def profile(result: RunResult, *, progress: Callable[[int], None] | None = None, addresses: bool = True) -> Profile:
    """The profile of a run. It needs no events; the run is repeated for what a run does not keep, of cores with warps only its beginning,
    and that for the addresses of lanes alone: addresses=False leaves them out.

    Of a launch on a device that keeps no copy of memory (`Device.run`) it says nothing of what lanes have accessed.
    progress: see `timeline`.
    """
    if not result.has.profile:
        activities, spent, counts = _of_sequencer(result, progress)
        looked: Addresses = {}
    else:
        activities, spent, counts = t.WARP_ACTIVITIES, *_of_warps(result)
        repeatable = addresses and result.rebuild is not None
        looked = lane_addresses(result, _worth_examining(result.program, counts)) if repeatable else {}
    return Profile(
        result.program, result.config, result.status, result.cycles, activities, spent, counts, dict(result.counters), looked,
        result.findings, result.units,
    )  # fmt: skip


def _of_warps(result: RunResult) -> tuple[np.ndarray, np.ndarray]:
    """(spent, counts) from what cores with warps have counted."""
    rows, program, config = profile_of(result, "a profile"), result.program, result.config
    spent = rows[:, : len(r.REASONS)].copy()
    for after in np.flatnonzero(spent[:, r.BARRIER]).tolist():  # a warp that waits at a barrier stands after it already
        if after and "barrier" in operations(program, after - 1):
            spent[after - 1, r.BARRIER] += spent[after, r.BARRIER]
            spent[after, r.BARRIER] = 0
    unit = program.code[:, u.ISSUE_UNIT]
    shared = unit == u.SHARED
    counts = np.zeros((len(rows), len(COUNTS)), np.int64)
    for count, column in ((ISSUES, r.ISSUES), (LANES, r.LANES), (DIVERGED, r.DIVERGED), (TRANSACTIONS, r.TRANSACTIONS),
                          (HITS, r.HITS), (MISSES, r.MISSES), (PASSES, r.PASSES), (LANES_DIVERGED, r.LANES_DIVERGED),
                          (LANES_ENDED, r.LANES_ENDED)):  # fmt: skip
        counts[:, count] = rows[:, column]
    counts[:, ACCESSES] = np.where(shared, 0, rows[:, r.ACCESSES])
    counts[:, SHARED_ACCESSES] = np.where(shared, rows[:, r.ACCESSES], 0)
    sectors_a_line = max(config.l1.line // config.lsu.sector, 1)
    together = np.maximum(counts[:, ACCESSES], -(-rows[:, r.SECTORS_NEEDED] // sectors_a_line))
    counts[:, TRANSACTIONS_NEEDED] = np.where(unit == u.TEXTURE, 0, np.minimum(together, counts[:, TRANSACTIONS]))
    counts[:, PASSES_NEEDED] = np.minimum(counts[:, SHARED_ACCESSES] * _least_passes(program, config), counts[:, PASSES])
    return spent, counts


def _least_passes(program: Program, config: Config) -> np.ndarray:
    """int64[instructions]: passes of shared memory without bank conflicts, of each access."""
    of_uop = np.where(program.uops[:, u.UNIT] == u.SHARED, np.maximum(program.uops[:, u.SIZE] // config.shared.bank_bytes, 1), 0)
    return np.array([of_uop[row[u.FIRST_UOP] : row[u.FIRST_UOP] + row[u.COUNT]].sum() for row in program.code], np.int64)


def _of_sequencer(result: RunResult, progress: Callable[[int], None] | None) -> tuple[tuple[Activity, ...], np.ndarray, np.ndarray]:
    """(activities, spent, counts) from what the cores were doing in every cycle."""
    line = t.timeline(result, progress)
    size = len(result.program)
    spans = line.spans[(line.spans[:, t.PC] >= 0) & (line.spans[:, t.PC] < size)]
    spent = np.zeros((size, len(line.activities)), np.int64)
    np.add.at(spent, (spans[:, t.PC], spans[:, t.ACTIVITY]), spans[:, t.STOP] - spans[:, t.START])
    counts = np.zeros((size, len(COUNTS)), np.int64)
    decoded = spans[spans[:, t.ACTIVITY] == DECODE]  # once an instruction
    np.add.at(counts, (decoded[:, t.PC], ISSUES), 1)
    np.add.at(counts, (decoded[:, t.PC], LANES), np.bitwise_count(decoded[:, t.MASK].astype(np.uint64)))
    return line.activities, spent, counts


def _worth_examining(program: Program, counts: np.ndarray) -> list[int]:
    """Instructions of which the lanes' addresses say why they cost what they cost: scattered ones, bank conflicts, atomics."""
    scattered = (counts[:, TRANSACTIONS] > counts[:, TRANSACTIONS_NEEDED]) & (counts[:, TRANSACTIONS_NEEDED] > 0)
    conflicting = counts[:, PASSES] > counts[:, PASSES_NEEDED]
    atomic = np.array([atomic_name(program, instruction) != "" for instruction in range(len(program))], bool)
    return np.flatnonzero(scattered | conflicting | atomic & (counts[:, ISSUES] > 0)).tolist()


def operations(program: Program, instruction: int) -> list[str]:
    """The names of an instruction's micro-ops, as `atomic_add`."""
    first, count = (int(program.code[instruction, column]) for column in (u.FIRST_UOP, u.COUNT))
    return [u.OPERATIONS[int(row[u.OP])].name for row in program.uops[first : first + count]]


def atomic_name(program: Program, instruction: int) -> str:
    """The name of an instruction's atomic operation; "" where it has none."""
    return next((name for name in operations(program, instruction) if name.startswith("atomic_")), "")


def profile_report(found: Profile, lines: list[Line]) -> dict[str, Any]:
    """A profile as plain numbers, strings, lists and dicts; `lines` are those that are wanted, in the wanted order.

    lines.spent: warp-cycles by activity, those that are not 0. transactions and the like are sums over the line's accesses.
    """
    names = [activity.name for activity in found.activities]
    return {
        "isa": found.program.isa,
        "program": found.program.name,
        "file": found.program.source.path,
        "gpu": found.config.name,
        "status": found.status,
        "cycles": found.cycles,
        "warp_cycles": found.warp_cycles,
        "spent": _nonzero(names, found.spent.sum(axis=0)),
        "lanes": {name.replace(" ", "_"): share for name, share in found.lane_shares().items()},
        "findings": [one.as_dict() for one in found.findings],
        "lines": [
            {"line": line.number, "text": line.text.strip(), "instructions": list(line.instructions), "cycles": line.cycles}
            | {"spent": _nonzero(names, line.spent)}
            | {name: int(value) for name, value in zip(COUNTS, line.counts, strict=True)}
            for line in lines
        ],
    }


def _nonzero(names: list[str], values: np.ndarray) -> dict[str, int]:
    return {name: int(value) for name, value in zip(names, values, strict=True) if value}
