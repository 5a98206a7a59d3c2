"""GPU: what a user of the library runs programs on.

    gpu = warploom.GPU("tiny", set={"gpu.cores": 4})
    result = gpu.run(warploom.load("matadd.asm"))

It only chooses: the configuration says which machine is built, the driver runs it, the machine reads its own results.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from warploom.isa.frontend import Kernel, type_of
from warploom.isa.launch import Launch
from warploom.isa.launching import BufferError, as_bytes, launch_of, launched
from warploom.isa.numbers import whole_number
from warploom.isa.program import Program
from warploom.isa.sass.products import refused
from warploom.machine.accounting.status import LaunchError
from warploom.machine.build import build
from warploom.machine.config.check import check_used
from warploom.machine.config.presets import load_config
from warploom.machine.config.schema import Config
from warploom.machine.run.driver import DEFAULT_MAX_CYCLES, ENGINES, cycle_limit, drive
from warploom.machine.run.protocol import Machine
from warploom.machine.run.runnable import MOST_EVENTS, Blocks, ClockEdge, Listener, Notice, Progress
from warploom.result import Result

if TYPE_CHECKING:
    from warploom.device import Device
    from warploom.machine.run.probe import Probe
    from warploom.units import UserUnit

GENERATION = "vortex.isa"  # the setting that is for the front end: of which generation of Vortex a program is that does not say it
Data = Sequence[int] | np.ndarray


class GPU:
    """A GPU made to a configuration.

    preset: a preset's name, the path of a TOML file, or a Config. set: changes by full setting name, as {"gpu.cores": 4}. engine:
    "python"; "native"; or "auto", which starts in plain Python and continues natively when the run is a long
    one. units: units of your own by slot, or of ours by name: see `warploom.units`. scheduler: short for units={"scheduler": ...}.
    Raises ConfigError for settings that cannot be, ValueError for an unknown engine, UnitError for a unit that cannot be taken.
    """

    def __init__(
        self,
        preset: str | Path | Config = "tiny",
        *,
        set: Mapping[str, Any] | None = None,
        engine: str = "auto",
        units: Mapping[str, UserUnit] | None = None,
        scheduler: UserUnit | None = None,
    ) -> None:
        if engine not in ENGINES:
            raise ValueError(f"engine = {engine!r}: it is one of {', '.join(ENGINES)}")
        self.config, self.engine = load_config(preset, set), engine
        self.units: dict[str, Any] = {}
        check_used(self.config, set or {}, add='GPU("{}")')
        if units or scheduler is not None:
            self._take(units or {}, scheduler, set or {})
        self._generation = (set or {}).get(GENERATION)

    def _take(self, units: Mapping[str, UserUnit], scheduler: UserUnit | None, set: Mapping[str, Any]) -> None:
        """The user's units in the machine. Raises UnitError."""
        from warploom.machine.slots import check_slots
        from warploom.units import UnitError, take_units

        if scheduler is not None:
            if "scheduler" in units:
                raise UnitError("the scheduler is given twice: leave one of them out")
            units = {**units, "scheduler": scheduler}
        check_slots(self.config, units)
        self.config, self.units = take_units(self.config, units, set)

    def run(
        self,
        program: Program | Kernel,
        *,
        launch: Launch | str | int | None = None,
        max_cycles: int = DEFAULT_MAX_CYCLES,
        threads: int | None = None,
        data: Data | None = None,
        progress: Progress | None = None,
        blocks: Blocks | None = None,
        notice: Notice | None = None,
        tracing: bool = False,
        recording: bool = False,
        probes: Iterable[Probe] = (),
        listener: Listener | None = None,
        most_events: int = MOST_EVENTS,
    ) -> Result:
        """Run a program to its end and say what came out.

        launch: how it is started: a Launch, or the name or number of one of the program's own; None: its usual one. A kernel takes the
        types of its arguments from the launch's. max_cycles: where a run that has not ended is stopped (status "timeout"):
        no run is longer.
        threads, data: instead of the program's own;
        data are bytes, from address 0. progress: called with the cycle count several times a second; blocks: before it, with how many
        blocks have ended, and how many there are. notice: called with a
        sentence when something takes a while. tracing: machines with warps write down what happens (`Result.detail`).
        recording: they write down every change of a register or of memory too, and take up to half a millisecond a cycle.
        listener: with tracing, is handed the events as they are written down, int64[n, EVENT_COLUMNS] at a time; they are not kept then, so
        that a run of any length takes no more memory. most_events: how many are kept without one; 64 bytes each.
        probes: listeners that are handed the inputs and outputs of units (`machine.run.probe`); such a run stays in plain Python.
        Raises LaunchError when this machine cannot run the program, BufferError for a launch, a buffer or an argument that it has not,
        ProgramError for a program whose tables name what is not there, TooManyEvents where more events would be kept than are wanted,
        ValueError for a probe that it cannot place and for a `max_cycles` that is not a whole number, TypeError for what is not a program.
        """
        max_cycles = cycle_limit(max_cycles)
        machine = self.machine(program, launch=launch, threads=threads, data=data, tracing=tracing, recording=recording)
        machine.probes.extend(probes)
        machine.listener, machine.most_events = listener, whole_number("most_events", most_events, 1)
        outcome = drive(machine, engine=self.engine, max_cycles=max_cycles, progress=progress, blocks=blocks, notice=notice)
        return Result.of(machine.finish(outcome))

    def run_all(self, program: Program, **options: Any) -> list[Result]:
        """Run every launch of a program, each over the program's own memory. options: those of `run`."""
        return [self.run(program, launch=launch, **options) for launch in program.launches or (program.launch,)]

    def steps(
        self, program: Program, *, max_cycles: int = DEFAULT_MAX_CYCLES, threads: int | None = None, data: Data | None = None
    ) -> Iterator[ClockEdge]:
        """Run a program cycle by cycle: the machine itself, with all its state, after every clock edge.

        For machines whose cores run one instruction at a time. Raises LaunchError, and ValueError if `max_cycles` is not a whole number.
        """
        return self.machine(program, threads=threads, data=data).steps(cycle_limit(max_cycles))

    def machine(
        self,
        program: Program | Kernel,
        *,
        launch: Launch | str | int | None = None,
        threads: int | None = None,
        data: Data | None = None,
        tracing: bool = False,
        recording: bool = False,
    ) -> Machine:
        """The machine that `run` would run, before its first cycle."""
        if not isinstance(program, Program):
            program = _known(program, launch)
        if self._generation and program.isa != f"vortex-{self._generation}":
            raise LaunchError(
                f"{program.source.path} was loaded as a program of {program.isa}, and {GENERATION} = {self._generation} says what it is "
                "loaded as: load it with options=Options(path=..., machine=gpu.config), or leave the setting out"
            )
        said = refused(program.isa, self.config.name)
        if said is not None:
            raise LaunchError(f"{program.source.path}: {said}")
        if launch is not None:
            program = launched(program, launch_of(program, launch))
        if threads is not None:
            program = _with_threads(program, threads)
        if data is not None:
            program = program.with_data(_bytes(data))
        return build(self.config, program, units=self.units, tracing=tracing, recording=recording)

    def device(self, memory_bytes: int | None = None) -> Device:
        """This GPU with memory that lives across launches. memory_bytes: instead of the configuration's own size.

        Raises LaunchError for a machine whose cores run one instruction at a time, ValueError for a size that cannot be.
        """
        from warploom.device import Device

        return Device(self.config, self.engine, self.units, self.config.memory.bytes if memory_bytes is None else memory_bytes)

    def warm_up(self, program: Program, notice: Notice | None = None) -> None:
        """Compile the native engine for programs like this one into the on-disk cache, so that no later run has to."""
        from warploom.machine.run.compile import compile_native

        compile_native(self.machine(program), notice)

    def fit(self, program: Program, notice: Notice | None = None) -> None:
        """Compile native code in which this machine's settings are constants. Later runs of programs like this one on it take that code.

        It gives the same results, and is 1.1 to 1.2 times as fast. Traced runs do not take it.
        """
        from warploom.machine.run.compile import compile_fitted

        compile_fitted(self.machine(program), notice)


def _known(kernel: Kernel, launch: Launch | str | int | None) -> Program:
    """The program of a kernel, for the types of a launch's arguments."""
    if not hasattr(kernel, "parameters"):
        made = f"warploom.load({str(kernel)!r})" if isinstance(kernel, str | Path) else "as warploom.load makes of a file"
        raise TypeError(f"run wants a Program, {made}, not {type(kernel).__name__}")
    given = launch.arguments if isinstance(launch, Launch) else {}
    missing = [name for name in kernel.parameters if name not in given]
    if missing:
        raise LaunchError(
            f"{kernel.name}: the argument {missing[0]!r} has no value: give all of {', '.join(kernel.parameters)} in a Launch"
        )
    return kernel.program({name: type_of(given[name]) for name in kernel.parameters})


def _with_threads(program: Program, threads: int) -> Program:
    try:
        return program.with_launch(threads=whole_number("threads", threads))
    except ValueError as error:
        raise LaunchError(f"{program.source.path}: {error}") from None


def _bytes(data: Data) -> np.ndarray:
    try:
        return as_bytes(data)
    except BufferError as error:
        raise LaunchError(str(error)) from None
