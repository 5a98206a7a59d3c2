"""A process of its own for a few tests: forked, the simulator not imported yet, without native code, each test with a time limit."""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from types import FrameType
from typing import Any

import hypothesis
import pytest

from tests.mutation.plain import no_native_code
from tests.places import ROOT

SLACK = 5.0, 10.0  # a test may take so many seconds of a processor, and so many times what it takes without a fault
END = "the end"
UNKNOWN = 5.0  # seconds of a test that nobody has timed yet: those that take longer find no faults
COLLECTION = 120.0  # seconds for what comes before the first test


class TooLong(pytest.fail.Exception):  # type: ignore[misc, name-defined]
    """A test takes longer than it may. No `except Exception` holds it."""


def in_a_child(work: Callable[[Callable[[Any], None]], None], seconds: float) -> Iterator[Any]:
    """Do some work in a forked process. Yields what it hands over, and None at last if it did not come to its end.

    work: called with a function that hands something over. seconds: after which the process is ended.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:

        def hand_over(what: Any) -> None:
            data = pickle.dumps(what)
            os.write(writing, len(data).to_bytes(4) + data)

        try:
            os.setsid()  # with what tests start
            _silent()
            signal.alarm(int(seconds) + 1)  # not caught: it ends the process, should it wait for something
            work(hand_over)
            hand_over(END)
        finally:
            os._exit(0)
    os.close(writing)
    ended = False
    try:
        for what in _handed_over(reading, child):
            ended = what == END
            if not ended:
                yield what
    finally:  # the caller may have heard enough
        os.close(reading)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(child, 0)
    if not ended:
        yield None


def _handed_over(pipe: int, child: int) -> Iterator[Any]:
    """What a child hands over, until it is gone: what its tests have started may live on, with the pipe in its hands."""
    data, gone = bytearray(), False
    while not gone or select.select([pipe], [], [], 0)[0]:
        if select.select([pipe], [], [], 0.2)[0]:
            some = os.read(pipe, 1 << 16)
            if not some:
                break
            data += some
            while len(data) >= 4 and len(data) >= (size := 4 + int.from_bytes(data[:4])):
                yield pickle.loads(data[4:size])
                del data[:size]
        else:
            gone = gone or os.waitpid(child, os.WNOHANG)[0] != 0


def _silent() -> None:
    """What a child says, and what it reads, is nobody's."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)


def run_tests(names: Sequence[str], limits: dict[str, float], tell: Callable[[Any], None], watch: Any = None) -> None:
    """Run tests in this process, in this order. tell: called with each test's name, whether it passed, and its seconds.

    names: of files, or of single tests in them. limits: seconds without a fault of those tests that alone are run; all where it is empty.
    watch: called after each test, what it returns is told too.
    """
    files = list(dict.fromkeys(name.partition("::")[0] for name in names))
    _pytest(files if watch else ["-x", *files], _Tests(list(names), limits, tell, watch))


def with_tests(files: Sequence[str], work: Callable[[Collected], None]) -> None:
    """Collect the tests of some files in this process, and then do some work with them."""
    _pytest(files, Collected(work))


def _pytest(options: Sequence[str], plugin: _Tests) -> None:
    os.chdir(ROOT)
    no_native_code()
    with tempfile.TemporaryDirectory() as place:
        pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:xdist", f"--basetemp={place}/tests", *options], plugins=[plugin])


class _Tests:
    """What pytest asks: which tests, in which order, and for how long."""

    def __init__(self, names: list[str], limits: dict[str, float], tell: Callable[[Any], None], watch: Any) -> None:
        self.names, self.limits, self.tell, self.watch = names, limits, tell, watch

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        # The same examples each time, and none made smaller: that a test fails is all that is asked.
        phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
        hypothesis.settings.register_profile("mutation", derandomize=True, database=None, phases=phases)
        hypothesis.settings.load_profile("mutation")

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        if self.limits:
            order = {name: number for number, name in enumerate(self.names)}
            items[:] = sorted((item for item in items if item.nodeid in order), key=lambda item: order[item.nodeid])

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.tell((report.nodeid, False, 0.0, None))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        if self.watch:
            self.watch()
        self.passed, start = True, time.process_time()
        limit = self.limit(item.nodeid)

        def stop(_number: int, _frame: FrameType | None) -> None:
            signal.setitimer(signal.ITIMER_PROF, SLACK[0])  # once more, should this have been held
            raise TooLong(f"more than {limit:.0f} s")

        signal.signal(signal.SIGPROF, stop)
        signal.setitimer(signal.ITIMER_PROF, limit)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            self.tell((item.nodeid, self.passed, time.process_time() - start, self.watch and self.watch()))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.passed:  # a test that is skipped finds nothing
            self.passed = False

    def limit(self, name: str) -> float:
        """The seconds that a test may take."""
        own, more = SLACK
        return own + more * self.limits[name] if self.limits else UNKNOWN


class Collected(_Tests):
    """Tests that this process has collected. It, or a fork of it, runs some of them when `work` says so."""

    def __init__(self, work: Callable[[Collected], None]) -> None:
        super().__init__([], {}, lambda _: None, None)
        self.work = work
        self.items: list[pytest.Item] = []

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = list(session.items)
        self.work(self)
        return True

    def run(self, items: Sequence[pytest.Item], limits: dict[str, float], tell: Callable[[Any], None], to_the_end: bool = False) -> None:
        """Run tests in this order until one fails, or all of them. limits: seconds that each may take; all the same where it is empty.

        tell: called as in `run_tests`.
        """
        self.limits, self.tell = limits, tell
        for item, following in pairwise([*items, None]):
            assert item is not None
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if not (self.passed or to_the_end):
                return

    def limit(self, name: str) -> float:
        """The seconds that a test may take."""
        return self.limits.get(name, UNKNOWN)
