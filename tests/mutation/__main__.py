"""`python -m tests.mutation`: faults chosen at random, and which of them no test notices. Exit status 1 when there are such."""

from __future__ import annotations

import os
import random
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context

import click

from tests.mutation.equivalent import equivalent
from tests.mutation.faults import Fault, faults_of, files
from tests.mutation.reach import Reached, reach
from tests.mutation.trial import Verdict, tried

_known: dict[str, Reached] = {}  # what the processes that are forked have of this one


def _trial(fault: Fault, patience: float, passed_already: float) -> Verdict:
    return tried(fault, _known, patience, passed_already)


def chosen(seed: int, count: int, only: str, text: str = "") -> list[Fault]:
    """Faults at random, no two alike. text: only those in whose description it is."""
    found = [fault for file in files(only) for fault in faults_of(file) if text in str(fault)]
    return random.Random(seed).sample(found, min(count, len(found)))


@click.command()
@click.option("--faults", "count", type=click.IntRange(1), default=200, help="How many. [default: 200]")
@click.option("--seed", type=int, default=None, help="Of the random choice. [default: the clock]")
@click.option("--only", default="", metavar="PATH", help="In this folder or file, from warploom/machine/ on.")
@click.option("--with", "text", default="", metavar="TEXT", help="In whose description this is, as 'its.py:137' or 'comparison'.")
@click.option("--patience", type=float, default=60.0, help="Seconds of tests that a fault may pass. [default: 60]")
@click.option(
    "--again", type=click.FloatRange(min=0), default=0.0, help="Seconds of a second try of what passes the first. [default: no second try]"
)
@click.option("--processes", type=click.IntRange(1), default=os.cpu_count() or 1, help="At a time. [default: one a processor]")
@click.option("--verbose", is_flag=True, help="Say of each fault which test notices it.")
@click.pass_context
def main(
    ctx: click.Context, count: int, seed: int | None, only: str, text: str, patience: float, again: float, processes: int, verbose: bool
) -> None:
    """Put one fault at a time into the machine, and see whether a test fails."""
    seed = time.time_ns() % 10**9 if seed is None else seed
    faults = chosen(seed, count, only.removeprefix("warploom/machine/"), text)
    if not faults:
        raise click.UsageError(f"there is no file of the machine that begins with {only!r}, or no fault with {text!r} in it")
    if 0 < again <= patience:
        raise click.UsageError(f"a second try of {again:g} s is no longer than the first, which has {patience:g} s: give --again more")
    click.echo(f"seed {seed}, {len(faults)} faults")
    _known.update(reach(processes, _progress))
    _progress("")
    click.echo(f"{len(_known)} tests, {sum(test.seconds for test in _known.values()):.0f} s in plain Python")
    survivors, excused = _try(faults, patience, 0.0, processes, verbose, again > 0)
    meant = len(faults) - excused
    click.echo(f"{_share(meant - len(survivors), meant)}; {excused} more change nothing")
    if again and survivors:
        survivors, _ = _try(survivors, again, patience, processes, verbose, False)
        click.echo(f"{_share(meant - len(survivors), meant)} when {again:g} s of tests are run")
    ctx.exit(int(bool(survivors)))


def _try(
    faults: list[Fault], patience: float, passed_already: float, processes: int, verbose: bool, once_more: bool
) -> tuple[list[Fault], int]:
    """Those that no test notices, and how many more change nothing. once_more: what is not noticed is tried again, and said then."""
    survivors: list[Fault] = []
    excused = 0
    with ProcessPoolExecutor(processes, mp_context=get_context("fork")) as pool:
        for done, trial in enumerate(as_completed([pool.submit(_trial, fault, patience, passed_already) for fault in faults]), 1):
            verdict = trial.result()
            if verdict.test:
                said = f"found by {verdict.test}" if verbose else ""
            elif reason := equivalent(verdict.fault):
                excused += 1
                said = f"changes nothing: {reason}" if verbose else ""
            else:
                survivors.append(verdict.fault)
                said = "" if once_more else f"no test of {verdict.tests} notices"
            if said:
                click.echo(f"{verdict.fault}\n    {said}\n")
            _progress(f"{done} of {len(faults)} faults, {len(survivors)} not noticed")
    _progress("")
    return survivors, excused


def _share(found: int, meant: int) -> str:
    return f"{found} of {meant} faults are noticed, {100 * found / max(meant, 1):.1f} %"


def _progress(text: str) -> None:
    """One line on a terminal that is written over."""
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[K{text}", err=True, nl=False)


if __name__ == "__main__":
    main()
