"""A run with checks, and its report.

report = warploom.check("kernel.py")          # or a Program
print(report)                                  # what was found, with lines and carets
assert report.clean
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from warploom.checks.checker import Checker
from warploom.checks.early_reads import findings_of_early_reads
from warploom.checks.report import own_lanes, schedules
from warploom.checks.report.consequences import without_harmless
from warploom.checks.report.findings import Finding, findings_of, render
from warploom.checks.report.places import Asking, Names, element_text, value_text
from warploom.isa import uop as u
from warploom.isa.program import Program
from warploom.machine.accounting.status import LaunchError
from warploom.machine.config.schema import Config
from warploom.machine.device.held import Held
from warploom.machine.device.machine import PipelineMachine
from warploom.machine.run.driver import DEFAULT_MAX_CYCLES, cycle_limit, drive
from warploom.machine.run.runnable import Notice, Progress
from warploom.result import Result

RACES = ("race", "lost-update", "lockstep")


@dataclass(frozen=True)
class Report:
    """What the checks have found in one launch. findings: in the order of the source. result: of the run, which carries them too.

    warnings: findings of second rank: hardware of today does what is meant, and the manual does not promise it; and hints.
    """

    program: Program
    findings: tuple[Finding, ...]
    result: Result
    warnings: tuple[Finding, ...] = ()

    @property
    def clean(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    @property
    def complete(self) -> bool:
        """Whether the kernel ran to its end."""
        return self.result.status == "done"

    def summary(self) -> str:
        """One line."""
        count = len(self.findings)
        end = "" if self.complete else f"; the kernel did not end ({self.result.status})"
        return f"{self.program.name}: {count or 'nothing'}{' found' if count == 0 else ' finding' + 's' * (count != 1)}{end}"

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        launch = self.program.launch
        return {
            "kernel": self.program.name, "grid": list(launch.grid_dims), "block": list(launch.block_dims), "status": self.result.status,
            "cycles": self.result.cycles, "findings": [one.as_dict() for one in self.findings],
            "warnings": [one.as_dict() for one in self.warnings],
        }  # fmt: skip

    def __str__(self) -> str:
        shown = (*self.findings, *self.warnings)
        return "\n".join([*([render(shown, self.program)] if shown else []), self.summary()])


def run_checked(
    config: Config,
    program: Program,
    *,
    engine: str = "auto",
    units: Mapping[str, Callable[..., int]] | None = None,
    held: Held | None = None,
    names: Names | None = None,
    checker: Checker | None = None,
    max_cycles: int = DEFAULT_MAX_CYCLES,
    progress: Progress | None = None,
    notice: Notice | None = None,
    schedule: bool = True,
    tracing: bool = False,
    recording: bool = False,
) -> Report:
    """Run a program with checks. held: the memory of a device, which the run changes. schedule: look for a machine on which a race shows.

    Raises LaunchError for a machine that cannot be checked or cannot run the program, and what `GPU.run` raises.
    """
    if not config.has.checks:
        raise LaunchError(
            f"{config.name!r} has no warps (core.control = {config.core.control!r}); checks are for cores with warps, as --gpu tiny-simt"
        )
    if isinstance(program, Asking):
        checker, names = checker or Checker(returns=program.returns), names or program.names
    checker, names = checker or Checker(), names or Names()
    before = held.copy() if held is not None else None

    def run(config: Config, held: Held | None, checker: Checker, limit: int) -> Result:
        machine = PipelineMachine(
            config, program, units=units, held=held, before=before, watcher=checker, tracing=tracing, recording=recording
        )  # fmt: skip
        outcome = drive(machine, engine=engine, max_cycles=limit, progress=progress, notice=notice, at_once=True)
        result = Result.of(machine.finish(outcome))
        if held is not None:
            held.take_from(machine.gpu["l2"]["cache"], machine.cycle)
        return result

    limit = cycle_limit(max_cycles)
    result = run(config, held, checker, limit)
    fault = checker.fault(result.fault)
    second: list[Finding] = []
    if (other := own_lanes.with_own_lanes(config, program, fault)) is not None:
        again, watcher = before.copy() if before is not None else None, Checker(checker.unwritten, checker.returns)
        freely = run(other, again, watcher, own_lanes.most_cycles(result.cycles, limit))
        if freely.status == "done":
            placed = replace(program, regions=result.program.regions)
            standstill = findings_of(checker.found["findings"], placed, names, fault, (config.core.warps, config.core.lanes))[-1]
            second.append(own_lanes.as_warning(standstill, config.core.divergence))
            checker.take(watcher)
            if held is not None and again is not None:
                held.take(again)
            config, result, fault = other, freely, None
    table = checker.found["findings"]
    if result.status == "done" and result.cycles <= schedules.MOST_CYCLES:

        def memory_with(value: int) -> np.ndarray | None:
            other = Checker(checker.unwritten, checker.returns, value)
            again = None if before is None else before.copy()
            machine = PipelineMachine(config, program, units=units, held=again, before=before, watcher=other)
            end = drive(machine, engine=engine, max_cycles=cycle_limit(max_cycles), progress=progress, at_once=True)
            return machine.finish(end).memory if end.status == "done" else None

        table = without_harmless(table, program, result.memory, memory_with)
    placed = replace(program, regions=result.program.regions)  # as large as this machine has them
    every = findings_of(table, placed, names, fault, (config.core.warps, config.core.lanes))
    found = [*findings_of_early_reads(program, config.core.roles), *(one for one in every if not one.runs_today)]
    second += [one for one in every if one.runs_today]
    if schedule and any(one.kind in RACES for one in found) and result.status == "done" and result.cycles <= schedules.MOST_CYCLES:
        found = _with_schedule(found, config, placed, units, names, result, before, engine, progress)
    return Report(program, tuple(found), replace(result, findings=tuple(found)), tuple(second))


def _with_schedule(
    found: list[Finding], config: Config, program: Program, units: Mapping[str, Callable[..., int]] | None, names: Names, result: Result,
    before: Held | None, engine: str, progress: Progress | None,
) -> list[Finding]:  # fmt: skip
    """Races with a machine on which memory ends up different, where one is found."""

    def run(other: Config) -> np.ndarray | None:
        try:
            machine = PipelineMachine(other, program, units=units, held=None if before is None else before.copy(), before=before)
            outcome = drive(machine, engine=engine, max_cycles=4 * result.cycles + 100_000, progress=progress, at_once=True)
        except LaunchError:
            return None
        return machine.finish(outcome).memory if outcome.status == "done" else None

    shown = schedules.shows(config, result.memory, run)
    if shown is None:
        return found
    name, byte, memory = shown
    element = element_text(program, names, u.GLOBAL_SPACE, byte)
    there, here = (value_text(program, one, byte) for one in (memory, result.memory))
    text = f"order: --set {name} leaves {there} in {element}, this run {here}"
    return [replace(one, order=f"{one.order}\n    {text}") if one.kind in RACES else one for one in found]
