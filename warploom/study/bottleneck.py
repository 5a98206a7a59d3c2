"""What holds a run up: one name and one share, from its counters, by three rules.

1. A memory whose channels are busy for at least three quarters of the run is the bottleneck: more of the same work takes longer,
   whatever the core does. If both are, the busier one.
2. Else the issue slots, if the cores with work issue in at least three quarters of their cycles.
3. Else what threads (cores that run one instruction at a time) or warps have spent most of their time with. Cores without a
   block do not count.
"""

from __future__ import annotations

from typing import NamedTuple

from warploom.isa.numbers import percentage
from warploom.machine.accounting.reasons import REASONS, WAITCNT
from warploom.machine.config.pipes import issue_slots
from warploom.machine.run.result import RunResult
from warploom.machine.run.store_tail import store_tail
from warploom.observe.facts.events import profile_of
from warploom.observe.facts.producers import waits_for_shared

FULL = 0.75  # from this share of its time on, a unit is the bottleneck

PROGRAM_CHANNELS, DATA_CHANNELS, ISSUE_SLOTS = "program channels", "data channels", "issue slots"
FETCH, DATA, SHARED, STEPS = "instruction fetch", "data memory", "shared memory", "fixed steps"

# Where each of the reasons for which a warp did not issue belongs.
OF_REASON = {
    "selected": "issuing", "not_selected": "issuing",
    "no_instruction": FETCH, "imc_miss": FETCH,
    "long_scoreboard": DATA, "lg_throttle": DATA, "tex_throttle": DATA, "membar": DATA, "drain": DATA,
    "waitcnt": DATA,  # but for waits for shared memory
    "short_scoreboard": SHARED, "mio_throttle": SHARED,
    "wait": "arithmetic", "math_pipe_throttle": "arithmetic",
    "barrier": "barriers", "branch_resolving": "branches", "dispatch_stall": "dispatch",
}  # fmt: skip


class Bottleneck(NamedTuple):
    """name: what holds the run up. share: of its capacity (rules 1 and 2) or of the time spent (rule 3), 0 to 1."""

    name: str
    share: float

    def __str__(self) -> str:
        return f"{self.name}, {percentage(self.share)}"


def bottleneck(result: RunResult) -> Bottleneck:
    """What held a run up, by the rules above."""
    full = [found for found in _channels(result) if found.share >= FULL]
    if full:
        return max(full, key=lambda found: found.share)
    if result.config.has.warps:
        slots = _issue_slots(result)
        return slots if slots.share >= FULL else _most(_by_reason(result))
    return _most(_by_state(result))


def held_up(result: RunResult) -> str:
    """What the run spent most of its time waiting for, with its share: a reason for which warps did not issue, or else the bottleneck.

    `stores` where most of it is after the last warp's end.
    """
    counters = result.counters
    total = counters.get("warp_cycles", 0)
    if not total:
        return str(bottleneck(result))
    tail = store_tail(counters, result.config)
    if tail > result.cycles / 2:
        return f"stores {percentage(tail / result.cycles)}"
    name = max((reason.name for reason in REASONS if reason.name != "selected"), key=lambda name: counters[f"{name}_warp_cycles"])
    waited = counters[f"{name}_warp_cycles"]
    return f"{name} {percentage(waited / total)}" if waited else "nothing"


def _channels(result: RunResult) -> list[Bottleneck]:
    """How busy the channels of both memories were, as far as the machine has any."""
    if result.config.memory.kind != "channels" or not result.cycles:
        return []
    memory, found = result.config.memory, []
    for name, counter, channels in (
        (PROGRAM_CHANNELS, "program_channel_busy_cycles", memory.program_channels),
        (DATA_CHANNELS, "data_channel_busy_cycles", memory.data_channels),
    ):
        # A channel is still busy with its last handshake when the run has ended.
        found.append(Bottleneck(name, min(result.counters[counter] / (result.cycles * channels), 1.0)))
    return found


def _issue_slots(result: RunResult) -> Bottleneck:
    config, launch = result.config, result.program.launch
    blocks = -(-launch.threads // (launch.block_threads or config.core.threads_per_block))
    slots = result.cycles * max(min(config.gpu.cores, blocks), 1) * issue_slots(config)
    return Bottleneck(ISSUE_SLOTS, result.instructions / slots if slots else 0.0)


def _by_reason(result: RunResult) -> dict[str, int]:
    spent: dict[str, int] = {}
    for reason in REASONS:
        group = OF_REASON[reason.name]
        spent[group] = spent.get(group, 0) + result.counters[f"{reason.name}_warp_cycles"]
    if result.counters["waitcnt_warp_cycles"]:
        waits = profile_of(result, "the bottleneck")[:, WAITCNT]
        shared = int(waits_for_shared(result.program, waits).sum())
        spent[DATA], spent[SHARED] = spent[DATA] - shared, spent[SHARED] + shared
    return spent


def _by_state(result: RunResult) -> dict[str, int]:
    counters = result.counters
    steps = sum(counters[f"{state}_thread_cycles"] for state in ("decode", "request", "wait", "execute", "update"))
    data = counters["data_wait_thread_cycles"]
    return {FETCH: counters["fetch_thread_cycles"], DATA: data, STEPS: steps - data}


def _most(spent: dict[str, int]) -> Bottleneck:
    total = sum(spent.values())
    name = max(spent, key=lambda group: spent[group])
    return Bottleneck(name, spent[name] / total) if total else Bottleneck("nothing to do", 0.0)
