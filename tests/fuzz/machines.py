"""Random programs on random machines: both engines give the same to the last bit, and what the threads give one after the other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.machine import random_programs, tiny_kernels
from tests.machine.programs import words
from warploom import GPU
from warploom.machine.config.presets import load_config
from warploom.machine.config.schema import Config
from warploom.machine.device.machine import PipelineMachine
from warploom.machine.run.driver import drive

CYCLES = 3_000_000
ONCE = settings(max_examples=3, database=None, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))


def seeds() -> list[bytes]:
    """Numbers: each is the seed of a few programs and machines."""
    return [b"1"]


def take(data: bytes, _path: Path, engine: str = "native") -> None:
    """Run them. engine: what plain Python is compared with."""
    number = int.from_bytes(data[:8], "big")

    @seed(number)
    @ONCE
    @given(random_programs.statements(), random_programs.launches, random_programs.seeds, random_programs.machines())
    def warps(body, launch, values, machine):
        table = random_programs.table(values)
        made = []
        for kind in (engine, "python"):
            program = random_programs.written(body, *launch, table)
            made.append(PipelineMachine(load_config(Config(), machine), program))
            assert drive(made[-1], engine=kind, max_cycles=CYCLES).status == "done"
            if made[-1].cycle > 3000:
                break  # plain Python would take seconds
        assert np.array_equal(words(made[0]), random_programs.expected(body, *launch, table))
        assert len({machine.state() for machine in made}) == 1

    @seed(number)
    @ONCE
    @given(tiny_kernels.programs(), tiny_kernels.machines())
    def steps(program, machine):
        preset, changes = machine
        found = [GPU(preset, set=changes, engine=kind).run(program, max_cycles=2000) for kind in (engine, "python")]
        assert found[0].cycles == found[1].cycles
        assert found[0].fault == found[1].fault
        assert np.array_equal(found[0].memory, found[1].memory)

    warps()
    steps()
