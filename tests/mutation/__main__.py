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
from tests.mutation.trial import tried

_known: dict[str, Reached] = {}  # what the processes that are forked have of this one


def _trial(fault: Fault, patience: float):
    return tried(fault, _known, patience)


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
@click.option("--processes", type=click.IntRange(1), default=os.cpu_count() or 1, help="At a time. [default: one a processor]")
@click.option("--verbose", is_flag=True, help="Say of each fault which test notices it.")
@click.pass_context
def main(ctx: click.Context, count: int, seed: int | None, only: str, text: str, patience: float, processes: int, verbose: bool) -> None:
    """Put one fault at a time into the machine, and see whether a test fails."""
    seed = time.time_ns() % 10**9 if seed is None else seed
    faults = chosen(seed, count, only.removeprefix("warploom/machine/"), text)
    if not faults:
        raise click.UsageError(f"there is no file of the machine that begins with {only!r}, or no fault with {text!r} in it")
    click.echo(f"seed {seed}, {len(faults)} faults")
    _known.update(reach(processes, _progress))
    _progress("")
    click.echo(f"{len(_known)} tests, {sum(test.seconds for test in _known.values()):.0f} s in plain Python")
    survivors, excused, done = [], [], 0
    with ProcessPoolExecutor(processes, mp_context=get_context("fork")) as pool:
        for trial in as_completed([pool.submit(_trial, fault, patience) for fault in faults]):
            verdict = trial.result()
            done += 1
            if verdict.test:
                if verbose:
                    click.echo(f"{verdict.fault}\n    found by {verdict.test}\n")
            elif reason := equivalent(verdict.fault):
                excused.append(verdict.fault)
                if verbose:
                    click.echo(f"{verdict.fault}\n    changes nothing: {reason}\n")
            else:
                survivors.append(verdict.fault)
                click.echo(f"{verdict.fault}\n    no test of {verdict.tests} notices\n")
            _progress(f"{done} of {len(faults)} faults, {len(survivors)} not noticed")
    _progress("")
    meant = len(faults) - len(excused)
    found = meant - len(survivors)
    click.echo(f"{found} of {meant} faults are noticed, {100 * found / max(meant, 1):.1f} %; {len(excused)} more change nothing")
    ctx.exit(int(bool(survivors)))


def _progress(text: str) -> None:
    """One line on a terminal that is written over."""
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[K{text}", err=True, nl=False)


if __name__ == "__main__":
    main()
