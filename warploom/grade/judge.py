"""The judge: takes a task, a submission and a seed, and says what the submission is worth.

It executes the teacher's expressions and files, and compiles the submission's text; a stranger's Python is executed by the guest alone.
Inputs are drawn after the guest has ended.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import Any

import numpy as np

from warploom.grade.described import Maker, NotPlain
from warploom.grade.drawing import Values
from warploom.grade.guard import Delivery, ask_guest
from warploom.grade.guest import deliver
from warploom.grade.host.runner import HostRunner
from warploom.grade.outcome import ERROR, GRADED, Outcome, Part
from warploom.grade.runs import KernelRunner, ProgramRunner, Ran, Runner, Stopped
from warploom.grade.submission import Submission, Unreadable, check_inside, read_submission
from warploom.grade.task import AT_LEAST, LIMITS, Task, TaskError
from warploom.grade.task_file import load_task
from warploom.grade.unit_judge import judge_unit
from warploom.isa.diagnostics import SourceError
from warploom.isa.launching import BufferError
from warploom.kernel.launch.signature import ArgumentError
from warploom.kernel.place import in_numbas_place
from warploom.kernel.syntax.tree import NoSource
from warploom.machine.accounting.status import LaunchError
from warploom.units import UnitError

THEIRS = (
    Stopped, SourceError, LaunchError, BufferError, ArgumentError, NoSource, NotPlain, SyntaxError, TypeError, ValueError, RecursionError,
    MemoryError, UnitError,
)  # fmt: skip
ODD = (AssertionError, AttributeError, ArithmeticError, LookupError)  # what a front end or a compiler may stumble over in a strange file
MOST_SHOWN = 3  # findings
MOST_MEMORY = 16 << 30  # bytes of addresses of a judge's process: a simulated machine's and a compiler's are far fewer


def judge(task: Task, path: str | Path, seed: int, *, engine: str = "auto", trusted: bool = False) -> Outcome:
    """Grade a submission. seed: of the inputs. trusted: its Python is executed here, as a task's own examples are.

    Raises TaskError for a mistake of the task's. What is wrong with the submission is in the Outcome.
    """
    with in_numbas_place(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _judged(task, path, seed, engine, trusted)


def _judged(task: Task, path: str | Path, seed: int, engine: str, trusted: bool) -> Outcome:
    whole = Whole(task, seed, engine)
    locked: tuple[str, ...] | None = None
    printed = ""
    try:
        submission = read_submission(path)
        if task.unit is not None:
            return judge_unit(task, path, seed, engine=engine)
        if submission.suffix not in task.takes:
            raise Stopped(f"{submission.path.name}: this task takes {' and '.join(task.takes)}")
        if task.program is not None:
            return _host_judged(whole, path, submission)
        delivery = _delivered(task, submission, trusted)
        if delivery is not None:
            locked, printed = delivery.locked, delivery.printed
        seen = whole.look(_runner(task, submission, delivery, engine, trusted))
    except TaskError:
        raise
    except Unreadable as error:
        return whole.refused(path, str(error))
    except THEIRS as error:
        text = str(error) or type(error).__name__
        return whole.refused(path, text, locked, printed)
    except ODD as error:
        return whole.refused(path, f"it cannot be run: {type(error).__name__}: {error}", locked, printed)
    if seen.stopped:
        return whole.refused(path, seen.stopped, locked, printed, seen.findings)
    return whole.outcome(path, seen, locked, printed)


def _host_judged(whole: Whole, path: str | Path, submission: Submission) -> Outcome:
    """Grade a program with its own host code; the reference of such a task is one too, and is locked in as any."""
    runner: HostRunner | None = None
    try:
        runner = HostRunner(whole.task, submission, whole.engine)
        seen = whole.look(runner)
    except TaskError:
        raise
    except THEIRS as error:
        locked, printed = (runner.locked, runner.printed) if runner else (None, "")
        return whole.refused(path, str(error) or type(error).__name__, locked, printed)
    if seen.stopped:
        return whole.refused(path, seen.stopped, runner.locked, runner.printed, seen.findings)
    return whole.outcome(path, seen, runner.locked, runner.printed)


def _delivered(task: Task, submission: Submission, trusted: bool) -> Delivery | None:
    if submission.suffix != ".py" or task.program is not None:
        return None
    if trusted:
        return Delivery(None, deliver(submission.text, _called(submission, trusted), task.launch.kernel), "")
    box = task.sandbox
    return ask_guest(
        submission.text,
        _called(submission, trusted),
        task.launch.kernel,
        seconds=box.seconds,
        memory=box.memory,
        output=box.output,
        hidden=[task.folder.resolve()],
    )


def _called(submission: Submission, trusted: bool) -> str:
    """What messages call a file: a submission by its name, a task's own by its whole path, so that the two are told apart."""
    return str(submission.path.resolve()) if trusted else submission.path.name


def _runner(task: Task, submission: Submission, delivery: Delivery | None, engine: str, trusted: bool = False) -> Runner:
    if task.program is not None:
        return HostRunner(task, submission, engine)
    if delivery is None:
        check_inside(submission)
        return ProgramRunner(task, submission, engine)
    found = delivery.found
    if "error" in found:
        fix = found.get("fix")
        raise Stopped(f"{found['error']}{f'; {fix}' if isinstance(fix, str) else ''}")
    maker = Maker(submission.text, _called(submission, trusted), found["functions"])
    return KernelRunner(task, maker, found.get("first", -1), engine)


class Seen:
    """What came of the cases."""

    def __init__(self) -> None:
        self.wrong: list[str] = []  # a sentence for each case whose outputs are not as expected
        self.right = 0
        self.stopped = ""  # why a run did not end as it should
        self.figures: dict[str, float] = {}
        self.expected_figures: dict[str, float] = {}
        self.findings: list[Any] = []
        self.outputs: list[dict[str, Any]] = []  # names for the expressions of mistakes, by case
        self.values: list[Values] = []


class Whole:
    """One submission over all cases."""

    def __init__(self, task: Task, seed: int, engine: str) -> None:
        self.task, self.seed, self.engine = task, seed, engine
        self._reference: Runner | None = None

    def reference(self) -> Runner:
        """The reference solution, made ready."""
        if self._reference is None:
            path = self.task.folder / self.task.reference
            try:
                submission = read_submission(path)
                self._reference = _runner(self.task, submission, _delivered(self.task, submission, True), self.engine, True)
            except THEIRS as error:
                raise TaskError(f"{path}: the reference solution cannot be run: {error}") from None
        return self._reference

    def look(self, runner: Runner) -> Seen:
        """Run every case, and check the first."""
        seen = Seen()
        for case in range(self.task.cases):
            try:
                ran = runner.run(Values(self.task, self.seed, case))
            except Stopped as error:
                seen.stopped = str(error)
                with suppress(*THEIRS):
                    seen.findings = runner.check(Values(self.task, self.seed, case))
                return seen
            values = Values(self.task, self.seed, case)  # as they were drawn: a kernel may have written to its inputs
            expected = self._expected(values, seen)
            wrong = self._compared(values, ran, expected)
            seen.right += wrong is None
            if wrong is not None:
                where = values.described()
                seen.wrong.append(f"case {case + 1}{f' ({where})' if where else ''}: {wrong}")
            for name, figure in ran.figures.items():
                seen.figures[name] = max(seen.figures.get(name, 0), figure) if name in _PEAKS else seen.figures.get(name, 0) + figure
            seen.outputs.append(dict(ran.outputs))
            seen.values.append(values)
        if self.task.points.get("findings") or any(one.finding for one in self.task.mistakes):
            seen.findings = runner.check(Values(self.task, self.seed, 0))
        return seen

    def _expected(self, values: Values, seen: Seen) -> dict[str, np.ndarray]:
        ran: Ran | None = None
        if self.task.limits or any(one.expected is None for one in self.task.outputs.values()):
            try:
                ran = self.reference().run(Values(self.task, self.seed, len(seen.values)))
            except TaskError:
                raise
            except THEIRS as error:
                raise TaskError(f"{self.task.folder / self.task.reference}: the reference solution does not run: {error}") from None
            for name, figure in ran.figures.items():
                known = seen.expected_figures.get(name, 0)
                seen.expected_figures[name] = max(known, figure) if name in _PEAKS else known + figure
        found = {}
        for name, output in self.task.outputs.items():
            if output.expected is not None:
                found[name] = values.array(f"outputs.{name}", "expected", output.expected)
            else:
                assert ran is not None
                found[name] = ran.outputs[name]
        return found

    def _compared(self, values: Values, ran: Ran, expected: Mapping[str, np.ndarray]) -> str | None:
        for name, wanted in expected.items():
            got, tolerance = ran.outputs[name], self.task.outputs[name].tolerance
            if got.shape != wanted.shape:
                raise TaskError(f"{self.task.file}: outputs.{name} has shape {got.shape}, and {wanted.shape} is expected; mend one of them")
            with np.errstate(all="ignore"):
                same = np.isclose(got, wanted, tolerance, tolerance, equal_nan=True) if tolerance else _equal(got, wanted)
            places = np.argwhere(~same)
            if len(places):
                place = tuple(int(one) for one in places[0])
                index = f"[{', '.join(map(str, place))}]" if place else ""
                more = f"; {len(places)} of {same.size} values are wrong" if same.size > 1 else ""
                return f"{name}{index} is {got[place]!s}, expected {wanted[place]!s}{more}"
        return None

    # ---- points

    def outcome(self, path: str | Path, seen: Seen, locked: tuple[str, ...] | None, printed: str) -> Outcome:
        """The points of what was seen."""
        task = self.task
        whole = seen.right == task.cases
        forbidden = [one for one in seen.findings if one.kind in task.forbid]
        parts, missed = [], []
        for name, of in task.points.items():
            if not of:
                continue
            if name == "outputs":
                text = f"{seen.right} of {task.cases} cases right"
                parts.append(Part(name, of * seen.right / task.cases, of, "; ".join([text, *seen.wrong[:1]])))
            elif name == "findings":
                kinds = ", ".join(sorted({one.kind for one in forbidden}))
                text = (
                    f"`warploom check` finds: {kinds}" if forbidden else "nothing found" if whole else "counts when the outputs are right"
                )
                parts.append(Part(name, of if whole and not forbidden else 0.0, of, text))
            else:
                good, text = self._limit(name, seen)
                missed += [] if good else [name]
                parts.append(Part(name, of if whole and good else 0.0, of, text if whole else f"{text}; counts when the outputs are right"))
        measured = {name: (seen.figures[name], seen.expected_figures.get(name)) for name in LIMITS if name in seen.figures}
        return Outcome(
            str(path), task.name, self.seed, GRADED, tuple(parts), "", self._advice(seen, forbidden, missed, whole),
            tuple(_finding_text(one) for one in forbidden[:MOST_SHOWN]), printed, locked, measured,
        )  # fmt: skip

    def refused(
        self, path: str | Path, text: str, locked: tuple[str, ...] | None = None, printed: str = "", findings: Sequence[Any] = ()
    ) -> Outcome:
        """A submission that could not be run to its end."""
        parts = tuple(Part(name, 0.0, of) for name, of in self.task.points.items() if of)
        kinds = {one.kind for one in findings}
        told = (one.message for one in self.task.mistakes if (one.error and one.error in text) or (one.finding and one.finding in kinds))
        shown = tuple(_finding_text(one) for one in findings[:MOST_SHOWN])
        return Outcome(str(path), self.task.name, self.seed, ERROR, parts, text, next(told, ""), shown, printed, locked)

    def _limit(self, name: str, seen: Seen) -> tuple[bool, str]:
        got, known, share = seen.figures[name], seen.expected_figures[name], self.task.limits[name]
        if name in AT_LEAST:
            good = got >= share * known * (1 - 1e-9)
            return good, f"{got:.3g}, {'at least' if good else 'below'} {share:g} times the reference's {known:.3g}"
        good = got <= share * known * (1 + 1e-9)
        return good, f"{got:g}, {'within' if good else 'above'} {share:g} times the reference's {known:g}"

    def _advice(self, seen: Seen, forbidden: list[Any], missed: list[str], whole: bool) -> str:
        kinds = {one.kind for one in forbidden}
        for mistake in self.task.mistakes:
            if (mistake.finding and mistake.finding in kinds) or (mistake.limit and whole and mistake.limit in missed):
                return mistake.message
            if (
                mistake.when
                and not whole
                and any(self._shows(mistake.when, values, out) for values, out in zip(seen.values, seen.outputs, strict=True))
            ):
                return mistake.message
        return ""

    def _shows(self, when: str, values: Values, outputs: dict[str, Any]) -> bool:
        with np.errstate(all="ignore"):
            return bool(np.all(values.of("mistake", "when", when, outputs)))


_PEAKS = ("shared_bytes", "registers", "occupancy")


def _equal(got: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Where two arrays hold the same; NaN is NaN."""
    same = np.asarray(got == wanted)
    if got.dtype.kind in "fc" and wanted.dtype.kind in "fc":
        same = same | (np.isnan(got) & np.isnan(wanted))
    return same


def _finding_text(finding: Any) -> str:
    line = f"line {finding.position.line}: " if finding.position.line else ""
    return f"{line}{finding.message} [{finding.kind}]"


def main() -> None:
    """A judge's process: an order as JSON on standard input, an Outcome or {"mistake"} as JSON on standard output."""
    order = json.loads(sys.stdin.buffer.read())
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    try:
        with redirect_stdout(sys.stderr):
            body = judge(load_task(order["task"]), order["submission"], order["seed"], engine=order["engine"]).as_dict()
    except TaskError as error:
        body = {"mistake": str(error)}
    out.write(json.dumps(body, default=float))
    out.flush()
    os._exit(0)
