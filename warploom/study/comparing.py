"""`warploom.compare`: one or several programs on many machines that differ in a few settings.

found = warploom.compare("matmul.asm", over={"core.divergence": ["stack", "minpc"], "core.warps": "1..64*2"}, gpu="sm")
"""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from warploom.isa.program import Program
from warploom.machine.config.schema import Config
from warploom.machine.run.driver import DEFAULT_MAX_CYCLES
from warploom.machine.run.runnable import Notice
from warploom.study.compare import Plan, plan
from warploom.study.needs import StudyError
from warploom.study.suite import Member, Suite
from warploom.study.sweep import Progress
from warploom.study.varied import Over
from warploom.units import UserUnit

Source = Program | str | os.PathLike[str]
Sources = Source | Callable[[int], Source] | Sequence[Source | Callable[[int], Source]]


def compare(
    program: Sources,
    over: Over = MappingProxyType({}),
    *,
    seeds: Sequence[int] | None = None,
    gpu: str | Path | Config | None = None,
    set: Mapping[str, Any] | None = None,
    units: Mapping[str, UserUnit] | None = None,
    max_cycles: int = DEFAULT_MAX_CYCLES,
    engine: str = "auto",
    jobs: int | None = None,
    dask: str | None = None,
    progress: Progress | None = None,
    notice: Notice | None = None,
) -> Any:
    """Run programs on every combination of settings: a pandas DataFrame where pandas is installed, else a `table.Table`.

    program: a Program, the path of one, or, with seeds, a function that returns one of them for a seed; or several of these. over:
    values by full setting name, and presets by the name `gpu`:
    a sequence, or text as `1,2,4`, `1..8`, `8..64:8`, `1..64*2`; for `unit.SLOT` functions,
    "mine.py:choose", or names of ours. seeds: whole numbers, each of which is run. gpu, set, units: the machine that all runs start from,
    which a Python file sees while it runs up to its first launch. jobs: processes; None: one a processor. dask: the address of a Dask
    scheduler that spreads the runs instead. progress: called with (runs done, runs in all).

    A row has the kernel where there are several, the seed where there are seeds, the settings, status, message, metrics, a digest of the
    final memory, and all counters. Raises ConfigError, LaunchError when no run can be, SourceError for a program that cannot be read,
    StudyError.
    """
    several = [program] if isinstance(program, Program | str | os.PathLike) or callable(program) else list(program)
    if not several:
        raise StudyError("no program is compared: name at least one")
    if not over and len(several) == 1:
        raise StudyError("nothing varies: name a setting and its values, as core.warps and 1..32*2, or several programs")
    fixed = next((one for one in several if seeds is not None and not callable(one)), None)
    if fixed is not None:
        raise StudyError(f"seeds: {_shown(fixed)} is the same for every seed; give a function that makes the program from a seed")
    made: list[tuple[str, int | None, Plan]] = []
    for one in several:
        for seed in checked_seeds(seeds) or (None,):
            source = one(seed) if callable(one) and seed is not None else one
            if callable(source):
                raise StudyError(f"{_shown(source)} makes a program from a seed: name the seeds, as seeds=range(1, 6)")
            made.append((_shown(source), seed, plan(source, over, gpu=gpu, set=set, units=units)))
    suite = suite_of(made)
    table = suite.run(max_cycles=max_cycles, engine=engine, jobs=jobs, dask=dask, progress=progress, notice=notice)
    try:
        import pandas  # noqa: F401
    except ImportError:
        return table
    return table.to_frame()


def suite_of(made: Sequence[tuple[str, int | None, Plan]]) -> Suite:
    """A suite of plans, each with where it comes from and its seed. A kernel has its program's name, or its place where two have one."""
    places: dict[str, set[str]] = {}
    for place, _, found in made:
        places.setdefault(found.program.name, set()).add(place)
    names = [place if len(places[found.program.name]) > 1 else found.program.name for place, _, found in made]
    pairs = [(name, seed) for name, (_, seed, _) in zip(names, made, strict=True)]
    twice = next((name for name, seed in pairs if pairs.count((name, seed)) > 1), None)
    if twice is not None:
        raise StudyError(f"{twice} is compared twice: name it once")
    return Suite([Member(name, seed, found) for name, (_, seed, found) in zip(names, made, strict=True)])


def checked_seeds(seeds: Sequence[Any] | None) -> tuple[int, ...]:
    """Seeds, of which an interval needs two. Raises StudyError."""
    if seeds is None:
        return ()
    found = []
    for seed in seeds:
        if isinstance(seed, bool) or not hasattr(seed, "__index__"):
            raise StudyError(f"seed {seed!r}: a seed is a whole number")
        found.append(operator.index(seed))
    found = list(dict.fromkeys(found))
    if len(found) < 2:
        raise StudyError("an interval needs two seeds or more, as 1..5")
    return tuple(found)


def _shown(source: Any) -> str:
    """Where a program comes from."""
    if isinstance(source, Program):
        return source.name
    return getattr(source, "__name__", "") if callable(source) else os.fspath(source)
