"""A task's test of itself: its reference solution gets all points, and every wrong answer that it lists gets its own message."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from warploom.grade.judge import judge
from warploom.grade.outcome import Outcome
from warploom.grade.puzzle import wrong_answers
from warploom.grade.task import Task


class Check(NamedTuple):
    """One check. what: "reference.py on python". problem: "" where all is well."""

    what: str
    problem: str


def self_test(task: Task, seed: int, engines: tuple[str, ...] = ("python", "native")) -> Iterator[Check]:
    """Check a task on both engines. Raises TaskError."""
    for engine in engines:
        if task.reference:
            outcome = judge(task, task.folder / task.reference, seed, engine=engine, trusted=True)
            problem = "" if outcome.passed and not outcome.advice else _said(outcome)
            yield Check(f"{task.reference} ({engine})", problem)
        for path, message in wrong_answers(task):
            outcome = judge(task, path, seed, engine=engine, trusted=True)
            problem = ""
            if outcome.passed:
                problem = "it gets all points"
            elif outcome.advice != message:
                problem = f"it is told {outcome.advice or outcome.message or 'nothing'!r}, and not {message!r}"
            yield Check(f"{path.relative_to(task.folder)} ({engine})", problem)


def _said(outcome: Outcome) -> str:
    """What a reference solution is told that does not get all points."""
    missing = [f"{part.name}: {part.message}" for part in outcome.parts if part.got < part.of]
    return f"{outcome.got:g} of {outcome.of:g} points; {outcome.message or outcome.advice or '; '.join(missing)}"
