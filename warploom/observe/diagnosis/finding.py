"""What a rule finds: its record, the thresholds of all rules, and the words that they share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from warploom.machine.config.pipes import issue_slots
from warploom.machine.config.schema import settings
from warploom.observe import profile as p
from warploom.observe.facts.producers import waits_for_shared
from warploom.observe.profile import Profile

# Thresholds. A share is one of all warp-cycles of the run.
MEMORY = 0.10  # from this share of memory's reasons on, it matters how memory is accessed
SCATTERED = 2.0  # times as many transactions, or passes, as would do
SMALL = 0.10  # of all transactions, or passes, of the run: an instruction that wastes fewer is not worth a word
IDLE_LANES = 0.25  # share of the lanes of the issued instructions
IDLE_ROOM = 0.25  # share of the machine's room for blocks
DOUBLE = 0.10  # share of 64-bit floats that 32-bit numbers are turned into
STALLED = 0.25  # share of one reason
LATENCY = 0.50  # share of waiting for results
SLOW = 4.0  # times as long as the machine's simplest operation, from which on an operation is called slow
QUIET_ISSUE = 0.50  # share of the issue slots in use, below which more warps would help
BUSY = 0.75  # share of its time in which a memory channel serves a request
ITERATIONS = 4  # iterations per warp of a loop around a lock
FETCHING = 0.50  # share of FETCH, on cores that run one instruction at a time
DATA_WAIT = 0.25  # share of WAIT there

# Beside `waitcnt`, which is for either.
MEMORY_REASONS = ("long_scoreboard", "lg_throttle", "membar", "drain")
SHARED_REASONS = ("short_scoreboard", "mio_throttle")


class Trial(NamedTuple):
    """A run with one setting changed. change: as `core.divergence=its`. status, cycles: of that run. before: cycles without the change."""

    change: str
    status: str
    cycles: int
    before: int

    def __str__(self) -> str:
        return f"with {self.change}: {self.told}"

    @property
    def told(self) -> str:
        """What it gave: `5 210 cycles, 1.31 times as fast`."""
        if self.status == "timeout":
            return f"still running after {number(self.cycles)} cycles, {self.cycles / self.before:.2g} times as many"
        if self.status != "done":
            return f"the run ends with a fault after {number(self.cycles)} cycles"
        if self.cycles == self.before:
            return "no difference"
        if self.cycles < self.before:
            times = self.before / self.cycles
            gain = f"{times:.2f} times as fast" if times >= 1.1 else f"{100 * (1 - self.cycles / self.before):.1f} % fewer"
            return f"{number(self.cycles)} cycles, {gain}"
        return f"{number(self.cycles)} cycles, {100 * (self.cycles / self.before - 1):.1f} % more"


@dataclass(frozen=True)
class Finding:
    """One cause. rule: its name. instructions: where. cycles: the warp-cycles that it concerns, all over the run.

    what: what is so; advice: what to try. reasons: the stall reasons in which it shows. trials: what changes of the machine gave, where
    they were asked for. after: the share of the run, 0 to 1, of what goes on after the last warp has ended.
    """

    rule: str
    instructions: tuple[int, ...]
    cycles: int
    what: str
    advice: str
    reasons: tuple[str, ...] = ()
    trials: tuple[Trial, ...] = ()
    after: float = 0.0

    def share_here(self, found: Profile) -> float:
        """The share of all warp-cycles that went to the instructions that it names, 0 to 1."""
        return int(found.spent[list(self.instructions)].sum()) / found.warp_cycles if found.warp_cycles else 0.0

    def __str__(self) -> str:
        return f"{self.what}. Try: {self.advice}."


def places(found: Profile, instructions: list[int]) -> str:
    """`line 4`, or `lines 4, 5 and 9`; of a compiler's run-time, the files and the functions too."""
    if len(instructions) == 1 or any(map(found.program.in_runtime, instructions)):
        return together(list(dict.fromkeys(map(found.line_of, instructions))))
    lines = [found.program.position(instruction).line for instruction in instructions]
    noun, numbers = ("line", lines) if all(lines) else ("instruction", instructions)
    names = [str(name) for name in dict.fromkeys(numbers)]
    return f"{noun}{'s' * (len(names) > 1)} {together(names)}"


def together(names: list[str]) -> str:
    """`a`, or `a, b and c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def memory_waits(found: Profile) -> np.ndarray:
    """int64[instructions]: the warp-cycles of each that memory held up."""
    return found.of(*MEMORY_REASONS, "waitcnt") - waits_for_shared(found.program, found.of("waitcnt"))


def shared_waits(found: Profile) -> np.ndarray:
    """int64[instructions]: the warp-cycles of each that shared memory held up."""
    return found.of(*SHARED_REASONS) + waits_for_shared(found.program, found.of("waitcnt"))


def hottest(values: np.ndarray) -> int:
    """The instruction with the most of something."""
    return int(values.argmax())


def busiest(found: Profile) -> int:
    """The instruction with most warp-cycles, of the line with most."""
    spent = found.spent.sum(axis=1)
    return max(max(found.lines(), key=lambda line: line.cycles).instructions, key=lambda number: int(spent[number]))


def number(value: float) -> str:
    """`4` or `2.5`: one digit after the point where it is not whole."""
    return f"{value:,.0f}".replace(",", " ") if abs(value - round(value)) < 0.05 else f"{value:.1f}"


def percent(share: float) -> str:
    """`37 %`, rounded down so that nothing short of all is 100 %."""
    return f"{int(100 * share + 1e-9)} %"


def of_time(found: Profile, cycles: float) -> str:
    """`37 % of the time`: of all warp-cycles."""
    return f"{percent(min(cycles / max(found.warp_cycles, 1), 1.0))} of the time"


def waiting(found: Profile, cycles: float) -> str:
    """The same with its subject: `37 % of the time warps wait`."""
    return f"{of_time(found, cycles)} warps wait"


def plural(count: float, noun: str, more: str = "") -> str:
    """`1 lane`, `4 lanes`."""
    return f"{number(count)} {noun if number(count) == '1' else more or noun + 's'}"


def twice(found: Profile, setting: str) -> str:
    """`--set lsu.queue=64`: twice what the machine has of something; "" where that is more than a machine can have, or for no setting."""
    limit = next((int(known.range.split(" .. ")[1]) for known in settings() if known.name == setting), 0)
    value = 2 * int(found.config[setting]) if setting else 0
    return f"--set {setting}={value}" if 0 < value <= limit else ""


def ratio(found: Profile, instruction: int, count: int, per: int) -> float:
    """One count of an instruction divided by a second one."""
    return float(found.counts[instruction, count] / max(found.counts[instruction, per], 1))


def issue_slots_used(found: Profile) -> float:
    """The share of the issue slots of cores with work in which an instruction issued."""
    slots = found.cycles * found.busy_cores * issue_slots(found.config)
    return int(found.counts[:, p.ISSUES].sum()) / slots if slots else 0.0
