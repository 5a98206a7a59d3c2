"""A trial: does any test notice a fault?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tests.mutation.faults import PACKAGE, Fault, path_of
from tests.mutation.importing import import_with, place_of
from tests.mutation.reach import Reached, tests_for
from tests.mutation.running import COLLECTION, SLACK, in_a_child, run_tests


class Verdict(NamedTuple):
    """What came of a fault. test: the first that noticed it, "" where none did. tests: that were run."""

    fault: Fault
    test: str
    tests: int


def tried(fault: Fault, known: dict[str, Reached], patience: float, passed_already: float = 0.0) -> Verdict:
    """Run the tests that reach a fault, until one of them fails. patience: so many seconds of tests at most, as they take without it.

    passed_already: the patience of the try before, in which no test noticed the fault; those tests count, and are not run once more.
    """
    mirror, count, spent = mirror_of(fault.file), 0, 0.0
    for part in tests_for(place_of(fault.file, fault.line), mirror, known):
        limits: dict[str, float] = {}
        for name in part:
            if passed_already <= spent < patience:
                limits[name] = known[name].seconds
            elif spent < passed_already:
                count += 1
            if spent < patience:
                spent += known[name].seconds
        if not limits:
            continue
        passed = []
        for told in in_a_child(_with(fault, limits), COLLECTION + sum(SLACK[0] + SLACK[1] * own for own in limits.values())):
            if told is None:
                after = f"after {passed[-1]}" if passed else "when it is imported"
                return Verdict(fault, f"the process ends {after}", count + len(passed))
            name, right, _, _ = told
            if not right:
                return Verdict(fault, name, count + len(passed) + 1)
            passed.append(name)
        count += len(passed)
    return Verdict(fault, "", count)


def _with(fault: Fault, limits: dict[str, float]) -> Callable[[Callable[[Any], None]], None]:
    def work(tell: Callable[[Any], None]) -> None:
        import_with(fault)
        run_tests(list(limits), limits, tell)

    return work


def mirror_of(file: str) -> str:
    """The file of tests that mirrors a file."""
    path = path_of(file).relative_to(PACKAGE)
    return f"tests/{path.parent.as_posix()}/test_{path.name}"
