"""Promises about whole runs, which all slots have: small programs, the smallest first, with the unit and without it, in both engines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from warploom.contracts.promise import Promise
from warploom.gpu import GPU
from warploom.isa.frontends import load
from warploom.isa.program import Program
from warploom.machine.config.presets import load_config
from warploom.machine.config.schema import Config
from warploom.machine.engine.users import UnitError
from warploom.machine.run.driver import drive

PROGRAMS = Path(__file__).parent / "programs"
ENGINES = ("python", "native")
LONGER = 100  # times as long as with ours may a run take
PLAIN = 5  # times as long as with ours does plain Python try it; whether it ends later, native code says, which is a hundred times as fast
SMALL = {
    **{"core.lanes": 4, "core.warps": 16, "core.schedulers": 2, "l1.bytes": 1024, "l1.sets": 2, "l1.mshrs": 4},
    **{"l2.bytes": 4096, "l2.slices": 2, "l2.sets": 2, "dram.channels": 2},
}


@lru_cache
def programs() -> tuple[Program, ...]:
    """The programs, the smallest first."""
    return tuple(load(path) for path in sorted(PROGRAMS.iterdir()))


@lru_cache
def machine_config() -> Config:
    """A machine so small that short programs fill its caches."""
    return load_config("sm", SMALL)


@lru_cache
def without(number: int) -> Any:
    """The result of a program's run without the unit. number: of the program in `programs`."""
    machine = _machine({}, number, "python")
    return machine.finish(drive(machine, engine="python", max_cycles=1_000_000))


@lru_cache(maxsize=16)
def with_unit(unit: Any, slot: str, number: int, engine: str) -> Any:
    """(the machine after a run with the unit, its result). All promises look at the same run. Raises UnitError, with the program's name."""
    return ran(unit, slot, number, engine, LONGER * without(number).cycles)


def ran(unit: Any, slot: str, number: int, engine: str, most: int) -> Any:
    """(the machine after a run, its result), anew. most: cycles."""
    machine = _machine({slot: unit}, number, engine)
    try:
        outcome = drive(machine, engine=engine, max_cycles=min(most, PLAIN * without(number).cycles) if engine == "python" else most)
        if outcome.status == "timeout" and machine.cycle < most:
            natively = with_unit(unit, slot, number, "native")
            if natively[1].status == "timeout":
                return natively
            outcome = drive(machine, engine="python", max_cycles=most)
    except UnitError as error:
        raise UnitError(f"{_named(programs()[number])} ({engine}): {error}") from error
    return machine, machine.finish(outcome)


def _machine(units: dict[str, Any], number: int, engine: str) -> Any:
    return GPU(machine_config(), units=units, engine=engine).machine(programs()[number])


def runs(unit: Any, slot: str, engine: str) -> Iterator[tuple[Program, Any, Any, Any]]:
    """Of each program: (it, the machine with the unit, its result, the result without the unit)."""
    for number, program in enumerate(programs()):
        yield program, *with_unit(unit, slot, number, engine), without(number)


def _named(program: Program) -> str:
    return f"warploom/contracts/programs/{Path(program.source.path).name}"


def ends(unit: Any, slot: str) -> str:
    """Whether every program ends."""
    for engine in ENGINES:
        for number, (program, _, theirs, ours) in enumerate(runs(unit, slot, engine)):
            if theirs.status == "error":
                return f"{_named(program)} ({engine}): {theirs.fault}"
            if theirs.status != "done":
                also = with_unit(unit, slot, number, "native" if engine == "python" else "python")[1].status == theirs.status
                which = "" if also else f" ({engine})"
                return f"{_named(program)}{which} has not ended after {theirs.cycles} cycles; with ours it takes {ours.cycles}"
    return ""


def same_memory(unit: Any, slot: str) -> str:
    """Whether a program leaves the memory that it leaves without the unit."""
    for program, _, theirs, ours in runs(unit, slot, "python"):
        differ = np.flatnonzero(theirs.memory != ours.memory)
        if theirs.status == "done" and len(differ):
            at = int(differ[0])
            return f"{_named(program)}: byte {at:#x} of memory is {theirs.memory[at]}, and {ours.memory[at]} with ours"
    return ""


def same_again(unit: Any, slot: str) -> str:
    """Whether the same run takes the same cycles and leaves the same state."""
    for number, (program, machine, theirs, _) in enumerate(runs(unit, slot, "python")):
        again, second = ran(unit, slot, number, "python", theirs.cycles + 1)
        if again.state() != machine.state():
            return f"{_named(program)} takes {theirs.cycles} cycles, and the second time {second.cycles}{_same(theirs, second)}"
    return ""


def same_in_both(unit: Any, slot: str) -> str:
    """Whether both engines leave the same state."""
    for (program, plain, one, _), (_, native, other, _) in zip(runs(unit, slot, "python"), runs(unit, slot, "native"), strict=True):
        if plain.state() != native.state():
            return f"{_named(program)} takes {one.cycles} cycles in plain Python and {other.cycles} natively{_same(one, other)}"
    return ""


def _same(one: Any, other: Any) -> str:
    return ", and its state differs" if one.cycles == other.cycles else ""


def _promise(test: Callable[[Any, str], str], name: str, meaning: str) -> Promise:
    return Promise(name, meaning, test)


OF_ALL = (
    _promise(ends, "ends", "a kernel ends"),
    _promise(same_memory, "memory", "what a kernel computes stays the same: a unit changes its time"),
    _promise(same_again, "repeatable", "the same run again is the same, cycle by cycle: nothing is kept but in the unit's own memory"),
    _promise(same_in_both, "engines", "plain Python and native code agree, byte by byte"),
)
