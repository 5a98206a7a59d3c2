"""What an experiment is: a question, where its answer was published, and a function that measures ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from warploom.study.figure import Figure
from warploom.study.sweep import Outcome, Task
from warploom.study.table import Table
from warploom.units import UserUnit

Units = Mapping[str, UserUnit]  # units of a user's own, by the name that table and figure have for them
Runner = Callable[[Sequence[Task]], list[Outcome]]  # runs tasks, wherever that may be


@dataclass(frozen=True)
class Claim:
    """One thing that was published, and what this machine gives. why: why the two are as close or as far apart as they are."""

    what: str
    published: str
    ours: str
    why: str


@dataclass(frozen=True)
class Findings:
    """What an experiment gave."""

    table: Table
    figure: Figure
    claims: tuple[Claim, ...]


@dataclass(frozen=True)
class Experiment:
    """An experiment.

    name: as in `warploom study NAME`. source: who published it, and where. setup: program and machine, in a sentence or two.
    measure: given what runs tasks, the findings; of a study that compares the units of a slot it takes further `Units`.
    slot: that slot; "" where it compares none.
    """

    name: str
    title: str
    question: str
    source: str
    setup: str
    measure: Callable[..., Findings]
    slot: str = ""


class Failed(Exception):
    """A run of an experiment did not end well. The message says which, and why."""


def checked(names: Sequence[Any], outcomes: Sequence[Outcome], status: str = "done") -> list[Outcome]:
    """The outcomes, which all must have ended with this status. names: what each run is called. Raises Failed."""
    for name, outcome in zip(names, outcomes, strict=True):
        if outcome.status != status:
            raise Failed(f"the run {name!r} of this experiment: {outcome.status}: {outcome.message}")
    return list(outcomes)
