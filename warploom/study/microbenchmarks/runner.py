"""Probes as independent jobs, for several processes: each has a bench of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from warploom.machine.config.schema import Config
from warploom.machine.run.runnable import Notice
from warploom.study.microbenchmarks.bench import Bench
from warploom.study.microbenchmarks.report import Probed, probe

# The first compiles the native engine where that has never been done; then those that take longest, so that none is left for the end.
LONGEST = ("fence", "dram", "chase", "l2", "shared", "throughput", "instruction-cache", "limits", "ways")


@dataclass(frozen=True)
class Job:
    """One probe of one machine. engine: `native`, or `python` for short ones where nothing is compiled."""

    name: str
    config: Config
    engine: str = "native"
    quick: bool = False


def run_job(job: Job, notice: Notice | None = None) -> Probed:
    """Run it. Raises Unmeasured."""
    return probe(job.name, Bench(job.config, job.engine, job.quick, notice))


def longest_first(names: Sequence[str]) -> list[str]:
    """The names in an order in which several processes end at about the same time."""
    return sorted(names, key=lambda name: LONGEST.index(name) if name in LONGEST else len(LONGEST))
