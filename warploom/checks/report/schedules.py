"""Schedules: machines on which a race shows, because they run the threads in a different order.

A race has been found whatever the values are. This runs the program a few times more, without checks, under other schedulers, with fewer
warps and one core, under independent threads, and says where memory ends up different.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from warploom.machine.config.presets import load_config
from warploom.machine.config.schema import Config
from warploom.machine.core.scheduling.policies import POLICIES
from warploom.machine.engine.sizes import ConfigError

MOST_CYCLES = 2_000_000  # of a run that is repeated
OTHERS = ({"core.divergence": "its"}, {"core.divergence": "minpc"}, {"gpu.cores": 1}, {"gpu.cores": 4}, {"core.schedulers": 1})


def other_machines(config: Config) -> Iterator[tuple[str, Config]]:
    """Machines that differ in one setting that changes the order of threads: how --set calls it, and the machine."""
    names = [name for name in POLICIES if name not in (config.core.scheduler, "guppy", "vortex")]
    for change in [{"core.scheduler": name} for name in names] + [dict(one) for one in OTHERS]:
        (name, value), *_ = change.items()
        section, field = name.split(".")
        if getattr(getattr(config, section), field, value) == value:
            continue
        try:
            yield f"{name}={value}", load_config(config, {name: value})
        except ConfigError:
            continue


def shows(config: Config, memory: np.ndarray, run: Callable[[Config], np.ndarray | None]) -> tuple[str, int, np.ndarray] | None:
    """The first of these machines on which memory ends up different: its name, the first byte that differs, and memory there.

    memory: uint8, after the run with checks. run: runs the program on a machine; None where that cannot run it.
    """
    for name, other in other_machines(config):
        found: Any = run(other)
        if found is None or len(found) != len(memory):
            continue
        differs = np.flatnonzero(found != memory)
        if len(differs):
            return name, int(differs[0]), found
    return None
