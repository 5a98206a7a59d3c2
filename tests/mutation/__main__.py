"""`python -m tests.mutation`: faults chosen at random, and which of them no test notices. Exit status 1 when there are such."""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Iterable
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from multiprocessing import get_context

import click

from tests.mutation.equivalent import equivalent
from tests.mutation.faults import OTHERS, Fault, faults_of, files
from tests.mutation.near import groups, tried_near
from tests.mutation.reach import Reached, reach
from tests.mutation.trial import Verdict, tried

UNTRIED = "not tried: no test reaches it, or it cannot be planted and --near leaves out the stage that imports it"
_known: dict[str, Reached] = {}  # what the processes that are forked have of this one


def _trials(faults: list[Fault]) -> list[Verdict]:
    return tried_near(faults, _known)


def _trial(fault: Fault, patience: float, passed_already: float) -> list[Verdict]:
    return [tried(fault, _known, patience, passed_already)]


def chosen(seed: int, count: int, only: str, text: str = "") -> list[Fault]:
    """Faults at random, no two alike. text: only those in whose description it is."""
    found = [fault for file in files(only) for fault in faults_of(file) if text in str(fault)]
    return random.Random(seed).sample(found, min(count, len(found)))


@click.command()
@click.option("--faults", "count", type=click.IntRange(1), default=200, help="How many. [default: 200]")
@click.option("--seed", type=int, default=None, help="Of the random choice. [default: the clock]")
@click.option(
    "--only",
    default="",
    metavar="PATH",
    help="In this folder or file, from warploom/machine/ on; in compiler/, checks/, isa/ or kernel/ with --near.",
)
@click.option("--with", "text", default="", metavar="TEXT", help="In whose description this is, as 'its.py:137' or 'comparison'.")
@click.option("--near", "only_near", is_flag=True, help="Only with the tests that mirror their files, half a second a fault.")
@click.option("--patience", type=float, default=60.0, help="Seconds of tests that a fault may pass. [default: 60]")
@click.option(
    "--again", type=click.FloatRange(min=0), default=0.0, help="Seconds of a second try of what passes the first. [default: no second try]"
)
@click.option("--processes", type=click.IntRange(1), default=os.cpu_count() or 1, help="At a time. [default: one a processor]")
@click.option("--verbose", is_flag=True, help="Say of each fault which test notices it.")
@click.pass_context
def main(
    ctx: click.Context,
    count: int,
    seed: int | None,
    only: str,
    text: str,
    only_near: bool,
    patience: float,
    again: float,
    processes: int,
    verbose: bool,
) -> None:
    """Put one fault at a time into the machine, and see whether a test fails."""
    if 0 < again <= patience:
        raise click.UsageError(f"a second try of {again:g} s is no longer than the first, which has {patience:g} s: give --again more")
    if only_near and again:
        raise click.UsageError("--again is a second try of what --near leaves out: give one of the two")
    seed = time.time_ns() % 10**9 if seed is None else seed
    only = only.removeprefix("warploom/").removeprefix("machine/")
    if only.partition("/")[0] in OTHERS and not only_near:
        raise click.UsageError(f"what tests reach is known of the machine alone: in {only} give --near too")
    faults = chosen(seed, count, only, text)
    if not faults:
        raise click.UsageError(f"there is no file that begins with {only!r}, or no fault with {text!r} in it")
    click.echo(f"seed {seed}, {len(faults)} faults")
    told = _Told(len(faults), verbose)
    if not only_near:
        _known.update(reach(processes, _progress))
        _progress("")
        click.echo(f"{len(_known)} tests, {sum(test.seconds for test in _known.values()):.0f} s in plain Python")
    survivors = told.near(faults, processes, last=only_near)
    if survivors and not only_near:
        survivors = told.by_reach(survivors, patience, 0.0, processes, last=again == 0)
        if survivors and again:
            survivors = told.by_reach(survivors, again, patience, processes, last=True)
    ctx.exit(int(bool(survivors)))


class _Told:
    """What is said of the faults, stage by stage. Those that no test notices go on to the next; of the last they are shown.

    excused: those that a stage has not noticed, and that change nothing.
    """

    def __init__(self, count: int, verbose: bool) -> None:
        self.count, self.verbose, self.excused = count, verbose, 0

    def near(self, faults: list[Fault], processes: int, last: bool) -> list[Fault]:
        """Those that no test near them notices."""
        with ProcessPoolExecutor(processes, mp_context=get_context("fork")) as pool:
            left = self._stage([pool.submit(_trials, group) for group in groups(faults)], len(faults), last)
        click.echo(f"{self._share(left)} by the tests near them; {self.excused} more change nothing")
        return left

    def by_reach(self, faults: list[Fault], patience: float, passed_already: float, processes: int, last: bool) -> list[Fault]:
        """Those that no test notices of all that reach them."""
        with ProcessPoolExecutor(processes, mp_context=get_context("fork")) as pool:
            left = self._stage([pool.submit(_trial, fault, patience, passed_already) for fault in faults], len(faults), last)
        click.echo(f"{self._share(left)} when {patience:g} s of tests are run")
        return left

    def _stage(self, trials: Iterable[Future[list[Verdict]]], count: int, last: bool) -> list[Fault]:
        left: list[Fault] = []
        done = 0
        for trial in as_completed(trials):
            for verdict in trial.result():
                done += 1
                self._verdict(verdict, left, last)
                _progress(f"{done} of {count} faults, {len(left)} not noticed")
        _progress("")
        return left

    def _verdict(self, verdict: Verdict, left: list[Fault], last: bool) -> None:
        said = ""
        if verdict.test:
            said = f"found by {verdict.test}" if self.verbose else ""
        elif reason := equivalent(verdict.fault):
            self.excused += 1
            said = f"changes nothing: {reason}" if self.verbose else ""
        else:
            left.append(verdict.fault)
            said = (f"no test of {verdict.tests} notices" if verdict.tests else UNTRIED) if last else ""
        if said:
            click.echo(f"{verdict.fault}\n    {said}\n")

    def _share(self, left: list[Fault]) -> str:
        meant = self.count - self.excused
        found = meant - len(left)
        return f"{found} of {meant} faults are noticed, {100 * found / max(meant, 1):.1f} %,"


def _progress(text: str) -> None:
    """One line on a terminal that is written over."""
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[K{text}", err=True, nl=False)


if __name__ == "__main__":
    main()
