"""Diagnosis: what slows a run down, by rules over the numbers of its profile, each with a threshold that is stated beside them.

A rule looks for one cause. It speaks only of what the numbers show: which line, how much, and what to try. A run that no rule
finds fault with gets no complaint. Findings are ordered by the share of the time that they concern, the true limiter first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from warploom.observe.diagnosis.finding import Finding
from warploom.observe.diagnosis.lanes import divergence, ended_lanes, partial_warps
from warploom.observe.diagnosis.memory import atomics, bank_conflicts, scattered
from warploom.observe.diagnosis.results import doubles, largest, latency, slow_operations
from warploom.observe.diagnosis.room import few_blocks, tail
from warploom.observe.diagnosis.time import barriers, busy_channels, fetch, issue, sequencer, spin, stores, throttle
from warploom.observe.profile import Profile

WASTE, REST, LIMIT, SYMPTOM = "waste", "rest", "limit", "symptom"


class Rule(NamedTuple):
    """A kind of finding. find: its test, which measures and words what it finds. applies: when it speaks, for the documentation.

    role: WASTE is work that need not be done; REST is what counts for the time that no waste takes: hardware that has nothing to do, or is
    full; LIMIT is what the machine can do at most; SYMPTOM is a wait that any of these may be the cause of.
    """

    name: str
    role: str
    find: Callable[[Profile], Iterator[Finding]]
    applies: str


RULES = (
    Rule("scattered", WASTE, scattered, "an access takes at least twice the transactions that it needs, a tenth of all transactions are "
         "wasted in this way, memory's stall reasons have 10 %, and fewer transactions would gain: they miss the cache, or the load/store "
         "unit is full"),
    Rule("bank conflicts", WASTE, bank_conflicts, "the same for passes of shared memory"),
    Rule("atomics", WASTE, atomics, "two or more lanes of a warp access one address in an atomic operation that makes a tenth of all "
         "accesses, and waiting for memory has 10 %"),
    Rule("divergence", WASTE, divergence, "a quarter of the lanes of all issued instructions had diverged; lanes that have ended or never "
         "had a thread do not count"),
    Rule("ended lanes", WASTE, ended_lanes, "a quarter of the lanes had ended while other lanes of their warp continued"),
    Rule("partial warps", WASTE, partial_warps, "a quarter of the lanes have no thread"),
    Rule("doubles", WASTE, doubles, "32-bit floats are turned into 64-bit ones, and a tenth of the time goes to those"),
    Rule("barriers", WASTE, barriers, "`barrier` has 25 %"),
    Rule("spin", WASTE, spin, "a warp executes a loop around an atomic exchange or compare-and-swap four times, and the loop has 25 %"),
    Rule("slow operation", WASTE, slow_operations, "warps wait a quarter of their time for operations that take four times as long as a "
         "simple one, a division mostly"),
    Rule("few blocks", REST, few_blocks, "a quarter of the cores get no block"),
    Rule("tail", REST, tail, "the last of several waves of blocks leaves a quarter of the room for warps empty"),
    Rule("fetch", LIMIT, fetch, "`no_instruction` and `imc_miss` have 25 %; without warps, FETCH has 50 %"),
    Rule("issue", REST, issue, "75 % of the issue slots are used"),
    Rule("busy channels", LIMIT, busy_channels, "the channels of a memory serve requests for 75 % of the run, or move 75 % of the bytes "
         "that they can"),
    Rule("stores", LIMIT, stores, "a quarter of the run is after the last warp's end, and more than twice as long as one store takes"),
    Rule("latency", SYMPTOM, latency, "waiting for results has 50 %, and less than half of the issue slots are used"),
    Rule("throttle", SYMPTOM, throttle, "waiting for one full unit has 25 %"),
)  # fmt: skip
OTHERWISE = Rule("largest wait", SYMPTOM, largest, "no other rule speaks")
SEQUENCER = Rule("data memory", LIMIT, sequencer, "without warps: WAIT has 25 %")
OF_WAITS = frozenset(("scattered", "bank conflicts", "atomics", "doubles", "busy channels", "stores", "spin", "slow operation"))
OF_LANES = frozenset(("divergence", "ended lanes", "partial warps"))
EXPLAINED = 0.5  # share of a symptom that a cause has to concern to stand in its place


def diagnose(found: Profile) -> list[Finding]:
    """All findings, the one that limits the run most first."""
    if not found.warp_cycles:
        return []
    if not found.has_warps:
        return _ordered(found, [*busy_channels(found), *sequencer(found)])
    findings = [finding for rule in RULES if rule.role != SYMPTOM for finding in rule.find(found)]
    locks = {number for finding in findings if finding.rule == "spin" for number in finding.instructions}
    findings = [finding for finding in findings if finding.rule != "atomics" or not locks & set(finding.instructions)]
    if OF_LANES & {finding.rule for finding in findings}:  # what fills the issue slots is found
        findings = [finding for finding in findings if finding.rule != "issue"]
    symptoms = [finding for rule in RULES if rule.role == SYMPTOM for finding in rule.find(found)]
    full = sum(finding.cycles for finding in symptoms if finding.rule == "throttle")
    if any(finding.rule == "slow operation" and finding.cycles < full for finding in findings):  # then more warps hide nothing
        findings = [finding for finding in findings if finding.rule != "slow operation"]
    for symptom in symptoms:
        causes = sum(finding.cycles for finding in findings if finding.rule in OF_WAITS)
        if causes < EXPLAINED * symptom.cycles:
            findings.append(symptom)
    return _ordered(found, findings) or [*OTHERWISE.find(found)]


def _ordered(found: Profile, findings: list[Finding]) -> list[Finding]:
    """By the share of the run that each concerns.

    More blocks, or fewer instructions, would waste as much: they count for the rest of the time.
    """
    roles = {rule.name: rule.role for rule in RULES}
    waste = max((finding.cycles for finding in findings if roles.get(finding.rule) == WASTE), default=0)
    left = max(1 - waste / found.warp_cycles, 0.0)
    before = 1 - max((finding.after for finding in findings), default=0.0)  # share of the run in which there are warps

    def concerned(finding: Finding) -> float:
        return finding.after or before * finding.cycles / found.warp_cycles * (left if roles.get(finding.rule) == REST else 1.0)

    return sorted(findings, key=concerned, reverse=True)


def findings_report(found: Profile, findings: list[Finding]) -> list[dict[str, Any]]:
    """Findings as plain numbers, strings, lists and dicts. lines: of the source, in the order of the instructions; places: the same with
    the file and the column. share: the part of all warp-cycles that it concerns, 0 to 1."""
    return [
        {
            "rule": finding.rule,
            "lines": [found.program.position(instruction).line for instruction in finding.instructions],
            "places": [_place(found, instruction) for instruction in finding.instructions],
            "instructions": list(finding.instructions),
            "cycles": finding.cycles,
            "share": finding.after or min(finding.cycles / max(found.warp_cycles, 1), 1.0),
            "cycles_here": int(found.spent[list(finding.instructions)].sum()),
            "what": finding.what,
            "try": finding.advice,
            "what_if": [trial._asdict() | {"told": trial.told} for trial in finding.trials],
        }
        for finding in findings
    ]


def _place(found: Profile, instruction: int) -> dict[str, Any]:
    """Where an instruction came from, as an editor reads it; line 0 where there is no text."""
    position = found.program.position(instruction)
    return {"file": found.program.source_of(position).path, "line": position.line, "column": position.column}
