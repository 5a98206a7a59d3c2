"""Straight runs, for the tests of what steps a machine backwards."""

from __future__ import annotations

from typing import Any

from warploom import GPU, Program, load
from warploom.machine.debug.session import Session
from warploom.machine.run.driver import drive

# A kernel of each kind of machine: preset, file, settings.
RUNS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("tiny", "tiny/matmul.asm", {}),
    ("tiny-simt", "tiny/matmul.asm", {}),
    ("tiny-simt", "tiny/shared_reduction.asm", {"core.divergence": "its"}),
    ("guppy", "guppy/if_else.guppy", {}),
    ("sm", "guppy/if_else.guppy", {"memory.bytes": 1 << 16}),
)
NAMES = [f"{preset}-{kernel}" for preset, kernel, _ in RUNS]


def gpu_and_program(preset: str, kernel: str, settings: dict[str, Any]) -> tuple[GPU, Program]:
    return GPU(preset, set=settings, engine="python"), load(f"examples/{kernel}")


def session(preset: str, kernel: str, settings: dict[str, Any]) -> Session:
    gpu, program = gpu_and_program(preset, kernel, settings)
    return Session(gpu.machine(program), engine="python")


class Straight:
    """What a machine's bytes are at each cycle of a run that only ever goes forwards, slice by slice."""

    def __init__(self, gpu: GPU, program: Program) -> None:
        self.gpu, self.program = gpu, program

    def state(self, cycle: int) -> tuple[bytes, ...]:
        """At a cycle, or at the end when that comes first."""
        machine = self.gpu.machine(self.program)
        drive(machine, engine="python", max_cycles=cycle)
        return machine.state()
