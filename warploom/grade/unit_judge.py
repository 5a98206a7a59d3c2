"""Grades a unit: a scheduler, a mechanism, a prefetcher, by what its slot promises and by what it does for programs of the task's.

Its text is let through by unit_text.py before any of it is executed. Cycles come from the judge's own machines.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from warploom.contracts import SUITES, Verdict, check_unit
from warploom.gpu import GPU
from warploom.grade.outcome import GRADED, Outcome, Part
from warploom.grade.runs import Stopped, figures_of
from warploom.grade.submission import Submission, read_submission
from warploom.grade.task import Task, TaskError
from warploom.grade.unit_text import NotAUnit, check_text
from warploom.isa.diagnostics import SourceError
from warploom.isa.frontend import Options
from warploom.isa.frontends import load
from warploom.isa.launching import BufferError
from warploom.isa.program import Program
from warploom.machine.accounting.status import LaunchError
from warploom.units import UnitError, load_unit

THEIRS = (UnitError, NotAUnit, SyntaxError, RecursionError, MemoryError, Stopped)


class LoadedUnit:
    """A unit of a submission, from a copy of its text. Raises NotAUnit, UnitError and SyntaxError."""

    def __init__(self, task: Task, submission: Submission) -> None:
        assert task.unit is not None
        check_text(submission)
        self.slot = task.unit.slot
        self._folder = tempfile.TemporaryDirectory(prefix="warploom-judge-")
        copy = Path(self._folder.name) / submission.path.with_suffix(".py").name
        copy.write_text(submission.text, encoding="utf-8")
        try:
            self.unit = load_unit(f"{copy}:{task.unit.name}")
        except UnitError as error:
            raise UnitError(self.said(str(error))) from None

    def said(self, text: str) -> str:
        """A message with the file's own name."""
        return text.replace(f"{self._folder.name}/", "")

    def promises(self) -> list[Verdict]:
        """What becomes of the slot's promises."""
        try:
            return [one._replace(broken=self.said(one.broken)) for one in check_unit(self.unit, self.slot)]
        except UnitError as error:
            raise UnitError(self.said(str(error))) from None


def judge_unit(task: Task, path: str | Path, seed: int, *, engine: str = "auto") -> Outcome:
    """Grade a unit. seed: of the report; no inputs are drawn. Raises Unreadable, TaskError, and what THEIRS has."""
    assert task.unit is not None
    loaded = LoadedUnit(task, read_submission(path))
    verdicts = loaded.promises()
    suite = SUITES[loaded.slot]
    kept = sum(not one.broken for one in verdicts)
    broken = next((one for one in verdicts if one.broken), None)
    figures: dict[str, float] = {}
    beside: dict[str, float] = {}
    if broken is None and task.limits:
        try:
            figures = _figures(task, loaded.unit, engine)
        except UnitError as error:
            raise UnitError(loaded.said(str(error))) from None
        beside = _reference(task, engine)
    parts, missed = [], []
    for name, of in task.points.items():
        if name == "contract" and of:
            text = f"{broken.promise.name}: {broken.promise.meaning}; {broken.broken}" if broken else "every promise is kept"
            parts.append(Part(name, of * kept / len(suite), of, f"{kept} of {len(suite)} promises kept; {text}" if broken else text))
        elif of and broken is not None:
            parts.append(Part(name, 0.0, of, "counts when every promise is kept"))
        elif of:
            got, known, share = figures[name], beside[name], task.limits[name]
            good = got <= share * known * (1 + 1e-9)
            missed += [] if good else [name]
            text = f"{got:g}, {'within' if good else 'above'} {share:g} times the reference's {known:g}"
            parts.append(Part(name, of if good else 0.0, of, text))
    why = f"{broken.promise.name}: {broken.broken}" if broken else ""
    told = (one.message for one in task.mistakes if (one.error and one.error in why) or one.limit in missed)
    measured = {name: (value, beside.get(name)) for name, value in figures.items()}
    return Outcome(str(path), task.name, seed, GRADED, tuple(parts), "", next(told, ""), figures=measured)


def _reference(task: Task, engine: str) -> dict[str, float]:
    path = task.folder / task.reference
    try:
        return _figures(task, LoadedUnit(task, read_submission(path)).unit, engine)
    except (*THEIRS, ValueError) as error:
        raise TaskError(f"{path}: the reference solution cannot be run: {error}") from None


def _figures(task: Task, unit: Any, engine: str) -> dict[str, float]:
    """Sums over the task's programs."""
    assert task.unit is not None
    gpu = GPU(task.machine.gpu or "sm", set=dict(task.machine.set), engine=engine, units={task.unit.slot: unit})
    found = dict.fromkeys(task.limits, 0.0)
    for name in task.unit.programs:
        program = _program(task, name, gpu)
        result = gpu.run(program, max_cycles=task.machine.max_cycles)
        if result.status != "done":
            raise Stopped("\n".join([f"{name}: {result.summary()}", *result.messages]))
        for limit, value in figures_of(result, program).items():
            if limit in found:
                found[limit] += value
    return found


def _program(task: Task, name: str, gpu: GPU) -> Program:
    path = task.folder / name
    try:
        found = load(path, options=Options(str(path), machine=gpu.config))
    except (OSError, SourceError, LaunchError, BufferError) as error:
        raise TaskError(f"{path}: this program of the task cannot be run: {error}") from None
    if not isinstance(found, Program):
        raise TaskError(f"{path} is a kernel without values for its arguments: a task of units takes programs that run as they are")
    return found
