"""GPU: what a user of the library runs programs on.

    gpu = warploom.GPU("tiny", set={"gpu.cores": 4})
    result = gpu.run(warploom.load("matadd.asm"))

It only chooses: the configuration says which machine is built, the driver runs it, the machine reads its own results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from warploom.isa.program import Program
from warploom.machine.accounting.status import LaunchError
from warploom.machine.build import build
from warploom.machine.config.presets import load_config
from warploom.machine.config.schema import Config
from warploom.machine.run.compile import compile_native
from warploom.machine.run.driver import DEFAULT_MAX_CYCLES, ENGINES, drive
from warploom.machine.run.probe import Probe
from warploom.machine.run.protocol import Machine
from warploom.machine.run.runnable import ClockEdge, Notice, Progress
from warploom.result import Result

Data = Sequence[int] | np.ndarray


class GPU:
    """A GPU made to a configuration.

    preset: a preset's name, the path of a TOML file, or a Config. set: changes by full setting name, as {"gpu.cores": 4}. engine:
    "python"; "native"; or "auto", which starts in plain Python and continues natively when the run is a long
    one. scheduler: a scheduling policy of your own for machines with warps, see `machine.scheduler`.
    Raises ConfigError for settings that cannot be, ValueError for an unknown engine.
    """

    def __init__(
        self,
        preset: str | Path | Config = "tiny",
        *,
        set: Mapping[str, Any] | None = None,
        engine: str = "auto",
        scheduler: Callable[..., int] | None = None,
    ) -> None:
        if engine not in ENGINES:
            raise ValueError(f"engine = {engine!r}: it is one of {', '.join(ENGINES)}")
        self.config = load_config(preset, set)
        self.engine, self.scheduler = engine, scheduler

    def run(
        self,
        program: Program,
        *,
        max_cycles: int = DEFAULT_MAX_CYCLES,
        threads: int | None = None,
        data: Data | None = None,
        progress: Progress | None = None,
        notice: Notice | None = None,
        tracing: bool = False,
        recording: bool = False,
        probes: Iterable[Probe] = (),
    ) -> Result:
        """Run a program to its end and say what came out.

        max_cycles: where a run that does not end is stopped (status "timeout"). threads, data: instead of the program's own;
        data are bytes, from address 0. progress: called with the cycle count several times a second. notice: called with a
        sentence when something takes a while. tracing: machines with warps write down what happens (`Result.detail`).
        recording: they write down every change of a register or of memory too, and take up to half a millisecond a cycle.
        probes: listeners that are handed the inputs and outputs of units (`machine.run.probe`); such a run stays in plain Python.
        Raises LaunchError when this machine cannot run the program, ValueError for a probe that it cannot place.
        """
        machine = self.machine(program, threads=threads, data=data, tracing=tracing, recording=recording)
        machine.probes.extend(probes)
        outcome = drive(machine, engine=self.engine, max_cycles=max_cycles, progress=progress, notice=notice)
        return Result.of(machine.finish(outcome))

    def steps(
        self, program: Program, *, max_cycles: int = DEFAULT_MAX_CYCLES, threads: int | None = None, data: Data | None = None
    ) -> Iterator[ClockEdge]:
        """Run a program cycle by cycle: the machine itself, with all its state, after every clock edge.

        For machines whose cores run one instruction at a time. Raises LaunchError.
        """
        return self.machine(program, threads=threads, data=data).steps(max_cycles)

    def machine(
        self,
        program: Program,
        *,
        threads: int | None = None,
        data: Data | None = None,
        tracing: bool = False,
        recording: bool = False,
    ) -> Machine:
        """The machine that `run` would run, before its first cycle."""
        if threads is not None:
            program = program.with_launch(threads=threads)
        if data is not None:
            program = program.with_data(_bytes(data))
        return build(self.config, program, policy=self.scheduler, tracing=tracing, recording=recording)

    def warm_up(self, program: Program, notice: Notice | None = None) -> None:
        """Compile the native engine for programs like this one into the on-disk cache, so that no later run has to."""
        compile_native(self.machine(program), notice)


def _bytes(data: Data) -> np.ndarray:
    values = np.asarray(data)
    if values.size == 0:
        return np.zeros(0, np.uint8)
    if values.ndim != 1 or values.dtype.kind not in "iub":
        raise LaunchError("data is a row of whole numbers from 0 to 255, one a byte")
    wrong = np.flatnonzero((values < 0) | (values > 255))
    if wrong.size:
        raise LaunchError(f"data[{wrong[0]}] = {values[wrong[0]]}: a byte is 0 to 255")
    return values.astype(np.uint8)
