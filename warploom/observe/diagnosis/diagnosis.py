"""Diagnosis: what slows a run down, by rules over the numbers of its profile, each with a threshold that is stated here.

A rule looks for one cause. It speaks only of what the numbers show: which line, how much, and what to try. A run that no rule
finds fault with gets no complaint. Findings are ordered by the warp-cycles that they concern.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from warploom.observe.diagnosis.finding import Finding
from warploom.observe.diagnosis.lanes import divergence, ended_lanes, partial_warps
from warploom.observe.diagnosis.memory import atomics, bank_conflicts, scattered
from warploom.observe.diagnosis.time import barriers, busy_channels, fetch, latency, sequencer, slow_operations, spin, stores, throttle
from warploom.observe.profile import Profile

# Waiting for results, and for room in a unit, is what these end in: where one of them is found, the cause is said and not the symptom.
SLOW = "slow operation"
CAUSES = {"scattered", "bank conflicts", "atomics", "busy channels", "stores", "spin", SLOW}


def diagnose(found: Profile) -> list[Finding]:
    """All findings, the one that concerns most warp-cycles first."""
    rules: tuple[Callable[[Profile], Iterator[Finding]], ...]
    if not found.warp_cycles:
        return []
    if not found.has_warps:
        return _ordered([*busy_channels(found), *sequencer(found)])
    about_lanes, about_memory = (divergence, ended_lanes, partial_warps), (scattered, bank_conflicts, atomics, busy_channels, stores)
    rules = (*about_memory, *about_lanes, barriers, fetch, spin, slow_operations)
    findings = [finding for rule in rules for finding in rule(found)]
    causes = {finding.rule for finding in findings} & CAUSES
    if not causes:
        findings += [*latency(found), *throttle(found)]
    elif causes == {SLOW}:
        findings = _slow_or_full(findings, list(throttle(found)))
    return _ordered(findings)


def _slow_or_full(findings: list[Finding], full: list[Finding]) -> list[Finding]:
    """Of a slow operation and a full unit what costs more: where waiting for room outweighs waiting for its result, more warps hide
    nothing."""
    slow = sum(finding.cycles for finding in findings if finding.rule == SLOW)
    larger = [finding for finding in full if finding.cycles > slow]
    return [finding for finding in findings if finding.rule != SLOW] + larger if larger else findings


def _ordered(findings: list[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda finding: -finding.cycles)


def findings_report(found: Profile, findings: list[Finding]) -> list[dict[str, Any]]:
    """Findings as plain numbers, strings, lists and dicts. lines: of the source, in the order of the instructions."""
    return [
        {
            "rule": finding.rule,
            "lines": [found.program.position(instruction).line for instruction in finding.instructions],
            "instructions": list(finding.instructions),
            "cycles": finding.cycles,
            "cycles_here": int(found.spent[list(finding.instructions)].sum()),
            "what": finding.what,
            "try": finding.advice,
        }
        for finding in findings
    ]
