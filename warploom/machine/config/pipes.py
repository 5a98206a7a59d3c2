"""Which arithmetic pipes a core has, and which of them takes an instruction: what follows from a configuration alone."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from warploom.isa import uop as u
from warploom.isa.needs import only_scalars
from warploom.isa.program import Program
from warploom.machine.config.schema import Config
from warploom.machine.config.sequences import SLOT, parts_of, slots_of
from warploom.machine.core.latency_classes import CLASS_OF, CLASSES, SCALAR, SEQUENCES

PORTS = {"integer": u.ALU, "float": u.FLOAT, "double": u.DOUBLE, "special": u.SPECIAL, "vector": u.ALU, "scalar": u.SCALAR_PORT,
         "load_store": u.SHARED, "light": u.LIGHT, "half": u.HALF}  # fmt: skip


@lru_cache(maxsize=16)  # every core of a device is set up from it
def pipe_of_class(config: Config) -> tuple[str, ...]:
    """By latency class: the arithmetic pipe of a sub-partition that takes its operations."""
    if config.pipes.vector:
        return tuple(SCALAR if name == SCALAR and config.pipes.scalar else "vector" for name in u.LATENCIES)
    return _kinds(config)


def _kinds(config: Config) -> tuple[str, ...]:
    """The same where each kind of operation has a pipe of its own; of a sequence, the pipe that it keeps longest."""
    loads = {name: _loads(config, name) for name in SEQUENCES}
    longest = {name: max(load, key=lambda pipe: load[pipe]) for name, load in loads.items() if load}
    return tuple(longest.get(name, kind) for name, kind in zip(u.LATENCIES, _simple_kinds(config), strict=True))


def _simple_kinds(config: Config) -> tuple[str, ...]:
    """The same where there are no sequences."""
    found = {one.name: getattr(config.pipes, one.choice[0]) if one.pipes else one.pipe for one in CLASSES}
    if config.pipes.scalar:
        found[SCALAR] = SCALAR
    return tuple(found.get(name, "integer") for name in u.LATENCIES)


@lru_cache(maxsize=16)
def intervals(config: Config) -> tuple[int, ...]:
    """By latency class: cycles for which an operation keeps the entry of its pipe."""
    loads = {name: _loads(config, name) for name in SEQUENCES}
    longest = {name: max(load.values()) for name, load in loads.items() if load}
    return tuple(longest.get(name, cycles) for name, cycles in zip(u.LATENCIES, _simple_intervals(config), strict=True))


def _simple_intervals(config: Config) -> tuple[int, ...]:
    """The same where there are no sequences."""
    given = {one.name: getattr(config.pipes, f"{one.name}_interval") for one in CLASSES if one.interval} | {
        SCALAR: int(config.pipes.scalar)
    }
    return tuple(given.get(name, 0) or interval(config, kind) for name, kind in zip(u.LATENCIES, _simple_kinds(config), strict=True))


@lru_cache(maxsize=16 * len(SEQUENCES))
def _loads(config: Config, name: str) -> Mapping[str, int]:
    """The pipes of the sequence that a latency class is, and for how many cycles it keeps the entry of each; none where it is none.

    Where the float pipe has two halves, float instructions are dealt out so that both are kept equally long; integer multiplies need the
    first.
    """
    kinds, cycles = _simple_kinds(config), _simple_intervals(config)
    if config.pipes.vector:
        kinds = tuple("vector" for _ in kinds)
    found: dict[str, int] = {}
    heavy = 0  # of the float pipe, what its first half alone can do
    for count, part in parts_of(config, name):
        if part != SLOT:
            number = u.LATENCIES.index(part)
            found[kinds[number]] = found.get(kinds[number], 0) + count * cycles[number]
            heavy += count * cycles[number] if part == "multiply" and kinds[number] == "float" else 0
    half = other_half(config)
    if half and found.get("float", 0) > found.get(half, 0):
        both = found["float"] + found.get(half, 0)
        found["float"] = max(-(-both // 2), heavy)
        found[half] = both - found["float"]
    return {pipe: kept for pipe, kept in found.items() if kept}


def other_half(config: Config) -> str:
    """The pipe that takes float operations when the float pipe is busy: "integer", "light", which is no one else's, or "" for none."""
    if config.pipes.owner != "scheduler" or config.pipes.vector:
        return ""
    return "integer" if config.pipes.float_on_integer else "light" if config.pipes.second_float else ""


def loads_beside(config: Config, name: str) -> dict[int, int]:
    """By port: the cycles for which a sequence keeps the pipes beside the one that takes it."""
    taking = pipe_of_class(config)[u.LATENCIES.index(name)]
    return {PORTS[pipe]: cycles for pipe, cycles in _loads(config, name).items() if pipe != taking}


def latency(config: Config, name: str) -> int:
    """Cycles from an operation of a latency class to one that needs its result; 1 for classes that have no setting."""
    if name not in CLASS_OF:
        return 1
    return int(getattr(config.latency, name) or getattr(config.latency, CLASS_OF[name].like))


def lanes_setting(config: Config, number: int) -> str:
    """The setting with the lanes per cycle of a latency class; "" where an interval or a sequence is given, or the scalar unit takes it."""
    kind = _kinds(config)[number]
    if parts_of(config, u.LATENCIES[number]):
        return ""
    given = any(getattr(config.pipes, f"{name}_interval", 0) for name in (u.LATENCIES[number], kind))
    return "" if given or kind == SCALAR else f"pipes.{kind}_lanes"


def issue_slots(config: Config) -> int:
    """Instructions that the schedulers of a core issue in a cycle at most."""
    return int(config.core.issues_per_turn or config.core.schedulers)


def turn_rate(config: Config) -> float:
    """Instructions of one kind per cycle that a scheduler issues at most, and of one warp: one in each cycle, or in each of its turns."""
    return 1 / config.core.schedulers if config.core.issues_per_turn else 1.0


def scheduler_rate(config: Config, kind: str) -> float:
    """Instructions of a latency class per cycle that a scheduler with pipes of its own issues at most."""
    return min(turn_rate(config), 1 / max(slots_of(config, kind), intervals(config)[u.LATENCIES.index(kind)]))


def issued_to(config: Config, program: Program) -> np.ndarray:
    """int32[2, instructions]: each instruction's port, and its latency class."""
    port, latency = program.code[:, u.ISSUE_UNIT].copy(), program.code[:, u.ISSUE_LATENCY].copy()
    if config.pipes.owner == "scheduler":
        seeded = [u.LATENCIES.index(name) for name in ("float_root", "float_reciprocal") if parts_of(config, name)]
        arithmetic = (port == u.ALU) | (port == u.SPECIAL) & np.isin(latency, seeded)
        if config.pipes.scalar:
            latency[arithmetic & only_scalars(program)] = u.L_SCALAR
        port[arithmetic] = _ports(config)[latency[arithmetic]]
        if config.pipes.vector:
            port[port == u.SPECIAL] = PORTS["vector"]
    return np.stack([port, latency])


def _ports(config: Config) -> np.ndarray:
    """int32[latency classes]: the port of an arithmetic operation. Multiplies and sequences wait for the first half of a float pipe."""
    ports = np.array([PORTS[pipe] for pipe in pipe_of_class(config)], np.int32)
    first = [u.LATENCIES.index(name) for name in ("multiply", *SEQUENCES) if name == "multiply" or parts_of(config, name)]
    if other_half(config):
        ports[[number for number in first if ports[number] == u.FLOAT]] = u.HEAVY
    return ports


def interval(config: Config, pipe: str) -> int:
    """Cycles from one instruction of a pipe of a sub-partition to the next.

    pipe: integer, float, double, special, load_store, texture; half, whose lanes are the float pipe's.
    """
    lanes = config.core.lanes
    given, width = getattr(config.pipes, f"{pipe}_interval"), getattr(config.pipes, f"{'float' if pipe == 'half' else pipe}_lanes")
    return int(given or -(-lanes // (width or lanes)))


def pipe_names(config: Config) -> dict[int, str]:
    """The arithmetic pipes of a core as events number them, with a name each: ALUs that are shared, or those of each scheduler."""
    if config.pipes.owner == "core":
        return {number: f"ALU {number}" for number in range(config.alu.count)}
    pipes = {*pipe_of_class(config), other_half(config)}
    names = [name for name in PORTS if name in pipes and name != "load_store"]
    if config.core.issue == "control":
        names += [name for name in ("scalar", "half") if name not in names]  # of the warp's registers, and of constants
    schedulers = range(config.core.schedulers)
    return {number * len(u.PORTS) + PORTS[name]: f"{name} {number}" for number in schedulers for name in names}
