"""Recorder: the model runs, and its units' calls are written down as steps for the hardware.

Not hardware. Watchers are probes of a run in plain Python (`machine.run.probe`): each sees what a unit is given, lets it work, and sees
what it answers. The model notices nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any

from warploom.rtl.beside.steps import Step
from warploom.rtl.model import Config, Probe, Program, step

Unit = Callable[..., Any] | str  # a function of the model, or the name of one that the machine was handed
# One call of a unit: a generator over its arguments, which yields once, to let the unit work, and is sent what it answers.
Watch = Generator[None, Any, None]
Tap = Callable[..., Watch]


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
        return config.has.warps

    def taps(self) -> Mapping[Unit, Tap]:
        """The units of the model that are watched, by what watches them."""
        raise NotImplementedError

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


def probes_of(watchers: Sequence[Watcher]) -> list[Probe]:
    """The probes that tell the watchers what a machine does. The first one tells them when a core begins a cycle."""
    return [_probe(step, _begin_cycle(watchers)), *(_probe(unit, tap) for watcher in watchers for unit, tap in watcher.taps().items())]


def calls(tap: Tap, unit: Callable[..., Any]) -> Callable[..., Any]:
    """A unit that is watched without a machine: call it in its place."""

    def watched(*arguments: Any) -> Any:
        watch = tap(*arguments)
        next(watch)
        answer = unit(*arguments)
        _tell(watch, answer)
        return answer

    return watched


def _begin_cycle(watchers: Sequence[Watcher]) -> Tap:
    def begin(gpu: Any, core: Any, tables: Any, units: Any, now: Any) -> Watch:
        for watcher in watchers:
            watcher.now = int(now)
            watcher.begin_cycle(core, int(now))
        yield

    return begin


def _probe(unit: Unit, tap: Tap) -> Probe:
    """A probe asks what to keep before the unit works and after: the watch begins with the one, and is told the answer after the other."""
    working: list[Watch] = []

    def keep(*arguments: Any) -> Watch:
        if working:
            return working.pop()
        watch = tap(*arguments)
        next(watch)
        working.append(watch)
        return watch

    return Probe(unit, lambda call: _tell(call.before, call.answer), keep, optional=True)


def _tell(watch: Watch, answer: Any) -> None:
    """A unit has answered."""
    try:
        watch.send(answer)
    except StopIteration:
        return
