"""Recorder: the model runs, and its units' calls are written down as steps for the hardware.

Not hardware. The model runs in plain Python, as it always does, where its units are functions that other units call by name. While a recorder
listens, those names lead through it: it sees what a unit is given, lets the unit work, and sees what it answers. The model notices nothing.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from warploom.rtl.beside.steps import Step
from warploom.rtl.model import POLICIES, Config, Program

# What stands in for a function of the model: it is given that function and the arguments, and returns its result.
Tap = Callable[..., Any]


class Watcher:
    """A unit of the model that is watched. Subclasses: one for each kind of unit."""

    name = ""
    takes_longer = ""  # what takes the hardware more than the model's one cycle, in a sentence

    def __init__(self, config: Config, program: Program, most: int) -> None:
        self.config, self.program, self.most = config, program, most
        self.traces: dict[str, list[Step]] = defaultdict(list)
        self.now = 0  # the model's cycle
        self.calls = 0
        self._records: dict[int, tuple[int, Any]] = {}  # by identity: a number, and the record itself, so that it stays

    @classmethod
    def used_by(cls, config: Config, program: Program) -> bool:
        """Whether a machine of this configuration has the unit."""
        return config.core.control == "pipeline"

    def taps(self) -> Mapping[Callable[..., Any], Tap]:
        """The functions of the model that are watched."""
        raise NotImplementedError

    def policy(self, choose: Callable[..., Any], s: Any, now: Any) -> Any:
        """A scheduler's policy is asked."""
        return choose(s, now)

    def begin_cycle(self, core: Any, now: int) -> None:
        """A core begins a cycle."""

    def hardware(self) -> Any:
        """The unit as hardware, in the size that the traces need."""
        raise NotImplementedError

    def number_of(self, record: Any) -> int:
        """A record of the model by the order in which they were seen."""
        return self._records.setdefault(id(record), (len(self._records), record))[0]

    @property
    def full(self) -> bool:
        """Whether enough has been written down."""
        return self.calls >= self.most

    def note(self, where: str, step: Step) -> None:
        """Write a step down."""
        self.traces[where].append(step)
        self.calls += 1


@contextmanager
def listening(config: Config, watchers: list[Watcher]) -> Iterator[None]:
    """For a while the model's functions lead through the watchers."""
    from warploom.rtl.model import step

    def begin(original: Callable[..., Any], gpu: Any, core: Any, tables: Any, units: Any, now: Any) -> Any:
        for watcher in watchers:
            watcher.now = int(now)
            watcher.begin_cycle(core, int(now))
        return original(gpu, core, tables, units, now)

    chains: dict[Callable[..., Any], Callable[..., Any]] = {}
    for function, tap in [(step, begin), *((f, t) for watcher in watchers for f, t in watcher.taps().items())]:
        chains[function] = _through(tap, chains.get(function, function))
    row = POLICIES.get(config.core.scheduler)
    with _rebound(chains):
        if row is not None:
            choose = row.choose
            for watcher in watchers:
                choose = _through(watcher.policy, choose)
            POLICIES[config.core.scheduler] = row._replace(choose=choose)
        try:
            yield
        finally:
            if row is not None:
                POLICIES[config.core.scheduler] = row


def _through(tap: Tap, function: Callable[..., Any]) -> Callable[..., Any]:
    def tapped(*arguments: Any) -> Any:
        return tap(function, *arguments)

    return tapped


@contextmanager
def _rebound(chains: Mapping[Callable[..., Any], Callable[..., Any]]) -> Iterator[None]:
    """Every name in the model's modules that means one of these functions means its replacement."""
    replaced = []
    by_identity = {id(function): replacement for function, replacement in chains.items()}
    for module_name, module in list(sys.modules.items()):
        if module_name.startswith("warploom.machine"):
            for name, value in list(vars(module).items()):
                if id(value) in by_identity and callable(value):
                    setattr(module, name, by_identity[id(value)])
                    replaced.append((module, name, value))
    try:
        yield
    finally:
        for module, name, value in replaced:
            setattr(module, name, value)
