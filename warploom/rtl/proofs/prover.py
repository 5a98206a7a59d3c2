"""Proofs by temporal induction, with the SAT solver that is in Yosys.

A property is a component that holds a unit, asserts what must always be true of it, and assumes what its surroundings keep to. Proved is
what holds in the first cycles after reset, and in any cycle after that many in which it held: for all inputs, not for some. What does
not hold is refuted by an example, cycle by cycle from reset, that can be looked at as a waveform.

Sheeran, Singh, Staalmarck, "Checking safety properties using induction and a SAT-solver", FMCAD 2000.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from warploom.rtl.proofs.waveform import Waveform
from warploom.rtl.yosys import folder, rtlil_text, run_in

PREPARE = ("hierarchy -top property", "proc", "flatten", "async2sync", "chformal -lower", "opt_clean", "setundef -undriven -zero")
PROVED, REFUTED, OPEN = "proved", "refuted", "open"


@dataclass(frozen=True)
class Proof:
    """What came out. verdict: "proved"; "refuted", by `example`; or "open" when `steps` cycles were not enough. seconds: wall time."""

    verdict: str
    steps: int
    example: Waveform | None
    seconds: float

    def __str__(self) -> str:
        if self.example is None:
            return f"{self.verdict} with {self.steps} step{'s' if self.steps > 1 else ''} of induction"
        return f"refuted by these {len(self.example)} cycles from reset:\n\n{self.example}"


def prove(component: Any, *, steps: int = 4) -> Proof:
    """Prove a property. component: it asserts, and may assume. steps: of induction at most. Raises MissingPackage without pyosys."""
    begin = time.perf_counter()
    question = f"sat -tempinduct -prove-asserts -set-assumes -maxsteps {steps} -show-ports -show-regs"
    question += " -dump_json {folder}/example.json property"
    with folder() as place:
        report = run_in(place, rtlil_text(component, "property"), [*PREPARE, question])[-1]
        shown = place / "example.json"
        example = Waveform.of(json.loads(_whole(shown))) if shown.exists() else None
    seconds = time.perf_counter() - begin
    if "Induction step proven: SUCCESS!" in report:
        return Proof(PROVED, report.count("Trying induction with length"), None, seconds)
    if "model found for base case: FAIL!" in report and example is not None:
        return Proof(REFUTED, len(example), example, seconds)
    return Proof(OPEN, steps, None, seconds)


def _whole(path: Path) -> str:
    """Yosys writes backslashes of names as they are, which JSON does not allow."""
    return path.read_text().replace("\\", "")
