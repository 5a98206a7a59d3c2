"""Which arithmetic pipes a core has, and which of them takes an instruction: what follows from a configuration alone."""

from __future__ import annotations

from warploom.isa import uop as u
from warploom.machine.config.schema import Config

PORTS = {"integer": u.ALU, "float": u.FLOAT, "double": u.DOUBLE, "special": u.SPECIAL}


def pipe_of_class(config: Config) -> tuple[str, ...]:
    """By latency class: the arithmetic pipe of a sub-partition that takes its operations."""
    pipes = config.pipes
    found = {
        "multiply": pipes.multiply, "bits": pipes.bits, "convert": pipes.convert, "special": "special", "double": "double",
        "double_divide": "double", "float": "float", "float_multiply": "float", "fma": "float", "float_divide": "float",
    }  # fmt: skip
    return tuple(found.get(name, "integer") for name in u.LATENCIES)


def interval(config: Config, pipe: str) -> int:
    """Cycles from one instruction of a pipe of a sub-partition to the next. pipe: integer, float, double, special, load_store, texture."""
    lanes = config.core.lanes
    given, width = getattr(config.pipes, f"{pipe}_interval"), getattr(config.pipes, f"{pipe}_lanes")
    return int(given or -(-lanes // (width or lanes)))


def pipe_names(config: Config) -> dict[int, str]:
    """The arithmetic pipes of a core as events number them, with a name each: ALUs that are shared, or those of each scheduler."""
    if config.pipes.owner == "core":
        return {number: f"ALU {number}" for number in range(config.alu.count)}
    schedulers = range(config.core.schedulers)
    return {number * len(u.PORTS) + port: f"{name} {number}" for number in schedulers for name, port in PORTS.items()}
