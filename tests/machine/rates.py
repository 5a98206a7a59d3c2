"""Rates and latencies of a machine, found as a microbenchmark finds them: from the time of a straight run of instructions."""

from __future__ import annotations

from typing import Any

from tests.machine.programs import Assembly
from warploom.isa.uop import NUMBER, OPERATIONS
from warploom.machine.config.presets import load_config
from warploom.machine.device.machine import PipelineMachine
from warploom.machine.run.driver import drive

SOURCES = (5, 6, 7)  # registers that nothing else writes
RESULTS = range(8, 24)
Operation = dict[str, Any]


def made(name: str, dst: int, *sources: int, **fields: Any) -> Operation:
    """One operation; the sources that it has beyond those given are SOURCES."""
    letters = [letter for letter in "abc" if letter in OPERATIONS[NUMBER[name]].operands]
    given = (*sources, *SOURCES[len(sources) :])
    return {
        "name": name,
        "dst": dst,
        **dict(zip(letters, given, strict=False)),
        **fields,
    }


def cycles_each(body: list[Operation], *, warps: int = 1, engine: str = "python", gpu: str = "sm", **settings: Any) -> float:
    """Cycles of a body of instructions in each warp, once it runs: two runs of different length give the difference.

    Settings have two underscores for the dot. The instruction buffers are left out, and all multiprocessors but one.
    """
    turns = 12
    lanes = int(load_config(gpu).core.lanes)
    first, second = (_cycles(body, count, warps, lanes, engine, gpu, settings) for count in (turns, 2 * turns))
    return (second - first) / turns


def _cycles(body: list[Operation], turns: int, warps: int, lanes: int, engine: str, gpu: str, settings: dict[str, Any]) -> int:
    code = Assembly()
    for register in SOURCES:
        code.mov(register, 0x3F800000)
    for _ in range(turns):
        for operation in body:
            code(**operation)
    code("exit")
    given = {name.replace("__", "."): value for name, value in settings.items()}
    changes = {"gpu.cores": 1, "memory.bytes": 1 << 16, "fetch.buffer": 0} | given
    machine = PipelineMachine(load_config(gpu, changes), code.program(threads=lanes * warps, block=min(lanes * warps, 1024)))
    assert drive(machine, engine=engine, max_cycles=1 << 20).status == "done"
    return machine.cycle
