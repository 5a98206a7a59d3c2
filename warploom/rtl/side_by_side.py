"""Lockstep: the model and the hardware run a program side by side, and every field of the trace is compared in every cycle."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from warploom.isa.numbers import grouped
from warploom.rtl.bench import Bench, Host
from warploom.rtl.hardware import ADDRESSES, Hardware, NoHardware, check_program
from warploom.rtl.model import DEFAULT_MAX_CYCLES, GPU, FlatTrace, Program, SequencerMachine, cycle_limit, entry_call, words
from warploom.rtl.simulator import Pysim, Simulation

BEFORE, AFTER = 4, 2  # cycles that are shown around a difference
PROGRESS = 64  # cycles between two calls of `progress`
COLUMNS = 5  # fields that are shown beside the one that differs
SIMULATORS = ("pysim", "verilator")


@dataclass(frozen=True)
class Cycle:
    """One cycle near a difference, in both. model, hardware: uint64[fields]."""

    cycle: int
    model: np.ndarray
    hardware: np.ndarray


@dataclass(frozen=True)
class Difference:
    """Where model and hardware part. field: the first of `fields`, all that differ in that cycle. place: what the core does there."""

    cycle: int
    field: str
    model: int
    hardware: int
    fields: tuple[str, ...]
    place: str
    names: tuple[str, ...]
    around: tuple[Cycle, ...]

    def __str__(self) -> str:
        lines = [f"cycle {self.cycle}: {self.field} is {self.hardware} in the hardware, the model says {self.model}"]
        if len(self.fields) > 1:
            others = ", ".join(self.fields[1:COLUMNS])
            more = f" and {len(self.fields) - COLUMNS} more" if len(self.fields) > COLUMNS else ""
            lines.append(f"in that cycle these differ, too: {others}{more}")
        if self.place:
            lines.append(self.place)
        return "\n".join([*lines, *(["", *self.table()] if self.around else [])])

    def table(self) -> list[str]:
        """The cycles around it as lines: fields of the same unit, `model|hardware` where the two differ."""
        shown = self._shown()
        cells = [["cycle", *(self.names[column].rpartition(".")[2] for column in shown)]]
        for row in self.around:
            pairs = ((int(row.model[column]), int(row.hardware[column])) for column in shown)
            cells.append([str(row.cycle), *(str(a) if a == b else f"{a}|{b}" for a, b in pairs)])
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in cells]
        unit = self.field.rpartition(".")[0] or "the GPU"
        return [f"{unit}, in the cycles around it; model|hardware where they differ:", *lines]

    def _shown(self) -> list[int]:
        """Columns: the core's state and program counter, the field, and of its unit those that differ or change."""
        unit, core = self.field.rpartition(".")[0], self.field.partition(".")[0]
        column = self.names.index(self.field)
        first = [self.names.index(f"{core}.{name}") for name in ("core_state", "current_pc") if f"{core}.{name}" in self.names]
        models = np.stack([row.model for row in self.around])
        hardware = np.stack([row.hardware for row in self.around])
        moving = (models != hardware).any(axis=0) | (models != models[0]).any(axis=0)
        siblings = [index for index, name in enumerate(self.names) if name.rpartition(".")[0] == unit and moving[index]]
        others = [index for index in (*first, *siblings) if index != column]
        return [*dict.fromkeys([*others[: COLUMNS - 1], column])]


@dataclass(frozen=True)
class Lockstep:
    """What a comparison gave. status: of the kernel in the model, "done", "error" or "timeout"; "stopped" when a difference ended the
    comparison. fields: compared in each cycle. difference: None where all agree. fault: the kernel's; "" without one. seconds: wall time.
    """

    program: Program
    hardware: Hardware
    status: str
    cycles: int
    fields: int
    fault: str
    difference: Difference | None
    simulator: str
    seconds: float

    @property
    def agrees(self) -> bool:
        """Whether every field was equal in every cycle."""
        return self.difference is None

    def __str__(self) -> str:
        if self.difference is not None:
            return str(self.difference)
        cycles, compared = (grouped(number) for number in (self.cycles, self.cycles * self.fields))
        ending = {"done": "", "error": "\nthe kernel stops with a fault, in both", "timeout": "\nthe kernel still runs then"}
        return f"model and hardware agree: {cycles} cycles, {self.fields} fields in each, {compared} values{ending[self.status]}"


def lockstep(
    program: Program,
    gpu: GPU,
    *,
    max_cycles: int = DEFAULT_MAX_CYCLES,
    simulator: str = "pysim",
    vcd: str | Path | None = None,
    progress: Callable[[int], None] | None = None,
    notice: Callable[[str], None] | None = None,
) -> Lockstep:
    """Run a program on the model and on the hardware, and compare every field of the trace in every cycle.

    gpu: its configuration decides what the hardware is; its preset is usually `tiny-original` or `tiny`. max_cycles: where a
    kernel that does not end is left. simulator: "pysim", Amaranth's own, or "verilator", which needs Verilator and a C++ compiler.
    vcd: a file for the hardware's waveforms; pysim only. progress: called with the cycle count. notice: called with a sentence when
    something takes a while.
    Raises NoHardware for what has no hardware, LaunchError when the machine cannot run the program, MissingPackage.
    """
    if simulator not in SIMULATORS:
        raise ValueError(f"simulator = {simulator!r}: it is one of {', '.join(SIMULATORS)}")
    max_cycles = cycle_limit(max_cycles)
    check_program(program)
    if gpu.units:
        raise NoHardware("a unit of your own has no hardware")
    hardware = Hardware.of(gpu.config)
    machine = gpu.machine(program)
    assert isinstance(machine, SequencerMachine)
    simulation: Simulation
    if simulator == "pysim":
        bench = Bench(hardware)
        simulation = Pysim(bench, vcd)
    else:
        from warploom.rtl.verilated import Verilated, find_verilator

        if vcd is not None:
            raise ValueError("waveforms come from pysim: leave one of the two out")
        tool = find_verilator()
        bench = Bench(hardware)
        simulation = Verilated(bench, tool, notice)
    pair = Pair(machine, bench, max_cycles, native=simulator != "pysim", progress=progress, notice=notice)
    begin = time.perf_counter()
    with np.errstate(all="ignore"):
        simulation.run(pair.host.before, pair.step)
    return Lockstep(
        program=program,
        hardware=hardware,
        status=pair.status,
        cycles=pair.cycle,
        fields=len(bench.names),
        fault=machine.fault_text() if pair.status == "error" else "",
        difference=pair.difference(),
        simulator=simulator,
        seconds=time.perf_counter() - begin,
    )


class Pair:
    """The model beside a simulation: `step` drives the simulation, steps the model along, and compares."""

    def __init__(
        self,
        machine: SequencerMachine,
        bench: Bench,
        max_cycles: int,
        *,
        native: bool = False,
        progress: Callable[[int], None] | None = None,
        notice: Callable[[str], None] | None = None,
    ) -> None:
        self.machine, self.bench, self.max_cycles, self.progress = machine, bench, max_cycles, progress
        program = machine.program
        self.host = Host(bench.gpu.hardware, words(program), program.data.tolist(), program.launch.threads)
        self.trace = FlatTrace(machine)
        if self.trace.names != bench.names:
            missing = sorted(set(self.trace.names) ^ set(bench.names))
            raise AssertionError(f"the trace and the hardware have different fields: {', '.join(missing[:COLUMNS])}")
        self.advance = entry_call(machine, "native" if native else "python", notice)
        self.cycle = -1
        self.status = ""
        self.done, self.fault = (self.trace.names.index(name) for name in ("done", "fault.kind"))
        self.recent: deque[Cycle] = deque(maxlen=BEFORE + 1 + AFTER)
        self.parted: int | None = None

    def step(self, requests: int, probe: Callable[[], bytes]) -> int | None:
        """One cycle: see `simulator.Drive`."""
        self.cycle += 1
        if self.cycle > 0:
            self.advance(self.cycle)
            row = Cycle(self.cycle - 1, self.trace.row(), self.bench.row(probe()))
            self.recent.append(row)
            if self.parted is None and not np.array_equal(row.model, row.hardware):
                self.parted = self.cycle - 1
            if self.progress is not None and self.cycle % PROGRESS == 0:
                self.progress(self.cycle)
            if self._ended(row):
                return None
        return self.host.next(requests)

    def _ended(self, row: Cycle) -> bool:
        if row.model[self.done]:
            self.status = "done"
        elif row.model[self.fault]:
            self.status = "error"
        elif self.cycle >= self.max_cycles:
            self.status = "timeout"
        if self.parted is not None and self.cycle > self.parted + AFTER:
            self.status = self.status or "stopped"
        return self.status != ""

    def difference(self) -> Difference | None:
        """Where the two parted first: in a field, or, where no field tells, in what data memory holds at the end."""
        if self.parted is None:
            return self._memory_difference()
        around = tuple(row for row in self.recent if row.cycle >= self.parted - BEFORE)
        here = next(row for row in around if row.cycle == self.parted)
        fields = np.flatnonzero(here.model != here.hardware)
        names = self.trace.names
        first = fields[0]
        return Difference(
            cycle=self.parted,
            field=names[first],
            model=int(here.model[first]),
            hardware=int(here.hardware[first]),
            fields=tuple(names[field] for field in fields),
            place=self._place(names[first], here),
            names=names,
            around=around,
        )

    def _memory_difference(self) -> Difference | None:
        size = min(ADDRESSES, self.machine.config.memory.bytes)
        model = self.machine.memory.view(np.uint8)[:size]
        hardware = np.array(self.host.memory.data[:size], np.uint8)
        wrong = np.flatnonzero(model != hardware)
        if not wrong.size:
            return None
        names = tuple(f"data memory[{address}]" for address in wrong)
        return Difference(self.cycle - 1, names[0], int(model[wrong[0]]), int(hardware[wrong[0]]), names, "", names, ())

    def _place(self, field: str, here: Cycle) -> str:
        """At which instruction the field's core is, in the model."""
        core = field.partition(".")[0]
        with suppress(ValueError):
            pc = int(here.model[self.trace.names.index(f"{core}.current_pc")])
            return f"{core} is at {self.machine.program.where(pc)} in the model"
        return ""
