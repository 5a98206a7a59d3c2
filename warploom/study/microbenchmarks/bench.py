"""The bench that a microbenchmark works at: a machine as a black box, which runs programs and shows its clock and its memory.

`Properties` is all that is known of the machine beforehand: what cudaGetDeviceProperties tells of a real GPU. They size a sweep
and decide no result.
"""

from __future__ import annotations

import gc
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from msgspec import structs

from warploom.gpu import GPU
from warploom.isa.program import Program
from warploom.machine.accounting.status import LaunchError
from warploom.machine.config.schema import Config
from warploom.machine.occupancy.residency import limits_of
from warploom.machine.run.driver import drive
from warploom.machine.run.runnable import Notice

MANY_CORES = 8  # whose state is large
MAX_CYCLES = 1 << 31  # the clock that a program reads has 32 bits


class Unmeasured(Exception):
    """A program of a microbenchmark did not end well. The message says which, and why."""


class Properties(NamedTuple):
    """What a device tells of itself.

    cores: multiprocessors. lanes: threads a warp. warps: that a core holds. block_threads: largest block. l1_bytes, l2_bytes,
    shared_bytes: 0 where there is none. l1_bytes is of all cores' caches the nominal size, which a sweep goes beyond.
    """

    cores: int
    lanes: int
    warps: int
    block_threads: int
    l1_bytes: int
    l2_bytes: int
    shared_bytes: int


class Readout(NamedTuple):
    """What a run gave. cycles: of the whole run. words: memory as uint32, from byte 0 on."""

    cycles: int
    words: np.ndarray


@dataclass
class Bench:
    """A machine that programs can be run on. quick: fewer points and shorter loops, for tests. runs: programs run so far."""

    config: Config
    engine: str = "auto"
    quick: bool = False
    notice: Notice | None = None
    runs: int = 0

    @property
    def device(self) -> Properties:
        """What the device tells of itself."""
        c, limits = self.config, limits_of(self.config)
        threads = min(limits.block_threads or 1 << 30, limits.threads or 1 << 30, c.core.warps * c.core.lanes)
        return Properties(c.gpu.cores, c.core.lanes, c.core.warps, threads, c.l1.bytes, c.l2.bytes, c.shared.bytes)

    def of_one_core(self) -> Bench:
        """The same machine with one multiprocessor; itself where blocks lie on several."""
        if self.config.gpu.cores == 1 or self.config.gpu.dispatch == "split":
            return self
        return replace(self, config=structs.replace(self.config, gpu=structs.replace(self.config.gpu, cores=1)))

    def run(self, program: Program) -> Readout:
        """Run a program. Raises Unmeasured when it does not end, LaunchError when the machine refuses it."""
        machine = GPU(self.config).machine(program)
        outcome = drive(machine, engine=self.engine, max_cycles=MAX_CYCLES, notice=self.notice)
        self.runs += 1
        if outcome.status != "done":
            result = machine.finish(outcome)
            raise Unmeasured(f"the program {program.name!r} of this microbenchmark: {outcome.status}: {result.fault or result.summary()}")
        readout = Readout(machine.cycle, np.asarray(machine.memory))
        if self.config.gpu.cores > MANY_CORES:  # a machine and its watchers name one another: without this several would be kept
            del machine
            gc.collect()
        return readout

    def refuses(self, program: Program) -> bool:
        """Whether the machine refuses to start a program."""
        try:
            GPU(self.config).machine(program)
        except LaunchError:
            return True
        return False
