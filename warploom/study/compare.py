"""The runs of a comparison, one program on many machines that differ in a few settings, and their table.

`unit.scheduler` is a setting too: its values are ours by name, and units of a user's (`warploom.units`).

Every combination of the values is a run, the last setting changing fastest. A run that faults, times out or cannot be is a row that
says so; a value that is outside of its setting's range is an error.
"""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from warploom.isa.frontend import Options
from warploom.isa.frontends import front_end, known, load
from warploom.isa.program import Program
from warploom.machine.accounting.status import LaunchError
from warploom.machine.config.presets import load_config
from warploom.machine.config.schema import Config
from warploom.machine.engine.sizes import ConfigError
from warploom.machine.slots import check_slots, slot_named
from warploom.study.metrics import METRICS
from warploom.study.reasons import reasons_of
from warploom.study.sweep import Outcome, Task
from warploom.study.table import Column, Table
from warploom.study.varied import MACHINE, MOST_RUNS, UNIT, Over, checked_values, values_of
from warploom.units import UnitError, UserUnit, take_units, unit_name, unit_place

__all__ = ["Plan", "base_machine", "name_of", "names_of", "plan", "table_of", "tasks_of", "values_of"]

# The machine that is taken where settings of warps are compared, and the front end names none for that.
WARPS_MACHINE = "sm"
SEQUENCER_ONLY = ("core.control", "core.threads_per_block", "core.skip_wait", "core.prefetch")
WARP_SECTIONS = ("core", "alu", "latency", "lsu", "l1", "l2", "shared", "dram", "texture")


@dataclass(frozen=True)
class Plan:
    """What a comparison runs. points: the settings of each run. configs: its machine, or why it cannot be. units: a user's own, by slot."""

    program: Program
    base: Config
    over: dict[str, tuple[Any, ...]]
    points: tuple[dict[str, Any], ...]
    configs: tuple[Config | str, ...]
    units: tuple[dict[str, UserUnit], ...]
    notes: tuple[str, ...] = ()

    @property
    def where(self) -> str:
        """The machine, or the machines, as a heading."""
        return ", ".join(self.over.get(MACHINE, (self.base.name,)))


# ---------------------------------------------------------------------------------------------------------
# What is run


def plan(
    program: Program | str | os.PathLike[str],
    over: Over,
    *,
    gpu: str | Path | Config | None = None,
    set: Mapping[str, Any] | None = None,
    units: Mapping[str, UserUnit] | None = None,
) -> Plan:
    """The runs of a comparison, before the first one. Raises as `compare`."""
    changes = dict(set or {})
    values = {name: checked_values(name, given) for name, given in over.items()}
    of_slots = {name: slot_named(name.removeprefix(UNIT)).settings for name in values if name.startswith(UNIT)}
    for name, settings_of_slot in of_slots.items():
        setting = next((setting for setting in settings_of_slot if setting in values or setting in changes), None)
        if setting:
            raise ConfigError(f"{name} and {setting} choose the same unit: leave one of the two out")
    chosen_already = {UNIT + slot for slot in units or {}}
    twice = next((name for name in values if name in changes or name in chosen_already or (name == MACHINE and gpu is not None)), None)
    if twice:
        raise ConfigError(f"{twice} is set and varied at the same time: leave one of the two out")
    runs = math.prod(len(found) for found in values.values())
    if runs > MOST_RUNS:
        raise ConfigError(f"these values make {runs} runs, and a comparison has at most {MOST_RUNS}: take fewer values")
    base, everywhere, notes = base_machine(_own_machine(program), over, gpu=gpu, set=changes, units=units)
    loaded = program if isinstance(program, Program) else load(program, options=Options(path=os.fspath(program), machine=base))
    points = tuple(dict(zip(values, chosen, strict=True)) for chosen in itertools.product(*values.values()))
    machines = [_machine(base, point, everywhere, changes) for point in points]
    configs = tuple(config for config, _ in machines)
    told = {name: _shown(found) for name, found in values.items()}
    shown = tuple(dict(zip(values, chosen, strict=True)) for chosen in itertools.product(*told.values()))
    if all(isinstance(config, str) for config in configs):
        raise ConfigError(reasons_of(shown, [str(config) for config in configs]))
    if MACHINE in told:
        notes = (*notes, "cycles are of each machine's own clock")
    return Plan(loaded, base, told, shown, configs, tuple(found for _, found in machines), notes)


def base_machine(
    own: str,
    over: Over,
    *,
    gpu: str | Path | Config | None = None,
    set: Mapping[str, Any] | None = None,
    units: Mapping[str, UserUnit] | None = None,
) -> tuple[Config, dict[str, Callable[..., int]], tuple[str, ...]]:
    """The machine that all runs of a comparison start from, the user's own units for it, and what there is to say about it.

    own: the preset of the program's instruction set, which is taken where `gpu` names none. Raises ConfigError, UnitError.
    """
    changes = dict(set or {})
    slots = [name.removeprefix(UNIT) for name in over if name.startswith(UNIT)]
    settings = [setting for slot in (*slots, *(units or {})) for setting in slot_named(slot).settings]
    named = {**over, **changes, **dict.fromkeys(settings)}
    if gpu is None and MACHINE in over:
        gpu = checked_values(MACHINE, over[MACHINE])[0]
    start, notes = (gpu, ()) if gpu is not None else _usual_machine(own, named)
    return *take_units(load_config(start, changes), units or {}, changes), notes


def _shown(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Values as a table shows them: a unit by its name, with its file and line where a different one has the same name."""
    names = [unit_name(value) if callable(value) or isinstance(value, tuple) else value for value in values]
    return tuple(name if names.count(name) == 1 else f"{name} ({unit_place(value)})" for name, value in zip(names, values, strict=True))


def _machine(
    base: Config, point: Mapping[str, Any], everywhere: Mapping[str, UserUnit], changes: Mapping[str, Any]
) -> tuple[Config | str, dict[str, UserUnit]]:
    """The machine of a run with a user's units, or why it cannot be. changes: of the machine that the run starts from."""
    given = {name.removeprefix(UNIT): value for name, value in point.items() if name.startswith(UNIT)}
    try:
        start = load_config(point[MACHINE], changes) if MACHINE in point else base
        settings = {name: value for name, value in point.items() if name != MACHINE and not name.startswith(UNIT)}
        config, own = take_units(load_config(start, settings), given)
        units = {**{name: unit for name, unit in everywhere.items() if name not in given}, **{name: given[name] for name in own}}
        check_slots(config, {**everywhere, **given})
    except (ConfigError, UnitError) as error:
        return str(error), {}
    return config, units


def _own_machine(program: Program | str | os.PathLike[str]) -> str:
    if not isinstance(program, Program):
        return front_end(program).gpu
    return next((row.gpu for row in known() if row.name == program.isa), WARPS_MACHINE)


def _usual_machine(own: str, named: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    """The machine where the user names none, and a sentence where it is not the instruction set's own."""
    asked = [name for name in named if name.partition(".")[0] in WARP_SECTIONS and name not in SEQUENCER_ONLY]
    if load_config(own).has.warps or not asked or "core.control" in named:
        return own, ()
    found = next((row.warps_gpu for row in known() if row.gpu == own and row.warps_gpu), WARPS_MACHINE)
    return found, (f"the machine is {found}, since {asked[0]} is for cores with warps and {own} has none",)


# ---------------------------------------------------------------------------------------------------------
# The runs, and the table of them


def tasks_of(plan: Plan, max_cycles: int, engine: str) -> list[Task]:
    """The runs of a plan that can be tried."""
    machines = zip(plan.configs, plan.units, strict=True)
    return [Task(plan.program, config, max_cycles, engine, units) for config, units in machines if isinstance(config, Config)]


def table_of(plan: Plan, found: Sequence[Outcome]) -> Table:
    """The table of a plan. found: what its tasks gave, in their order. Raises LaunchError when none of them could start the program."""
    measured = iter(found)
    outcomes = [next(measured) if isinstance(config, Config) else Outcome("impossible", config) for config in plan.configs]
    if all(outcome.status == "impossible" for outcome in outcomes):
        raise LaunchError(reasons_of(plan.points, [outcome.message for outcome in outcomes]))
    return _table(plan, outcomes)


def _table(plan: Plan, outcomes: list[Outcome]) -> Table:
    first = next((outcome.cycles for outcome in outcomes if outcome.done), None)
    counters = tuple(dict.fromkeys(name for outcome in outcomes for name in outcome.counters))
    rows = []
    for point, outcome in zip(plan.points, outcomes, strict=True):
        row = {**point, "status": outcome.status, "message": outcome.message}
        row |= {metric.name: outcome.metrics.get(metric.name) for metric in METRICS}
        row["speedup"] = first / outcome.cycles if outcome.done and first else None
        row |= {"held_up": outcome.metrics.get("held_up"), "memory": outcome.memory or None}
        rows.append(row | {name: outcome.counters.get(name) for name in counters if name not in row})
    bad = not all(outcome.done for outcome in outcomes)
    columns = [Column(name, name) for name in plan.over]
    columns += [Column("status", "status")] if bad else []
    shown = {metric.name: metric.column for metric in METRICS}
    columns += [shown.pop("cycles"), Column("speedup", "speed-up", 2), *shown.values(), Column("held_up", "mostly waits for")]
    return Table(rows, tuple(columns), (*plan.notes, *_remarks(plan, outcomes)))


def _remarks(plan: Plan, outcomes: list[Outcome]) -> list[str]:
    """What a reader should know: why runs are not done, which leave another memory, which settings change nothing."""
    pairs = list(zip(plan.points, outcomes, strict=True))
    reasons: dict[str, list[dict[str, Any]]] = {}
    for point, outcome in pairs:
        if not outcome.done:
            reasons.setdefault(f"{outcome.status}: {outcome.message}", []).append(point)
    said = [f"{names_of(points, plan)}: {reason}" for reason, points in reasons.items()]
    done = [(point, outcome) for point, outcome in pairs if outcome.done]
    if done:
        other = [point for point, outcome in done if outcome.memory != done[0][1].memory]
        if other:
            said.append(f"{names_of(other, plan)}: the final memory differs from that of {name_of(done[0][0])}")
    for name, values in plan.over.items():
        if len(values) > 1 and len(done) == len(pairs) and not _matters(name, pairs):
            of_a_setting = f"{name} changes nothing for this program on {plan.base.name}"
            said.append("these machines run this program alike" if name == MACHINE else of_a_setting)
    return said


def name_of(point: Mapping[str, Any]) -> str:
    """A combination of settings as text: `core.warps=8, core.divergence=stack`."""
    return ", ".join(f"{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in point.items())


def names_of(points: Sequence[Mapping[str, Any]], plan: Plan) -> str:
    """Combinations as text, in short: all of `core.divergence=uniform,masks`, or the first one and how many more there are."""
    taken = {name: [value for value in values if any(point[name] == value for point in points)] for name, values in plan.over.items()}
    if math.prod(len(values) for values in taken.values()) == len(points):
        told = {name: ",".join(map(str, values)) for name, values in taken.items() if len(values) < len(plan.over[name])}
        return name_of(told) or "all runs"
    return f"{name_of(points[0])} and {len(points) - 1} more"


def _matters(name: str, pairs: Sequence[tuple[dict[str, Any], Outcome]]) -> bool:
    """Whether any two runs that differ in this setting alone gave different counters."""
    groups: dict[tuple[Any, ...], dict[str, int]] = {}
    for point, outcome in pairs:
        others = tuple(value for other, value in point.items() if other != name)
        if groups.setdefault(others, outcome.counters) != outcome.counters:
            return True
    return False
