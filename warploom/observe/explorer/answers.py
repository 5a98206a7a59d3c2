"""The answer: what limits a run, for the first screen of the explorer's page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from warploom.machine.run.result import RunResult
from warploom.observe.diagnosis.blame import RESULTS, blame
from warploom.observe.diagnosis.diagnosis import diagnose, findings_report
from warploom.observe.diagnosis.finding import Finding
from warploom.observe.diagnosis.light import answer_report
from warploom.observe.diagnosis.what_if import changes
from warploom.observe.profile import Profile, profile

MOST_CYCLES = 100_000  # of a run of single instructions, which is repeated for its profile


def answer(
    result: RunResult, progress: Callable[[int], None] | None = None, with_trials: Callable[[list[Finding]], list[Finding]] | None = None
) -> dict[str, Any]:
    """Findings, speed of light, occupancy, stalls and lanes of a run; {} of one that is too long to be repeated, or has counted nothing.

    Of a finding beside what `findings_report` has: rows, the lines of the page's source; waits, the instructions that it shows in;
    reasons, the stall reasons; changes, those of the machine that bear on it. with_trials: adds what these gave.
    """
    sequencer = not result.has.events
    if not result.cycles or (result.cycles > MOST_CYCLES if sequencer else result.detail.profile is None):
        return {}
    found = profile(result, progress=progress)
    findings = diagnose(found)
    findings = with_trials(findings) if with_trials else findings
    return answer_report(found) | {
        "findings": [
            told
            | {
                "rows": [found.program.row(number) for number in finding.instructions],
                "waits": waits_of(found, finding),
                "reasons": list(finding.reasons),
                "changes": changes(found.config, finding),
            }
            for told, finding in zip(findings_report(found, findings), findings, strict=True)
        ],
    }


def waits_of(found: Profile, finding: Finding) -> list[int]:
    """The instructions at which warps wait for what a finding is about, those with most first: it may be that others wait for its own."""
    if not finding.reasons or not found.has_warps:
        return list(finding.instructions)
    waits = found.of(*finding.reasons)
    guilty = set(finding.instructions)
    who = []
    for number in np.flatnonzero(waits).tolist():
        made = {one for reason in finding.reasons if reason in RESULTS for one in blame(found).producers.of(number, RESULTS[reason])}
        if number in guilty or number - 1 in guilty or made & guilty:
            who.append(number)
    who = who or np.flatnonzero(waits).tolist()
    return sorted(who, key=lambda number: -int(waits[number]))
