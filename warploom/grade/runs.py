"""Runs of a submission on the inputs of one case: a kernel of Python, or a program of a different front end.

Everything here is executed by the judge. Figures come from its own machine.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from warploom.checks.check import run_checked
from warploom.checks.report.findings import Finding
from warploom.gpu import GPU
from warploom.grade.compiling import compiled
from warploom.grade.described import Maker
from warploom.grade.drawing import Values
from warploom.grade.submission import Submission
from warploom.grade.task import Output, Task
from warploom.isa.frontend import Options
from warploom.isa.frontends import front_end, load
from warploom.isa.launching import read_buffer
from warploom.isa.program import Program
from warploom.kernel.device.context import Context
from warploom.kernel.launch.launch import Kernel, KernelError, extents
from warploom.result import Result


class Stopped(RuntimeError):
    """A run that did not end as it should: a fault, or too many cycles. The message is for the author."""


@dataclass(frozen=True)
class Ran:
    """One case. outputs: by name. figures: by name of task.LIMITS."""

    outputs: Mapping[str, np.ndarray]
    figures: Mapping[str, float]


class Runner(Protocol):
    """Something that can be run on inputs, and checked on them."""

    def run(self, values: Values) -> Ran:
        """Run it. Raises Stopped, SourceError, LaunchError, BufferError, ArgumentError."""

    def check(self, values: Values) -> list[Finding]:
        """What `warploom check` finds. Raises the same."""


def figures_of(result: Result, program: Program) -> dict[str, float]:
    """What limits are about, of one run."""
    counters, core = result.counters, result.config.core
    found: dict[str, float] = {"cycles": result.cycles, "instructions": result.instructions}
    found["transactions"] = counters.get("transactions", counters.get("data_requests", 0))
    found["shared_passes"] = counters.get("shared_passes", 0)
    found["shared_bytes"] = program.launch.shared_bytes
    found["registers"] = program.registers
    places = result.cycles * result.config.gpu.cores * core.warps
    found["occupancy"] = counters.get("warp_cycles", 0) / places if places else 0.0
    return found


class KernelRunner:
    """A kernel in Python, made by a Maker."""

    def __init__(self, task: Task, maker: Maker, first: int, engine: str) -> None:
        gpu = GPU(task.machine.gpu or "sm", set=dict(task.machine.set), engine=engine)
        self.task = task
        kernel = maker.function(first, Context(gpu, 1 << 26), {"max_cycles": task.machine.max_cycles})
        if not isinstance(kernel, Kernel):
            raise Stopped(f"{task.launch.kernel} is not a kernel: write @cuda.jit above its def")
        self.kernel = kernel

    def run(self, values: Values) -> Ran:
        """Run it."""
        grid, block, shared, arguments, outputs = self._prepared(values)
        try:
            result = self.kernel.launch(grid, block, shared, arguments)
        except KernelError as error:
            raise Stopped(str(error)) from None
        return Ran(outputs, figures_of(result, result.program))

    def check(self, values: Values) -> list[Finding]:
        """Check it."""
        grid, block, shared, arguments, _ = self._prepared(values)
        report = self.kernel.launch_checked(grid, block, shared, arguments, schedule=False)
        return list(report.findings)

    def _prepared(self, values: Values) -> tuple[Any, Any, int, list[Any], dict[str, np.ndarray]]:
        launch = self.task.launch
        outputs = {name: values.array(f"outputs.{name}", "start", one.start).copy() for name, one in self.task.outputs.items()}
        given = {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in values.inputs.items()} | outputs
        grid, block = (extents(values.whole("launch", name, getattr(launch, name)), name) for name in ("grid", "block"))
        shared = values.whole("launch", "shared", launch.shared)
        assert isinstance(shared, int)
        return grid, block, shared, [given[name] for name in launch.arguments], outputs


class ProgramRunner:
    """A program of a front end that compiles text, without executing any of it on the host."""

    def __init__(self, task: Task, submission: Submission, engine: str) -> None:
        self.task, self.submission, self.engine = task, submission, engine
        self.row = front_end(str(submission.path))

    def run(self, values: Values) -> Ran:
        """Run it."""
        program = self._program(values, self.task.machine.gpu or self.row.gpu)
        gpu = GPU(self.task.machine.gpu or self.row.gpu, set=dict(self.task.machine.set), engine=self.engine)
        result = gpu.run(program, max_cycles=self.task.machine.max_cycles)
        if result.status != "done":
            raise Stopped("\n".join([result.summary(), *result.messages]))
        outputs = {name: self._output(values, name, one, result) for name, one in self.task.outputs.items()}
        return Ran(outputs, figures_of(result, program))

    def check(self, values: Values) -> list[Finding]:
        """Check it, on a machine with warps."""
        wanted = self.task.machine.gpu or self.row.gpu
        gpu = GPU(wanted, set=dict(self.task.machine.set), engine=self.engine)
        if not gpu.config.has.checks:
            gpu = GPU(self.row.warps_gpu or "sm", engine=self.engine)
        report = run_checked(
            gpu.config, self._program(values, gpu.config.name), engine=self.engine, max_cycles=self.task.machine.max_cycles, schedule=False
        )
        return list(report.findings)

    def _program(self, values: Values, machine: str) -> Program:
        launch = self.task.launch
        buffers = {name: values.array("launch.buffers", name, given) for name, given in launch.buffers.items()}
        arguments = {name: values.of("launch.values", name, given) for name, given in launch.values.items()}
        extent = {
            name: None if getattr(launch, name) is None else values.whole("launch", name, getattr(launch, name))
            for name in ("threads", "block", "grid")
        }
        options = Options(self.submission.path.name, buffers=buffers, arguments=arguments, machine=machine, **extent)  # type: ignore[arg-type]
        with tempfile.TemporaryDirectory(prefix="warploom-judge-") as folder:
            copy = Path(folder) / self.submission.path.name
            copy.write_bytes(self.submission.data)
            program = compiled(lambda: load(copy, options=options), self.task, Path(folder))
        return replace(program, sources=tuple(replace(one, path=one.path.replace(f"{folder}/", "")) for one in program.sources))

    def _output(self, values: Values, name: str, output: Output, result: Result) -> np.ndarray:
        table = f"outputs.{name}"
        found = read_buffer(result.program, result.memory, output.buffer)
        if output.type:
            raw = np.ascontiguousarray(found).reshape(-1).view(np.uint8)
            kind = np.dtype(output.type)
            found = raw[: len(raw) // kind.itemsize * kind.itemsize].view(kind)
        first = values.whole(table, "first", output.first)
        count = len(found) if output.count is None else values.whole(table, "count", output.count)
        assert isinstance(first, int) and isinstance(count, int)
        return found[first : first + count]
