"""The first stage: faults planted in a process that has collected the tests near them already. A trial takes about half a second.

The tests near a fault are those of the file that mirrors its file; or, once it is known which tests reach what, also the others that reach
it, as many as the budget allows. One process collects them, and is forked for each fault: the fault is planted
in the fork, the tests run there until one fails, and the next fork knows nothing of it. What no test notices here goes to the second stage.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import click
import pytest

from tests.mutation import running
from tests.mutation.faults import Fault, path_of
from tests.mutation.importing import place_of
from tests.mutation.planting import plant
from tests.mutation.reach import Reached
from tests.mutation.running import COLLECTION, Collected, in_a_child
from tests.mutation.trial import Verdict, mirror_of
from tests.places import ROOT

GROUP = 50  # faults that one process tries, one after the other
BUDGET = 8.0  # seconds of tests, as they take without a fault, that a fault may pass
SLACK = 2.0, 10.0  # a test may take so many seconds of a processor, and so many times what it takes without a fault
OWN = 10  # so many times as long as others may tests take that mirror the fault's file, and still run before them
LATELY = 8  # tests that have noticed the faults before, which run first
LONGEST = 60.0  # seconds of one fork, should a test wait for something


class _Near(Collected):
    """Collected tests, and what pytest says of files that it could not collect: a part of the tests would say less than all of them."""

    def __init__(self, work: Callable[[_Near], None]) -> None:
        super().__init__(lambda _: work(self))
        self.broken = ""

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and not self.broken:
            self.broken = f"{report.nodeid} cannot be collected: {report.longreprtext.strip().splitlines()[-1].removeprefix('E').strip()}"


@cache
def mirroring(file: str) -> tuple[str, ...]:
    """The files of tests that mirror a file; where there are none, all of its room that import it."""
    mirror = Path(mirror_of(file))
    beside = sorted((ROOT / mirror.parent).glob(f"{mirror.stem}*.py"))
    found = [path for path in beside if path.stem == mirror.stem or path.stem.startswith(mirror.stem + "_")]
    if not found:
        path = path_of(file).relative_to(ROOT)
        module = ".".join(path.with_suffix("").parts)
        room = ROOT / "tests" / path.parts[1]
        found = [path for path in sorted(room.rglob("test_*.py")) if f"{module} import" in path.read_text()]
    return tuple(path.relative_to(ROOT).as_posix() for path in found)


def groups(faults: Sequence[Fault]) -> list[list[Fault]]:
    """The faults in groups of neighbours, each for one process."""
    ordered = sorted(faults, key=lambda fault: (fault.file, fault.number))
    return [ordered[first : first + GROUP] for first in range(0, len(ordered), GROUP)]


def tried_near(faults: Sequence[Fault], known: dict[str, Reached] | None = None) -> list[Verdict]:
    """Plant each fault of a group and run the tests near it. Faults that cannot be planted, or have no tests near them, have passed none.

    known: what the tests reach, as `reach` says; then those near a fault are all that reach it, those that mirror its file first.
    Raises UsageError for a file of tests that cannot be collected.
    """
    verdicts = {fault: Verdict(fault, "", 0) for fault in faults}
    ordered = sorted(faults, key=lambda fault: fault.file)
    chosen = {fault: _reaching(fault, known) for fault in ordered} if known else {}
    files = {name.partition("::")[0] for names in chosen.values() for name in names}
    if not known:
        files = {name for fault in faults for name in mirroring(fault.file)}

    def work(tests: _Near, tell: Callable[[Any], None]) -> None:
        if tests.broken:
            tell(tests.broken)
            return
        for file, those in groupby(ordered, key=lambda fault: fault.file):
            own = {} if known else _limits(tests, [item for item in tests.items if item.nodeid.partition("::")[0] in mirroring(file)])
            lately: list[str] = []
            for fault in those:
                limits = chosen.get(fault, own)
                test, count = _trial(tests, fault, {name: limits[name] for name in [*lately, *limits] if name in limits})
                tell((fault, test, count))
                if test in limits:  # what has noticed one fault notices its neighbours too
                    lately = [test, *(name for name in lately if name != test)][:LATELY]

    def collect(tell: Callable[[Any], None]) -> None:
        running._pytest(sorted(files), _Near(lambda tests: work(tests, tell)))

    if files:
        for told in in_a_child(collect, COLLECTION + LONGEST * len(faults)):
            if isinstance(told, str):
                raise click.UsageError(told)
            if told is not None:
                verdicts[told[0]] = Verdict(*told)
    return list(verdicts.values())


def _reaching(fault: Fault, known: dict[str, Reached]) -> dict[str, float]:
    """The tests that reach a fault, as many as the budget allows, with the seconds that each may take.

    The shortest come first, those that mirror its file sooner than others that take as long.
    """
    place, mirrors = place_of(fault.file, fault.line), mirroring(fault.file)
    cost = {name: test.seconds / (OWN if name.partition("::")[0] in mirrors else 1) for name, test in known.items() if place in test.places}
    limits, spent = {}, 0.0
    for name in sorted(cost, key=lambda name: cost[name]):
        spent += known[name].seconds
        if spent < BUDGET:
            limits[name] = running.SLACK[0] + running.SLACK[1] * known[name].seconds
    return limits


def _limits(tests: Collected, items: list[pytest.Item]) -> dict[str, float]:
    """The tests that pass without a fault, the shortest first, with the seconds that each may take."""
    taken = _passed(tests, items, {})
    soonest = sorted((item for item in items if item.nodeid in taken), key=lambda item: taken[item.nodeid])
    limits, spent = {}, 0.0
    for name in _passed(tests, soonest, {}):  # in the order in which they will run
        spent += taken[name]
        if spent < BUDGET:
            limits[name] = SLACK[0] + SLACK[1] * taken[name]
    return limits


def _passed(tests: Collected, items: list[pytest.Item], limits: dict[str, float]) -> dict[str, float]:
    """The tests that pass in a process of their own, with the seconds that each takes."""
    told = in_a_child(lambda tell: tests.run(items, limits, tell, to_the_end=True), COLLECTION)
    return {name: seconds for name, passed, seconds, _ in filter(None, told) if passed}


def _trial(tests: Collected, fault: Fault, limits: dict[str, float]) -> tuple[str, int]:
    """The test that notices a fault, "" where none does; and how many tests were run."""
    named = {item.nodeid: item for item in tests.items}
    items = [named[name] for name in limits if name in named]

    def work(tell: Callable[[Any], None]) -> None:
        if plant(fault):
            tests.run(items, limits, tell)

    count, last = 0, ""
    for told in in_a_child(work, LONGEST):
        if told is None:
            return (f"the process ends after {last}" if last else "the process ends in the first test"), count + 1
        last, right, _, _ = told
        count += 1
        if not right:
            return last, count
    return "", count
