"""The ladder: one kernel on every machine from tiny-gpu's to a modern core, each with one switch more than the one before.

    ladder = climb(warploom.load("matadd.asm"))
    for step in ladder.steps:
        print(step.rung.name, step.cycles, step.bottleneck)

Each rung is measured three times: together with all rungs below it; the same with the channels to memory as they were at the
foot, so that what the core does can be told from what wires do; and alone, with nothing but the rungs that it cannot do without.
A program that needs warps climbs a ladder that begins with a bare core with warps, and whose memory has no such channels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from warploom.gpu import GPU
from warploom.isa.frontends import known
from warploom.isa.needs import first_of_a_block
from warploom.isa.program import Program
from warploom.isa.uop import NONE
from warploom.machine.accounting.faults import FAULTS
from warploom.machine.accounting.status import LaunchError
from warploom.machine.config.presets import load_config
from warploom.machine.config.schema import Config
from warploom.machine.run.driver import DEFAULT_MAX_CYCLES, cycle_limit, drive
from warploom.machine.run.runnable import Notice
from warploom.machine.slots import SLOTS, slot_named
from warploom.result import Result
from warploom.study.bottleneck import Bottleneck, bottleneck
from warploom.study.rungs import DIVERGENCE, SHARED_MEMORY, Rung, is_rung_setting, rungs
from warploom.study.rungs_of_warps import foot_of, warp_rungs
from warploom.units import UserUnit, take_units, unit_name

Progress = Callable[[int, int, str], None]
WITHOUT_A_PIPELINE = ("core.skip_wait", "core.prefetch")


class KernelError(Exception):
    """The kernel itself fails, on any machine: a fault, or no end. The message is one sentence that says where."""


@dataclass(frozen=True)
class Step:
    """What a rung gave.

    settings: all that has been changed since the foot of the ladder, by full name. result: with all of them; None where the kernel
    cannot run, and then `skipped` says why, in one sentence. same_channels: the run with the channels of the foot; None also where the
    foot has none.
    alone: how many times as fast the rung makes the kernel by itself; None where that cannot be measured.
    """

    rung: Rung
    settings: dict[str, Any]
    result: Result | None
    same_channels: Result | None
    alone: float | None
    skipped: str = ""

    @property
    def cycles(self) -> int | None:
        """With all rungs up to this one; None where the kernel cannot run."""
        return self.result.cycles if self.result is not None else None

    @property
    def bottleneck(self) -> Bottleneck | None:
        """What holds the kernel up on this rung."""
        return bottleneck(self.result) if self.result is not None else None


@dataclass(frozen=True)
class Ladder:
    """A kernel on all rungs. start: the machine at the foot. variant: the kernel that the last rung ran, if a different one."""

    program: Program
    start: Config
    steps: tuple[Step, ...]
    variant: Program | None = None

    @property
    def measured(self) -> tuple[Step, ...]:
        """The rungs on which the kernel ran."""
        return tuple(step for step in self.steps if step.result is not None)

    def speedup(self, step: Step) -> float | None:
        """How many times as fast as the first rung on which the kernel ran; None for a rung on which it does not."""
        return _ratio(self.measured[0].cycles, step.cycles) if self.measured else None

    def gain(self, step: Step) -> float | None:
        """How many times as fast as the rung before; None on the first one on which the kernel ran, and on those before it."""
        place = self.measured.index(step) if step in self.measured else 0
        return _ratio(self.measured[place - 1].cycles, step.cycles) if place else None

    def differing(self) -> tuple[Step, ...]:
        """The rungs that leave another memory than the first one does."""
        return tuple(step for step in self.measured if not _same_memory(self.measured[0], step))

    @property
    def of_warps(self) -> bool:
        """Whether it begins with a core that has warps, and whose memory has no channels that could be kept."""
        return has_warps(self.start)

    @property
    def top(self) -> Config:
        """The machine of the last rung."""
        return load_config(self.start, self.steps[-1].settings)

    @property
    def idle_cores(self) -> int:
        """Cores that have no block on any rung."""
        return max(self.top.gpu.cores - self.blocks, 0)

    @property
    def blocks(self) -> int:
        """Blocks of the launch."""
        launch = self.program.launch
        return -(-launch.threads // (launch.block_threads or self.start.core.threads_per_block))


def climb(
    program: Program,
    start: str | Path | Config = "tiny",
    choices: Mapping[str, Any] | None = None,
    *,
    variant: Program | None = None,
    units: Mapping[str, UserUnit] | None = None,
    engine: str = "auto",
    max_cycles: int = DEFAULT_MAX_CYCLES,
    progress: Progress | None = None,
    cycles: Callable[[int], None] | None = None,
    notice: Notice | None = None,
) -> Ladder:
    """Run a kernel on every rung.

    start: the machine at the foot, or, where it has warps, the one at the top: a preset's name, a TOML file's path or a Config.
    choices: settings by full name; those that a rung turns on take its value's place, the others change the start. variant: a form of the
    kernel with shared memory, which the last rung runs in its place. units: a user's own by slot; each comes in with the rung that
    chooses one of ours.
    progress: called with (rungs done, rungs in all, name of the next) before each. cycles: with the cycle count of each run.
    notice: with a sentence when something takes a while.

    A rung whose machine cannot start the program is left out where the one at the top can, as those that have no room for all blocks of a
    grid that wait for each other.

    Raises ConfigError for a machine with which no ladder begins, LaunchError for a program that the machine at the foot, or the one with
    warps at the top, cannot start, and KernelError where the kernel has a fault or does not end within `max_cycles`.
    """
    foot, found, own = _prepared(start, choices or {}, units or {})
    for kernel in (program, variant):
        if kernel is not None and (foot.has.warps or first_of_a_block(kernel) == NONE):
            _check_start(foot, found, kernel)
    climber = _Climber(foot, found, own, engine, cycle_limit(max_cycles), cycles, notice)
    steps: list[Step] = []
    for number, rung in enumerate(climber.rungs):
        if progress is not None:
            progress(number, len(climber.rungs), rung.name)
        steps.append(climber.step(number, variant if variant is not None and rung.name == SHARED_MEMORY else program, program))
    return Ladder(program, foot, tuple(steps), variant)


def has_warps(start: str | Path | Config) -> bool:
    """Whether a ladder of this machine is one of warps, with this machine at the top."""
    return load_config(start).has.warps


def usual_machine(program: Program) -> str:
    """The machine of a program's ladder where none is named: the first of tiny's, the last of any other."""
    return next((row.gpu for row in known() if row.name == program.isa), "tiny")


def last_machine(
    start: str | Path | Config = "tiny", choices: Mapping[str, Any] | None = None, *, units: Mapping[str, UserUnit] | None = None
) -> GPU:
    """The machine of the last rung. The arguments are those of `climb`, and so is what it raises for a machine."""
    foot, found, own = _prepared(start, choices or {}, units or {})
    settings = _merged(found)
    config = load_config(foot, settings)
    return GPU(config, units=_units_there(own, found, config, settings))


def _prepared(
    start: str | Path | Config, choices: Mapping[str, Any], units: Mapping[str, UserUnit]
) -> tuple[Config, tuple[Rung, ...], Mapping[str, Callable[..., int]]]:
    """The machine at the foot, the rungs, and the user's own units by slot."""
    wanted, own = take_units(Config(), units, choices)
    named = [setting for name in units if name not in own for setting in slot_named(name).settings]
    foot, below = _machines(load_config(start), {**choices, **{setting: wanted[setting] for setting in named}})
    return foot, tuple(_with_units(rung, own) for rung in below), own


def _machines(start: Config, choices: Mapping[str, Any]) -> tuple[Config, tuple[Rung, ...]]:
    """The machine at the foot, and the rungs."""
    if has_warps(start):
        top = load_config(start, choices)
        return foot_of(top), warp_rungs(top)
    theirs = {name: value for name, value in choices.items() if is_rung_setting(name, start)}
    foot = load_config(start, {name: value for name, value in choices.items() if name not in theirs})
    return foot, rungs(foot, theirs)


def _check_start(foot: Config, found: tuple[Rung, ...], program: Program) -> None:
    """Raises LaunchError when the machine at the foot cannot run a program; of machines with warps, when the one at the top cannot."""
    up = foot.has.warps
    try:
        GPU(load_config(foot, _merged(found)) if up else foot).machine(program)
    except LaunchError as error:
        which = "leads up to" if up else "begins with the machine"
        raise LaunchError(f"the ladder {which} {foot.name!r}, which cannot run this program: {error}") from None


class _Climber:
    """Runs kernels on the machines of a ladder; a machine that comes again is not run again."""

    def __init__(
        self,
        foot: Config,
        found: tuple[Rung, ...],
        units: Mapping[str, Callable[..., int]],
        engine: str,
        max_cycles: int,
        cycles: Callable[[int], None] | None,
        notice: Notice | None,
    ) -> None:
        self.cycles, self.notice = cycles, notice
        self.foot, self.rungs, self.units, self.engine, self.max_cycles = foot, found, units, engine, max_cycles
        self.known: dict[tuple[int, Config, tuple[str, ...]], Result | str] = {}

    def step(self, number: int, program: Program, usual: Program) -> Step:
        """Measure one rung. program: the kernel that it runs; usual: the one that the others run."""
        rung = self.rungs[number]
        below = self.rungs[: number + 1]
        settings = _merged(below)
        narrow = settings | {name: value for rung in below for name, value in rung.wires.items()}
        result = self.run(program, settings, rung)
        if isinstance(result, str):
            return Step(rung, settings, None, None, None, result)
        same = None if self.foot.has.warps else self.run(program, narrow, rung)
        assert not isinstance(same, str), "whether a kernel can run does not depend on channels"
        return Step(rung, settings, result, same, self.alone(rung, program, usual) if number else None)

    def alone(self, rung: Rung, program: Program, usual: Program) -> float | None:
        """How many times as fast a rung makes the kernel with nothing but what it needs."""
        needed = _merged(tuple(other for other in self.rungs if other.name in rung.needs))
        without = self.run(usual, needed, rung)
        along = self.run(program, {**needed, **rung.settings}, rung)
        if isinstance(without, str) or isinstance(along, str):
            return None
        return _ratio(without.cycles, along.cycles)

    def run(self, program: Program, settings: Mapping[str, Any], rung: Rung) -> Result | str:
        """A run, or the sentence that says why this machine cannot run the kernel."""
        config = load_config(self.foot, settings)
        own = _units_there(self.units, self.rungs, config, settings)
        key = (id(program), config, tuple(own))
        if key not in self.known:
            self.known[key] = self._run(program, config, own, rung)
        return self.known[key]

    def _run(self, program: Program, config: Config, units: Mapping[str, Callable[..., int]], rung: Rung) -> Result | str:
        of_a_block = first_of_a_block(program)
        if of_a_block != NONE and not config.shared.bytes:
            return f"{program.where(of_a_block)}: shared memory and barriers come with the rung {SHARED_MEMORY!r}"
        try:
            machine: Any = GPU(config, engine=self.engine, units=units).machine(program)
        except LaunchError as error:
            if not self.foot.has.warps:
                raise
            return str(error).rpartition("; ")[0] or str(error)  # a rung further up runs it: there is nothing to mend
        outcome = drive(machine, engine=self.engine, max_cycles=self.max_cycles, progress=self.cycles, notice=self.notice)
        result = Result.of(machine.finish(outcome))
        if result.status == "done":
            return result
        fault = machine.gpu["fault"]
        if result.status == "error" and FAULTS[int(fault["kind"])].name in ("divergence", "uniform"):
            return (
                f"{program.where(int(fault['pc']))}: the threads of a block disagree on this branch, and before the rung {DIVERGENCE!r} "
                "they share one program counter"
            )
        if result.status == "timeout":
            raise KernelError(f"on the rung {rung.name!r} the kernel is still running after {result.cycles} cycles")
        raise KernelError(f"on the rung {rung.name!r}: {result.fault}")


def _units_there(
    units: Mapping[str, Callable[..., int]], found: tuple[Rung, ...], config: Config, settings: Mapping[str, Any]
) -> dict[str, Callable[..., int]]:
    """The units whose slots are filled: from the rung on that chooses a unit of ours for it, else as soon as there is a pipeline."""

    def has(slot: str) -> bool:
        own = [setting for setting in SLOTS[slot].settings if any(setting in rung.settings for rung in found)]
        return any(setting in settings for setting in own) if own else config.has.warps

    return {name: unit for name, unit in units.items() if has(name)}


def _with_units(rung: Rung, units: Mapping[str, Callable[..., int]]) -> Rung:
    """A rung whose sentence names a user's unit where it names one of ours."""
    about = rung.about
    for name, unit in units.items():
        for setting in SLOTS[name].settings:
            if setting in rung.settings:
                about = about.replace(str(rung.settings[setting]), f"{unit_name(unit)}, a unit of your own,", 1)
    return replace(rung, about=about)


def _merged(below: tuple[Rung, ...]) -> dict[str, Any]:
    """What all of these rungs turn on together; a later one has the last word. A pipeline has no use for what comes before it."""
    found = {name: value for rung in below for name, value in rung.settings.items()}
    gone = WITHOUT_A_PIPELINE if found.get("core.control") == "pipeline" else ()
    return {name: value for name, value in found.items() if name not in gone}


def _ratio(before: int | None, after: int | None) -> float | None:
    return before / after if before and after else None


def _same_memory(one: Step, other: Step) -> bool:
    assert one.result is not None and other.result is not None
    return bool(np.array_equal(one.result.memory, other.result.memory))
